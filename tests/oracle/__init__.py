"""The definitions in plain Python, written to be obviously right rather than fast."""

from .identities import identities
from .metrics import Value, Values, compute
from .model import Lane, Phase, Run, Task, engine_of
from .reader import read_run

__all__ = [
    "Lane",
    "Phase",
    "Run",
    "Task",
    "Value",
    "Values",
    "compute",
    "engine_of",
    "identities",
    "read_run",
]
