"""The baseline: what `metrics --format json` printed of a run that was good."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from perfetto_pypto.errors import InputError
from perfetto_pypto.metrics import Metric

_SCHEMA_VERSION = 1
_REMEDY = "make it with `pypto-perfetto metrics RUN --format json -o FILE`"


@dataclass(frozen=True, slots=True)
class _Input:
    name: str
    cores: dict[str, int]


@dataclass(frozen=True, slots=True)
class Baseline:
    """What the gate uses of the file; other keys are ignored."""

    schema_version: int
    input: _Input
    metrics: list[Metric]


def read_baseline(path: str | os.PathLike[str]) -> Baseline:
    """Reads a baseline.

    Raises:
        InputError: it can't be read, or is no such file.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})", _REMEDY) from error
    if content.lstrip().startswith(b"["):
        raise InputError(path, "is a list of runs", "make the baseline from one run")
    try:
        baseline = msgspec.json.decode(content, type=Baseline)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        problem = f"is no baseline ({str(error).rstrip('.')})"
        raise InputError(path, problem, _REMEDY) from error
    if baseline.schema_version != _SCHEMA_VERSION:
        problem = f"has schema_version {baseline.schema_version}, this tool {_SCHEMA_VERSION}"
        raise InputError(path, problem, "make it anew with this version")
    return baseline
