"""Connects the bot with connect four's wire: converts messages into positions, and columns into replies.

Only this module and notation.py convert rows: the wire counts rows from the top, positions count them from the bottom.
Standard library only, Python 3.8 syntax. Every game's package has a module of this name, with the public names of
Adapter in bot/games/interface.py.
"""

from bot.search.limits import check_memory, made_with_less
from protocol.games.connect_four import GAME_OVER, WIRES, MessageDecoder, Opening, Reply, Turn, encode_reply, greeting

from .board import COLUMN, COLUMN_BITS, cell
from .config import PRESETS, SettingsError, preset
from .plain import PlainSearch, Position, empty_position, safe_move, winning_cells

GAME = "connect_four"
ENGINES = ("uct", "alphabeta")  # names in the settings, the strong one first
DEFAULT_MEMORY_MB = 800  # of the whole process; Saiblo allows 1 GB


# (rows, columns, forbidden cell with its row from the bottom, columns played): empty boards of the smallest and the
# largest size, middle games with and without a forbidden cell, a crowded board. The reported speed is measured in the
# first one.
_BENCH_GAMES = (
    (12, 12, None, ""),
    (9, 9, (0, 4), ""),
    (10, 11, (4, 5), "5 5 5 4 6 3 4 6 6 2 3 3"),
    (12, 9, (11, 0), "4 4 4 4 3 5 3 5 5 3 2 6 0 0 8 8"),
    (9, 12, (2, 7), "6 6 5 7 5 7 4 3 4 3 8 8 9 2 2 9 4 6 1 10"),
    (6, 7, None, "3 3 3 3 3 1"),
)
# Endgames of 51 free cells that the solver settles within a million positions.
_SOLVER_BENCH_GAMES = (
    (10, 9, (2, 4), "0 1 8 5 5 5 5 5 5 1 3 3 3 3 3 4 7 7 7 1 1 7 7 7 5 7 5 5 1 4 7 8 1 1 1 7 5 0"),
    (10, 9, (6, 8), "7 5 2 5 5 5 7 7 3 1 7 3 3 3 0 2 6 0 1 6 2 0 1 4 4 4 1 1 4 4 5 0 0 5 4 4 4 4"),
)


class ImpossiblePosition(ValueError):
    """A turn's board cannot arise in a game. The message says what is wrong with the board.

    `position` is nevertheless the Position of that board, for the turn's side to move. `stands` is True if no stone
    floats or lies in the forbidden cell, so that the Position's floor can be trusted.
    """

    def __init__(self, reason, position, stands=True):
        super().__init__(reason)
        self.position, self.stands = position, stands


class Dialogue:
    """The messages of one game in one protocol generation, for shell/session.py.

    `wire` is the name of the protocol generation. `HAS_OPENING` says whether a message that asks for no reply comes
    before the first turn. `decoder` is the WireDecoder for the Inbox.
    """

    HAS_OPENING = True

    def __init__(self, wire):
        self.decoder = MessageDecoder(wire)
        self._wire = wire
        self._opening = None

    def greeting(self):
        """Returns the bytes that the bot sends before anything else."""
        return greeting(self._wire)

    def is_over(self, message):
        """Returns whether a message ends the game."""
        return message is GAME_OVER

    def handle(self, message):
        """Note what a message says. Returns whether the message is a turn.

        It must not be a message that ends the game.
        """
        if isinstance(message, Opening):
            self._opening = message
        return isinstance(message, Turn)

    def reply_without_turn(self, message):
        """Returns b"", because a message that is not a turn needs no reply."""
        return b""

    def position_of(self, turn):
        """Returns the Position of a turn, for the side to move. Raises ImpossiblePosition."""
        return position_of(self._opening, turn)

    def answer(self, position, column):
        """Returns the bytes that play a column of `position`."""
        return reply_payload(position, column, self._wire)

    def answer_to_impossible(self, turn, error):
        """Returns the bytes of a move for a turn whose position_of() raised `error`; b"" if nothing can be played."""
        return reply_to_impossible(self._opening, turn, error, self._wire)

    def sent(self, position, column):
        """Called when `column` has been sent as the answer to `position`.

        Does nothing, because the message of each turn has the whole position.
        """


def move_name(column):
    """Returns a move as JSON shows it."""
    return column


def in_words(column):
    """Returns a move as a sentence names it."""
    return f"column {column}"


