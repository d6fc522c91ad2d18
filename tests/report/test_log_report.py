"""A bubble_analysis.log beside the input, as a user of it sees it in each report."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import jsonschema
import pytest

import perfetto_pypto as pp
from perfetto_pypto.lang import words
from perfetto_pypto.metrics import LogCore, LogFigure
from perfetto_pypto.report.json import to_json
from perfetto_pypto.report.log_story import FIGURES, REASONS
from perfetto_pypto.report.markdown import to_markdown
from perfetto_pypto.swimlane.model import Finding
from tests.drawing import swimlane
from tests.paths import TRACES

SCHEMA = json.loads(
    (Path(pp.__file__).parent / "report" / "metrics.schema.json").read_text(encoding="utf-8")
)
#: The log waits for the hub's end at 18 µs; its real predecessor ended at 10.
RUN = """
    AIC_1: a 0-10000
    HUB_1: h 17000-18000
    AIV_1: b 1000-5000, c 19000-30000
    AIV_2:
    a -> h -> c
"""
LOG = """
    AIC_1 1: 10000 0 0 0
    AIV_1 2: 30000 15000 2000 13000
    AIV_2 0: 0 0 0 0
"""


@pytest.fixture(scope="module")
def logged():
    return pp.compute_metrics(swimlane(RUN, log=LOG))


def section(text: str) -> str:
    """The table's section of the log."""
    lines = text[text.index("\nbubble_analysis.log") + 1 :].split("\n\n")[0]
    return lines.replace("\n   pypto-perfetto", "\npypto-perfetto")


def test_core_by_core(logged):
    assert logged.log[1] == LogCore(
        core="AIV_1",
        engine="AIV",
        status="reproduced",
        figures={
            "core_total_work": LogFigure(30000, 30000, 30000, {}),
            "total_wait": LogFigure(15000, 15000, 15000, {}),
            "wait_schedule": LogFigure(2000, 2000, 9000, {"hub": 8000, "startup": -1000}),
            "wait_predecessor": LogFigure(13000, 13000, 5000, {"hub": -8000}),
        },
    )


def test_only_with_all_metrics():
    run = swimlane(RUN, log=LOG)
    assert pp.compute_metrics(run, metrics=["pypto_run"]).log == []
    part = pp.compute_metrics(run, metrics=["pypto_log_bridge"])
    assert [row["time"] for row in part.rows("pypto_log_bridge") if row["reason"] == "hub"] == [
        8000,
        -8000,
    ]


def test_table(run, tmp_path):
    """From the command, of a real run: what the log prints, and from there to our figures."""
    folder = tmp_path / "softmax"
    shutil.copytree(TRACES / "softmax_stitch8", folder)
    for source in (folder, folder / "merged_swimlane.json.gz"):
        done = run("metrics", source)
        assert (
            section(done.stdout)
            == f"""\
bubble_analysis.log: 72 of 72 cores reproduced by its own rules
  All cores together, µs: the log's figure → ours, and why
  Total Wait Time           1,022.57 →     1,821.41  all idle time
         +728.76  cores without a task: 0 in the log
         +229.10  after a core's last task: not in the log
         -159.02  its clock starts with what the merged file has lost
  Wait Schedule Time         -828.60 →       771.28  scheduling wait
       +1,692.16  behind hubs: here only the real tasks behind them count
          -92.28  before a core's first task: start-up, apart here
  Wait Predecessor Time     1,851.17 →         0.00  dependency wait
       -1,692.16  behind hubs: here only the real tasks behind them count
         -159.02  its clock starts with what the merged file has lost
  Most on AIV_25: Wait Schedule Time -25.55 → 17.07
pypto-perfetto query {source} 'SELECT * FROM pypto_log_figure'"""
        )
    trace = tmp_path / "softmax.pftrace"
    run("convert", folder, "-o", trace)
    assert (
        section(run("metrics", trace).stdout).splitlines()[:-1]
        == (section(done.stdout).splitlines()[:-1])
    )


