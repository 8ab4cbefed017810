"""Value types, made and written, against what they stand in for: collections.namedtuple."""

from __future__ import annotations

import copy
from collections import namedtuple

import pytest

from protocol.value_types import ValueType, value_type

FIELDS = "row col name"
Made, Theirs = value_type("Place", FIELDS, "A place."), namedtuple("Place", FIELDS)


class Place(ValueType):
    """A place."""

    row: int
    col: int
    name: str


ours = pytest.mark.parametrize("kind", [Made, Place], ids=["made", "written"])


@ours
def test_it_does_what_a_named_tuple_does(kind):
    for place, act in enumerate(
        [
            lambda kind: kind(1, 2, "x"),
            lambda kind: kind(1, name="x", col=2),
            lambda kind: repr(kind(1, 2, "x")),
            lambda kind: kind(1, 2, "x")._replace(col=5),
            lambda kind: kind(1, 2, "x")._asdict(),
            lambda kind: kind._fields,
            lambda kind: (kind(1, 2, "x").row, kind(1, 2, "x").col, kind(1, 2, "x").name),
            lambda kind: [*kind(1, 2, "x")],
            lambda kind: kind(1, 2, "x") < kind(1, 3, "a"),
            lambda kind: hash(kind(1, 2, "x")),
            lambda kind: copy.deepcopy(kind(1, 2, ["x"])),
            lambda kind: type(kind(1, 2, "x")._replace(row=0)) is kind,
        ]
    ):
        assert act(kind) == act(Theirs), place


@ours
def test_what_does_not_fit_is_refused(kind):
    for act in (
        lambda kind: kind(1, 2),
        lambda kind: kind(1, 2, 3, 4),
        lambda kind: kind(1, 2, 3, row=1),
        lambda kind: kind(1, 2, colour=3),
        lambda kind: kind(1, 2, 3)._replace(colour=3),
    ):
        with pytest.raises((TypeError, ValueError)):
            act(Theirs)
        with pytest.raises(TypeError):
            act(kind)


@ours
def test_it_never_changes(kind):
    with pytest.raises(AttributeError):
        kind(1, 2, 3).row = 4
    with pytest.raises(AttributeError):
        kind(1, 2, 3).colour = 4


@ours
def test_it_keeps_its_name_and_words(kind):
    assert (kind.__name__, kind.__doc__) == ("Place", "A place.")
    assert type("Sub", (kind,), {"__slots__": ()})(1, 2, 3)._replace(row=9).row == 9


def test_a_written_type_has_fields_alone():
    with pytest.raises(TypeError, match="Origin: expected fields without values, got row"):

        class Origin(ValueType):
            row: int = 0
