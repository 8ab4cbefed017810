"""Connect four's positions as texts of one character for each cell: row by row from the top."""

from judge.games.cells import FORBIDDEN, Cells, code
from judge.games.connect_four.rules import ConnectFour
from judge.games.positions import Cell


def codes(position: ConnectFour) -> str:
    """Every cell's character."""
    text = "".join(code(owner) for row in position.owner for owner in row)
    if position.forbidden is None:
        return text
    number = _number(position, position.forbidden)
    return text[:number] + FORBIDDEN + text[number + 1 :]


def _number(position: ConnectFour, cell: Cell) -> int:
    return cell[0] * position.cols + cell[1]


CELLS = Cells[ConnectFour](
    size=lambda position: (position.rows, position.cols),
    codes=codes,
    last=lambda position: _number(position, position.moves[-1]),
    line=lambda position: sorted(_number(position, cell) for cell in position.winning_cells()),
)
