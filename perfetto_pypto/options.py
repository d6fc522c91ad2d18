"""Values of command-line options, and where output goes."""

from __future__ import annotations

import io
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeVar, cast

import click

from perfetto_pypto.files import write_atomically

Command = TypeVar("Command", bound=Callable[..., Any])

#: As an output file: stdout.
DASH = Path("-")

_UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def parse_cores(
    _ctx: click.Context, _param: click.Parameter, text: str | None
) -> dict[str, int] | None:
    """``AIC=24,AIV=48`` -> ``{"AIC": 24, "AIV": 48}``; an option's callback."""
    if text is None:
        return None
    counts: dict[str, int] = {}
    for part in text.split(","):
        match = re.fullmatch(r"\s*([A-Za-z]+)\s*=\s*(\d{1,6})\s*", part)
        if not match or int(match[2]) < 1 or match[1].upper() in counts:
            raise click.BadParameter(f"{text!r} is not like AIC=24,AIV=48")
        counts[match[1].upper()] = int(match[2])
    return counts


def parse_clock(_ctx: click.Context, _param: click.Parameter, text: str | None) -> int | None:
    """``1000MHz`` -> 1000 (MHz); an option's callback."""
    if text is None:
        return None
    match = re.fullmatch(r"\s*(\d{1,5})\s*MHz\s*", text, re.IGNORECASE)
    if not match or int(match[1]) < 1:
        raise click.BadParameter(f"{text!r} is not a frequency like 1000MHz")
    return int(match[1])


def parse_duration(_ctx: click.Context, _param: click.Parameter, text: str | None) -> int | None:
    """``10us`` -> 10000 (ns); an option's callback."""
    if text is None:
        return None
    match = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*(ns|us|µs|ms|s)\s*", text)
    if not match:
        raise click.BadParameter(f"{text!r} is not a time like 10us")
    return round(float(match[1]) * _UNITS[match[2]])


def parse_names(_ctx: click.Context, _param: click.Parameter, text: str | None) -> list[str] | None:
    """``a,b`` -> ``["a", "b"]``; an option's callback."""
    if text is None:
        return None
    return [name.strip() for name in text.split(",")]


def no_dash(_ctx: click.Context, _param: click.Parameter, path: Path) -> Path:
    """Refuses ``-`` as a folder of output; an option's callback."""
    if path == DASH:
        raise click.BadParameter("a folder can't go to stdout; name one")
    return path


def parse_packages(
    _ctx: click.Context, _param: click.Parameter, texts: tuple[str, ...]
) -> dict[str, str]:
    """``("sql/mine@my", "other")`` -> ``{"my": "sql/mine", "other": "other"}``; a callback."""
    packages: dict[str, str] = {}
    for text in texts:
        match = re.fullmatch(r"(.+?)(?:@(\w+))?", text)
        folder, name = match.groups() if match else (text, None)
        name = name or Path(folder).resolve().name
        if name in packages:
            raise click.BadParameter(f"two packages are named {name}; name one DIR@NAME")
        packages[name] = folder
    return packages


@contextmanager
def binary_output_file(path: Path | None) -> Iterator[BinaryIO]:
    """As `output_file`, for bytes."""
    if path in (None, DASH):
        yield sys.stdout.buffer
        return
    buffer = io.BytesIO()
    yield buffer
    write_atomically(path, [buffer.getvalue()])


@contextmanager
def output_file(path: Path | None) -> Iterator[TextIO]:
    """Yields stdout, or a buffer that becomes the file at the end: whole or not at all."""
    if path in (None, DASH):
        yield sys.stdout
        return
    buffer = io.StringIO()
    yield buffer
    write_atomically(path, [buffer.getvalue().encode()])


@contextmanager
def output_path(path: Path) -> Iterator[Path]:
    """Yields the path to write to: for ``-`` a temporary one, whose content goes to stdout."""
    if path != DASH:
        yield path
        return
    if sys.stdout.isatty():
        raise click.UsageError("a trace is no text for a terminal; name a file with -o")
    with tempfile.TemporaryDirectory(prefix="pypto-perfetto-") as folder:
        made = Path(folder, "stdout")
        yield made
        with made.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)


engine_option = click.option(
    "--trace-processor",
    "engine",
    metavar="ENGINE",
    envvar="PYPTO_PERFETTO_TRACE_PROCESSOR",
    help="embedded (default), the path of a trace_processor binary or .wasm, or HOST:PORT.",
)
lang_option = click.option(
    "--lang",
    type=click.Choice(["en", "zh"]),
    default="en",
    help="Language of what people read, in every format; ids, keys and verdicts in JSON stay.",
)
_cores_option = click.option(
    "--cores",
    metavar="AIC=N,AIV=N",
    callback=parse_cores,
    help="Cores per engine, e.g. AIC=24,AIV=48. Default: what the file shows.",
)
clock_option = click.option(
    "--clock",
    "clock_mhz",
    metavar="MHZ",
    callback=parse_clock,
    help="Frequency of the file's counter: 50MHz, 1000MHz or 1800MHz. Default: inferred.",
)
_run_option = click.option(
    "--run", metavar="NAME", help="Which output folder inside INPUT. Default: the newest."
)

#: Parameters of commands that name inputs.
_INPUTS = ("source", "inputs", "base", "new")


def cores_option(command: Command) -> Command:
    """How an input is read: `--cores`, and `--clock` and `--run`, which no command sees.

    With either of these two, the command gets runs that are already read in place of paths.
    """

    @wraps(command)
    def reading(*args: Any, clock_mhz: int | None, run: str | None, **kwargs: Any) -> Any:
        if clock_mhz is not None or run is not None:
            from perfetto_pypto import read
            from perfetto_pypto.dataset import chosen, settled

            def load(path: Any) -> Any:
                if "\0" in path:  # a mark between paths
                    return path
                if choice := chosen(path):
                    if clock_mhz is not None:
                        raise settled(choice.folder)
                    return str(Path(path, run or ""))
                return read(path, cores=kwargs["cores"], clock_mhz=clock_mhz, run=run)

            for name in _INPUTS:
                given = kwargs.get(name)
                if given is not None:
                    kwargs[name] = (
                        tuple(map(load, given)) if isinstance(given, tuple) else load(given)
                    )
        return command(*args, **kwargs)

    return cast("Command", _cores_option(clock_option(_run_option(reading))))


small_task_option = click.option(
    "--small-task",
    "small_task_ns",
    metavar="TIME",
    callback=parse_duration,
    help="Tasks shorter than this are small. Default: 10us.",
)
