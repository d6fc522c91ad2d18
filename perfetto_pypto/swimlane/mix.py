"""``mix_event_info.json``: which hardware event each sync event of a mix task uses."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from perfetto_pypto.swimlane.findings import Findings
from perfetto_pypto.swimlane.opening import Opened
from perfetto_pypto.swimlane.text import read_list

Integer = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]


class _Message(Struct, gc=False):
    eventID: Integer = -1  # noqa: N815


class _CoreTask(Struct, gc=False):
    hashValue: int | str  # noqa: N815
    syncMsg: list[_Message] = []  # noqa: N815


class _Wrap(Struct, gc=False):
    coreTask: list[_CoreTask] = []  # noqa: N815


class _Mix(Struct, gc=False):
    wrapInfos: list[_Wrap] = []  # noqa: N815


def read_events(source: Opened, findings: Findings) -> dict[str, list[int]]:
    """The event ids of each leaf hash, in the order in which its tasks use them.

    Raises:
        InputError: the file is damaged or breaks the format.
    """
    events: dict[str, list[int]] = {}
    for mix in read_list(source, _Mix, "a list of mix tasks", "pypto_mix", findings):
        for wrap in mix.wrapInfos:
            for task in wrap.coreTask:
                ids = [message.eventID for message in task.syncMsg]
                events.setdefault(str(task.hashValue), ids)
    return events
