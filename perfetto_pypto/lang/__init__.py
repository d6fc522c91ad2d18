"""Languages of what people read. The English texts in the code are the keys of the others."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfetto_pypto.report.text import plural

if TYPE_CHECKING:
    from perfetto_pypto.metrics import Finding, Metrics

#: Languages by their code.
LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Words:
    """A language.

    texts:    by the English text
    findings: messages by the finding's code
    examples: (pattern, replacement) of examples that are sentences
    """

    texts: dict[str, str] = field(default_factory=dict)
    findings: dict[str, str] = field(default_factory=dict)
    examples: tuple[tuple[re.Pattern[str], str], ...] = ()

    def __call__(self, english: str, **values: object) -> str:
        """Translates a text, then fills its ``{name}`` fields; unknown texts stay English."""
        text = self.texts.get(english, english)
        return text.format(**values) if values else text

    def plural(self, number: int, noun: str) -> str:
        """``(2, "task")`` -> ``2 tasks``; a language without plurals has a text ``{n} task``."""
        text = self.texts.get(f"{{n}} {noun}")
        return text.format(n=f"{number:,}") if text else plural(number, noun)

    def example(self, text: str) -> str:
        """Translates a finding's example if it is a sentence."""
        for pattern, replacement in self.examples:
            text = pattern.sub(replacement, text)
        return text


@cache
def words(lang: str) -> Words:
    """Returns a language: ``en`` or ``zh``."""
    if lang == "en":
        return Words()
    import yaml

    # libyaml is ten times as fast; wheels of PyYAML have it.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = Path(__file__).with_name(f"{lang}.yaml").read_text(encoding="utf-8")
    content = yaml.load(text, Loader=loader)
    return Words(
        content["texts"],
        content["findings"],
        tuple((re.compile(key), value) for key, value in content["examples"].items()),
    )


def in_language(metrics: Metrics, lang: str) -> Metrics:
    """Returns metrics whose findings speak ``lang``, as will the reports on them."""
    if lang == metrics.lang:
        return metrics
    known = words(lang)

    def translated(finding: Finding) -> Finding:
        return replace(
            finding,
            message=known.findings.get(finding.code, finding.message),
            examples=[known.example(text) for text in finding.examples],
        )

    return replace(metrics, lang=lang, findings=[translated(f) for f in metrics.findings])
