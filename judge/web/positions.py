"""Checks, by the rules, the positions that users set up in a browser, and lists the legal moves."""

from collections.abc import Sequence
from typing import Any

from judge.games import GAMES
from judge.games.game import FORBIDDEN, OF_PLAYER, AnyGame, check_codes
from judge.games.positions import IllegalMove, Position
from judge.language import _, marked
from judge.web.answers import NOT_ALLOWED, Refused, call_or_refuse, refusal
from judge.web.inputs import CODES, NOBODY, SetUp
from judge.web.texts import Texts, marked_in_each

IS_OVER = marked("The game is over.")


def set_up(asked: SetUp) -> dict[str, Any]:
    """Return, as JSON, the position that a page sets up, and its legal moves.

    The position is that of `asked`, or the one after the click `asked.put` or the move `asked.move`. If `asked.moves`
    can be played from the beginning of the game, the position is the result of these moves; of `asked.cells` only the
    forbidden cell matters then. Otherwise the position has the cells `asked.cells`. An empty board with player 0 to
    move counts as the beginning of the game.

    In the JSON `game`, `size`, `cells`, `mover` and `moves` mean the same as in a SetUp, and `move_of_cell` the same as
    in Cells. `choices` are the legal moves. If there is none, `wrong` says in each language why; otherwise it is {}.
    Raises Refused for a size that the game does not have, for cells that do not fit the size, and for an illegal
    `asked.move`.
    """
    game, size = GAMES[asked.game], asked.size
    start = call_or_refuse(lambda: _start_cells(game, size), ValueError)
    cells = start if asked.cells is None else asked.cells
    call_or_refuse(lambda: check_codes(cells, len(start), "".join(sorted(CODES))), ValueError)
    moves, mover = asked.moves, str(asked.mover)
    if asked.put is not None:
        cells, moves = _cells_after_click(game, size, cells, *asked.put), None
        mover = OF_PLAYER[0] if mover == NOBODY else mover
    empty = "".join(FORBIDDEN if code == FORBIDDEN else free for code, free in zip(cells, start, strict=True))
    if moves is None and (cells, mover) == (empty, OF_PLAYER[0]):
        moves = ()
    position = None if moves is None else _position_after(game, size, empty, moves)
    wrong: Texts = {}
    if position is None:
        moves = None
        try:
            position = call_or_refuse(lambda: _position_of_cells(game, size, cells, mover), ValueError)
        except Refused as refused:
            if asked.move is not None:
                raise
            wrong = refused.texts
    content = {
        "game": asked.game,
        "size": size,
        "cells": cells,
        "mover": mover,
        "moves": moves,
        "move_of_cell": game.cells.move_of_cell(size),
        "choices": [],
        "wrong": wrong,
    }
    return content if position is None else {**content, **_position_json(game, position, asked.move, moves)}


def _start_cells(game: AnyGame, size: tuple[int, int]) -> str:
    """Return the characters of the cells with which a game on a board of this size begins.

    Raises ValueError if the game has no boards of this size.
    """
    codes: str = game.cells.codes(game.new_position(game.read_board(game.notation.read_board(*size, ""))))
    return codes


def _cells_after_click(game: AnyGame, size: tuple[int, int], cells: str, cell: int, tool: str) -> str:
    """Return the characters of the cells after a click that puts the character `tool` on the cell number `cell`.

    Raises Refused if there is no such cell.
    """
    if cell >= len(cells):
        raise refusal(
            NOT_ALLOWED, marked("the board has no cell with the number {number}, counted from 0"), number=cell
        )
    changed: str = game.cells.put(size, cells, cell, tool)
    return changed


def _position_after(game: AnyGame, size: tuple[int, int], empty: str, moves: Sequence[str]) -> Position | None:
    """Return the position after `moves`, which player 0 begins, or None if one of the moves cannot be made.

    `empty` has the characters of the cells before the first move.
    """
    try:
        position: Position = game.cells.position(size, empty, 0)
        for move in moves:
            position.play(game.read_move(move))
    except (ValueError, IllegalMove):
        return None
    return position


def _position_of_cells(game: AnyGame, size: tuple[int, int], cells: str, mover: str) -> Position:
    """Return the position with the cells `cells` and the player `mover` to move.

    Raises ValueError if nobody is to move, or if Cells.position() finds the cells wrong.
    """
    if mover == NOBODY:
        raise ValueError(_(IS_OVER))
    position: Position = game.cells.position(size, cells, int(mover))
    return position


def _position_json(game: AnyGame, position: Position, move: str | None, moves: Sequence[str] | None) -> dict[str, Any]:
    """Play `move` in `position`, unless it is None, and return that part of set_up()'s JSON that depends on the result.

    `moves` are the moves that led to the position before `move`, or None. Raises Refused if `move` is illegal.
    """
    if move is not None:
        call_or_refuse(lambda: position.play(game.read_move(move)), ValueError, IllegalMove)
        moves = None if moves is None else (*moves, str(game.read_move(move)))
    return {
        "cells": game.cells.codes(position),
        "mover": NOBODY if position.over else str(position.to_move),
        "moves": moves,
        "choices": [str(legal) for legal in position.legal_moves()],
        "wrong": marked_in_each(IS_OVER) if position.over else {},
    }
