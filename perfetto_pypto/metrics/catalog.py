"""All metrics there are: what the specs say, joined with the comments in the SQL modules."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from perfetto_pypto.errors import InputError, PyptoPerfettoError
from perfetto_pypto.metrics.specs import SpecFile, name_of, read_spec
from perfetto_pypto.sql import (
    PACKAGE,
    SqlObject,
    package_dir,
    read_objects,
    spec_files,
    with_package,
)

_JOINED = re.compile(r"\b(?:FROM|JOIN) (\w+) AS (\w+)")


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """What is known of a metric before it is computed.

    bundle:     metrics with the same rows: a table in reports, a file in csv
    column:     its name within the bundle
    dimensions: what a row of the bundle is about, e.g. ``["core", "engine"]``
    formula:    one line; empty where the SQL has no comment
    source:     ``table.column``, or the spec's file where it is no column of a known table
    """

    id: str
    bundle: str
    column: str
    dimensions: list[str]
    unit: str
    polarity: str
    formula: str
    source: str


@dataclass(frozen=True, slots=True)
class Catalog:
    """Metrics with the specs and modules that make them.

    specs:    spec files in the order of the reports
    packages: folders of SQL modules by package name
    objects:  what these modules define, by name
    metrics:  by id, in the order of the reports
    bundles:  what the spec says of each bundle
    """

    specs: list[SpecFile]
    packages: dict[str, Path]
    objects: dict[str, SqlObject]
    metrics: dict[str, MetricInfo]
    bundles: dict[str, str]

    def select(self, patterns: Iterable[str]) -> list[str]:
        """Returns the ids of the metrics whose id or bundle matches one of ``patterns``.

        Args:
            patterns: ids, bundle names, or globs such as ``pypto_engine_*``.

        Raises:
            PyptoPerfettoError: nothing matches a pattern; names the closest.
        """
        chosen: set[str] = set()
        for pattern in patterns:
            found = {
                info.id
                for info in self.metrics.values()
                if fnmatchcase(info.id, pattern) or fnmatchcase(info.bundle, pattern)
            }
            if not found:
                raise PyptoPerfettoError(
                    f"{pattern!r} is no metric and no bundle; {self._closest(pattern)}"
                )
            chosen |= found
        return [identifier for identifier in self.metrics if identifier in chosen]

    def _closest(self, name: str) -> str:
        close = difflib.get_close_matches(name, [*self.bundles, *self.metrics])
        if close:
            return f"the closest: {', '.join(close)}"
        return "see `pypto-perfetto metrics --list`"


@cache
def stock() -> Catalog:
    """Returns the package's own metrics; not to be changed."""
    objects = {found.name: found for found in read_objects(PACKAGE, package_dir())}
    catalog = Catalog([], {PACKAGE: package_dir()}, objects, {}, {})
    for path in spec_files():
        _add_spec(catalog, read_spec(path), {})
    return catalog


def load(
    specs: Iterable[str | os.PathLike[str]] = (),
    sql_packages: Mapping[str, str | os.PathLike[str]] | None = None,
) -> Catalog:
    """Returns the package's metrics and the user's.

    Args:
        specs: spec files (textproto) of the user's own metrics.
        sql_packages: package name to folder of the user's own modules.

    Raises:
        InputError: a file can't be read or used, or two things have one name.
    """
    own = stock()
    catalog = Catalog(
        list(own.specs), dict(own.packages), dict(own.objects), dict(own.metrics), dict(own.bundles)
    )
    for name, folder in with_package(sql_packages).items():
        if name != PACKAGE:
            _add_package(catalog, name, folder)
    for path in specs:
        _add_spec(catalog, read_spec(path), own.bundles)
    return catalog


def _add_package(catalog: Catalog, name: str, folder: Path) -> None:
    catalog.packages[name] = folder
    for found in read_objects(name, folder):
        other = catalog.objects.setdefault(found.name, found)
        if other is not found:
            raise InputError(
                folder,
                f"{found.module} defines {found.name}, as does {other.module}",
                "all modules share one namespace: choose another name",
            )


def _add_spec(catalog: Catalog, spec: SpecFile, taken: Container[str]) -> None:
    for entry, about in spec.entries():
        _check_modules(catalog, spec, entry)
        for info in _infos(catalog, spec, entry):
            if info.id in catalog.metrics or info.bundle in taken:
                what = f"metric {info.id}" if info.id in catalog.metrics else info.bundle
                raise InputError(spec.path, f"{what} exists already", "choose another id")
            catalog.metrics[info.id] = info
            catalog.bundles.setdefault(info.bundle, about)
    catalog.specs.append(spec)


def _check_modules(catalog: Catalog, spec: SpecFile, entry: Any) -> None:
    modules = {found.module for found in catalog.objects.values()}
    for name in entry.query.referenced_modules:
        if name.partition(".")[0] in catalog.packages and name not in modules:
            raise InputError(spec.path, f"no SQL module {name}", "see the files of the package")


def _infos(catalog: Catalog, spec: SpecFile, entry: Any) -> Iterator[MetricInfo]:
    """Yields one metric of a spec, or all of a template."""
    bundle = name_of(entry)
    if hasattr(entry, "id"):
        columns = [(entry.id, entry.value, entry)]
        bundle = entry.bundle_id or bundle
    else:
        columns = [(f"{bundle}_{one.name}", one.name, one) for one in entry.value_column_specs]
        columns += [(f"{bundle}_{name}", name, None) for name in entry.value_columns]
    for identifier, column, described in columns:
        formula, source = _origin(catalog, spec, entry.query, column)
        yield MetricInfo(
            id=identifier,
            bundle=bundle,
            column=identifier.removeprefix(f"{bundle}_"),
            dimensions=[one.name for one in entry.dimensions_specs] or list(entry.dimensions),
            unit=_unit(described),
            polarity=_enum(described, "polarity"),
            formula=formula,
            source=source,
        )


def _unit(described: Any) -> str:
    if described is not None and described.HasField("custom_unit"):
        return str(described.custom_unit)
    return _enum(described, "unit")


def _enum(described: Any, field: str) -> str:
    """The name of an enum's value; of a column that a template only names: unspecified."""
    if described is None:
        return f"{'METRIC_UNIT' if field == 'unit' else 'POLARITY'}_UNSPECIFIED"
    enum = described.DESCRIPTOR.fields_by_name[field].enum_type
    return str(enum.values_by_number[getattr(described, field)].name)


def _origin(catalog: Catalog, spec: SpecFile, query: Any, column: str) -> tuple[str, str]:
    """Returns the comment on a column and where it is made."""
    table = catalog.objects.get(query.table.table_name)
    found = table and _declared(catalog.objects, table, column)
    return found or ("", spec.path.name)


def _declared(
    objects: Mapping[str, SqlObject], table: SqlObject, column: str
) -> tuple[str, str] | None:
    """Finds where a column is declared: here, or in a table that a view without columns joins."""
    for one in table.columns:
        if one.name == column:
            return one.comment, f"{table.name}.{column}"
    if table.columns:
        return None
    joined = {alias: name for name, alias in _JOINED.findall(table.body) if name in objects}
    named = re.search(rf"\b(\w+)\.(\w+) AS {re.escape(column)}\b", table.body)
    places = [named.groups()] if named else [(alias, column) for alias in joined]
    for alias, name in places:
        if alias in joined and (found := _declared(objects, objects[joined[alias]], name)):
            return found
    return None
