"""Positions that people set up in a browser: checks them by the rules and lists their legal moves."""

from collections.abc import Sequence
from typing import Any

from judge.games import GAMES
from judge.games.game import FORBIDDEN, OF_PLAYER, AnyGame, check_codes
from judge.games.positions import IllegalMove, Position
from judge.language import _, marked
from judge.web.answers import Refused, made
from judge.web.inputs import CODES, NOBODY, SetUp
from judge.web.texts import Texts, in_each

IS_OVER = marked("The game is over.")


def set_up(asked: SetUp) -> dict[str, Any]:
    """Return the position as JSON, after `asked.move` if there is one, with its legal moves.

    `game`, `size`, `cells`, `mover` and `moves` are as in a SetUp. If the moves of `asked` lead to a position, only the
    forbidden cell is taken from its cells. An empty board with player 0 to move is the position after no moves.
    `move_of_cell` is as in Cells, and `choices` are the legal moves. `wrong` says in each language why there are none,
    and is {} if there are some. Raises Refused for a size that the game does not have, for cells that do not fit the
    size, and for an illegal move.
    """
    game, size = GAMES[asked.game], asked.size
    start = made(lambda: _start(game, size), ValueError)
    cells = start if asked.cells is None else asked.cells
    made(lambda: check_codes(cells, len(start), "".join(sorted(CODES))), ValueError)
    empty = "".join(FORBIDDEN if code == FORBIDDEN else free for code, free in zip(cells, start, strict=True))
    moves = () if asked.moves is None and (cells, asked.mover) == (empty, OF_PLAYER[0]) else asked.moves
    position = None if moves is None else _after(game, size, empty, moves)
    wrong: Texts = {}
    if position is None:
        moves = None
        try:
            position = made(lambda: _by_hand(game, size, cells, asked.mover), ValueError)
        except Refused as refused:
            if asked.move is not None:
                raise
            wrong = refused.texts
    content = {
        "game": asked.game,
        "size": size,
        "cells": cells,
        "mover": asked.mover,
        "moves": moves,
        "move_of_cell": game.cells.move_of_cell(size),
        "choices": [],
        "wrong": wrong,
    }
    return content if position is None else {**content, **_state(game, position, asked.move, moves)}


def _start(game: AnyGame, size: tuple[int, int]) -> str:
    """Return the cells that a game of this size begins with. Raises ValueError if the game does not have the size."""
    codes: str = game.cells.codes(game.new_position(game.read_board(game.notation.read_board(*size, ""))))
    return codes


def _after(game: AnyGame, size: tuple[int, int], empty: str, moves: Sequence[str]) -> Position | None:
    """Return the position after `moves`, played from the cells `empty` on, or None if one of them cannot be made."""
    try:
        position: Position = game.cells.position(size, empty, 0)
        for move in moves:
            position.play(game.read_move(move))
    except (ValueError, IllegalMove):
        return None
    return position


def _by_hand(game: AnyGame, size: tuple[int, int], cells: str, mover: str) -> Position:
    """Return the position with these cells. Raises ValueError as Cells.position() does, and if nobody is to move."""
    if mover == NOBODY:
        raise ValueError(_(IS_OVER))
    position: Position = game.cells.position(size, cells, int(mover))
    return position


def _state(game: AnyGame, position: Position, move: str | None, moves: Sequence[str] | None) -> dict[str, Any]:
    """Play `move` on the position unless it is None, and return the keys of the JSON that describe the position then.

    Raises Refused if the move is illegal.
    """
    if move is not None:
        made(lambda: position.play(game.read_move(move)), ValueError, IllegalMove)
        moves = None if moves is None else (*moves, str(game.read_move(move)))
    return {
        "cells": game.cells.codes(position),
        "mover": NOBODY if position.over else str(position.to_move),
        "moves": moves,
        "choices": [str(legal) for legal in position.legal_moves()],
        "wrong": in_each(lambda: _(IS_OVER)) if position.over else {},
    }
