"""A judge's games of dots and boxes on every wire: turns to feed bots with, replies checked by the judge's rules."""

import random

from judge.games.dots.rules import Dots
from protocol.botzone import NextRequest, Requests
from protocol.games.dots import (
    NO_EDGE,
    Board,
    New,
    Reply,
    ReplyDecoder,
    Turn,
    botzone,
    edge_at,
    encode_message,
    place_of,
)

BOTZONE = ("botzone", "botzone-simple")
WIRES = ("platform", *BOTZONE)
PASS = Reply(())


class AnswersAsReplies:
    """Botzone's answers with the interface of the platform's ReplyDecoder; every one must ask to stay."""

    def __init__(self, wire):
        self._answers = botzone.answer_decoder(wire)

    @property
    def partial(self):
        return self._answers.partial

    def feed(self, data):
        self._answers.feed(data)

    def next_reply(self):
        """A Reply of one edge or none, None until an answer is complete."""
        answer = self._answers.next_answer()
        if answer is None:
            return None
        assert answer.keep_running
        return PASS if tuple(answer.move) == NO_EDGE else Reply((edge_at(*answer.move),))


def reply_decoder(wire):
    return ReplyDecoder() if wire == "platform" else AnswersAsReplies(wire)


class DotsGame:
    """The bot's adapter at one game against a random mover.

    side: the bot's, 0 or 1. On the platform's wire a turn is a message; Botzone asks for every edge, and for a pass
    after each of the opponent's that completes a box.
    """

    def __init__(self, wire, side, seed=1, size=(5, 5), opening=()):
        self.wire, self.side, self._opening = wire, side, opening
        self.rules = Dots(*size, opening)
        self._random = random.Random(seed)
        self._told = []  # Botzone's requests and responses in turn
        self._asked = False
        self._turn = None  # the opponent's edges since the bot's turn
        self._opponent_moves()

    def _opponent_moves(self):
        """Let the opponent draw until the bot is asked."""
        rules = self.rules
        self._turn = []
        if self.wire == "platform":
            while not rules.over and rules.to_move != self.side:
                self._turn.append(rules.play(self._random.choice(rules.legal_moves())))
        elif rules.to_move == self.side:
            self._told.append((*NO_EDGE, 0))
        else:
            name = rules.play(self._random.choice(rules.legal_moves()))
            self._told.append((*place_of(name), int(rules.to_move != self.side)))

    def must_pass(self):
        """Whether the bot is asked though the opponent goes on."""
        return self.wire != "platform" and bool(self._told[-1][2])

    def opening(self):
        """What the platform's wire has before the first turn: the board, where it is not the usual one."""
        if self.wire == "platform" and ((self.rules.rows, self.rules.columns) != (5, 5) or self._opening):
            return encode_message(Board(self.rules.rows, self.rules.columns, tuple(self._opening)))
        return b""

    def turn(self):
        """The bytes that ask for a move."""
        first, self._asked = not self._asked, True
        if self.wire == "platform":
            begin = self.opening() + encode_message(New(self.side)) if first else b""
            return begin + (encode_message(Turn(tuple(self._turn))) if self._turn else b"")
        if not first:
            return botzone.encode_next_request(NextRequest(self._told[-1]), self.wire)
        return botzone.encode_requests(Requests(tuple(self._told[::2]), tuple(self._told[1::2])), self.wire)

    def take(self, reply):
        """Play the bot's reply, which must be a whole legal turn, or one edge; the next turn is ready then."""
        rules = self.rules
        if self.must_pass():
            assert reply == PASS
            self._told.append(NO_EDGE)
        else:
            for name in reply.edges:
                assert rules.to_move == self.side and not rules.over
                rules.play(name)
            if self.wire == "platform":
                assert rules.over or rules.to_move != self.side
            else:
                self._told.append(place_of(*reply.edges))
        if not rules.over:
            self._opponent_moves()
