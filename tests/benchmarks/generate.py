"""Makes swimlanes of any size: one random graph on 72 cores, in the forms that PyPTO has.

The merged file is written event by event, indented like PyPTO's own; the raw files beside it
(profile, topology, program) are what PyPTO's `draw_swim_lane.py` makes its own merged file from.
The same size always gives the same bytes.

    python -m tests.benchmarks.generate 100000 FOLDER
"""

from __future__ import annotations

import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

AIC, AIV = 24, 48
CORES = AIC + AIV
LEAVES = 60
HUB = -1
MHZ = 1800
#: Tasks of one device task; dependencies stay inside.
BATCH = 16384
#: One node in so many is a hub, with this many predecessors.
HUB_EVERY, HUB_FAN_IN = 333, 16
#: How far back a task's predecessors lie.
REACH = 2000
ROOT_HASH = 3400281343105076935


@dataclass
class Graph:
    """Nodes in order of their ids: core (or HUB), leaf, start and end in cycles, predecessors."""

    core: list[int]
    leaf: list[int]
    start: list[int]
    end: list[int]
    before: list[list[int]]

    def __post_init__(self) -> None:
        self.after: list[list[int]] = [[] for _ in self.core]
        for node, nodes in enumerate(self.before):
            for other in nodes:
                self.after[other].append(node)
        by_core: dict[int, list[int]] = defaultdict(list)
        for node, core in enumerate(self.core):
            by_core[core].append(node)
        #: Nodes in the order of the files: core by core, hubs last.
        self.order = [node for core in (*range(CORES), HUB) for node in by_core[core]]
        self.by_core = by_core


def make(count: int) -> Graph:
    """A run of ``count`` nodes: each starts some time after its predecessors, on a random core."""
    chance = random.Random(count)
    free = [0] * CORES
    graph: tuple[list[int], ...] = ([], [], [], [])
    cores, leaves, starts, ends = graph
    before: list[list[int]] = []
    for node in range(count):
        first = max(node - node % BATCH, node - REACH)
        room = node - first
        if node % HUB_EVERY == HUB_EVERY - 1 and room > HUB_FAN_IN and node + 1 < count:
            before.append(sorted(chance.sample(range(first, node), HUB_FAN_IN)))
            core, leaf, start, end = HUB, LEAVES, 0, 0
        else:
            chosen = {first + chance.randrange(room) for _ in range(2)} if room else set()
            if node and cores[-1] == HUB and room:
                chosen.add(node - 1)  # a hub is followed by a task
            before.append(sorted(chosen))
            leaf = chance.randrange(LEAVES)
            core = chance.randrange(AIC) if leaf < LEAVES // 3 else AIC + chance.randrange(AIV)
            ready = max((ends[other] for other in before[-1]), default=0)
            start = max(free[core], ready) + chance.randrange(2 * MHZ)
            end = free[core] = start + MHZ + leaf * 180 + chance.randrange(180)
        for column, value in zip(graph, (core, leaf, start, end), strict=True):
            column.append(value)
    result = Graph(cores, leaves, starts, ends, before)
    for node, core in enumerate(cores):
        if core == HUB:
            # PyPTO draws a hub as the last µs before its first successor.
            ends[node] = min(starts[other] for other in result.after[node] if cores[other] != HUB)
            starts[node] = ends[node] - MHZ
    return result


def chain(count: int) -> Graph:
    """The other extreme: every task waits for the one before it, on two cores in turn."""
    nodes = range(count)
    return Graph(
        core=[node % 2 for node in nodes],
        leaf=[node % LEAVES for node in nodes],
        start=[2 * MHZ * node for node in nodes],
        end=[2 * MHZ * node + MHZ for node in nodes],
        before=[[node - 1] if node else [] for node in nodes],
    )


def task_id(node: int) -> tuple[int, int, int]:
    """The node's seq, func and op."""
    seq, place = divmod(node, BATCH)
    return seq, *divmod(place, 128)


def packed(node: int) -> int:
    """The node's taskId."""
    _, func, op = task_id(node)
    return func << 20 | op


def leaf_hash(leaf: int) -> int:
    """The hash of a leaf function."""
    return 11453517318661125466 - leaf * 76543210987654321 if leaf < LEAVES else 0


def label(leaf: int) -> str:
    """The semantic label of a leaf function."""
    return ("QK", "softmax", "PV", "update", "RmsNorm")[leaf % 5] + f"_{leaf}"


def tensors(leaf: int) -> tuple[list[dict[str, int | list[int]]], ...]:
    """The inputs and outputs of a leaf function."""

    def one(place: int) -> dict[str, int | list[int]]:
        number = 8 * leaf + place
        return {
            "magic": 3310 + number,
            "shape": [128, 64 << (number % 4)],
            "rawtensor": 1640 + number,
            "datatype": 7 + number % 2,
        }

    return [one(place) for place in range(1 + leaf % 2)], [one(2 + p) for p in range(1 + leaf % 3)]


