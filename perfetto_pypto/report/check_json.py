"""A gate's verdict as JSON: one object, described by `check.schema.json` beside this file."""

from __future__ import annotations

from typing import Any

import msgspec

from perfetto_pypto.gate import Verdict
from perfetto_pypto.report import check_story as story

SCHEMA_VERSION = 1


def check_json(verdict: Verdict) -> dict[str, Any]:
    """Returns the object that `check --format json` prints; values are in their metric's unit."""
    return {
        "schema_version": SCHEMA_VERSION,
        "run": verdict.run,
        "path": verdict.path,
        "baseline": verdict.baseline,
        "tolerance": verdict.tolerance,
        "exit_code": verdict.exit_code,
        "result": story.result(verdict),
        "checks": msgspec.to_builtins(verdict.checks),
    }
