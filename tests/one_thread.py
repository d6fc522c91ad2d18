"""Code in a process that can be copied: it has one thread, as the command line's."""

from __future__ import annotations

import os
import subprocess
import sys


def printed(code: str) -> str:
    """What a new Python prints; it knows `os` and `Forked`, and pandas, which has threads, not."""
    lines = "import os, sys\nsys.modules['pandas'] = None\n"
    lines += f"from perfetto_pypto.alongside import Forked\n{code}"
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", lines], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.strip()
