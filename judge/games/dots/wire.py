"""Encodes positions of dots and boxes as messages to a bot, and plays a bot's replies.

The protocol is that of the contest platform, whose engines play on the board of 5 x 5 boxes without an opening. For
other boards the judge sends an additional line before the game (protocol.games.dots.Board).
"""

from collections.abc import Iterator, Sequence

from judge.games.dots.rules import Dots
from judge.games.positions import IllegalMove
from judge.language import recorded
from protocol.games import dots as wire_format

# Reasons, as records store them.
AFTER_THE_TURN = recorded("{edge} was sent though {last} ended the turn", "dots.after_the_turn")
AFTER_THE_GAME = recorded("{edge} was sent though {last} ended the game", "dots.after_the_game")
STOPS_EARLY = recorded("the turn stops at {edge}, which completed a box: an edge has to follow", "dots.stops_early")


class DotsWire:
    """The judge's side of the protocol with one bot. There is only one protocol, whatever `name` says.

    The bot is sent only the other side's turns, and keeps the board up to date itself. If a position differs from the
    position that the bot knows, because moves were taken back, the whole board is sent again.
    """

    has_whole_turns = True

    def __init__(self, name: str, position: Dots) -> None:
        self.name = name
        self.replies = wire_format.ReplyDecoder()
        self._known: list[str] = []  # the edges that the bot knows to be drawn
        self._side: int | None = None  # the player's number in the last message New, if any

    def opening(self, position: Dots, player: int) -> bytes:
        """Return the first messages to player 0 or 1.

        They tell the bot its number if the other side is to move; otherwise turn() does.
        """
        greeting = wire_format.encode_message(wire_format.NameQuery())
        self._known = list(position.drawn)
        board = _board(position, position.drawn)
        return greeting + board + (b"" if player == position.to_move else self._number_message(player))

    def turn(self, position: Dots) -> bytes:
        """Return the messages that ask the side to move for its reply.

        The messages hold the other side's last turn, if there is one. If the position does not continue the game that
        the bot knows, the board and the bot's number come first. The number is also sent at the beginning of a game.
        """
        player = position.to_move
        turn = position.last_turn(1 - player)
        before = position.drawn[: len(position.drawn) - len(turn)]
        knows_board = before == self._known
        self._known = list(position.drawn)
        message = wire_format.encode_message(wire_format.Turn(tuple(turn))) if turn else b""
        if turn and knows_board and self._side == player:
            return message
        begins = not turn and self._side is None
        board = b"" if knows_board and begins else _board(position, before)
        return board + self._number_message(player) + message

    @staticmethod
    def answer(position: Dots, reply: wire_format.Reply) -> None:
        """Return None: no reply of this wire is a question."""

    @staticmethod
    def game_over() -> bytes:
        """Return the messages after the last move."""
        ends = (wire_format.End(), wire_format.Quit())
        return b"".join(wire_format.encode_message(message) for message in ends)

    def play(self, position: Dots, reply: wire_format.Reply) -> Iterator[str]:
        """Play a reply, which is a whole turn, and yield each edge ("AAB", ...) when it has been drawn.

        Raise IllegalMove for an edge that does not exist or is drawn already, for a turn that stops although its last
        edge completed a box, and for edges after the end of the turn. In the last case the edge that ended the turn is
        not yielded.
        """
        player = position.to_move
        for number, edge in enumerate(reply.edges, start=1):
            position.play(edge)
            rest = reply.edges[number:]
            if rest and (position.over or position.to_move != player):
                reason = AFTER_THE_GAME if position.over else AFTER_THE_TURN
                raise IllegalMove(reason.format(edge=rest[0], last=edge), position.number_of(rest[0]))
            self._known.append(edge)
            yield edge
        if position.to_move == player and not position.over:
            raise IllegalMove(STOPS_EARLY.format(edge=reply.edges[-1]), position.number_of(reply.edges[-1]))

    def repeat(self, position: Dots, move: str, is_own: bool) -> None:
        """Draw an edge of a record. `is_own` says that the bot drew the edge, and so knows it.

        Raise IllegalMove if the board has no such edge, the edge is drawn already, or the game is over.
        """
        position.play(move)
        if is_own:
            self._known.append(move)

    def _number_message(self, player: int) -> bytes:
        """Return the message that tells the bot its number, and remember that it was sent."""
        self._side = player
        return wire_format.encode_message(wire_format.New(player))


def _board(position: Dots, edges: Sequence[str]) -> bytes:
    """Return the line that describes the board with these edges drawn.

    Return b"" for the contest's board without edges.
    """
    if not edges and (position.rows, position.columns) == wire_format.DEFAULT_SIZE:
        return b""
    return wire_format.encode_message(wire_format.Board(position.rows, position.columns, tuple(edges)))
