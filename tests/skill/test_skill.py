"""The skill keeps in step with the tool: its commands run, its options and JSON fields exist."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

import perfetto_pypto
from perfetto_pypto.cli import cli
from perfetto_pypto.metrics import stock
from perfetto_pypto.skill import skill_text
from perfetto_pypto.sql import PACKAGE, package_dir, read_objects
from tests.paths import TRACES

PACKAGE_FOLDER = Path(perfetto_pypto.__file__).parent
SKILL = skill_text()
BLOCKS = re.findall(r"```sh\n(.*?)```", SKILL, re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines()]
INLINE = re.findall(r"`(pypto-perfetto [^`]+)`", SKILL)
FOLDERS = {
    "before": "flash_stitch1",
    "before_2": "flash_stitch1",
    "after": "flash_stitch512",
    "after_2": "flash_stitch512",
}


def test_the_command_prints_it(run):
    done = run("skill")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", SKILL)


def test_it_begins_as_a_skill_file_must():
    head = re.match(r"---\nname: ([a-z0-9-]{1,64})\ndescription: (.{1,1024})\n---\n", SKILL)
    assert head
    assert head[1] == "pypto-perfetto"


def test_the_loop_is_whole():
    assert {shlex.split(line)[1] for line in COMMANDS} == {"metrics", "query", "compare", "check"}


@pytest.mark.parametrize("line", COMMANDS + INLINE)
def test_commands_and_options_exist(line):
    name, *arguments = shlex.split(line)[1:]
    command = cli.commands[name]
    options = {option for param in command.params for option in param.opts}
    for argument in arguments:
        if argument.startswith("-") and argument != "--":
            assert argument in options


def test_options_in_the_text_exist():
    known = {
        option
        for command in cli.commands.values()
        for param in command.params
        if isinstance(param, click.Option)
        for option in param.opts
    }
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", SKILL)) <= known | {"--help"}


def test_metrics_in_the_text_exist():
    for identifier in re.findall(r"(pypto_\w+)\{", SKILL):
        assert identifier in stock().metrics


def test_tables_in_the_text_exist():
    known = {found.name for found in read_objects(PACKAGE, package_dir()) if found.is_public}
    named = set(re.findall(r"(?:`|FROM )(pypto_\w+)", SKILL)) - set(stock().metrics)
    assert "pypto_bubble" in named
    assert named <= known


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which every command of the skill has run, in order."""
    place = tmp_path_factory.mktemp("skill")
    (place / "output").mkdir()
    for name, trace in FOLDERS.items():
        (place / "output" / name).symlink_to(TRACES / trace)
    bin_folder = Path(sys.executable).parent
    for line in COMMANDS:
        done = subprocess.run(
            [bin_folder / "pypto-perfetto", *shlex.split(line)[1:]],
            cwd=place,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), line
    return place


def fields():
    """Yields each file and field that a table of the skill explains."""
    file = ""
    for line in SKILL.splitlines():
        if head := re.match(r"\| (\w+\.json) \|", line):
            file = head[1]
        elif not line.startswith("|"):
            file = ""
        elif file:
            for name in re.findall(r"`([^`]+)`", line.split("|")[1]):
                yield file, name


@pytest.mark.parametrize(("file", "field"), list(fields()))
def test_fields_exist(folder, file, field):
    assert values(json.loads((folder / file).read_text(encoding="utf-8")), field) is not None


def values(document, field):
    """Follows ``a[].b``; every entry of a list must have the field, and a list may be empty."""
    name, _, rest = field.partition(".")
    document = document[name.removesuffix("[]")]
    if name.endswith("[]"):
        assert isinstance(document, list)
        return [values(entry, rest) for entry in document]
    return values(document, rest) if rest else [document]


def test_every_status_of_a_log_is_explained(folder):
    (row,) = [line for line in SKILL.splitlines() if line.startswith("| `log[].core`")]
    schema = json.loads((PACKAGE_FOLDER / "report" / "metrics.schema.json").read_text())
    status = schema["properties"]["log"]["items"]["properties"]["status"]["enum"]
    explained = re.findall(r"`(\w+)`", row.split("|")[2])
    assert sorted(explained) == sorted(status)
    document = json.loads((folder / "before_full.json").read_text(encoding="utf-8"))
    assert {core["status"] for core in document["log"]} == {"reproduced"}


def test_the_loop_ends_better_than_it_began(folder):
    compared = json.loads((folder / "compare.json").read_text(encoding="utf-8"))
    assert compared["makespan"]["verdict"] == "better"
    before = json.loads((folder / "before.json").read_text(encoding="utf-8"))
    assert before["suggested_knobs"][0]["knob"] == "stitch_function_max_num"
