"""The report for a pull request."""

from __future__ import annotations

import dataclasses

from perfetto_pypto.metrics import Finding
from perfetto_pypto.report.markdown import escape, to_markdown


def test_from_the_headline_to_the_findings(metrics):
    finding = Finding("unsorted-tasks", "info", "sorted by start", 1200, [])
    text = to_markdown(dataclasses.replace(metrics, findings=[finding]))
    assert text.startswith("""\
### drawing

drawing (text); 1 AIC + 2 AIV cores: lanes of the drawing; clock unknown: drawn.

- **makespan 20.00 µs**: 3 tasks, 0 hubs, 1 dependencies
- **utilization 36.7%**: bubbles 63.3%; 气泡率 of the tuning guide 31.1%
- **lower bound 19.00 µs**: no schedule on these cores is faster: 1.05x

| engine | cores | tasks | busy | scheduling | dependency | no work | spread | small |
| :-- | --: | --: | --: | --: | --: | --: | --: | --: |
| all | 2/3 | 3 | 36.7% | 8.3% | 33.3% | 21.7% | 84.2% | 66.7% |
| AIC | 1/1 | 2 | 95.0% | 5.0% | 0.0% | 0.0% | 0.0% | 50.0% |
| AIV | 1/2 | 1 | 7.5% | 10.0% | 50.0% | 32.5% | 0.0% | 100.0% |

| subgraph (µs) | leaf hash | engine | tasks | total | share | median | max | on path |
| :-- | :-- | :-- | --: | --: | --: | --: | --: | --: |
| mul | mul | AIC | 2 | 19.00 | 86.4% | 9.50 | 11.00 | 19.00 |
| add | add | AIV | 1 | 3.00 | 13.6% | 3.00 | 3.00 | 0.00 |

| critical path as observed | µs | share |
| :-- | --: | --: |
| tasks on the path (2) | 19.00 | 95.0% |
| gaps after the core had become free (1) | 1.00 | 5.0% |
| before the first task (1) | 0.00 | 0.0% |

Dependencies alone take 11.00 µs: enough work for 2.0 cores at a time.

""")
    assert text.endswith("\n\n- info, 1,200: **unsorted-tasks**, sorted by start\n")


def test_a_part_is_a_table_per_bundle(part):
    assert to_markdown(part, whole=False).endswith("""

**pypto\\_run**

| metric | value |
| :-- | --: |
| makespan µs | 15.00 |
| task\\_count | 2 |

**pypto\\_observed\\_path**

| kind | time µs | step_count |
| :-- | --: | --: |
| compute | 11.00 | 2 |
| data\\_wait | 4.00 | 1 |
| front | 0.00 | 1 |
""")


def test_signs_of_markdown_are_text(metrics):
    assert escape("a|b_c <i>\n*d*") == r"a\|b\_c &lt;i> \*d\*"
    named = dataclasses.replace(metrics.input, name="run|1")
    assert to_markdown(dataclasses.replace(metrics, input=named)).startswith("### run\\|1\n")
