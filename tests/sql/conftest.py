from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import perfetto_pypto as pp
from perfetto_pypto.report.query import run_query
from tests.drawing import swimlane

Ask = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture
def ask() -> Ask:
    """``ask(drawing, sql)``: the rows that the real engine gives."""

    def rows(drawing: str, sql: str, **options: Any) -> list[tuple[Any, ...]]:
        small_task_ns = options.pop("small_task_ns", None)
        with pp.open_trace(swimlane(drawing, **options), small_task_ns=small_task_ns) as tp:
            columns = run_query(tp, sql)
            lists = [c.tolist() if hasattr(c, "tolist") else c for c in columns.values()]
            return list(zip(*lists, strict=True))

    return rows
