"""Where the bot meets reversi's wires: messages become positions, cells become replies.

Standard library only. Every game's package has a module of this name with the public names of Adapter in
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
ENGINES = ("pvs", "alphabeta", "random")  # as the settings name them, the strong one first
# Of the whole process: Botzone allows 256 MB, and the wire is not known when memory is asked for.
DEFAULT_MEMORY_MB = 250
# Botzone plays reversi on this board alone, and names no size.
_BOTZONE_SIZE = 8

# Games from the start whose ends are the positions that `bot bench` searches; the first one's speed is reported.
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
    """A turn that no game leads to; the message says why. position: what it leads to as far as it does, or None."""

    def __init__(self, reason, position):
        super().__init__(reason)
        self.position = position


class Dialogue:
    """One game's messages on one wire, as shell/session.py needs them.

    HAS_OPENING: whether a message that asks for nothing comes before the first turn; decoder: for the inbox.
    """

    HAS_OPENING = False

    def __init__(self, wire):
        self.decoder = MessageDecoder(wire)
        self._after_reply = None  # on Botzone, where later requests tell the opponent's move alone

    def greeting(self):
        """The bytes that the bot sends before anything else."""
        return b""

    def is_over(self, message):
        """Whether a message ends the game: none does."""
        return False

    def handle(self, message):
        """Take note of a message; whether it is a turn."""
        return isinstance(message, (Turn, Requests, NextRequest))

    def reply_without_turn(self, message):
        """The bytes that answer a message which is no turn; none asks for any."""
        return b""

    def position_of(self, turn):
        """The Position of a turn, for the side to move. Raises ImpossiblePosition."""
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
        """The bytes that play a move of that position."""
        reply = None if move == PASS else Reply(*divmod(move, ROW_BITS))
        return encode_reply(reply, self.decoder.wire, keep_running=True)

    def answer_to_impossible(self, turn, error):
        """The bytes of a move for a turn that raised that ImpossiblePosition; b"" where nothing can be played."""
        if error.position is None or error.position.is_over():
            return b""
        return self.answer(error.position, safe_move(error.position))

    def sent(self, position, move):
        """That move has been sent as the answer to that position."""
        if self.decoder.wire != "saiblo":
            self._after_reply = position.play(move)


def move_name(move):
    """How JSON names a move."""
    return name_of(move)


def in_words(move):
    """How a sentence names a move."""
    return name_of(move)


def position_of(turn):
    """The Position of one of Saiblo's turns. Raises ImpossiblePosition where the side asked has no move."""
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
    """The Position that Botzone's whole history leads to."""
    moves = [move for pair in zip(turn.requests, turn.responses) for move in pair] + [turn.requests[-1]]
    if moves[0] is None:  # the first mover is told to begin
        moves.pop(0)
    position = start_position(_BOTZONE_SIZE)
    for move in moves:
        position = _played(position, move)
    return position


def _played(position, place):
    """The position after a (row, column) or None, which passes. Raises ImpossiblePosition."""
    move = PASS if place is None else ROW_BITS * place[0] + place[1]
    if move not in position.legal_moves():
        raise ImpossiblePosition(f"{name_of(move)} is no legal move", position)
    return position.play(move)


def make_engine(kernels, settings, memory_mb, seed, position=None):
    """The engine of this game that the settings name, on loaded kernels; it makes do with less memory where it must.

    position: the first one to play. None if it is unknown; then the engine's knows() tells later.
    """
    if settings.engine == "random":
        return RandomEngine(seed)
    from .pvs_engine import LARGEST_SIZE, ReversiEngine

    if settings.engine == "alphabeta" or (position is not None and position.size > LARGEST_SIZE):
        from bot.search.alphabeta_engine import DEEPEST

        from .alphabeta_engine import AlphaBetaEngine

        if settings.engine != "alphabeta":
            settings = settings._replace(depth=DEEPEST)  # in the strong engine's place: as the time allows
        return AlphaBetaEngine(kernels, settings)
    return made_with_less(lambda megabytes: ReversiEngine(kernels, settings, megabytes, seed), memory_mb)


def bench_positions():
    """The fixed positions of `bot bench`; the first is the one whose speed is reported."""
    return _after(_BENCH_GAMES)


def solver_bench_positions():
    """The fixed positions that `bot bench` has solved."""
    return _after(_SOLVER_BENCH_GAMES)


def _after(games):
    """The positions after games given as in the tables above."""
    positions = []
    for size, moves in games:
        position = start_position(size)
        for name in moves.split():
            position = position.play(move_named(name))
        positions.append(position)
    return positions
