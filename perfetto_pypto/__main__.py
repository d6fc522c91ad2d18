"""Entry point, also of `python -m perfetto_pypto`: what must stand before the imports."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Runs the command line; Ctrl-C shows no traceback from the first import on."""
    # Looking for garbage takes a fifth of a small run's time, and most commands end before it pays.
    gc.disable()
    try:
        from perfetto_pypto.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
