"""The referee's rules of dots and boxes, written for clarity instead of speed.

Players are 0 (moves first) and 1. A board has rows x columns boxes between dots; row 0 is the top row and column 0 the
left one. A move is one edge. Edges have the names of the contest platform, which are three letters. The first is A for
a horizontal edge and B for a vertical one. The second is the letter of its line, which is a row of dots from the top or
a column of dots from the left. The third is the letter of its place on that line. The rules share no code with the
bot's kernels, so that tests can compare the two.
"""

import functools
from collections.abc import Iterable, Mapping

from judge.games.positions import (
    AFTER_THE_END,
    AnyMove,
    Cell,
    IllegalMove,
    Owners,
    check_range,
    counts_of,
    leader,
    play_opening,
)
from judge.language import recorded

SMALLEST_SIDE = 1
LARGEST_SIDE = 7
LETTERS = "ABCDEFGH"
EDGES_OF_A_BOX = 4
# Reasons, as records store them.
NO_EDGE = recorded("{edge} is no edge of {rows} x {columns} boxes, expected three letters such as AAA", "dots.no_edge")
DRAWN_ALREADY = recorded("{edge} is drawn already, expected one of {edges}", "dots.drawn_already")


def horizontal(row: int, column: int) -> str:
    """Return the name of the edge to the right of the dot (row, column)."""
    return "A" + LETTERS[row] + LETTERS[column]


def vertical(row: int, column: int) -> str:
    """Return the name of the edge below the dot (row, column)."""
    return "B" + LETTERS[column] + LETTERS[row]


@functools.cache
def edges_of_box(row: int, column: int) -> tuple[str, str, str, str]:
    """Return the names of the edges of the box at (row, column): above, below, left, right."""
    return (
        horizontal(row, column),
        horizontal(row + 1, column),
        vertical(row, column),
        vertical(row, column + 1),
    )


@functools.cache
def edges_of_board(rows: int, columns: int) -> tuple[str, ...]:
    """Return the names of all edges: the horizontal edges row by row, then the vertical edges row by row."""
    across = [horizontal(row, column) for row in range(rows + 1) for column in range(columns)]
    down = [vertical(row, column) for row in range(rows) for column in range(columns + 1)]
    return (*across, *down)


class Dots:
    """A position and the moves that led to it. A player who completes a box owns it and moves again.

    `rows` and `columns` of boxes are from 1 to 7. `opening` is a sequence of moves ("AAB", ...) made before the game.
    They are not in `moves`, but boxes completed by them have owners. `owner[row][column]` is the owner of a box: 0, 1
    or None. `drawn` lists the drawn edges in the order of drawing, `drawers` the player (0 or 1) who drew each of them.
    Raises ValueError, which names the wrong argument; an opening that ends the game is wrong, too.
    """

    def __init__(self, rows: int, columns: int, opening: Iterable[AnyMove] = ()) -> None:
        check_range("rows", rows, SMALLEST_SIDE, LARGEST_SIDE)
        check_range("columns", columns, SMALLEST_SIDE, LARGEST_SIDE)
        self.rows = rows
        self.columns = columns
        self.owner: list[list[int | None]] = [[None] * columns for _ in range(rows)]
        self.to_move = 0
        self.drawn: list[str] = []
        self.drawers: list[int] = []
        self._edges = edges_of_board(rows, columns)
        self._opening_plies = 0
        play_opening(self, opening)
        self._opening_plies = len(self.drawn)

    @property
    def moves(self) -> list[str]:
        """The edges drawn since the game began, without the opening."""
        return self.drawn[self._opening_plies :]

    @property
    def last(self) -> str | None:
        """The edge drawn last, None before the first move."""
        return self.moves[-1] if self.moves else None

    @property
    def over(self) -> bool:
        """True once every edge is drawn."""
        return len(self.drawn) == len(self._edges)

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of boxes of players 0 and 1."""
        return counts_of(self.owner)

    @property
    def winner(self) -> int | None:
        """The player with more boxes once the game is over; None before the end of the game, and for a draw."""
        return leader(self.counts) if self.over else None

    @property
    def goes_on(self) -> bool:
        """True if the last move completed a box and the game is not over, so that the same side moves again."""
        return bool(self.moves) and not self.over and self.drawers[-1] == self.to_move

    def legal_moves(self) -> list[str]:
        """Return all free edges in the order of edges_of_board(); [] when the game is over."""
        return [edge for edge in self._edges if edge not in self.drawn]

    def number_of(self, edge: str) -> int | None:
        """Return the index of the edge in edges_of_board(), None if this board has no such edge."""
        return self._edges.index(edge) if edge in self._edges else None

    def boxes_beside(self, edge: str) -> list[Cell]:
        """Return the (row, column) of the one or two boxes to which an edge of this board belongs."""
        line, place = map(LETTERS.index, edge[1:])
        beside = ((line - 1, place), (line, place)) if edge[0] == "A" else ((place, line - 1), (place, line))
        return [(row, column) for row, column in beside if 0 <= row < self.rows and 0 <= column < self.columns]

    def edges_drawn(self, row: int, column: int) -> int:
        """Return the number of drawn edges of a box, 0..4."""
        return sum(edge in self.drawn for edge in edges_of_box(row, column))

    def is_safe(self, edge: str) -> bool:
        """Return True if the free edge completes no box, and the other side cannot complete a box beside it next."""
        return all(self.edges_drawn(*box) < 2 for box in self.boxes_beside(edge))

    def play(self, edge: AnyMove) -> str:
        """Draw an edge for the side to move, and return its name.

        Afterwards `to_move` is the other side, unless a box was completed: then the same side moves again. Raise
        IllegalMove if the board has no such edge, the edge is drawn already, or the game is over.
        """
        if edge not in self._edges:
            raise IllegalMove(NO_EDGE.format(edge=repr(edge), rows=self.rows, columns=self.columns))
        if self.over:
            raise IllegalMove(AFTER_THE_END.format(move=edge))
        if edge in self.drawn:
            reason = DRAWN_ALREADY.format(edge=edge, edges=" ".join(self.legal_moves()))
            raise IllegalMove(reason, self.number_of(edge))
        self.drawn.append(edge)
        self.drawers.append(self.to_move)
        completed = [box for box in self.boxes_beside(edge) if self.edges_drawn(*box) == EDGES_OF_A_BOX]
        for row, column in completed:
            self.owner[row][column] = self.to_move
        if not completed:
            self.to_move = 1 - self.to_move
        return edge

    def set_up(self, drawers: Mapping[str, int | None], owner: Owners, to_move: int) -> None:
        """Set the position: the drawn edges, the owners of the boxes, and the player to move.

        `drawers` is {drawn edge: the player who drew it, None if it was drawn in the opening}. This does not check
        whether the owners fit the edges. Precondition: no move was played.
        """
        self.drawn = sorted(drawers, key=lambda edge: drawers[edge] is not None)
        self.drawers = [drawers[edge] or 0 for edge in self.drawn]
        self._opening_plies = sum(drawer is None for drawer in drawers.values())
        self.owner = [list(row) for row in owner]
        self.to_move = to_move

    def last_turn(self, player: int) -> list[str]:
        """Return the edges of the player's last turn, which are at the end of `drawn`.

        Edges of the opening do not count. Return [] if the other side drew the last edge.
        """
        first = len(self.drawn)
        while first > self._opening_plies and self.drawers[first - 1] == player:
            first -= 1
        return self.drawn[first:]
