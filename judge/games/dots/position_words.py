"""Dots and boxes' positions in the words of `bot analyze`."""

from collections.abc import Sequence

from judge.games.cells import FREE, OF_OPENING, OF_PLAYER
from judge.games.dots.board import Board
from judge.games.dots.rules import (
    LARGEST_SIDE,
    SMALLEST_SIDE,
    edges_of_board,
    edges_of_box,
    horizontal,
    vertical,
)
from judge.games.position_words import (
    DRAWING,
    MARKS,
    PositionWords,
    Words,
    check_codes,
    check_size,
    drawing,
    moves_option,
)
from judge.games.positions import AnyMove
from judge.language import _

DOT, ACROSS, DOWN = "+", "---", "|"
NO_EDGE_ACROSS, NO_EDGE_DOWN = " " * len(ACROSS), " " * len(DOWN)


def after_moves(board: Board, moves: Sequence[AnyMove]) -> Words:
    """As PositionWords has it."""
    return [f"--size={board.rows}x{board.columns}", *moves_option([*board.opening, *moves])], b""


def of_cells(size: tuple[int, int], codes: str, mover: int) -> Words:
    """As PositionWords has it; boxes with all their edges may be nobody's."""
    check_size(size, SMALLEST_SIDE, LARGEST_SIDE)
    rows, columns = size
    edges = edges_of_board(rows, columns)
    check_codes(codes, len(edges) + rows * columns, FREE + OF_OPENING + "".join(OF_PLAYER))
    drawn = {edge for edge, code in zip(edges, codes, strict=False) if code != FREE}
    owners = codes[len(edges) :]
    lines = []
    for row in range(rows + 1):
        across = [ACROSS if horizontal(row, column) in drawn else NO_EDGE_ACROSS for column in range(columns)]
        lines.append(DOT + DOT.join(across) + DOT)
        if row == rows:
            break
        boxes = [_box(row, column, owners[columns * row + column], drawn) for column in range(columns)]
        down = [DOWN if vertical(row, column) in drawn else NO_EDGE_DOWN for column in range(columns + 1)]
        lines.append("".join(edge + box for edge, box in zip(down, [*boxes, ""], strict=True)))
    return [DRAWING, f"--to-move={MARKS[mover]}"], drawing(lines)


def _box(row: int, column: int, code: str, drawn: set[str]) -> str:
    """What stands between the edges of a box."""
    if code == FREE:
        return NO_EDGE_ACROSS
    if code not in OF_PLAYER or not drawn.issuperset(edges_of_box(row, column)):
        message = _("the box in row {row}, column {column} is {value!r}: expected an owner, and one of a whole box")
        raise ValueError(message.format(row=row, column=column, value=code))
    return MARKS[OF_PLAYER.index(code)].center(len(ACROSS))


POSITION_WORDS = PositionWords[Board](after_moves, of_cells)
