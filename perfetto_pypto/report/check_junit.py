"""A gate's verdict as JUnit XML: GitLab, Jenkins and others show it as tests."""

from __future__ import annotations

from xml.etree import ElementTree

from perfetto_pypto.gate import Verdict
from perfetto_pypto.report import check_story as story


def check_junit(verdict: Verdict) -> str:
    """Returns a test suite: a regression is a failure, what can't be compared an error."""
    statuses = [check.status for check in verdict.checks]
    suite = ElementTree.Element(
        "testsuite",
        name="pypto-perfetto check",
        tests=str(len(statuses)),
        failures=str(statuses.count("fail")),
        errors=str(statuses.count("not comparable")),
    )
    for check in verdict.checks:
        case = ElementTree.SubElement(suite, "testcase", classname=verdict.run, name=check.name)
        words = story.measured(verdict, check)
        if check.status == "fail":
            ElementTree.SubElement(case, "failure", message=words)
        elif check.status == "not comparable":
            ElementTree.SubElement(case, "error", message=words)
        else:
            ElementTree.SubElement(case, "system-out").text = words
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'
