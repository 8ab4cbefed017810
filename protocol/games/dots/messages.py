"""What the wires of dots and boxes say, whatever the bytes look like: the messages, edges' names and their limits.

A board has R x C boxes between (R + 1) x (C + 1) dots. An edge's name has three letters, as the contest platform has
them: A for a horizontal edge and B for a vertical one; then its line, of a horizontal edge the row of dots from the
top, of a vertical one the column of dots from the left; then its place on that line, from the left or from the top:

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

SIZES = (1, 7)  # least and greatest number of boxes in a row, and of rows of them
DEFAULT_SIZE = (5, 5)  # rows, columns: the contest's, of which its platform says nothing
MOST_EDGES = 112  # of the largest board
LETTERS = "ABCDEFGH"
COLOURS = ("black", "white")


class NameQuery(ValueType):
    """`name?`: the platform asks for the bot's name, before the game."""


class Board(ValueType):
    """The board of the next game, which only our own judge names, and only where it is not the usual one.

    `rows` and `columns` of boxes; `edges` are drawn already, a tuple of names in the order in which player 0 and then
    the other drew them by the rules: who completes a box goes on, and keeps it.
    """

    rows: int
    columns: int
    edges: tuple[str, ...]


class New(ValueType):
    """A game begins, in which the receiver is `side`, 0 (black) or 1 (white).

    Who is to move begins at once: black, or white after a Board whose edges leave white to move.
    """

    side: int


class Turn(ValueType):
    """The other side's whole turn, a tuple of edges' names in their order: the receiver is to move."""

    edges: tuple[str, ...]


class Complaint(ValueType):
    """`error`: the receiver's last turn was refused."""


class End(ValueType):
    """`end`: the game is over; another may begin."""


class Quit(ValueType):
    """`quit`: the process is to end."""


class Reply(ValueType):
    """A bot's whole turn, a tuple of edges' names in their order. Legality is the referee's."""

    edges: tuple[str, ...]


def is_edge(name: object, rows: int = SIZES[1], columns: int = SIZES[1]) -> bool:
    """Whether `name` names an edge of a board with so many boxes."""
    if type(name) is not str or len(name) != 3:
        return False
    line, place = LETTERS.find(name[1]), LETTERS.find(name[2])
    most_lines, most_places = {"A": (rows, columns), "B": (columns, rows)}.get(name[0], (-1, -1))
    return 0 <= line <= most_lines and 0 <= place < most_places


def edges_from(text: str, field: str, rows: int = SIZES[1], columns: int = SIZES[1]) -> tuple[str, ...]:
    """The names that a text of letters holds, as a tuple; at least one.

    Raises RemoteProtocolError naming the field, unless all are edges of a board with so many boxes.
    """
    names = tuple([text[start : start + 3] for start in range(0, len(text), 3)])
    for name in names or ("",):
        if not is_edge(name, rows, columns):
            raise RemoteProtocolError(field=field, expected=f"an edge of {rows} x {columns} boxes", received=repr(name))
    if len(names) > MOST_EDGES:
        raise RemoteProtocolError(field=field, expected=f"at most {MOST_EDGES} edges", received=str(len(names)))
    return names