def hint(operands: list[dict[str, int | list[int]]]) -> str:
    """Operands as PyPTO writes them into a slice: a Python repr."""
    return str(
        [
            {t["magic"]: {"shape": t["shape"], "dtype": t["datatype"], "rawmagic": t["rawtensor"]}}
            for t in operands
        ]
    )


def write_merged(graph: Graph, path: Path) -> None:
    """Writes the merged swimlane."""
    with path.open("w", encoding="utf-8", buffering=1 << 20) as file:
        file.write('{\n    "traceEvents": [')
        separator = "\n"
        for event in events(graph):
            file.write(separator + event)
            separator = ",\n"
        file.write("\n    ]\n}")


def events(graph: Graph) -> Iterator[str]:
    """The merged file's events, each as indented text."""
    yield _metadata("process_name", "Machine View", "")
    names = ["Fake Core_0", *(core_name(core) for core in range(CORES))]
    for number, name in enumerate(names):
        yield _metadata("thread_name", name, f',\n            "tid": {_tid(number - 1)}')
    yield from _slices(graph)
    yield from _flows(graph)
    yield from _counters(graph)


def core_name(core: int) -> str:
    """The name of a lane."""
    return f"AIC_{core + 1}" if core < AIC else f"AIV_{core + 1}"


def _tid(core: int) -> int:
    return 1000 + 2 * (core + 1)


def _metadata(kind: str, name: str, tid: str) -> str:
    return f"""        {{
            "args": {{
                "name": "{name}"
            }},
            "cat": "__metadata",
            "name": "{kind}",
            "ph": "M",
            "pid": 1{tid}
        }}"""


def _slices(graph: Graph) -> Iterator[str]:
    hints = [tuple(map(hint, tensors(leaf))) if leaf < LEAVES else ("", "") for leaf in range(61)]
    reports = _reports(graph)
    for number, node in enumerate(graph.order):
        (seq, func, op), leaf = task_id(node), graph.leaf[node]
        root, psg, what = (0, leaf, label(leaf)) if leaf < LEAVES else (LEAVES + 1, 0, "fake")
        root_hash = ROOT_HASH if leaf < LEAVES else 0
        start, end = graph.start[node] / MHZ, graph.end[node] / MHZ
        event = (
            f"Task:[{seq}-{func}-{op}], rootHash:{root_hash}, callOpMagic:{10000 + leaf}, "
            f"leafHash:{leaf_hash(leaf)}, TaskId:{packed(node)}"
        )
        yield f"""        {{
            "args": {{
                "event-hint": "{event}",
                "ioperand-hint": "{hints[leaf][0]}",
                "ooperand-hint": "{hints[leaf][1]}",
                "execution-hint": "{reports[leaf]}",
                "color": "{what}",
                "taskId": {packed(node)},
                "seqNo": {seq}
            }},
            "cat": "event",
            "id": {number},
            "name": "{seq}-{func}-{op}-{root}-{psg}({what})",
            "ph": "X",
            "pid": 1,
            "tid": {_tid(graph.core[node])},
            "ts": {start},
            "dur": {end - start}
        }}"""


def _reports(graph: Graph) -> list[str]:
    """The execution hint of each leaf function, and of the hubs."""
    by_leaf: list[list[int]] = [[] for _ in range(LEAVES + 1)]
    for node, leaf in enumerate(graph.leaf):
        by_leaf[leaf].append(node)
    reports = []
    for nodes in by_leaf:
        times = [(graph.end[node] - graph.start[node]) / MHZ for node in nodes] or [0.0]
        longest, shortest = max(times), min(times)
        places = [
            "-".join(map(str, task_id(nodes[times.index(t)]))) if nodes else ""
            for t in (longest, shortest)
        ]
        reports.append(
            f"Average Execution Time: {sum(times) / len(times)}\\n"
            f"Max Execution Time: {longest}, Task: [{places[0]}]\\n"
            f"Min Execution Time: {shortest}, Task: [{places[1]}]\\n"
        )
    return reports


def _flows(graph: Graph) -> Iterator[str]:
    number = len(graph.order)
    name = "machine-view-last-dep"
    for node in graph.order:
        for other in graph.after[node]:
            yield f"""        {{
            "cat": "{name}",
            "id": {number},
            "name": "{name}",
            "ph": "s",
            "pid": 1,
            "tid": {_tid(graph.core[node])},
            "ts": {graph.end[node] / MHZ - 0.0001}
        }}"""
            yield f"""        {{
            "bp": "e",
            "cat": "{name}",
            "id": {number},
            "name": "{name}",
            "ph": "f",
            "pid": 1,
            "tid": {_tid(graph.core[other])},
            "ts": {graph.start[other] / MHZ}
        }}"""
            number += 1


