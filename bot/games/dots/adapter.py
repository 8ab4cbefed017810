"""Connects the bot with the wires of dots and boxes: converts messages into positions, and turns into replies.

On the platform's wire a message holds a whole turn of the other side, or begins a game in which the bot moves first. On
Botzone a request holds one edge, and the answer is one edge. A side that has completed a box is asked again, and the
other side has to pass.

Standard library only. Every game's package has a module of this name, with the public names of Adapter in
bot/games/interface.py.
"""

from bot.search.engine import RandomEngine
from bot.search.limits import check_memory, made_with_less
from protocol.botzone import NextRequest, Requests
from protocol.games.dots import (
    WIRES,
    Board,
    End,
    MessageDecoder,
    NameQuery,
    New,
    Quit,
    Turn,
    edge_at,
    encode_name,
    encode_reply,
)

from .board import DEFAULT_SIZE, edges_of
from .config import PRESETS, SettingsError, preset
from .notation import edge_name, edge_named, edges_named, name_of
from .plain import PlainSearch, Position, safe_move, start_position

GAME = "dots"
NAME = "dropfour"  # the bot's name on wires that ask for it
ENGINES = ("uct", "alphabeta", "random")  # names in the settings, the strong one first
# Memory of the whole process. Botzone allows 256 MB, and the wire is not known when memory is allocated.
DEFAULT_MEMORY_MB = 250

# ((rows, columns) of boxes, edges drawn from the start): the positions that `bot bench` searches. Speed is reported for
# the first one.
_BENCH_GAMES = (
    ((5, 5), ""),
    ((5, 5), "ABDBBBBCEBFDBCDAAEADDABEBCBBABBBCBEE"),
    ((5, 5), "BBEBAEAADABBABCAFDACDBCEBDDAFCAEDBFDADCAACADABDCBDBBAABFEBBB"),
    ((4, 4), "ADDBDDBBDACABBBBADBCBBDABCCBAC"),
    ((6, 6), "AFAAGDACBBEBBCDADCABFABCAACBGCBFAABEADFBDBBECAGEAFDAEBADAAGAAFCAABAGFBBA"),
)
# Positions with 32 and 34 free edges that the solver settles in a moment. No boxes were given away on the way there.
_SOLVER_BENCH_GAMES = (
    ((5, 5), "BDBADBBBDAEEBCEBADBDEBEDBACAABBCBAFAAAEACEACABEBBDABFEADDBEABAEABBBDCADCAAABABAFBBFC"),
    ((5, 5), "BCDBABBAEABABDABBEADDAACAAAACEBFDBDCBDBBEAAAEAEBBFBADEBBCBEEBFEACCADABDEAFCACB"),
)


class ImpossiblePosition(ValueError):
    """A turn cannot arise in a game. The message says why.

    `position` is the Position after the part of the turn that is possible, for the bot, or None if there is none.
    """

    def __init__(self, reason, position):
        super().__init__(reason)
        self.position = position


class Dialogue:
    """The messages of one process on one wire, for shell/session.py.

    `wire` is the name of the protocol. `HAS_OPENING` says whether a message that asks for no reply comes before the
    first turn. `decoder` is the WireDecoder for the Inbox.
    """

    HAS_OPENING = False

    def __init__(self, wire):
        self.decoder = MessageDecoder(wire)
        self._board = None  # a Board for the next game
        self._game = None  # (Position, whether the bot is to move) after all messages so far; None between games
        self._error = None  # the ImpossiblePosition that the last message has caused, None if it has caused none

    def greeting(self):
        """Returns the bytes that the bot sends before anything else."""
        return b""

    def is_over(self, message):
        """Returns whether `message` is the last message."""
        return isinstance(message, Quit)

    def handle(self, message):
        """Note what a message says.

        Returns whether the message is a turn, which means that the bot has to draw edges.
        """
        self._error = None
        try:
            self._take_note(message)
        except ImpossiblePosition as error:
            self._error = error
            self._game = None if error.position is None else (error.position, True)
            return True
        is_turn = isinstance(message, (New, Turn, Requests, NextRequest)) and not _must_pass(message)
        return is_turn and self._game[1] and not self._game[0].is_over()

    def reply_without_turn(self, message):
        """Returns the bytes that answer a message that is not a turn; b"" if it needs no answer."""
        if isinstance(message, NameQuery):
            return encode_name(NAME)
        return encode_reply((), self.decoder.wire, True) if _must_pass(message) else b""

    def position_of(self, turn):
        """Returns the Position of the turn just received, for the side to move. Raises ImpossiblePosition."""
        if self._error is not None:
            raise self._error
        return self._game[0]

    def answer(self, position, move):
        """Returns the bytes that play the turn `move` in `position`. On Botzone they play only its first edge."""
        edges = edges_of(move)
        if self.decoder.wire != "platform":
            del edges[1:]
        return encode_reply(tuple(map(edge_name, edges)), self.decoder.wire, True)

    def answer_to_impossible(self, turn, error):
        """Returns the bytes of a move for a turn whose position_of() raised `error`; b"" if nothing can be played."""
        if _must_pass(turn):
            return self.reply_without_turn(turn)
        if error.position is None or error.position.is_over():
            return b""
        move = safe_move(error.position)
        self.sent(error.position, move)
        return self.answer(error.position, move)

    def sent(self, position, move):
        """Note that `move`, or on Botzone its first edge, has been sent as the answer to `position`."""
        if self.decoder.wire == "platform":
            self._game = position.play(move), False
        else:
            after, captured = position.draw(edges_of(move)[0])
            self._game = after, captured > 0

    def _take_note(self, message):
        if isinstance(message, Board):
            self._board = message
        elif isinstance(message, New):
            self._game, self._board = _begun(self._board, message.side), None
        elif isinstance(message, End):
            self._game = None
        elif isinstance(message, Turn):
            self._game = _after_turn(self._game, message.edges), True
        elif isinstance(message, Requests):
            self._game = _after_requests(message)
        elif isinstance(message, NextRequest):
            if self._game is None:
                raise ImpossiblePosition("a later request before the first one", None)
            self._game = _told(self._game, message.request)


