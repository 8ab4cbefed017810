"""The game as the messages to its two bots tell it: every turn shows a whole board.

A seat is 0 or 1, as in the match detail. A move made after the last turn sent is in no message: the last one of a
game that was played to its end, and the one that lost it where a bot lost by a fault.
"""

from dataclasses import dataclass, field

from protocol.games.connect_four import Opening

OWN = 2  # on the wire: the receiver's stone; 1 is the opponent's


class MovesError(Exception):
    """The game cannot be put together as asked; str() says why."""


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
    def to_move(self):
        """The seat that was asked for the move after `columns`."""
        return self.mover(len(self.columns))

    def mover(self, ply):
        """The seat that makes the move number `ply`, from 0."""
        return (self.first + ply) % 2

    @property
    def all_columns(self):
        """Every move known."""
        return self.columns if self.last is None else [*self.columns, self.last]


def put_together(streams):
    """The Game that two seats' Streams (None for one without) tell of; None where no turn was sent.

    Raises MovesError where they are of two different games.
    """
    told = {seat: stream for seat, stream in enumerate(streams) if stream is not None and stream.turns}
    if not told:
        return None
    openings = {stream.opening for stream in told.values()}
    if len(openings) > 1:
        raise MovesError("the two seats were sent different openings")
    first = {_first_mover(seat, stream.turns[0]) for seat, stream in told.items()}
    if len(first) > 1:
        raise MovesError("both seats' first boards have the same side to move")
    game = Game(openings.pop(), first.pop())
    views = [(seat, turn) for seat, stream in told.items() for turn in stream.turns]
    board = [None] * (game.opening.rows * game.opening.cols)
    for seat, turn in sorted(views, key=lambda view: _stones(view[1])):
        try:
            board = _follow(game, board, seat, turn)
        except MovesError as error:
            game.fault = str(error)
            break
    return game


def _stones(turn):
    return sum(value != 0 for value in turn.board)


def _first_mover(seat, turn):
    return seat if _stones(turn) % 2 == 0 else 1 - seat


def _follow(game, board, seat, turn):
    """Add to `game` the moves that lead from `board` to a seat's turn; the board (owner by cell) after them."""
    after = [None if value == 0 else seat if value == OWN else 1 - seat for value in turn.board]
    ply = _stones(turn)
    where = f"seat {seat}'s board with {ply} stones"
    cells = [cell for cell, owner in enumerate(after) if owner != board[cell]]
    if game.mover(ply) != seat or any(board[cell] is not None for cell in cells):
        raise MovesError(f"{where} does not follow from the boards before")
    if len(cells) > 2:
        raise MovesError(f"{where} comes {len(cells)} moves after the last one known: their order is not told")
    # Of two new stones the first is that of the side to move.
    cells.sort(key=lambda cell: after[cell] != game.to_move)
    board = list(board)
    for cell in cells:
        row, column = divmod(cell, game.opening.cols)
        if after[cell] != game.to_move:
            raise MovesError(f"{where} has one of seat {after[cell]}'s too many")
        if row != _landing_row(game.opening, board, column):
            raise MovesError(f"{where}: no stone dropped into column {column} comes to rest in row {row}")
        board[cell] = after[cell]
        game.columns.append(column)
    if cells and turn.last != divmod(cells[-1], game.opening.cols):
        raise MovesError(f"{where} names {turn.last} as the last cell, expected {divmod(cells[-1], game.opening.cols)}")
    return board


def _landing_row(opening, board, column):
    """The row where a stone comes to rest, None in a full column."""
    free = [
        row
        for row in range(opening.rows)
        if board[row * opening.cols + column] is None and (row, column) != opening.forbidden
    ]
    return max(free, default=None)


def take_last_move(game, replay):
    """Set `game.last` from a replay file's JSON object {row, col, nox, noy, rounds: columns in turn}.

    Raises MovesError if it is none, or of another game.
    """
    opening = game.opening
    expected = {
        "row": opening.rows,
        "col": opening.cols,
        "nox": opening.forbidden[0],
        "noy": opening.forbidden[1],
    }
    for key, value in expected.items():
        if type(replay.get(key)) is not int or replay[key] != value:
            raise MovesError(f"{key}: expected {value}, as in the match, got {str(replay.get(key))[:24]}")
    rounds = replay.get("rounds")
    columns = range(opening.cols)
    if not isinstance(rounds, list) or not all(type(column) is int and column in columns for column in rounds):
        raise MovesError(f"rounds: expected a list of columns from 0 to {opening.cols - 1}")
    known = len(game.columns)
    if rounds[:known] != game.columns:
        raise MovesError(f"rounds: expected the {known} moves of the match first, got others")
    if len(rounds) > known + 1:
        raise MovesError(f"rounds: expected {known + 1} moves, one more than the match shows, got {len(rounds)}")
    game.last = rounds[known] if len(rounds) > known else None
