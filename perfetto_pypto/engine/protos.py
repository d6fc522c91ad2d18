"""Perfetto's message classes."""

from __future__ import annotations

from functools import cache
from typing import Any

from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory


@cache
def shared_protos() -> Any:
    """Returns the classes, made once: that takes 20 ms, and only a full collection frees them."""
    return ProtoFactory(PlatformDelegate())
