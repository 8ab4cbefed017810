"""A judge's games of reversi on every wire: turns to feed bots with, replies checked by the judge's rules."""

import random

from judge.games.reversi.rules import Reversi, cell_name
from protocol.botzone import NextRequest, Requests
from protocol.games.reversi import ReplyDecoder, Turn, botzone, encode_turn

BOTZONE = ("botzone", "botzone-simple")


class AnswersAsReplies:
    """Botzone's answers with the interface of Saiblo's ReplyDecoder; every one must ask to stay."""

    def __init__(self, wire):
        self._answers = botzone.answer_decoder(wire)

    @property
    def partial(self):
        return self._answers.partial

    def feed(self, data):
        self._answers.feed(data)

    def next_reply(self):
        """(row, column), "pass", or None until an answer is complete."""
        answer = self._answers.next_answer()
        if answer is None:
            return None
        assert answer.keep_running
        return "pass" if answer.move is None else answer.move


def reply_decoder(wire, size=8):
    return ReplyDecoder("saiblo", size) if wire == "saiblo" else AnswersAsReplies(wire)


class ReversiGame:
    """The bot's adapter at one game against a random mover.

    side: the bot's, 0 or 1. Saiblo does not ask a side without a move; Botzone does, and wants a pass.
    """

    def __init__(self, wire, side, seed=1, size=8):
        self.wire, self.side = wire, side
        self.rules = Reversi(size)
        self._random = random.Random(seed)
        self._told = [] if side else [None]  # what each request is, and the answers between them
        self._asked = False
        self._opponent_moves()

    def _opponent_moves(self):
        """Let the opponent move until the bot is asked; on Botzone the side without a move passes."""
        rules = self.rules
        while not rules.over and rules.to_move != self.side:
            cell = self._random.choice(rules.legal_cells())
            rules.play_cell(*cell)
            self._told.append(cell)
            if self.wire != "saiblo" and not rules.over and rules.to_move != self.side:
                return  # the bot has no move: it is asked all the same

    def must_pass(self):
        """Whether the bot is asked without having a move."""
        return self.wire != "saiblo" and not self.rules.over and self.rules.to_move != self.side

    def turn(self):
        """The bytes that ask for a move."""
        if self.wire == "saiblo":
            return encode_turn(Turn(self.rules.to_move, self.rules.size, self.rules.cells()))
        if self._asked:
            return botzone.encode_next_request(NextRequest(self._told[-1]), self.wire)
        self._asked = True
        return botzone.encode_requests(Requests(tuple(self._told[::2]), tuple(self._told[1::2])), self.wire)

    def take(self, reply):
        """Play the bot's reply, which must be legal, and the opponent's next move; the next turn is ready then."""
        if self.must_pass():
            assert reply == "pass"
            self._told.append(None)
        else:
            assert tuple(reply) in self.rules.legal_cells(), cell_name(*reply)
            self.rules.play_cell(*reply)
            self._told.append(tuple(reply))
            if self.wire != "saiblo" and not self.rules.over and self.rules.to_move == self.side:
                self._told.append(None)  # the opponent passes
                return
        self._opponent_moves()
