"""Reversi's positions as texts of one character for each cell: row by row from the top."""

from judge.games.cells import Cells, code
from judge.games.reversi.rules import Reversi


def last(position: Reversi) -> int:
    """The number of the cell that was played last."""
    row, column = position.moves[-1]
    return row * position.size + column


CELLS = Cells[Reversi](
    size=lambda position: (position.size, position.size),
    codes=lambda position: "".join(code(owner) for row in position.owner for owner in row),
    last=last,
    line=lambda position: [],
)
