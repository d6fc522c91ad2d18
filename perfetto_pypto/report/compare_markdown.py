"""A comparison as Markdown, for a pull request."""

from __future__ import annotations

from perfetto_pypto.compare import Comparison
from perfetto_pypto.lang import words
from perfetto_pypto.report import compare_story as story
from perfetto_pypto.report.markdown import escape, table


def compare_markdown(comparison: Comparison) -> str:
    """Returns the comparison; what isn't the result itself is folded away."""
    t = words(comparison.lang)
    parts = [f"### {escape(story.title(comparison))}"]
    parts.append(f"**{escape(story.makespan_line(comparison))}**")
    lines = [*story.runs_lines(comparison), story.basis_line(comparison)]
    parts.append("\n".join(f"- {escape(line)}" for line in lines))
    notes = [f"- **{note.code}**: {escape(note.message)}" for note in comparison.notes]
    if notes:
        parts.append("\n".join(notes))
    for advice in comparison.advice:
        parts.append(f"**{escape(advice.title)}** ({advice.rule}): {escape(advice.text)}")
        parts.append(f"```python\n{advice.snippet}\n```")
    for place, block in enumerate(story.blocks(comparison)):
        body = table(block.heads, block.rows, left=block.left) if block.rows else t("All the same.")
        remarks = "\n\n".join(f"{escape(remark)}{t('.')}" for remark in block.remarks)
        text = f"{body}\n\n{remarks}" if remarks else body
        if place:
            text = f"<details><summary>{escape(block.title)}</summary>\n\n{text}\n\n</details>"
        else:
            text = f"{escape(block.title)}{t('.')}\n\n{text}"
        parts.append(text)
    return "\n\n".join(parts) + "\n"
