"""Every SQL module: its style, its includes, and that it works alone in the real engine."""

from __future__ import annotations

import re

import pytest

import perfetto_pypto as pp
from perfetto_pypto.engine import query_columns
from perfetto_pypto.metrics import stock
from perfetto_pypto.sql import package_dir
from tests.drawing import swimlane
from tests.paths import ROOT
from tests.sql_quality.checker import STDLIB, code_of, includes, problems

TEXTS = {
    f"pypto.{file.stem}": file.read_text(encoding="utf-8")
    for file in sorted(package_dir().glob("*.sql"))
}
INCLUDES = {module: set(includes(text)) for module, text in TEXTS.items()}
OBJECTS = stock().objects
SPEC_TEXT = "".join(spec.text for spec in stock().specs)
DRAWING = swimlane(
    """
    AIC_1: a 0-10, b 12-20
    AIV_1: c 21-30
    HUB_1: h 20-20
    a -> c
    b -> h -> c
    """
)


def names(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


@pytest.mark.parametrize("module", TEXTS)
def test_style(module):
    assert list(problems(module, TEXTS[module])) == []


@pytest.mark.parametrize("module", TEXTS)
def test_every_include_is_needed(module):
    """It is used, or without it a module that builds on this one would miss something."""
    for included in INCLUDES[module]:
        if included in STDLIB:
            assert re.search(STDLIB[included], code_of(TEXTS[module])), included
        elif included not in needs(module):
            without = {**INCLUDES, module: INCLUDES[module] - {included}}
            assert any(needs(name) - reached(name, without) for name in TEXTS), included


def needs(module: str) -> set[str]:
    """The modules whose objects a module names."""
    words = names(code_of(TEXTS[module]))
    return {found.module for found in OBJECTS.values() if found.name in words}


def reached(module: str, includes: dict[str, set[str]]) -> set[str]:
    """The module and all that it includes, directly or not."""
    found, todo = set(), [module]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += includes.get(name, ())
    return found


def test_every_module_is_used():
    """By a spec, by another module, or by whoever asks its public tables."""
    for name in TEXTS:
        included = any(name in included for included in INCLUDES.values())
        public = any(found.module == name and found.is_public for found in OBJECTS.values())
        assert included or public or f'"{name}"' in SPEC_TEXT, name


def test_every_private_object_is_used():
    """By another object, a spec, or the code that draws the overlay."""
    users = [SPEC_TEXT, *(f.read_text() for f in (ROOT / "perfetto_pypto").rglob("*.py"))]
    elsewhere = names("".join(users))
    for found in OBJECTS.values():
        if not found.is_public and found.name not in elsewhere:
            bodies = (code_of(o.body) for o in OBJECTS.values() if o.name != found.name)
            assert any(found.name in names(body) for body in bodies), found.name


@pytest.mark.parametrize("module", TEXTS)
def test_it_works_alone_and_has_the_declared_columns(module):
    with pp.open_trace(DRAWING) as tp:
        query_columns(tp, f"INCLUDE PERFETTO MODULE {module}")
        for found in OBJECTS.values():
            if found.module == module and found.kind in ("TABLE", "VIEW") and found.columns:
                columns = query_columns(tp, f"SELECT * FROM {found.name} LIMIT 1")
                assert list(columns) == [column.name for column in found.columns], found.name
