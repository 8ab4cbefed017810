"""Dots and boxes' positions as messages to a bot, and a bot's replies as moves.

The contest platform's wire: its engines play on the board of 5 x 5 without an opening. Any other board is named by a
line of our own before the game (protocol.games.dots.messages.Board).
"""

from collections.abc import Iterator, Sequence

from judge.games.dots.rules import Dots
from judge.games.positions import IllegalMove
from judge.language import recorded
from protocol.games import dots as wire_format
from protocol.games.dots.messages import DEFAULT_SIZE

# Reasons, as records keep them.
AFTER_THE_TURN = recorded("{edge} was sent though {last} ended the turn", "dots.after_the_turn")
AFTER_THE_GAME = recorded("{edge} was sent though {last} ended the game", "dots.after_the_game")
STOPS_EARLY = recorded("the turn stops at {edge}, which completed a box: an edge has to follow", "dots.stops_early")


class DotsWire:
    """The judge's half of one bot's wire. There is but one, whatever `name` says; position is the game's.

    A bot hears of the other side's turns alone and keeps the board itself. Should a position be another than what it
    has been told and has drawn itself (somebody has taken moves back), the board is named to it anew.
    """

    has_whole_turns = True

    def __init__(self, name: str, position: Dots) -> None:
        self.name = name
        self.replies = wire_format.ReplyDecoder()
        self._known: list[str] = []  # the edges that the bot knows to be drawn
        self._side: int | None = None  # the player it has been told to be

    def opening(self, position: Dots, player: int) -> bytes:
        """The first messages to the bot, player 0 or 1: who it is if the other is to move, else its turn says so."""
        greeting = wire_format.encode_message(wire_format.NameQuery())
        self._known = list(position.drawn)
        board = _board(position, position.drawn)
        return greeting + board + (b"" if player == position.to_move else self._new(player))

    def turn(self, position: Dots) -> bytes:
        """The message that asks the side to move for its reply: the other side's last turn, or that a game begins."""
        player = position.to_move
        turn = position.last_turn(1 - player)
        before = position.drawn[: len(position.drawn) - len(turn)]
        is_next = before == self._known and (self._side == player if turn else self._side is None)
        self._known = list(position.drawn)
        told = wire_format.encode_message(wire_format.Turn(tuple(turn))) if turn else b""
        if is_next and turn:
            return told
        board = b"" if is_next else _board(position, before)
        return board + self._new(player) + told

    @staticmethod
    def answer(position: Dots, reply: wire_format.Reply) -> None:
        """The bytes that answer a reply which is no move but a question; there is none on this wire."""

    @staticmethod
    def game_over() -> bytes:
        """The messages after the last move."""
        ends = (wire_format.End(), wire_format.Quit())
        return b"".join(wire_format.encode_message(message) for message in ends)

    def play(self, position: Dots, reply: wire_format.Reply) -> Iterator[str]:
        """Play a reply, a whole turn, and yield its edges ("AAB", ...) one by one, each when it has been drawn.

        Raises IllegalMove for an edge that is none or drawn already, for a turn that stops though its last edge
        completed a box, and, before the edge that ended it, for one that goes on behind that.
        """
        player = position.to_move
        for number, edge in enumerate(reply.edges, start=1):
            position.play(edge)
            rest = reply.edges[number:]
            if rest and (position.over or position.to_move != player):
                reason = AFTER_THE_GAME if position.over else AFTER_THE_TURN
                raise IllegalMove(reason.format(edge=rest[0], last=edge))
            self._known.append(edge)
            yield edge
        if position.to_move == player and not position.over:
            raise IllegalMove(STOPS_EARLY.format(edge=reply.edges[-1]))

    def repeat(self, position: Dots, move: str, is_own: bool) -> None:
        """Draw an edge of a record; a bot knows its own without being told. Raises IllegalMove."""
        position.play(move)
        if is_own:
            self._known.append(move)

    def _new(self, player: int) -> bytes:
        self._side = player
        return wire_format.encode_message(wire_format.New(player))


def _board(position: Dots, edges: Sequence[str]) -> bytes:
    """The line that names the board with these edges drawn; b"" for the one that is known to all."""
    if not edges and (position.rows, position.columns) == DEFAULT_SIZE:
        return b""
    return wire_format.encode_message(wire_format.Board(position.rows, position.columns, tuple(edges)))
