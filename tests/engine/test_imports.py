"""The host binds the engine's imports by name, and an unknown one only matters when called."""

from __future__ import annotations

import pytest
from wasmtime import Engine, Instance, Module, Store

from perfetto_pypto.engine.imports import HostCallError, Imports

WAT = """
(module
  (import "env" "brand_new" (func $new (param i64) (result f64)))
  (import "env" "__syscall_openat" (func $open (param i32 i32 i32 i32) (result i32)))
  (func (export "unused") (result i32) i32.const 7)
  (func (export "opens") (result i32)
    (call $open (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)))
  (func (export "calls") (drop (call $new (i64.const 1)))))
"""


@pytest.fixture
def exports():
    store = Store(Engine())
    module = Module(store.engine, WAT)
    imports = Imports(store)
    instance = Instance(store, module, [imports.bind(wanted) for wanted in module.imports])
    found = instance.exports(store)
    yield imports, lambda name: found[name](store)
    store.close()


def test_an_unknown_import_that_nobody_calls_is_harmless(exports):
    _, call = exports
    assert call("unused") == 7


def test_an_unknown_import_ends_the_engine_by_name(exports):
    imports, call = exports
    with pytest.raises(HostCallError):
        call("calls")
    assert imports.failure == "it called brand_new, which this host doesn't offer"


def test_there_are_no_files(exports):
    _, call = exports
    assert call("opens") == -44  # ENOENT
