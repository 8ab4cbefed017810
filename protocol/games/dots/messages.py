"""The messages of dots and boxes, independent of the wire, edges' names, and their limits.

A board has R x C boxes between (R + 1) x (C + 1) dots. An edge's name has three letters, as on the contest platform.
The first is A for a horizontal edge and B for a vertical one. The second is its line: the row of dots from the top
for a horizontal edge, the column of dots from the left for a vertical one. The third is its place on that line, from
the left or from the top:

    .-AAA-.-AAB-.
    |     |     |       "AAB" is horizontal: line A, the second edge from the left
   BAA   BBA   BCA      "BCA" is vertical: line C, the first edge from the top
    |     |     |
    .-ABA-.-ABB-.

Player 0 is black and moves first.
"""

from __future__ import annotations

from protocol.errors import RemoteProtocolError
from protocol.value_types import ValueType

SIZES = (1, 7)  # least and greatest number of rows and of columns of boxes
DEFAULT_SIZE = (5, 5)  # rows, columns: the contest's, which its platform does not send
MOST_EDGES = 112  # of the largest board
LETTERS = "ABCDEFGH"
COLOURS = ("black", "white")


class NameQuery(ValueType):
    """`name?`: the platform asks for the bot's name, before the game."""


class Board(ValueType):
    """The board of the next game. Only our own judge sends it, and only if the board is not the usual one.

    `rows` and `columns` count boxes. `edges` are the names of the edges drawn already, in the order in which both
    players drew them by the rules, player 0 first: a player who completes a box owns it and moves again.
    """

    rows: int
    columns: int
    edges: tuple[str, ...]


class New(ValueType):
    """The beginning of a game in which the receiver is `side`, 0 (black) or 1 (white).

    The side to move replies at once: black, or white after a Board whose edges leave white to move.
    """

    side: int


class Turn(ValueType):
    """The other side's whole turn, a tuple of edges' names in drawing order; then the receiver moves."""

    edges: tuple[str, ...]


class Complaint(ValueType):
    """`error`: the receiver's last turn was refused."""


class End(ValueType):
    """`end`: the game is over; another may begin."""


class Quit(ValueType):
    """`quit`: the bot's process must end."""


class Reply(ValueType):
    """A bot's whole turn, a tuple of edges' names in drawing order. The referee checks legality."""

    edges: tuple[str, ...]


def is_edge(name: object, rows: int = SIZES[1], columns: int = SIZES[1]) -> bool:
    """Return whether `name` is an edge's name on a board of rows x columns boxes."""
    if type(name) is not str or len(name) != 3:
        return False
    line, place = LETTERS.find(name[1]), LETTERS.find(name[2])
    most_lines, most_places = {"A": (rows, columns), "B": (columns, rows)}.get(name[0], (-1, -1))
    return 0 <= line <= most_lines and 0 <= place < most_places


def edges_from(text: str, field: str, rows: int = SIZES[1], columns: int = SIZES[1]) -> tuple[str, ...]:
    """Return the edges' names in a text of three letters each, as a tuple of one or more.

    Raises RemoteProtocolError naming the field, unless all are edges of a board of rows x columns boxes.
    """
    names = tuple([text[start : start + 3] for start in range(0, len(text), 3)])
    for name in names or ("",):
        if not is_edge(name, rows, columns):
            raise RemoteProtocolError(field=field, expected=f"an edge of {rows} x {columns} boxes", received=repr(name))
    if len(names) > MOST_EDGES:
        raise RemoteProtocolError(field=field, expected=f"at most {MOST_EDGES} edges", received=str(len(names)))
    return names
