"""Connects the bot with reversi's wires: converts messages into positions, and cells into replies.

Standard library only. Every game's package has a module of this name, with the public names of Adapter in
bot/games/interface.py.
"""

from bot.search.engine import RandomEngine
from bot.search.limits import check_memory, made_with_less
from protocol.botzone import NextRequest, Requests
from protocol.games.reversi import WIRES, MessageDecoder, Reply, Turn, encode_reply

from .board import PASS, ROW_BITS, cell
from .config import PRESETS, SettingsError, preset
from .notation import move_named, name_of
from .plain import PlainSearch, Position, safe_move, start_position

GAME = "reversi"
ENGINES = ("pvs", "alphabeta", "random")  # names in the settings, the strong one first
# Memory of the whole process. Botzone allows 256 MB, and the wire is not known when memory is allocated.
DEFAULT_MEMORY_MB = 250
# Botzone plays reversi only on a board of this size, and its messages name no size.
_BOTZONE_SIZE = 8

# (size, moves from the start): the positions that `bot bench` searches. Speed is reported for the first one.
_BENCH_GAMES = (
    (8, ""),
    (8, "d3 c3 c4 e3 f2"),
    (8, "f5 d6 c5 f4 e3 c6 d3 f6 e6 d7"),
    (8, "c4 c5 b6 d3 c2 a7 d6 e7 d7 c3 b4 a3 b3 c1 a4 a5 e6 d2 b5 a6"),
    (6, "c2 d2 e3"),
)
# Endgames of 16 and 18 free cells that the solver settles in a moment.
_SOLVER_BENCH_GAMES = (
    (
        8,
        "c4 c5 f6 c3 b5 g7 e3 e6 f5 f4 h8 d6 d3 c6 e7 f7 b4 b3 g6 g5 h5 h6 g8 h4 h7 e8 f8 d8 h3 c2 a2 d7 c8 d2 c7 a5 "
        "a3 b6 g4 a4 a6 f3 e2 g3",
    ),
    (
        8,
        "d3 c3 b3 e3 f3 c5 f6 g2 f4 f5 h1 c4 g5 d2 b4 e2 f1 e1 g6 g1 d1 c2 f2 g3 h4 h5 b5 c1 h6 a2 a3 a4 a5 a6 g4 b2 "
        "e6 e7 a1 b1 a7 h2",
    ),
)


class ImpossiblePosition(ValueError):
    """A turn cannot arise in a game. The message says why.

    `position` is the Position after the part of the turn's history that is possible, or None if there is none.
    """

    def __init__(self, reason, position):
        super().__init__(reason)
        self.position = position


class Dialogue:
    """The messages of one game on one wire, for shell/session.py.

    `wire` is the name of the protocol. `HAS_OPENING` says whether a message that asks for no reply comes before the
    first turn. `decoder` is the WireDecoder for the Inbox.
    """

    HAS_OPENING = False

    def __init__(self, wire):
        self.decoder = MessageDecoder(wire)
        self._after_reply = None  # the Position after the last reply: later requests of Botzone hold only a move

    def greeting(self):
        """Returns the bytes that the bot sends before anything else."""
        return b""

    def is_over(self, message):
        """Returns False: no message ends the game."""
        return False

    def handle(self, message):
        """Note what a message says. Returns whether the message is a turn."""
        return isinstance(message, (Turn, Requests, NextRequest))

    def reply_without_turn(self, message):
        """Returns b"", because a message that is not a turn needs no reply."""
        return b""

    def position_of(self, turn):
        """Returns the Position of a turn, for the side to move. Raises ImpossiblePosition."""
        if isinstance(turn, Turn):
            return position_of(turn)
        if isinstance(turn, Requests):
            position = _position_after_requests(turn)
        elif self._after_reply is None:
            raise ImpossiblePosition("a later request before the first one", None)
        else:
            position = _played(self._after_reply, turn.request)
        if position.is_over():
            raise ImpossiblePosition("the game is over", None)
        return position

    def answer(self, position, move):
        """Returns the bytes that play a move in `position`."""
        reply = None if move == PASS else Reply(*divmod(move, ROW_BITS))
        return encode_reply(reply, self.decoder.wire, keep_running=True)

    def answer_to_impossible(self, turn, error):
        """Returns the bytes of a move for a turn whose position_of() raised `error`; b"" if nothing can be played."""
        if error.position is None or error.position.is_over():
            return b""
        return self.answer(error.position, safe_move(error.position))

    def sent(self, position, move):
        """Note that `move` has been sent as the answer to `position`."""
        if self.decoder.wire != "saiblo":
            self._after_reply = position.play(move)


def move_name(move):
    """Returns a move as JSON shows it."""
    return name_of(move)


def in_words(move):
    """Returns a move as a sentence names it."""
    return name_of(move)


def position_of(turn):
    """Returns the Position of a turn on Saiblo's wire. Raises ImpossiblePosition if the side to move has no move."""
    own = opponent = 0
    for index, owner in enumerate(turn.cells):
        here = cell(*divmod(index, turn.size))
        if owner == turn.side:
            own |= here
        elif owner == 1 - turn.side:
            opponent |= here
    position = Position(turn.size, own, opponent)
    if not position.legal_cells():
        raise ImpossiblePosition("the side to move has no move", None)
    return position


def _position_after_requests(turn):
    """Returns the Position after Botzone's whole history of requests and responses. Raises ImpossiblePosition."""
    moves = [move for pair in zip(turn.requests, turn.responses) for move in pair] + [turn.requests[-1]]
    if moves[0] is None:  # the bot moves first, so the first request has no move
        moves.pop(0)
    position = start_position(_BOTZONE_SIZE)
    for move in moves:
        position = _played(position, move)
    return position


def _played(position, place):
    """Returns the position after a move. `place` is (row, column), or None for a pass.

    Raises ImpossiblePosition if the move is not legal.
    """
    move = PASS if place is None else ROW_BITS * place[0] + place[1]
    if move not in position.legal_moves():
        raise ImpossiblePosition(f"{name_of(move)} is no legal move", position)
    return position.play(move)


def make_engine(kernels, settings, memory_mb, seed, position=None):
    """Returns the engine that the settings name, on loaded kernels.

    If the system refuses `memory_mb` megabytes, the engine uses less. `position` is the first position to play, or None
    if it is unknown. In that case the engine's knows() tells later whether it can play on the board. The strong engine
    does not play on boards larger than 8x8, so alpha-beta takes its place there.
    """
    if settings.engine == "random":
        return RandomEngine(seed)
    from .pvs_engine import LARGEST_SIZE, ReversiEngine

    if settings.engine == "alphabeta" or (position is not None and position.size > LARGEST_SIZE):
        from bot.search.alphabeta_engine import DEEPEST

        from .alphabeta_engine import AlphaBetaEngine

        if settings.engine != "alphabeta":
            settings = settings._replace(depth=DEEPEST)  # in place of the strong engine, search as deep as time allows
        return AlphaBetaEngine(kernels, settings)
    return made_with_less(lambda megabytes: ReversiEngine(kernels, settings, megabytes, seed), memory_mb)


def bench_positions():
    """Returns the fixed positions of `bot bench`. The reported speed is measured in the first one."""
    return _after(_BENCH_GAMES)


def solver_bench_positions():
    """Returns the fixed positions that `bot bench` solves."""
    return _after(_SOLVER_BENCH_GAMES)


def _after(games):
    """Returns the final positions of games. `games` is a table like _BENCH_GAMES."""
    positions = []
    for size, moves in games:
        position = start_position(size)
        for name in moves.split():
            position = position.play(move_named(name))
        positions.append(position)
    return positions
