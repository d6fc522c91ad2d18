"""Time of the whole metric pack, module by module, against the number of tasks: a table.

    python -m tests.benchmarks.pack [--sizes N …] [--write]

For each size a swimlane is generated (a random graph, and a chain), read and converted to its
facts; a fresh engine loads them and includes the modules one by one, each after those that it
includes. What comes last are the specs: the bundles' queries over the finished tables. CPU
seconds, the best of three engines.
Growth is the largest step from one size to the next, over that of n log n: 1.0 is n log n, 0.8
about linear.
``--write`` puts the table into this folder's README.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import perfetto_pypto
from perfetto_pypto.engine import open_trace, query_columns
from perfetto_pypto.metrics import compute
from perfetto_pypto.predict import predict
from perfetto_pypto.sql import PACKAGE, package_dir, with_package
from perfetto_pypto.trace import flows
from perfetto_pypto.trace.facts import write_facts
from perfetto_pypto.trace.writer import chunks_of
from tests.benchmarks.generate import Graph, chain, make, write_merged
from tests.benchmarks.readme import write_section

SPECS = "the specs"
ENGINES = 3
_INCLUDE = re.compile(r"^INCLUDE PERFETTO MODULE ([\w.]+);", re.MULTILINE)

Times = dict[str, float]


def modules() -> list[str]:
    """The modules, and those of the standard library, each after those that it includes."""
    includes = {
        f"{PACKAGE}.{file.stem}": _INCLUDE.findall(file.read_text(encoding="utf-8"))
        for file in sorted(package_dir().glob("*.sql"))
    }

    def walk(names: list[str]) -> Iterator[str]:
        for name in names:
            yield from walk(includes.get(name, []))
            yield name

    return list(dict.fromkeys(walk(list(includes))))


def measure(graph: Graph) -> Times:
    """CPU seconds of each module on one graph."""
    with tempfile.TemporaryDirectory() as name:
        merged = Path(name) / "merged_swimlane.json"
        write_merged(graph, merged)
        run = perfetto_pypto.read(merged)
    predictions = predict(run, 10_000)
    packets = write_facts(run, flows=flows.NONE, small_task_ns=10_000, predictions=predictions)
    facts = b"".join(chunks_of(packets))
    rounds = [one_engine(facts) for _ in range(ENGINES)]
    return {name: min(times[name] for times in rounds) for name in rounds[0]}


def one_engine(facts: bytes) -> Times:
    """The same, once."""
    with open_trace(facts, sql_packages=with_package()) as tp:
        times = {}
        for module in modules():
            begun = time.process_time()
            query_columns(tp, f"INCLUDE PERFETTO MODULE {module}")
            times[module] = time.process_time() - begun
        begun = time.process_time()
        compute(tp)
        times[SPECS] = time.process_time() - begun
    return times


def table(results: dict[int, Times]) -> str:
    """Rows in the order of the largest size's times; the whole pack first."""
    sizes = sorted(results)
    large = sizes[-1]
    slowest = sorted(results[large], key=lambda name: -results[large][name])
    lines = [
        f"| module | {' | '.join(f'{size:,} tasks' for size in sizes)} | share | growth |",
        f"| :-- | {' | '.join('--:' for _ in sizes)} | --: | --: |",
    ]
    whole = [sum(results[size].values()) for size in sizes]
    rows = {"the whole pack": whole}
    rows |= {name: [results[size][name] for size in sizes] for name in slowest}
    for name, seconds in rows.items():
        cells = [*(f"{value:.3f}" for value in seconds), f"{seconds[-1] / whole[-1]:.0%}"]
        lines.append(f"| {name} | {' | '.join(cells)} | {growth(sizes, seconds):.2f} |")
    first = next(name for name in slowest if name != SPECS)
    return "\n".join([*lines, "", f"The slowest module at {large:,} tasks is `{first}`."])


def growth(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The largest step from one size to the next, over that of n log n."""
    over = [s / (n * math.log(n)) for n, s in zip(sizes, seconds, strict=True)]
    return max((after / before for before, after in pairwise(over)), default=1)


def main() -> None:
    """Measures and prints, or writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--write", action="store_true", help="into the README")
    options = parser.parse_args()
    parts = []
    for title, shape in (("A random graph on 72 cores:", make), ("A chain on two:", chain)):
        results = {}
        for size in options.sizes:
            results[size] = measure(shape(size))
            print(f"{title} {size}: {sum(results[size].values()):.2f} s", file=sys.stderr)
        parts += [title, table(results)]
    text = "\n\n".join(parts)
    print(text)
    if options.write:
        write_section("pack", text)


if __name__ == "__main__":
    main()
