"""The tree of tracks, shared by the facts and the overlay.

Plain tracks only (no process or thread: those sort and name rows their own way), under one root
per run, in explicit order. Track ids are fixed by the layout, so that the overlay can draw on
tracks which the facts declared.
"""

from __future__ import annotations

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import CounterDescriptor, TrackDescriptor

from perfetto_pypto.swimlane.model import Core, Swimlane

ROOT = 1
CRITICAL_PATH = 2
OFF_CORE = 3
AICPU = 4
HUBS = 5
COUNTERS = 6
COLUMNS = 7
#: AICPU threads by their part: control, schedulers, core side.
AICPU_PARTS = ("AICPU control", "AICPU schedulers", "AICPU core side")

_AICPU_PART = 10  # + part
_ENGINE = 100  # + 10 * engine: group, running, ready
_COUNTER = 1_000  # + counter
_THREAD = 10_000  # + AICPU thread
_CORE = 1_000_000  # + core * _LANES + lane
_LANES = 10_000
_PIPE = 1_000_000_000_000  # + (core * _PIPES + pipe) * _LANES + lane
_PIPES = 100_000
#: Pipes of a core, in the order in which data pass them.
PIPES = ("MTE_IN", "MTE1", "CUBE", "VECTOR_ALU", "MTE_OUT", "PIPE_S")
_LAST_RANK = 2**31 - 1
#: Further lanes of a core's row: its synchronisation events and its bubbles. A bubble ends where a
#: task begins: on one track, the appended END would come after that BEGIN and bend both.
SYNC_LANE = _LANES - 1
BUBBLE_LANE = _LANES - 2


def engine_track(index: int) -> int:
    """The group row of an engine; it carries the engine's state."""
    return _ENGINE + 10 * index


def running_track(index: int) -> int:
    """The counter of an engine's running cores."""
    return _ENGINE + 10 * index + 1


def ready_track(index: int) -> int:
    """The counter of an engine's ready tasks."""
    return _ENGINE + 10 * index + 2


def core_track(core: int, lane: int = 0) -> int:
    """A lane of a core's row; ``core`` indexes ``Swimlane.cores``."""
    return _CORE + core * _LANES + lane


def pipe_track(core: int, pipe: int, lane: int = 0) -> int:
    """A lane of the row of a pipe inside a core; ``pipe`` numbers the pipes."""
    return _PIPE + (core * _PIPES + pipe) * _LANES + lane


def pipe_rank(pipe: str) -> int:
    """Rank of a pipe below its core: in the order in which data pass them."""
    return PIPES.index(pipe) if pipe in PIPES else len(PIPES)


def counter_track(index: int) -> int:
    """A counter of the file."""
    return _COUNTER + index


def aicpu_part_track(part: int) -> int:
    """A group of AICPU threads; ``part`` indexes ``AICPU_PARTS``."""
    return _AICPU_PART + part


def thread_track(index: int, lane: int = 0) -> int:
    """A lane of an AICPU thread's row."""
    return _THREAD + index * 100 + lane


def engines(swimlane: Swimlane) -> list[str]:
    """The engines that have cores, in the order of their rows."""
    return sorted(engine for engine, count in swimlane.source.core_counts.items() if count > 0)


def root_descriptor(name: str) -> TrackDescriptor:
    """The root of a run."""
    return TrackDescriptor(uuid=ROOT, name=name, child_ordering=TrackDescriptor.EXPLICIT)


def group(uuid: int, name: str, rank: int, parent: int = ROOT) -> TrackDescriptor:
    """A row with rows below it, in explicit order."""
    return TrackDescriptor(
        uuid=uuid,
        parent_uuid=parent,
        name=name,
        sibling_order_rank=rank,
        child_ordering=TrackDescriptor.EXPLICIT,
    )


def row(uuid: int, name: str, rank: int, parent: int, merge_key: str) -> TrackDescriptor:
    """A row of slices; the tracks that share a merge key are its lanes.

    ``rank`` may be a number from the file; a trace has 32 bits for it.
    """
    return TrackDescriptor(
        uuid=uuid,
        parent_uuid=parent,
        name=name,
        sibling_order_rank=min(max(rank, -_LAST_RANK), _LAST_RANK),
        sibling_merge_behavior=TrackDescriptor.SIBLING_MERGE_BEHAVIOR_BY_SIBLING_MERGE_KEY,
        sibling_merge_key=merge_key,
    )


def core_row(uuid: int, core: Core, parent: int) -> TrackDescriptor:
    """A lane of a core's row."""
    return row(uuid, core.name, core.number, parent, core.name)


def counter(
    uuid: int, name: str, rank: int, unit: str, share: str, parent: int = ROOT
) -> TrackDescriptor:
    """A counter row; rows with the same ``share`` have the same scale."""
    return TrackDescriptor(
        uuid=uuid,
        parent_uuid=parent,
        name=name,
        sibling_order_rank=rank,
        counter=CounterDescriptor(unit_name=unit, y_axis_share_key=share),
    )


def engine_rank(index: int) -> int:
    """Rank of an engine's first row below the root: running, ready, then the group."""
    return 10 + 10 * index


#: Ranks below the root, in the order of the rows.
CRITICAL_PATH_RANK = 0
OFF_CORE_RANK = 1000
AICPU_RANK = 1001
HUBS_RANK = 1010
COUNTERS_RANK = 1020
