"""Dots and boxes on Botzone, where it is called Pencil: places in a grid of dots, edges and boxes."""

from typing import Any

from protocol.errors import LocalProtocolError
from protocol.games.dots import edge_at
from protocol.games.dots.messages import DEFAULT_SIZE

NAME = "dots"
BOARD: dict[str, Any] = {"rows": DEFAULT_SIZE[0], "columns": DEFAULT_SIZE[1], "opening": []}


def move_at(x: int, y: int) -> str | None:
    """The name of an edge; None for a place that has none."""
    try:
        return edge_at(x, y)
    except LocalProtocolError:
        return None
