"""The identities of the definitions, checked on computed values."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from tests.oracle.job import Value, Values

CORE_PARTS = ("busy", "startup", "wait_predecessor", "wait_schedule", "tail", "idle")
STATES = ("busy", "starved", "blocked", "drained")
FACTORS = ("load_balance", "serialization", "dispatch")


def identities(values: Values) -> list[str]:
    """The identities that these values break, in words; exact, not nearly."""
    makespan = values["pypto_run_makespan", ()]
    if makespan is None:
        return []
    broken = []

    def check(what: str, parts: Iterable[Value], whole: Value) -> None:
        parts = list(parts)
        if sum(Fraction(part or 0) for part in parts) != whole:
            broken.append(f"{what}: {parts} don't sum to {whole}")

    def column(metric: str) -> list[Value]:
        return [value for (name, _), value in values.items() if name == metric]

    for metric, where in values:
        if metric == "pypto_core_busy":
            parts = [values[f"pypto_core_{part}", where] for part in CORE_PARTS]
            check(f"core {where[0]}", parts, makespan)
        if metric == "pypto_engine_busy":
            engine = {
                part: values[f"pypto_engine_{part}", where]
                for part in (*STATES, *FACTORS, "core_count", "used_core_count")
            }
            cores = engine["core_count"] or 0
            check(f"engine {where[0]}", [engine[part] for part in STATES], cores * makespan)
            if all(engine[factor] is not None for factor in FACTORS):
                product = Fraction(1)
                for factor in FACTORS:
                    product *= engine[factor] or 0
                used = engine["used_core_count"] or 0
                check(f"factors of {where[0]}", [product * used * makespan], engine["busy"])

    compute = values["pypto_observed_path_time", ("compute",)]
    check("observed path", column("pypto_observed_path_time"), makespan)
    check("subgraphs on it", column("pypto_subgraph_critical_path_time"), compute)
    return broken
