"""The gate: is a run good enough, by limits and against a baseline?"""

from __future__ import annotations

from perfetto_pypto.gate.baseline import Baseline, read_baseline
from perfetto_pypto.gate.limits import Limit, parse_limit
from perfetto_pypto.gate.verdict import Check, Verdict, judge

__all__ = ["Baseline", "Check", "Limit", "Verdict", "judge", "parse_limit", "read_baseline"]
