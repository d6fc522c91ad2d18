"""One run of a comparison: its metrics, and the shapes that its subgraphs work on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.engine import query_columns
from perfetto_pypto.metrics import Metrics, compute

#: (leaf hash, engine).
SubgraphKey = tuple[str, str]

#: Tensor numbers differ between compilations; shapes and types don't.
_TENSOR = re.compile(r" \(tensor \d+\)")

# Isomorphic tasks have the same shapes: those of the first one.
_SHAPES = """
INCLUDE PERFETTO MODULE pypto.task;
SELECT t.subgraph, t.engine, a.string_value AS shape
FROM (SELECT subgraph, engine, min(slice_id) AS slice_id FROM pypto_task GROUP BY 1, 2) AS t
JOIN slice AS s ON s.id = t.slice_id
JOIN args AS a USING (arg_set_id)
WHERE a.flat_key IN ('debug.inputs', 'debug.outputs')
ORDER BY t.subgraph, t.engine, a.flat_key, a.id
"""


@dataclass(frozen=True, slots=True)
class Run:
    """A run: metrics, and the shapes of each subgraph as one text; no entry where unknown."""

    metrics: Metrics
    shapes: dict[SubgraphKey, str]


def measure(tp: TraceProcessor) -> Run:
    """Computes what a comparison needs of the run that ``tp`` holds."""
    metrics = compute(tp)
    columns = query_columns(tp, _SHAPES)
    shapes: dict[SubgraphKey, str] = {}
    for subgraph, engine, shape in zip(*columns.values(), strict=True):
        before = shapes.get((subgraph, engine))
        text = _TENSOR.sub("", shape or "")
        shapes[subgraph, engine] = text if before is None else f"{before}; {text}"
    return Run(metrics, shapes)
