"""Encoded columns are what protobuf reads back."""

from __future__ import annotations

import numpy as np
import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import (
    DebugAnnotation,
    InternedData,
    TrackEvent,
)

from perfetto_pypto.trace import encode
from perfetto_pypto.trace.arguments import Arguments, text_values
from perfetto_pypto.trace.interned import Interned


@pytest.mark.parametrize(
    "numbers", [[0], [127, 128], [1, 300, 2**31], [2**62, 0], [-1, 5], [-(2**63), 2**63 - 1]]
)
def test_varints(numbers):
    tag = encode.tag(DebugAnnotation, "int_value")
    column = encode.rows(encode.beside(tag, encode.varints(np.array(numbers))))
    assert [DebugAnnotation.FromString(one).int_value for one in column] == numbers
    assert len({len(one) for one in column}) == 1


def test_fixed64s():
    tag = encode.tag(DebugAnnotation, "double_value")
    column = encode.rows(encode.beside(tag, encode.fixed64s(np.array([0.5, -3.0]))))
    assert [DebugAnnotation.FromString(one).double_value for one in column] == [0.5, -3.0]


def decoded(data: InternedData, event: bytes) -> object:
    """Arguments as a dict."""
    names = {one.iid: one.name for one in data.debug_annotation_names}
    texts = {one.iid: one.str.decode() for one in data.debug_annotation_string_values}

    def value(one: DebugAnnotation) -> object:
        if one.dict_entries:
            return {names[entry.name_iid]: value(entry) for entry in one.dict_entries}
        if one.array_values:
            return [value(item) for item in one.array_values]
        if one.HasField("string_value_iid"):
            return texts[one.string_value_iid]
        return getattr(one, one.WhichOneof("value"))

    return {
        names[one.name_iid]: value(one) for one in TrackEvent.FromString(event).debug_annotations
    }


ARGS = {
    "op": 3,
    "text": "x\u00e9",
    "share": 0.5,
    "deps": [1, 2],
    "source": {"taskId": -1, "hint": "h"},
}


@pytest.mark.parametrize("how", ["of", "shared"])
def test_arguments_of_one_slice(how):
    interned = Interned()
    event = getattr(Arguments(interned), how)(ARGS)
    assert decoded(interned.take(), event) == ARGS


def test_what_is_no_argument_is_refused():
    with pytest.raises(TypeError, match="not an argument: None"):
        Arguments(Interned()).of({"a": None})


def test_columns_of_arguments():
    interned = Interned()
    arguments = Arguments(interned)
    columns = encode.joined(
        arguments.ints("op", np.array([3, -1, 400])),
        arguments.ints("dispatch", np.array([-1, 7, 8]), absent=-1),
        arguments.ints("taskId", np.array([1, 2, 3]), group="source"),
        arguments.texts("task", text_values(["0-1", "", "nul \x00"])),
        arguments.int_lists("deps", np.array([5, 600]), np.array([0, 0, 2, 2])),
        arguments.text_lists("before", "abc", np.array([0, 1, 2]), np.array([0, 2, 2, 3])),
    )
    data = interned.take()
    assert [decoded(data, event) for event in columns] == [
        {"op": 3, "source": {"taskId": 1}, "task": "0-1", "before": ["a", "b"]},
        {"op": -1, "dispatch": 7, "source": {"taskId": 2}, "deps": [5, 600]},
        {
            "op": 400,
            "dispatch": 8,
            "source": {"taskId": 3},
            "task": "nul \ufffd",
            "before": ["c"],
        },
    ]


def test_a_column_for_no_slice():
    arguments, none = Arguments(Interned()), np.zeros(0, dtype=np.int64)
    columns = [
        arguments.ints("op", none),
        arguments.texts("task", text_values([])),
        arguments.int_lists("deps", none, np.array([0])),
        arguments.text_lists("before", [], none, np.array([0])),
    ]
    assert encode.joined(*columns) == []
