"""Which subgraphs of one side are which of the other."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

#: `<root index>-<psg id>` stands in for a leaf hash that the file lacks: a number, not the code.
_NO_HASH = re.compile(r".+-.+")


@dataclass(frozen=True, slots=True)
class Subgraph:
    """What identifies a subgraph; ``label`` and ``shapes`` are '' where unknown."""

    leaf_hash: str
    engine: str
    label: str
    shapes: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """Subgraphs that belong together; one side is empty where there is no partner."""

    matched_by: str
    base: list[Subgraph]
    new: list[Subgraph]


Key = Callable[[Subgraph], Hashable]


def match(base: Iterable[Subgraph], new: Iterable[Subgraph]) -> list[Match]:
    """Matches by leaf hash, the rest by label and shapes, the rest by label.

    Label and engine, with or without shapes, may hold for several subgraphs of a side: these are
    matched together, since nothing says which of them became which. A key that is empty (no
    label and no shapes) matches nothing.
    """
    left, right = list(dict.fromkeys(base)), list(dict.fromkeys(new))
    matches: list[Match] = []
    for name, key in _KEYS:
        of_base, of_new = _group(left, key), _group(right, key)
        found = [Match(name, of_base[value], of_new[value]) for value in of_base if value in of_new]
        matched_base = {one for pair in found for one in pair.base}
        matched_new = {one for pair in found for one in pair.new}
        left = [one for one in left if one not in matched_base]
        right = [one for one in right if one not in matched_new]
        matches += found
    matches += [Match("only base", [one], []) for one in left]
    matches += [Match("only new", [], [one]) for one in right]
    return matches


def are_related(base: Iterable[Subgraph], new: Iterable[Subgraph]) -> bool:
    """Whether two runs have any subgraph in common; two of different operators have none."""
    return any(found.base and found.new for found in match(base, new))


def _by_hash(one: Subgraph) -> Hashable:
    if _NO_HASH.fullmatch(one.leaf_hash):
        return (one.leaf_hash, one.engine, one.label, one.shapes)
    return (one.leaf_hash, one.engine)


def _by_shapes(one: Subgraph) -> Hashable:
    return (one.label, one.engine, one.shapes) if one.shapes else None


def _by_label(one: Subgraph) -> Hashable:
    return (one.label, one.engine) if one.label else None


_KEYS: tuple[tuple[str, Key], ...] = (
    ("leaf_hash", _by_hash),
    ("shapes", _by_shapes),
    ("label", _by_label),
)


def _group(subgraphs: Iterable[Subgraph], key: Key) -> dict[Hashable, list[Subgraph]]:
    groups: dict[Hashable, list[Subgraph]] = defaultdict(list)
    for one in subgraphs:
        if (value := key(one)) is not None:
            groups[value].append(one)
    return groups