def _begun(board, side):
    """Returns (position, whether the bot is to move) of a new game in which the bot plays `side`.

    `board` is a Board message, which has the board's size and opening edges. None stands for the usual board.
    """
    rows, columns, edges = (*DEFAULT_SIZE, ()) if board is None else board
    position, to_move = start_position(rows, columns), 0
    for name in edges:
        position, captured = _drawn(position, name, None)
        to_move ^= not captured
    return position, to_move == side


def _after_turn(game, edges):
    """Returns the Position, seen by the bot, after the other side's whole turn.

    `game` is (Position, whether the bot is to move) before the turn, and `edges` are the names of its edges. Raises
    ImpossiblePosition.
    """
    if game is None:
        raise ImpossiblePosition("a turn before the game has begun", None)
    position, is_ours = game
    if is_ours:
        raise ImpossiblePosition("the other side's turn instead of an answer to the bot's", position)
    captured = 1
    for name in edges:
        if not captured:
            raise ImpossiblePosition(f"{name} after the turn's end", position)
        position, captured = _drawn(position, name, _turned(position))
    if captured:
        position = _turned(position)
        if not position.is_over():
            raise ImpossiblePosition("the turn ends though its last edge completes a box", position)
    return position


def _after_requests(message):
    """Returns (position, whether the bot is to move) after Botzone's whole history of requests and responses.

    Raises ImpossiblePosition.
    """
    game = start_position(*DEFAULT_SIZE), _is_no_edge(message.requests[0])
    for request, response in zip(message.requests, message.responses + (None,)):
        game = _told(game, request)
        if response is not None and not _is_no_edge(response):
            position, is_ours = game
            if not is_ours:
                raise ImpossiblePosition("a response where the other side is to move", _turned(position))
            position, captured = _drawn(position, edge_at(*response), position)
            game = position, captured > 0
    return game


def _told(game, request):
    """Returns (position, whether the bot is to move) after a Botzone request. `game` is the same before the request.

    Raises ImpossiblePosition.
    """
    position, is_ours = game
    if not _is_no_edge(request):
        if is_ours:
            raise ImpossiblePosition("the other side draws an edge though it is not to move", position)
        position, captured = _drawn(position, edge_at(*request[:2]), _turned(position))
        is_ours = not captured
    if position.is_over():
        raise ImpossiblePosition("the game is over", None)
    if not is_ours and not request[2]:
        raise ImpossiblePosition("the bot is asked though the other side is to move", _turned(position))
    return position, is_ours


def _drawn(position, name, seen_by_bot):
    """Returns position.draw() of the edge whose name is `name`.

    Raises ImpossiblePosition if the edge cannot be drawn. The error's position is `seen_by_bot`, which is the position
    before the edge, seen by the bot, or None.
    """
    edge = edge_named(name)
    if not position.free() >> edge & 1:
        raise ImpossiblePosition(f"{name} is drawn already or off the board", seen_by_bot)
    return position.draw(edge)


def _turned(position):
    """Returns the same position as the other side sees it."""
    return Position(position.rows, position.columns, position.edges, -position.margin)


def _is_no_edge(move):
    return move[0] < 0


def _must_pass(message):
    """Returns whether a Botzone message asks for a pass."""
    request = message.requests[-1] if isinstance(message, Requests) else getattr(message, "request", None)
    return request is not None and request[2] == 1


def move_name(move):
    """Returns a turn as JSON shows it: the names of its edges one after another."""
    return name_of(move)


def in_words(move):
    """Returns a turn as a sentence names it."""
    return name_of(move)


def make_engine(kernels, settings, memory_mb, seed, position=None):
    """Returns the engine that the settings name, on loaded kernels.

    If the system refuses `memory_mb` megabytes, the engine uses less. `position` is the first position to play, or None
    if it is unknown. In that case the engine's knows() tells later whether it can play on the board.
    """
    if settings.engine == "random":
        return RandomEngine(seed)
    if settings.engine == "alphabeta":
        from .alphabeta_engine import AlphaBetaEngine

        return AlphaBetaEngine(kernels, settings)
    from .uct_engine import UctEngine

    return made_with_less(lambda megabytes: UctEngine(kernels, settings, megabytes, seed), memory_mb)


def bench_positions():
    """Returns the fixed positions of `bot bench`. The reported speed is measured in the first one."""
    return _after(_BENCH_GAMES)


def solver_bench_positions():
    """Returns the fixed positions that `bot bench` solves."""
    return _after(_SOLVER_BENCH_GAMES)


def _after(games):
    """Returns the final positions of games. `games` is a table like _BENCH_GAMES."""
    positions = []
    for size, edges in games:
        position = start_position(*size)
        for edge in edges_named(edges):
            position, _ = position.draw(edge)
        positions.append(position)
    return positions
