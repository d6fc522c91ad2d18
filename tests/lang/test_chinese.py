"""Whatever people read has its Chinese in lang/zh.yaml."""

from __future__ import annotations

import ast
import html
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

import perfetto_pypto as pp
from perfetto_pypto.lang import words
from perfetto_pypto.metrics import stock
from perfetto_pypto.report import chart_parts
from perfetto_pypto.report.check_github import check_github
from perfetto_pypto.report.check_json import check_json
from perfetto_pypto.report.check_junit import check_junit
from perfetto_pypto.report.check_text import write_check_text
from perfetto_pypto.report.compare_json import compare_json
from perfetto_pypto.report.compare_markdown import compare_markdown
from perfetto_pypto.report.compare_table import write_compare_table
from perfetto_pypto.report.json import dumps, to_json
from perfetto_pypto.sql import package_dir
from perfetto_pypto.swimlane.findings import CATALOGUE
from tests.cli.conftest import run
from tests.paths import TRACES

__all__ = ["run"]

PACKAGE = Path(pp.__file__).parent
TEXTS = words("zh").texts
SLOW, FAST = TRACES / "matmul_long_k", TRACES / "matmul_split_k"

#: What stays as it is: names of things that people pass on to a command, a search or a colleague.
NAMES = {
    *(info.id.removeprefix(f"{info.bundle}_") for info in stock().metrics.values()),
    *stock().metrics,
    *("AIC", "AIV", "matmul", "matmul_long_k", "matmul_split_k", "ffn", "ffn_device", "gate"),
    *("down", "swiglu", "up", "leaf", "hash", "json", "cores", "pp", "engine"),
    *("different-cores", "different-operators", "few-runs", "over-merged", "subgraphs"),
}


def english(text: str) -> set[str]:
    """The words of a report that are neither names nor code."""
    lines = [line for line in text.splitlines() if "@pypto" not in line and "```" not in line]
    plain = re.sub(r"<[^>]*>|\\", "", "\n".join(lines))
    return set(re.findall(r"[A-Za-z][A-Za-z_-]+(?![\w-])", plain)) - NAMES


def translated(tree: ast.AST) -> Iterator[str]:
    """The constant texts that a module hands to ``t(...)`` and ``t.plural(n, ...)``."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        last = node.args[-1]
        if ast.unparse(node.func) == "t.plural":
            assert isinstance(last, ast.Constant)
            yield f"{{n}} {last.value}"
        elif ast.unparse(node.func) == "t":
            chosen = node.args[0]
            options = [chosen.body, chosen.orelse] if isinstance(chosen, ast.IfExp) else [chosen]
            yield from (one.value for one in options if isinstance(one, ast.Constant))


def test_every_text_of_the_code():
    used = set(re.findall(r'\bt\("([^"]+)"', (PACKAGE / "report/report.html.j2").read_text()))
    for file in PACKAGE.rglob("*.py"):
        used.update(translated(ast.parse(file.read_text(encoding="utf-8"))))
    parts = (*chart_parts.PROFILE.values(), *chart_parts.GAPS.values(), chart_parts.READY)
    used.update(word for word, _ in (*parts, chart_parts.STARTUP))
    assert len(used) > 100
    assert used - set(TEXTS) == set()


def test_every_finding():
    in_sql = re.findall(r"'([a-z-]+)' AS code", (package_dir() / "finding.sql").read_text())
    assert in_sql
    assert {*CATALOGUE, *in_sql} - set(words("zh").findings) == set()


def test_the_fields_of_each_text():
    for text, chinese in TEXTS.items():
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", chinese))


@pytest.mark.parametrize(
    ("base", "new"),
    [
        ([SLOW], [FAST]),
        ([FAST], [SLOW]),
        ([SLOW], [SLOW]),
        ([SLOW, SLOW], [FAST, SLOW, FAST]),
        ([FAST], [TRACES / "ffn_device"]),
    ],
)
def test_a_comparison(base, new):
    comparison = pp.compare_runs(base, new, lang="zh")
    table = io.StringIO()
    write_compare_table(comparison, table)
    assert max(map(cell_len, table.getvalue().splitlines())) <= 80
    for text in (table.getvalue(), compare_markdown(comparison)):
        assert "总时长" in text
        assert english(text) == set()


def test_a_comparison_for_tools_keeps_its_keys():
    both = [
        json.loads(dumps(compare_json(pp.compare_runs([FAST], [SLOW], lang=lang))))
        for lang in ("en", "zh")
    ]
    (here,), (there,) = (one.pop("advice") for one in both)
    assert both[0] == both[1]
    assert (here["rule"], here["knob"]) == (there["rule"], there["knob"])
    assert (here["title"], there["title"]) == ("Merged too much", "合并过度")


@pytest.fixture(scope="module")
def baseline(tmp_path_factory):
    file = tmp_path_factory.mktemp("chinese") / "baseline.json"
    file.write_text(dumps(to_json(pp.compute_metrics(FAST))), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("source", "result"), [(FAST, "通过"), (SLOW, "性能回退"), (TRACES / "ffn", "不可比")]
)
def test_a_verdict(baseline, source, result):
    verdict = pp.check_run(
        source,
        maxima=["pypto_run_makespan=1ms"],
        minima=["pypto_run_task_count=baseline"],
        baseline=baseline,
        lang="zh",
    )
    text = io.StringIO()
    write_check_text(verdict, text)
    assert result in text.getvalue()
    assert english(text.getvalue()) == set()
    annotations = re.sub(r"::\w+ title=[^:]*::", "", check_github(verdict))
    assert result in annotations
    assert english(annotations) == set()
    said = re.findall(r'message="([^"]*)"|<system-out>([^<]*)<', check_junit(verdict))
    assert said
    assert english(html.unescape(" ".join(map("".join, said)))) == set()


def test_a_verdict_for_tools_keeps_its_keys(baseline):
    document = check_json(pp.check_run(SLOW, baseline=baseline, lang="zh"))
    assert {check["status"] for check in document["checks"]} == {"fail"}
    assert document["checks"][1]["message"] == "任务数骤减；若属有意，请重新生成基线"
    assert document["result"].startswith("性能回退：")


def test_the_option(run):
    assert "，变好：" in run("compare", SLOW, FAST, "--lang", "zh").stdout
    done = run("check", FAST, "--max", "pypto_run_makespan=1us", "--lang", "zh")
    assert done.stdout == (
        "matmul_split_k\n失败  pypto_run_makespan  64.66 µs > 1.00 µs\n"
        "性能回退：1 项检查中有 1 项失败\n"
    )


def test_links(run):
    url = "https://example.org/run.pftrace"
    titles = run("link", SLOW, "--trace-url", url, "--lang", "zh").stdout.splitlines()[::2]
    assert titles[:2] == ["整个运行", "实际关键路径"]
    (link,) = [one for one in pp.links(SLOW, url, lang="zh") if one.kind == "critical-path"]
    assert link.title == "实际关键路径"