def make_engine(kernels, settings, memory_mb, seed, position=None):
    """Returns the engine that the settings name, on loaded kernels.

    If the system refuses `memory_mb` megabytes, the engine uses less. `position` is ignored, because each engine of
    this game plays on every board.
    """
    if settings.engine == "alphabeta":
        from .alphabeta_engine import AlphaBetaEngine

        return AlphaBetaEngine(kernels, settings)
    from .uct_engine import UctEngine

    return made_with_less(lambda megabytes: UctEngine(kernels, settings, megabytes, seed), memory_mb)


def position_of(opening, turn):
    """Returns the Position of a turn, for the side to move. `opening` has the board's size and forbidden cell.

    If the turn's tops are None, they are not checked against its board. Raises ImpossiblePosition if a stone lies in
    the forbidden cell or floats, the tops disagree with the board, the sides' numbers of stones differ by more than
    one, no column is free, or the game is over.
    """
    rows, columns = opening.rows, opening.cols
    forbidden_cell = None if opening.forbidden is None else (rows - 1 - opening.forbidden[0], opening.forbidden[1])
    start = empty_position(rows, columns, forbidden_cell)
    own = opponent = 0
    for row in range(rows):
        for column in range(columns):
            stone = turn.board[(rows - 1 - row) * columns + column]
            if stone == 2:
                own |= cell(row, column)
            elif stone == 1:
                opponent |= cell(row, column)
    position = Position(rows, columns, start.board, start.forbidden, own, opponent, _floor_over(start, own | opponent))
    _check(position, turn, own | opponent)
    return position


def _floor_over(start, stones):
    """Returns the floor (see Position) above a set of stones that should fill columns from the bottom.

    `start` is the empty Position.
    """
    floor = start.floor
    for _ in range(start.rows):
        filled = floor & stones
        floor = (floor ^ filled) | start.cell_above(filled)
    return floor


def _check(position, turn, stones):
    if stones & position.forbidden:
        raise ImpossiblePosition("a stone lies in the forbidden cell", position, stands=False)
    for column in range(position.columns):
        floor_row = position.floor_row(column)
        lane = (stones >> (COLUMN_BITS * column)) & COLUMN
        if floor_row >= 0 and lane >> floor_row:
            raise ImpossiblePosition(f"a stone floats in column {column}", position, stands=False)
    for column in range(position.columns):
        floor_row = position.floor_row(column)
        expected = position.rows - floor_row if floor_row >= 0 else 0
        if turn.tops is not None and turn.tops[column] != expected:
            raise ImpossiblePosition(f"top[{column}] is {turn.tops[column]}, the board says {expected}", position)
    balance = bin(position.own).count("1") - bin(position.opponent).count("1")
    if abs(balance) > 1:
        raise ImpossiblePosition(f"one side is {abs(balance)} stones ahead", position)
    if winning_cells(position.own) & position.own or position.opponent_has_won():
        raise ImpossiblePosition("a four is already on the board", position)
    if not position.floor:
        raise ImpossiblePosition("every column is full", position)


def reply_payload(position, column, wire):
    """Returns the bytes that play a column of `position`."""
    return encode_reply(Reply(position.rows - 1 - position.floor_row(column), column), wire)


def reply_to_impossible(opening, turn, error, wire):
    """Returns the bytes of a move for a turn whose position_of() raised `error`; b"" if nothing can be played.

    If the board's stones rest on each other, the move is a safe one on that board. Otherwise the tops say where the
    stone of a move lands. If the tops allow no move, a safe move on the board as it is is returned.
    """
    position = error.position
    if not error.stands:
        cells = [(turn.tops[column] - 1, column) for column in range(opening.cols)]
        cells = [(row - ((row, column) == opening.forbidden), column) for row, column in cells]
        free = [(row, column) for row, column in cells if row >= 0 and turn.board[row * opening.cols + column] == 0]
        if free:
            return encode_reply(Reply(*min(free, key=lambda place: abs(2 * place[1] - opening.cols + 1))), wire)
    return reply_payload(position, safe_move(position), wire) if position.floor else b""


def bench_positions():
    """Returns the fixed positions that `bot bench` searches. The reported speed is measured in the first one."""
    return _after(_BENCH_GAMES)


def solver_bench_positions():
    """Returns the fixed positions that `bot bench` solves."""
    return _after(_SOLVER_BENCH_GAMES)


def _after(games):
    """Returns the final positions of games. `games` is a table like _BENCH_GAMES."""
    positions = []
    for rows, columns, forbidden, moves in games:
        position = empty_position(rows, columns, forbidden)
        for column in map(int, moves.split()):
            position = position.play(column)
        positions.append(position)
    return positions
