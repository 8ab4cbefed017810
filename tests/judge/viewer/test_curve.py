"""The line of values: what counts as a value, and where it is drawn."""

from hypothesis import given
from hypothesis import strategies as st

from judge import viewer
from tests.judge.helpers.random_games import recorded_game

BOARD = {"rows": 9, "cols": 9, "forbidden": None}


def record_of(values, side="A"):
    """A game in which the side reports these values with its moves, in turn; None: no report."""
    reports = iter(values)

    def report(mover, ply):
        value = next(reports, None) if mover == side else None
        return None if value is None else {"value": value}

    return recorded_game("connect_four", BOARD, report=report)


def test_the_value_in_force_is_what_the_side_stated_last():
    for stated, drawn in (
        ([-1.0, 0.0, 1.0], [-1.0, -1.0, 0.0, 0.0, 1.0, 1.0]),
        ([None, 0.5, None], [None, None, 0.5, 0.5, 0.5, 0.5]),
        ([7, -350.5, 0], [1.0, 1.0, -1.0, -1.0, 0.0, 0.0]),
        (["1", True, [1], {}, 10**400, "NaN"], [None] * 12),
    ):
        record = record_of(stated)
        assert viewer.values_of(record, "A", len(drawn)) == drawn
        assert viewer.values_of(record, "B", len(drawn)) == [None] * len(drawn)


def test_a_ply_has_a_column_where_there_is_room():
    values = [None, -1.0, -0.5, 0.0, 0.5, 1.0]
    drawn = viewer.curve(values, "A", 4, 40)
    assert drawn.plain == " ▁▃▅▇█"
    assert viewer.curve(values, "A", 4, 40, viewer.ASCII_LEVELS).plain == " _,~*#"
    assert viewer.line_with_mark(6, 4, 40) == "   ^"
    assert viewer.line_with_mark(6, 0, 40) == ""
    (marked,) = [span for span in drawn.spans if "reverse" in str(span.style)]
    assert (marked.start, marked.end) == (3, 4)


@given(st.integers(1, 300), st.integers(1, 90), st.data())
def test_any_game_fits_any_width_with_the_current_ply_marked(plies, width, data):
    ply = data.draw(st.integers(1, plies))
    values = [number / plies for number in range(1, plies + 1)]
    drawn = viewer.curve(values, "B", ply, width)
    assert len(drawn.plain) == min(plies, width)
    mark = viewer.line_with_mark(plies, ply, width)
    assert mark.strip() == "^" and len(mark) <= width
    (marked,) = [span for span in drawn.spans if "reverse" in str(span.style)]
    assert marked.start == len(mark) - 1
    expected = viewer.curve([values[ply - 1]], "B", 1, 1).plain  # its own value, whoever shares the column
    assert drawn.plain[marked.start] == expected
