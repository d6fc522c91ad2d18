"""The metrics that there are: as a table, as JSON, and as the reference page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TextIO

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from perfetto_pypto.engine.packages import read_modules
from perfetto_pypto.metrics import Catalog, MetricInfo
from perfetto_pypto.report.console import console_on
from perfetto_pypto.report.json import dumps
from perfetto_pypto.report.markdown import table
from perfetto_pypto.sql import SqlObject, module_comment

_UNITS = {"TIME_NANOS": "ns", "COUNT": "count", "METRIC_UNIT_UNSPECIFIED": ""}
_BETTER = {"HIGHER_IS_BETTER": "higher", "LOWER_IS_BETTER": "lower"}


def write_list(infos: Sequence[MetricInfo], file: TextIO) -> None:
    """Prints a line per metric: id, unit, which is better, source, formula."""
    heads = ("metric", "unit", "better", "source", "formula")
    shown = Table(box=None, pad_edge=False, padding=(0, 1), header_style="dim")
    for head in heads:
        shown.add_column(head, no_wrap=head != "formula")
    for info in infos:
        cells = (info.id, *_unit_and_better(info), info.source, info.formula)
        shown.add_row(*map(Text, cells))
    # A line stays a line where it isn't on a terminal: for grep and the like.
    width = Console(file=file, width=1_000_000).measure(shown).maximum
    with console_on(file, width=max(width, 1)) as console:
        console.print(shown)


def list_json(infos: Sequence[MetricInfo]) -> str:
    """Returns an array of objects with the fields of `MetricInfo`."""
    return dumps(msgspec.to_builtins(infos)) + "\n"


def list_markdown(catalog: Catalog, infos: Sequence[MetricInfo]) -> str:
    """Returns the reference page: the metrics, and the public objects of the SQL modules."""
    return "\n\n".join([_INTRODUCTION, *_bundles(catalog, infos), *_modules(catalog)]) + "\n"


_INTRODUCTION = """\
# Metrics

Made by `make docs` from the metric specs (`*.textproto`) and the comments in the SQL modules
(`*.sql`) beside this page: change those. The same list for tools:
`pypto-perfetto metrics --list --format json`. Times are integer nanoseconds, ratios are fractions.
A value that the input has no data for is absent, never 0."""


def _bundles(catalog: Catalog, infos: Sequence[MetricInfo]) -> Iterator[str]:
    yield "## Bundles"
    for bundle, members in groupby(infos, key=lambda info: info.bundle):
        listed = list(members)
        yield f"### {bundle}"
        dimensions = ", ".join(f"`{name}`" for name in listed[0].dimensions)
        rows = f"One row per {dimensions}." if dimensions else "One row."
        yield f"{catalog.bundles[bundle]} {rows}".strip()
        yield table(
            ("metric", "unit", "better", "formula", "source"),
            ([f"`{i.id}`", *_unit_and_better(i), i.formula, f"`{i.source}`"] for i in listed),
            left=5,
            escaped=True,
        )


def _modules(catalog: Catalog) -> Iterator[str]:
    yield "## Tables"
    yield (
        "`pypto-perfetto query INPUT 'SELECT … FROM pypto_task'` includes the modules by itself; "
        "elsewhere write `INCLUDE PERFETTO MODULE pypto.task;`."
    )
    for package, folder in catalog.packages.items():
        for module, text in read_modules(package, folder).items():
            public = [o for o in catalog.objects.values() if o.module == module and o.is_public]
            if public:
                yield f"### {module}"
                yield module_comment(text)
            for found in public:
                yield from _object(found)


def _object(found: SqlObject) -> Iterator[str]:
    kind = "" if found.kind == "TABLE" else f" ({found.kind.lower()})"
    yield f"**`{found.name}`**{kind}: {found.comment}"
    if found.columns:
        yield table(
            ("column", "type", "meaning"),
            ([f"`{c.name}`", c.type, c.comment] for c in found.columns),
            left=3,
            escaped=True,
        )


def _unit_and_better(info: MetricInfo) -> tuple[str, str]:
    return _UNITS.get(info.unit, info.unit), _BETTER.get(info.polarity, "")
