"""Graham's certificate: a run longer than this left cores idle while work for them was ready."""

from __future__ import annotations

from fractions import Fraction

from tests.oracle import graph
from tests.oracle.job import Job


def graham_bound(job: Job) -> Fraction | None:
    """The longest that a greedy scheduler can take; None where the graph has a cycle."""
    critical_path = graph.critical_path(job.run)
    if critical_path is None:
        return None
    most = max(job.cores.values())
    return sum(job.work_per_core.values(), Fraction(0)) + (1 - Fraction(1, most)) * critical_path
