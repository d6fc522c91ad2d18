"""Work for a process pool, in a module that is quick to import."""

from __future__ import annotations

import os
import signal


def square(number: int) -> int:
    """The square of a number; 3 kills the process that it comes to."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number
