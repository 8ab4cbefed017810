"""Reversi's positions in the words of `bot analyze`."""

from collections.abc import Sequence

from judge.games.cells import FREE, OF_PLAYER
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
from judge.games.reversi.board import Board
from judge.games.reversi.rules import LARGEST_SIZE, SMALLEST_SIZE
from judge.language import _


def after_moves(board: Board, moves: Sequence[AnyMove]) -> Words:
    """As PositionWords has it; the bot knows who is passed over."""
    return [f"--size={board.size}", *moves_option([*board.opening, *moves])], b""


def of_cells(size: tuple[int, int], codes: str, mover: int) -> Words:
    """As PositionWords has it."""
    check_size(size, SMALLEST_SIZE, LARGEST_SIZE)
    rows, columns = size
    if rows != columns:
        message = _("the board has {rows} rows and {columns} columns, expected as many")
        raise ValueError(message.format(rows=rows, columns=columns))
    check_codes(codes, rows * columns, FREE + "".join(OF_PLAYER))
    drawn = codes.translate({ord(OF_PLAYER[player]): MARKS[player] for player in (0, 1)})
    return [DRAWING, f"--to-move={MARKS[mover]}"], drawing(rows_of(drawn, columns))


POSITION_WORDS = PositionWords[Board](after_moves, of_cells)
