"""The command line: its commands, and how errors reach the user."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
from pathlib import Path

import click

from perfetto_pypto.characters import STAND_IN
from perfetto_pypto.commands.batch import batch
from perfetto_pypto.commands.check import check
from perfetto_pypto.commands.compare import compare
from perfetto_pypto.commands.convert import convert
from perfetto_pypto.commands.doctor import doctor
from perfetto_pypto.commands.extension_server import extension_server
from perfetto_pypto.commands.link import link
from perfetto_pypto.commands.metrics import metrics
from perfetto_pypto.commands.open import open_command
from perfetto_pypto.commands.query import query
from perfetto_pypto.commands.skill import skill
from perfetto_pypto.errors import PyptoPerfettoError

#: Commands that run on.
_LONG = {"batch", "extension-server", "open"}


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="pypto-perfetto", message="%(prog)s %(version)s")
@click.pass_context
def cli(context: click.Context) -> None:
    """Where did my PyPTO operator's time go, and which knob brings it back?

    INPUT is a merged_swimlane.json (or .json.gz), an output_* folder that holds one, or a
    .pftrace made by convert.
    """
    if context.invoked_subcommand in _LONG:
        gc.enable()


for _command in (
    metrics,
    convert,
    query,
    compare,
    check,
    batch,
    open_command,
    link,
    extension_server,
    skill,
    doctor,
):
    cli.add_command(_command)


def main() -> None:
    """Runs a command: errors are one line on stderr and exit code 2, never a traceback."""
    # Perfetto's client imports pandas for data frames, which no command makes: a third of the
    # time of `metrics`, where it is installed. None: it is not to be found.
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type]
    # numpy would start a thread a core for linear algebra, of which there is none here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _prepare_streams()
    signal.signal(signal.SIGTERM, _stop)
    try:
        code = cli.main(standalone_mode=False)
        sys.stdout.flush()
        gc.freeze()  # nor at the end
    except click.exceptions.Abort:
        sys.exit(130)
    except KeyboardInterrupt:
        sys.exit(130)
    except click.ClickException as error:
        _fail(error.format_message())
    except PyptoPerfettoError as error:
        _fail(str(error))
    except BrokenPipeError:
        # The reader (head, less) has gone: nothing more to say.
        _drop_output()
        sys.exit(1)
    except OSError as error:
        # Of files, each command says more; this is a full disk below stdout, or an odd path.
        _drop_output()
        place = "the output" if error.filename is None else error.filename
        _fail(f"{place}: {error.strerror or error}; check the path, its rights and the disk")
    else:
        sys.exit(code if isinstance(code, int) else 0)


def _prepare_streams() -> None:
    """A terminal that lacks a character shows another one; a closed stream takes everything."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as we run
            setattr(sys, name, nowhere)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=STAND_IN)


def _stop(number: int, _frame: object) -> None:
    """Ends as by an error, so that temporary files go."""
    sys.exit(128 + number)


def _drop_output() -> None:
    """What is left in stdout's buffer goes nowhere, so that leaving writes it without an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> None:
    click.echo(f"error: {message}", err=True)
    sys.exit(2)
