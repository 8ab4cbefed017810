"""Reversi on Botzone: x is the row and y the column."""

from typing import Any

from judge.games.reversi.rules import cell_name

NAME = "reversi"
SIZE = 8
BOARD: dict[str, Any] = {"size": SIZE, "opening": []}


def move_at(x: int, y: int) -> str | None:
    """The name of a move; None for what is off the board."""
    return cell_name(x, y) if 0 <= x < SIZE and 0 <= y < SIZE else None
