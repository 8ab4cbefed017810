"""Connect four's positions in the words of `bot analyze`."""

from collections.abc import Sequence

from judge.games.cells import FORBIDDEN, FREE, OF_PLAYER
from judge.games.connect_four.board import Board
from judge.games.connect_four.rules import LARGEST_SIDE, SMALLEST_SIDE
from judge.games.position_words import (
    DRAWING,
    MARKS,
    PositionWords,
    Words,
    check_codes,
    check_size,
    drawing,
    moves_option,
    rows_of,
)
from judge.games.positions import AnyMove
from judge.language import _


def after_moves(board: Board, moves: Sequence[AnyMove]) -> Words:
    """As PositionWords has it."""
    forbidden = [] if board.forbidden is None else [f"--forbidden={board.forbidden[0]},{board.forbidden[1]}"]
    return [f"--rows={board.rows}", f"--cols={board.cols}", *forbidden, *moves_option(moves)], b""


def of_cells(size: tuple[int, int], codes: str, mover: int) -> Words:
    """As PositionWords has it. In a drawing the stones say who is to move: with as many of both the first mover."""
    check_size(size, SMALLEST_SIDE, LARGEST_SIDE)
    rows, columns = size
    check_codes(codes, rows * columns, FREE + FORBIDDEN + "".join(OF_PLAYER))
    own, other = (codes.count(OF_PLAYER[player]) for player in (mover, 1 - mover))
    if other - own not in (0, 1):
        message = _("the side to move has {own} stones and the other {other}, expected as many or one more")
        raise ValueError(message.format(own=own, other=other))
    first = mover if own == other else 1 - mover
    drawn = codes.translate({ord(OF_PLAYER[first]): MARKS[0], ord(OF_PLAYER[1 - first]): MARKS[1]})
    return [DRAWING], drawing(rows_of(drawn, columns))


POSITION_WORDS = PositionWords[Board](after_moves, of_cells)
