"""Tiny raw files, spelled as PyPTO spells them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from perfetto_pypto.swimlane import Swimlane

#: Ticks of a 50 MHz counter, four weeks after the machine was started.
BOOT = 120_000_000_000_000

HEADER = "seqNo,taskId,rootIndex,rootHash,opmagic,leafIndex,leafHash,coreType,psgId,successors"

PROFILE = "tilefwk_L1_prof_data.json"
SIMULATED = "_simulate.swim.json"


def execution(task_id: int, start: Any, end: Any, seq: int = 0, **more: Any) -> dict[str, Any]:
    return {"seqNo": seq, "taskId": task_id, "execStart": start, "execEnd": end, **more}


def core(number: int, kind: str, *tasks: dict[str, Any]) -> dict[str, Any]:
    return {"blockIdx": number, "coreType": kind, "tasks": list(tasks)}


#: Two cores: task 1 feeds the hub 2, which frees task 3.
CORES = [
    core(0, "AIC", execution(1, BOOT + 100, BOOT + 600, subGraphId=4)),
    core(1, "AIV", execution(3, BOOT + 700, BOOT + 800, subGraphId=5)),
]
TOPOLOGY = (
    f"{HEADER}\n0,1,0,55,10001,1,77,1,6,,2\n0,2,0,55,10002,0,0,4,0,,3\n0,3,0,55,10003,2,88,0,7,\n"
)

PROGRAM = {
    "version": "3",
    "functions": [
        {"hash": "55", "graphtype": 2, "funcmagic": 9, "func_magicname": "root",
         "operations": [
             {"opmagic": 10001, "opcode": "CALL", "calleehash": "77", "subgraphid": 0,
              "ioperands": [1, 1], "ooperands": [2],
              "semantic_label": {"label": "up", "filename": "/op/kernel.py", "lineno": 40}},
             {"opmagic": 10003, "opcode": "CALL", "calleehash": "88", "subgraphid": 1,
              "ioperands": [2], "ooperands": []}],
         "tensors": [{"magic": 1, "shape": [-1, 64], "rawtensor": 5},
                     {"magic": 2, "shape": [64], "rawtensor": 6}],
         "rawtensors": [{"rawmagic": 5, "datatype": 8}, {"rawmagic": 6, "datatype": 7}]},
        {"hash": "60", "graphtype": 1, "root_func_magic": 9, "operations": [
            {"opmagic": 1, "subgraphid": 0, "file": "/site-packages/pypto/op.py", "line": 7},
            {"opmagic": 2, "subgraphid": 0, "file": "/site-packages/pypto/op.py", "line": 7},
            {"opmagic": 3, "subgraphid": 0, "file": "/op/kernel.py", "line": 42}]},
        {"hash": "88", "graphtype": 3, "func_magicname": "leaf_88", "operations": [
            {"opmagic": 4, "file": "/op/kernel.py", "line": 50}]},
    ],
}  # fmt: skip


def write_run(
    folder: Path,
    cores: Any = CORES,
    topology: str | None = TOPOLOGY,
    profile: str = PROFILE,
    **files: Any,
) -> Path:
    """A folder with a profile, its topology and more JSON files (``program``: program.json)."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / profile).write_text(json.dumps(cores))
    if topology is not None:
        (folder / "dyn_topo.txt").write_text(topology)
    for name, value in files.items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    return folder


def spans(run: Swimlane) -> list[tuple[str, int, int, str]]:
    """Core, start, end and seq-func-op of each task."""
    t = run.tasks
    return [
        (
            run.cores[t.core[row]].name,
            int(t.start[row]),
            int(t.end[row]),
            f"{t.seq[row]}-{t.func[row]}-{t.op[row]}",
        )
        for row in range(len(t))
    ]
