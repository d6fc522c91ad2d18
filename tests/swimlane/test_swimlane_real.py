"""Real runs: nothing goes missing, and known figures come out."""

import numpy as np
import pytest

from perfetto_pypto.errors import InputError
from perfetto_pypto.swimlane import HUB, NOT_A_CORE, Swimlane, read
from tests.paths import run_name, sample_runs
from tests.swimlane.swimlane_samples import found, missing

RUNS = {run_name(path): path for path in sample_runs()}
#: PyPTO's output of a profile without a task.
EMPTY = [RUNS.pop(name) for name in ("edge_empty_prof",) if name in RUNS]
#: Figures of runs that may be here or not: tasks, hubs, flows, distinct edges, backward edges,
#: cores, makespan in ns.
KNOWN = {
    "real_llama_onboard_head": (233, 2, 473, 473, 7, {"AIC": 20, "AIV": 32}, 2_386_500),
    "flash_st512": (1152, 96, 2944, 2560, 0, {"AIC": 24, "AIV": 48}, None),
    "flash_stitch512": (1280, 96, 3456, 3072, 0, {"AIC": 24, "AIV": 48}, None),
}


def is_hub(run: Swimlane) -> "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]":
    return np.array([core.engine == HUB for core in run.cores])[run.tasks.core]


@pytest.mark.parametrize("name", RUNS)
def test_nothing_goes_missing(name: str) -> None:
    run = read(RUNS[name])
    tasks = run.tasks
    assert missing(run) == {}
    assert not {"ambiguous-dependency", "unresolved-dependency", "lone-flow"} & set(found(run))
    assert not {"unparsed-name", "unparsed-hint", "unknown-key", "unknown-lane"} & set(found(run))
    assert run.source.clock_hz in (50_000_000, 1_800_000_000)
    stamps = np.concatenate([tasks.start, run.phases.start, *(c.ts for c in run.counters)])
    assert stamps.min() == 0
    assert bool(np.all(tasks.end >= tasks.start))
    if run.source.clock_hz == 50_000_000:
        assert bool(np.all(tasks.start % 20 == 0))
        assert bool(np.all(tasks.end % 20 == 0))
    assert set(run.source.core_counts) == {c.engine for c in run.cores} - NOT_A_CORE


@pytest.mark.parametrize("name", [name for name in KNOWN if name in RUNS])
def test_known_figures(name: str) -> None:
    run = read(RUNS[name])
    tasks, dependencies = run.tasks, run.dependencies
    real = ~is_hub(run)
    backward = tasks.start[dependencies.dst] < tasks.end[dependencies.src]
    figures = (
        int(real.sum()),
        int((~real).sum()),
        run.present["dependencies"],
        len(dependencies),
        int(backward.sum()),
        run.source.core_counts,
    )
    assert figures == KNOWN[name][:6]
    makespan = KNOWN[name][6]
    if makespan is not None:
        assert tasks.end[real].max() - tasks.start[real].min() == makespan


def test_there_are_runs() -> None:
    assert RUNS


def test_findings_of_the_broken_runs() -> None:
    """Each of PyPTO's own odd outputs is named for what it is."""
    expected = {
        "edge_aicpu_core": {},
        "edge_aicpu_twice": {"duplicate-phase": 533},
        "edge_neg_dur": {"negative-duration": 1},
        "edge_zero_dur": {"zero-duration": 1},
        "edge_overlap": {"overlapping-tasks": 1},
        "edge_unsorted": {"unsorted-tasks": 21},
    }
    here = {name: found(read(RUNS[name])) for name in expected if name in RUNS}
    assert here == {name: expected[name] for name in here}


def test_a_run_of_an_empty_profile_is_refused() -> None:
    for path in EMPTY:
        with pytest.raises(InputError, match="as after an empty profile"):
            read(path)