def test_no_log_no_word(run, tmp_path):
    shutil.copy(TRACES / "ffn" / "merged_swimlane.json.gz", tmp_path)
    for form in ("table", "json", "markdown", "html"):
        assert "bubble_analysis.log" not in run("metrics", tmp_path, "--format", form).stdout


def test_a_damaged_log_is_a_finding(run, tmp_path):
    shutil.copytree(TRACES / "ffn", tmp_path, dirs_exist_ok=True)
    (tmp_path / "bubble_analysis.log").write_bytes(gzip.compress(b"[AIC_1] Execute")[:-9])
    done = run("metrics", tmp_path, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert "log" not in document
    assert [f["examples"] for f in document["findings"] if f["code"] == "damaged-log"] == [
        ["the gzip data are cut off"]
    ]


def test_the_log_of_another_run(run, tmp_path):
    shutil.copytree(TRACES / "softmax_stitch1", tmp_path, dirs_exist_ok=True)
    shutil.copy(TRACES / "softmax_stitch8" / "bubble_analysis.log", tmp_path)
    done = run("metrics", tmp_path)
    assert done.returncode == 0
    assert "bubble_analysis.log: 24 of 72 cores reproduced by its own rules" in done.stdout
    (line,) = [x for x in done.stdout.splitlines() if "log-differs" in x]
    assert line.startswith("  warning  48  log-differs")


def test_json(logged):
    document = to_json(logged)
    jsonschema.validate(document, SCHEMA)
    assert document["log"][1]["figures"]["wait_predecessor"] == {
        "printed": 13000,
        "reproduced": 13000,
        "ours": 5000,
        "reasons": {"hub": -8000},
    }


def test_markdown(logged):
    assert """
| bubble_analysis.log: 3 of 3 cores reproduced by its own rules | log µs | ours µs | why |
| :-- | --: | --: | --: |
| Total Wait Time (all idle time) | 15.00 | 65.00 | +30.00 cores without a task: 0 in the log; \
+20.00 after a core's last task: not in the log |
""" in to_markdown(logged)


def test_page():
    page = pp.html_report(swimlane(RUN, log=LOG), lang="zh")
    assert "bubble_analysis.log：3 个核中有 3 个按其自身规则复现" in page
    assert '+8.00 <span class="dim">hub 之后：此处只看 hub 背后的真实任务</span>' in page


def test_every_reason_has_chinese():
    used = {*REASONS.values(), *(here for _, here in FIGURES.values())}
    assert used - set(words("zh").texts) == set()


def test_every_problem_has_chinese():
    log = """
        AIC_1 3: 10000 0 0 0
        AIV_1 2: 30000 90000 2000 13000
        AIV_9 1: 7 7 7 0
    """
    run = swimlane(RUN.replace("AIV_2:", "AIV_2: d 0-9"), log=log)
    twenty = swimlane(RUN, log="AIC_1 1: 200000 0 0 0\nAIV_1 2: 600000 300000 40000 260000")
    negative = swimlane(RUN, log=log, findings=(Finding("negative-duration", "warning", "x", 1),))
    examples = [
        example
        for one in (run, twenty, negative)
        for finding in pp.compute_metrics(one).findings
        if finding.code == "log-differs"
        for example in finding.examples
    ]
    assert examples == [
        "AIC_1: 3 tasks in the log, 1 in the input",
        "AIV_1: total_wait is off by 75.00 µs, as if the log were of another run",
        "AIV_2 is not in the log",
        "AIC_1: the log has 20 times the time",
        "AIV_1: the log has 20 times the time",
        "AIC_1: 3 tasks in the log, 1 in the input",
        "AIV_1: total_wait is off by 75.00 µs, for negative durations count as 0 here",
        "AIV_9 is in the log alone",
    ]
    for example in examples:
        assert words("zh").example(example) != example
