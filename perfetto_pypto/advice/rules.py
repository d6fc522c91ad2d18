"""Rules: YAML files, checked against their schema."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from perfetto_pypto.errors import InputError

STOCK = Path(__file__).with_name("rules.yaml")
SCHEMA = Path(__file__).with_name("rules.schema.json")

#: libyaml is ten times as fast; wheels of PyYAML have it.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Severity = Literal["high", "medium", "low"]


class Threshold(msgspec.Struct, frozen=True):
    """A number that a rule compares with, and who says so."""

    value: float
    source: str


class Knob(msgspec.Struct, frozen=True):
    """A setting of PyPTO: advised if the column ``given`` of the first row is true."""

    name: str
    snippet: str
    given: str | None = None


class Words(msgspec.Struct, frozen=True):
    """A rule's texts in one language."""

    title: str
    text: str
    evidence: str
    gain: str = ""


class Rule(msgspec.Struct, frozen=True):
    """A rule as `rules.schema.json` describes it; ``path`` is the file that it is from."""

    id: str
    source: str
    severity: Severity
    when: str
    at: str
    knobs: tuple[Knob, ...]
    en: Words
    zh: Words | None = None
    bottleneck: str = ""
    baseline: bool = False
    thresholds: dict[str, Threshold] = {}
    path: str = ""

    def words(self, lang: str) -> Words:
        """Returns the texts in a language, else in English."""
        return self.zh if lang == "zh" and self.zh else self.en


@cache
def stock_rules() -> tuple[Rule, ...]:
    """Returns the package's own rules."""
    # Trusted as they are: a test checks them against the schema.
    return _rules(_parse(STOCK), STOCK)


def load_rules(path: str | os.PathLike[str]) -> tuple[Rule, ...]:
    """Returns the package's rules and those of a file.

    Raises:
        InputError: the file can't be read, breaks the schema, or takes an id that exists.
    """
    import jsonschema

    path = Path(path)
    document = _parse(path)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    error = jsonschema.exceptions.best_match(
        jsonschema.Draft202012Validator(schema).iter_errors(document)
    )
    if error is not None:
        place = error.json_path.removeprefix("$").removeprefix(".") or "the top"
        raise InputError(path, f"{place}: {error.message.splitlines()[0]}", _REMEDY)
    rules = stock_rules()
    taken = {rule.id for rule in rules}
    for number, rule in enumerate(own := _rules(document, path)):
        if rule.id in taken:
            raise InputError(
                path, f"rules[{number}]: rule {rule.id} exists already", "choose another id"
            )
        taken.add(rule.id)
    return rules + own


def _parse(path: Path) -> Any:
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
    except OSError as error:
        raise InputError(path, f"can't be read ({error.strerror})", _REMEDY) from error
    except UnicodeDecodeError as error:
        raise InputError(path, "is no UTF-8 text", _REMEDY) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise InputError(path, f"{place}{error.problem or 'no YAML'}", _REMEDY) from error
    except yaml.YAMLError as error:
        raise InputError(path, " ".join(str(error).split()), _REMEDY) from error


def _rules(document: Any, path: Path) -> tuple[Rule, ...]:
    return tuple(msgspec.convert({**entry, "path": str(path)}, Rule) for entry in document["rules"])


_REMEDY = "see rules.schema.json and rules.yaml in perfetto_pypto/advice"
