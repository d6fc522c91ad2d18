"""One run of a comparison: its metrics, and the shapes that its subgraphs work on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from perfetto.trace_processor import TraceProcessor

from perfetto_pypto.advice import advise, stock_rules
from perfetto_pypto.engine import query_columns
from perfetto_pypto.metrics import Advice, Metrics, compute

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
    """A run of a comparison.

    shapes: of each subgraph, as one text; no entry where unknown
    advice: by the rules that need an earlier run; none on the side of the earlier runs
    """

    metrics: Metrics
    shapes: dict[SubgraphKey, str]
    advice: list[Advice]


def measure(tp: TraceProcessor, baseline: Metrics | None = None, lang: str = "en") -> Run:
    """Computes what a comparison needs of the run that ``tp`` holds.

    Args:
        tp: with a run and the package `pypto`.
        baseline: the run before, for the runs after.
        lang: language of the advice.
    """
    rules = [rule for rule in stock_rules() if rule.baseline]
    advice = advise(tp, rules=rules, lang=lang, baseline=baseline) if baseline else []
    return Run(compute(tp), _shapes(tp), advice)


def _shapes(tp: TraceProcessor) -> dict[SubgraphKey, str]:
    columns = query_columns(tp, _SHAPES)
    shapes: dict[SubgraphKey, str] = {}
    for subgraph, engine, shape in zip(*columns.values(), strict=True):
        before = shapes.get((subgraph, engine))
        text = _TENSOR.sub("", shape or "")
        shapes[subgraph, engine] = text if before is None else f"{before}; {text}"
    return shapes
