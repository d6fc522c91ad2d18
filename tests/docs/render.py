"""Commands in a document with their real output: checked by a test, rewritten by `make docs`.

A block of ```console holds commands (`$ `, continued by `> `) and what they print. A block of
```python that a
block of ```text follows is run as a script, and the text is what it prints.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"```console\n(.*?)```|```python\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL)

_COMMAND = re.compile(r"^\$ .*\n(?:> .*\n)*", re.MULTILINE)


def render(text: str) -> str:
    """Returns the document with the output that its commands print now."""
    return _BLOCK.sub(_rerun, text)


def _rerun(block: re.Match[str]) -> str:
    if block[2] is not None:
        return (
            f"```python\n{block[2]}```\n\n```text\n{_output([sys.executable, '-c', block[2]])}```"
        )
    return f"```console\n{''.join(map(_command, _COMMAND.findall(block[1])))}```"


def _command(shown: str) -> str:
    script = "\n".join(line[2:] for line in shown.splitlines())
    return shown + _output(["bash", "-c", script])


def _output(command: list[str]) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


if __name__ == "__main__":
    for name in sys.argv[1:]:
        document = ROOT / name
        document.write_text(render(document.read_text(encoding="utf-8")), encoding="utf-8")
