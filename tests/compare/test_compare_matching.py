"""Which subgraph became which?"""

from __future__ import annotations

from perfetto_pypto.compare.matching import Match, Subgraph, are_related, match


def test_the_same_leaf_hash_is_the_same_code():
    old, new = Subgraph("11", "AIV", "a"), Subgraph("11", "AIV", "renamed")
    assert match([old], [new]) == [Match("leaf_hash", [old], [new])]


def test_the_engine_counts():
    cube, vector = Subgraph("11", "AIC", ""), Subgraph("11", "AIV", "")
    assert match([cube], [vector]) == [
        Match("only base", [cube], []),
        Match("only new", [], [vector]),
    ]


def test_label_and_shapes_then_label_alone():
    old = [Subgraph("1", "AIC", "mm", "8x8"), Subgraph("2", "AIC", "mm", "4x4")]
    new = [Subgraph("3", "AIC", "mm", "4x4"), Subgraph("4", "AIC", "mm", "16x8")]
    assert match(old, new) == [
        Match("shapes", [old[1]], [new[0]]),
        Match("label", [old[0]], [new[1]]),
    ]


def test_subgraphs_that_only_their_code_tells_apart_are_matched_together():
    old = [Subgraph("1", "AIV", "softmax"), Subgraph("2", "AIV", "softmax")]
    new = [Subgraph("3", "AIV", "softmax")]
    assert match(old, new) == [Match("label", old, new)]


def test_shapes_match_where_labels_are_missing():
    old, new = Subgraph("1", "AIC", "", "8x8"), Subgraph("2", "AIC", "", "8x8")
    assert match([old], [new]) == [Match("shapes", [old], [new])]


def test_nothing_known_matches_nothing():
    old, new = Subgraph("1", "AIC", ""), Subgraph("2", "AIC", "")
    assert [found.matched_by for found in match([old], [new])] == ["only base", "only new"]
    assert not are_related([old], [new])


def test_a_number_in_place_of_a_hash_needs_the_same_shapes():
    old, new = Subgraph("0-3", "AIC", "", "8x8"), Subgraph("0-3", "AIC", "", "4x4")
    assert not are_related([old], [new])
    assert match([old], [old]) == [Match("leaf_hash", [old], [old])]


def test_several_runs_of_one_side_name_a_subgraph_once():
    one = Subgraph("1", "AIC", "mm")
    assert match([one, one], [one]) == [Match("leaf_hash", [one], [one])]
