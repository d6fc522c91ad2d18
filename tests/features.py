"""What is special about a run: counted, so that random runs provably have it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from tests.oracle import Run, graph


def features(run: Run) -> Counter[str]:
    """Each feature that the run has, once."""
    tasks = graph.core_tasks(run)
    cores = graph.by_core(run)
    direct, before = graph.predecessors(run), graph.real_predecessors(run)
    has = {
        "dag": graph.topological_order(len(run.tasks), run.edges) is not None,
        "hub between tasks": any(
            run.tasks[u].kind == "task" and u not in direct[task.id]
            for task in tasks
            for u in before[task.id]
        ),
        "overlap": any(
            second.start < first.end for own in cores.values() for first, second in pairwise(own)
        ),
        "backward edge": bool(graph.backward_dependencies(run)),
        "several batches": len({task.seq for task in tasks}) > 1,
        "idle core": not all(cores.values()),
        "task without length": any(task.duration == 0 for task in tasks),
    }
    return Counter(feature for feature, there in has.items() if there)