def _counters(graph: Graph) -> Iterator[str]:
    """Tasks that are ready and not started, per engine and in all."""
    changes: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for node, core in enumerate(graph.core):
        if core != HUB:
            ready = max((graph.end[other] for other in graph.before[node]), default=0)
            changes[ready][core >= AIC] += 1
            changes[graph.start[node]][core >= AIC] -= 1
    values = [0, 0]
    for cycle, change in sorted(changes.items()):
        for engine, name in enumerate(("AIC", "AIV")):
            values[engine] += change[engine]
            if change[engine]:
                yield _counter(f"ReadyCount_{name}", cycle, values[engine])
        if any(change):
            yield _counter("ReadyCount_Total", cycle, sum(values))


def _counter(name: str, cycle: int, value: int) -> str:
    return f"""        {{
            "name": "{name}",
            "pid": 1,
            "tid": 1,
            "ph": "C",
            "ts": {cycle / MHZ},
            "args": {{
                "size": {value}
            }}
        }}"""


def write_raw(graph: Graph, folder: Path) -> None:
    """Writes the profile, the topology and the program that PyPTO's script joins."""
    profile = [
        {
            "blockIdx": core,
            "coreType": "AIC" if core < AIC else "AIV",
            "tasks": [
                {
                    "execEnd": graph.end[node],
                    "execStart": graph.start[node],
                    "seqNo": task_id(node)[0],
                    "subGraphId": graph.leaf[node],
                    "taskId": packed(node),
                }
                for node in graph.by_core[core]
            ],
        }
        for core in range(CORES)
    ]
    with (folder / "tilefwk_L1_prof_data.json").open("w") as file:
        json.dump(profile, file)
    with (folder / "dyn_topo.txt").open("w", buffering=1 << 20) as file:
        file.write(
            "seqNo,taskId,rootIndex,rootHash,opmagic,leafIndex,leafHash,coreType,psgId,successors\n"
        )
        for node, leaf in enumerate(graph.leaf):
            is_hub = leaf == LEAVES
            root_hash, kind = (0, 4) if is_hub else (ROOT_HASH, int(graph.core[node] < AIC))
            psg = 0 if is_hub else leaf
            after = "".join(f",{packed(other)}" for other in graph.after[node])
            file.write(
                f"{task_id(node)[0]},{packed(node)},0,{root_hash},{10000 + leaf},{leaf},"
                f"{leaf_hash(leaf)},{kind},{psg},{after}\n"
            )
    with (folder / "program.json").open("w") as file:
        json.dump({"functions": list(_functions())}, file)


def _functions() -> Iterator[dict[str, object]]:
    """The root function, which calls every leaf function, and the leaf functions."""
    operands = {leaf: tensors(leaf) for leaf in range(LEAVES)}
    every = [tensor for both in operands.values() for part in both for tensor in part]
    yield {
        "hash": str(ROOT_HASH),
        "func_magicname": "TENSOR_ROOT",
        "graphtype": 2,
        "operations": [
            {
                "opcode": "CALL",
                "opmagic": 10000 + leaf,
                "calleehash": str(leaf_hash(leaf)),
                "ioperands": [tensor["magic"] for tensor in inputs],
                "ooperands": [tensor["magic"] for tensor in outputs],
                "semantic_label": {"filename": "kernel.py", "label": label(leaf), "lineno": leaf},
            }
            for leaf, (inputs, outputs) in operands.items()
        ],
        **_tables(every),
    }
    for leaf, (inputs, outputs) in operands.items():
        yield {
            "hash": str(leaf_hash(leaf)),
            "func_magicname": f"TENSOR_LEAF_{leaf}",
            "graphtype": 3,
            "operations": [],
            **_tables([*inputs, *outputs]),
        }


def _tables(used: list[dict[str, int | list[int]]]) -> dict[str, object]:
    return {
        "tensors": [{key: t[key] for key in ("magic", "shape", "rawtensor")} for t in used],
        "rawtensors": [
            {
                "rawmagic": t["rawtensor"],
                "datatype": t["datatype"],
                "rawshape": t["shape"],
                "symbol": f"t{t['magic']}",
            }
            for t in used
        ],
    }


if __name__ == "__main__":
    run, target = make(int(sys.argv[1])), Path(sys.argv[2])
    target.mkdir(parents=True, exist_ok=True)
    write_merged(run, target / "merged_swimlane.json")
    write_raw(run, target)
