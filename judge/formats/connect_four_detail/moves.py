"""The game as the messages to its two bots tell it: every turn shows a whole board.

A seat is 0 or 1, as in the match detail. A move made after the last turn sent is in no message: the last one of a
game that was played to its end, and the one that lost it where a bot lost by a fault.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from judge.formats.connect_four_detail.stdin_record import Stream
from judge.language import recorded
from protocol.games.connect_four import Opening, Turn

OWN = 2  # on the wire: the receiver's stone; 1 is the opponent's
Owners = list[int | None]  # of the cells, row by row
# Problems, as JSON keeps them.
TWO_OPENINGS = recorded("the two seats were sent different openings")
SAME_MOVER = recorded("both seats' first boards have the same side to move")
BOARD_OF = recorded("seat {seat}'s board with {stones} stones")
DOES_NOT_FOLLOW = recorded("{board} does not follow from the boards before")
TOO_LATE = recorded("{board} comes {number} moves after the last one known: their order is not told")
TOO_MANY = recorded("{board} has one of seat {seat}'s too many")
NO_REST = recorded("{board}: no stone dropped into column {column} comes to rest in row {row}")
OTHER_LAST = recorded("{board} names {named} as the last cell, expected {last}")
OTHER_VALUE = recorded("{key}: expected {expected}, as in the match, got {found}")
NO_COLUMNS = recorded("rounds: expected a list of columns from 0 to {last}")
OTHER_MOVES = recorded("rounds: expected the {number} moves of the match first, got others")
TOO_LONG = recorded("rounds: expected {number} moves, one more than the match shows, got {found}")


class MovesError(Exception):
    """The game cannot be put together as asked; str() says why, as a problem's text."""


@dataclass
class Game:
    """`first` is the seat that moved first, `columns` its moves and the other's in turn, as far as messages show.

    `last` is the column of the move after those, where a replay file told it, else None. `fault` says where the
    boards contradict each other or the rules; `columns` end before that.
    """

    opening: Opening
    first: int
    columns: list[int] = field(default_factory=list)
    last: int | None = None
    fault: str | None = None

    @property
    def to_move(self) -> int:
        """The seat that was asked for the move after `columns`."""
        return self.mover(len(self.columns))

    def mover(self, ply: int) -> int:
        """The seat that makes the move number `ply`, from 0."""
        return (self.first + ply) % 2

    @property
    def all_columns(self) -> list[int]:
        """Every move known."""
        return self.columns if self.last is None else [*self.columns, self.last]


def put_together(streams: Sequence[Stream | None]) -> Game | None:
    """The Game that two seats' Streams (None for one without) tell of; None where no turn was sent.

    Raises MovesError where they are of two different games.
    """
    told = {seat: stream for seat, stream in enumerate(streams) if stream is not None and stream.turns}
    if not told:
        return None
    openings = {stream.opening for stream in told.values() if stream.opening is not None}
    if len(openings) > 1:
        raise MovesError(TWO_OPENINGS)
    first = {_first_mover(seat, stream.turns[0]) for seat, stream in told.items()}
    if len(first) > 1:
        raise MovesError(SAME_MOVER)
    game = Game(openings.pop(), first.pop())
    views = [(seat, turn) for seat, stream in told.items() for turn in stream.turns]
    board: Owners = [None] * (game.opening.rows * game.opening.cols)
    for seat, turn in sorted(views, key=lambda view: _stones(view[1])):
        try:
            board = _follow(game, board, seat, turn)
        except MovesError as error:
            game.fault = str(error)
            break
    return game


def _stones(turn: Turn) -> int:
    return sum(value != 0 for value in turn.board)


def _first_mover(seat: int, turn: Turn) -> int:
    return seat if _stones(turn) % 2 == 0 else 1 - seat


def _follow(game: Game, board: Owners, seat: int, turn: Turn) -> Owners:
    """Add to `game` the moves that lead from `board` to a seat's turn; the board (owner by cell) after them."""
    after = [None if value == 0 else seat if value == OWN else 1 - seat for value in turn.board]
    ply = _stones(turn)
    where = BOARD_OF.format(seat=seat, stones=ply)
    cells = [cell for cell, owner in enumerate(after) if owner != board[cell]]
    if game.mover(ply) != seat or any(board[cell] is not None for cell in cells):
        raise MovesError(DOES_NOT_FOLLOW.format(board=where))
    if len(cells) > 2:
        raise MovesError(TOO_LATE.format(board=where, number=len(cells)))
    # Of two new stones the first is that of the side to move.
    cells.sort(key=lambda cell: after[cell] != game.to_move)
    board = list(board)
    for cell in cells:
        row, column = divmod(cell, game.opening.cols)
        if after[cell] != game.to_move:
            raise MovesError(TOO_MANY.format(board=where, seat=after[cell]))
        if row != _landing_row(game.opening, board, column):
            raise MovesError(NO_REST.format(board=where, column=column, row=row))
        board[cell] = after[cell]
        game.columns.append(column)
    last = divmod(cells[-1], game.opening.cols) if cells else turn.last
    if turn.last != last:
        raise MovesError(OTHER_LAST.format(board=where, named=turn.last, last=last))
    return board


def _landing_row(opening: Opening, board: Owners, column: int) -> int | None:
    """The row where a stone comes to rest, None in a full column."""
    free = [
        row
        for row in range(opening.rows)
        if board[row * opening.cols + column] is None and (row, column) != opening.forbidden
    ]
    return max(free, default=None)


def take_last_move(game: Game, replay: dict[str, Any]) -> None:
    """Set `game.last` from a replay file's JSON object {row, col, nox, noy, rounds: columns in turn}.

    Raises MovesError if it is none, or of another game.
    """
    opening = game.opening
    row, column = opening.forbidden
    for key, value in {"row": opening.rows, "col": opening.cols, "nox": row, "noy": column}.items():
        if type(replay.get(key)) is not int or replay[key] != value:
            raise MovesError(OTHER_VALUE.format(key=key, expected=value, found=str(replay.get(key))[:24]))
    rounds = replay.get("rounds")
    columns = range(opening.cols)
    if not isinstance(rounds, list) or not all(type(column) is int and column in columns for column in rounds):
        raise MovesError(NO_COLUMNS.format(last=opening.cols - 1))
    known = len(game.columns)
    if rounds[:known] != game.columns:
        raise MovesError(OTHER_MOVES.format(number=known))
    if len(rounds) > known + 1:
        raise MovesError(TOO_LONG.format(number=known + 1, found=len(rounds)))
    game.last = rounds[known] if len(rounds) > known else None
