"""value_type against what it stands in for: collections.namedtuple."""

import copy
from collections import namedtuple

import pytest

from protocol.value_types import value_type

FIELDS = "row col name"
Ours, Theirs = value_type("Place", FIELDS, "A place."), namedtuple("Place", FIELDS)


@pytest.mark.parametrize(
    "act",
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
    ],
)
def test_it_does_what_a_named_tuple_does(act):
    assert act(Ours) == act(Theirs)


@pytest.mark.parametrize(
    "act",
    [
        lambda kind: kind(1, 2),
        lambda kind: kind(1, 2, 3, 4),
        lambda kind: kind(1, 2, 3, row=1),
        lambda kind: kind(1, 2, colour=3),
        lambda kind: kind(1, 2, 3)._replace(colour=3),
    ],
)
def test_what_does_not_fit_is_refused(act):
    with pytest.raises((TypeError, ValueError)):
        act(Theirs)
    with pytest.raises(TypeError):
        act(Ours)


@pytest.mark.parametrize("kind", [Ours, Theirs])
def test_it_never_changes(kind):
    with pytest.raises(AttributeError):
        kind(1, 2, 3).row = 4
    with pytest.raises(AttributeError):
        kind(1, 2, 3).colour = 4


def test_it_keeps_its_name_and_words():
    assert (Ours.__name__, Ours.__doc__) == ("Place", "A place.")
    assert type("Sub", (Ours,), {"__slots__": ()})(1, 2, 3)._replace(row=9).row == 9
