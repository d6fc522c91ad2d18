"""The definitions in plain Python, written to be obviously right rather than fast."""

from tests.oracle.identities import identities
from tests.oracle.job import Job, Value, Values, job_of
from tests.oracle.metrics import compute
from tests.oracle.model import Lane, Phase, Run, Task, engine_of
from tests.oracle.reader import read_run

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
