"""The errors that users see: one line each, no traceback, exit code 2."""

from __future__ import annotations


class PyptoPerfettoError(Exception):
    """Base of every error this package raises on purpose.

    ``str(error)`` is one line for the user: what is wrong, where, and what to do.
    """


class InputError(PyptoPerfettoError):
    """An input can't be used: ``<file>: <what is wrong and where>; <what to do>``.

    Args:
        path: the file or folder as the user named it (``<stdin>`` for a stream).
        problem: what is wrong and where in the file.
        remedy: what the user can do about it.
    """

    def __init__(self, path: object, problem: str, remedy: str) -> None:
        super().__init__(f"{path}: {problem}; {remedy}")
        self.path = str(path)
        self.problem = problem
        self.remedy = remedy


class EngineError(PyptoPerfettoError):
    """The trace processor can't be started, crashed, or lost part of a trace."""


class QueryError(PyptoPerfettoError):
    """SQL that the engine refuses, with the engine's own line and caret."""
