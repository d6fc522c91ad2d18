"""The compiled engine is code: kept privately, whole, by content, and never trusted blindly."""

from __future__ import annotations

import stat

import pytest
from wasmtime import Engine, Module, wat2wasm

from perfetto_pypto.engine.cache import cache_folder, image_path, load_module

WASM = bytes(wat2wasm('(module (func (export "seven") (result i32) i32.const 7))'))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "pypto-perfetto"


def test_the_first_load_compiles_and_keeps(folder):
    assert cache_folder() == folder
    load_module(Engine(), WASM, "default")
    (image,) = folder.iterdir()
    assert image == image_path(WASM, "default")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(image.stat().st_mode) == 0o600


def test_the_second_load_does_not_compile(folder, monkeypatch):
    load_module(Engine(), WASM, "default")
    monkeypatch.setattr(Module, "__init__", None)
    assert [e.name for e in load_module(Engine(), WASM, "default").exports] == ["seven"]


def test_the_key_is_the_content_and_everything_that_shapes_the_code(monkeypatch):
    first = image_path(WASM, "default")
    assert image_path(WASM, "small") != first
    assert image_path(WASM + b"\0", "default") != first
    monkeypatch.setattr("importlib.metadata.version", lambda _name: "1.0")
    assert image_path(WASM, "default") != first


def test_a_rejected_image_is_made_anew(folder):
    image = image_path(WASM, "default")
    folder.mkdir(0o700)
    image.write_bytes(b"damaged")
    load_module(Engine(), WASM, "default")
    assert image.stat().st_size > 100
    assert list(folder.iterdir()) == [image]


def test_images_in_a_folder_that_others_could_write_are_not_run(folder):
    load_module(Engine(), WASM, "default")
    planted = bytes(Module(Engine(), '(module (func (export "evil")))').serialize())
    folder.chmod(0o777)
    image_path(WASM, "default").write_bytes(planted)
    assert [e.name for e in load_module(Engine(), WASM, "default").exports] == ["seven"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_without_a_usable_folder_it_just_compiles(folder):
    folder.write_text("a file is in the way")
    assert load_module(Engine(), WASM, "default").exports
    assert folder.read_text() == "a file is in the way"
