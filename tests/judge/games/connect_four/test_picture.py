"""Connect four's pictures: what they mark can be seen without colours."""

import re

import pytest

from judge.games.connect_four.picture import picture
from judge.games.connect_four.rules import ConnectFour


def after(columns, rows=6, cols=7, forbidden=None):
    position = ConnectFour(rows, cols, forbidden)
    for column in columns:
        position.play(column)
    return position


def test_the_last_stone_stands_in_brackets_until_somebody_has_won():
    position = after((3, 3, 4), rows=4, cols=6, forbidden=(3, 0))
    assert picture(position).plain == (
        "     0  1  2  3  4  5 \n"
        "  0  .  .  .  .  .  . \n"
        "  1  .  .  .  .  .  . \n"
        "  2  .  .  .  O  .  . \n"
        "  3  #  .  .  X [X] . \n"
        "     0  1  2  3  4  5 "
    )


def test_a_completed_line_stands_between_stars():
    position = after((3, 3, 4, 4, 5, 5, 2), rows=4, cols=6)
    assert picture(position).plain == (
        "     0  1  2  3  4  5 \n"
        "  0  .  .  .  .  .  . \n"
        "  1  .  .  .  .  .  . \n"
        "  2  .  .  .  O  O  O \n"
        "  3  .  . *X**X**X**X*\n"
        "     0  1  2  3  4  5 "
    )


@pytest.mark.parametrize(
    "columns, count",
    [
        ((0, 1, 0, 1, 0, 1, 0), 4),  # upright
        ((0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3), 4),  # rising
        ((0, 0, 1, 1, 2, 2, 4, 4, 5, 5, 6, 6, 3), 7),  # seven in one line
        ((0, 4, 4, 5, 1, 5, 5, 6, 2, 6, 0, 6, 6, 1, 3), 7),  # four across and four rising meet
    ],
)
def test_every_cell_of_every_line_is_marked_and_no_other(columns, count):
    position = after(columns)
    marked = {
        (row, (match.start() - 4) // 3)
        for row, line in enumerate(picture(position).plain.split("\n")[1:-1])
        for match in re.finditer(r"\*[XO]\*", line)
    }
    assert marked == position.winning_cells()
    assert len(marked) == count
