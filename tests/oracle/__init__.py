"""The definitions in plain Python, written to be obviously right rather than fast."""

from .identities import identities
from .job import Job, Value, Values, job_of
from .metrics import compute
from .model import Lane, Phase, Run, Task, engine_of
from .reader import read_run

__all__ = [
    "Job",
    "Lane",
    "Phase",
    "Run",
    "Task",
    "Value",
    "Values",
    "compute",
    "engine_of",
    "identities",
    "job_of",
    "read_run",
]
