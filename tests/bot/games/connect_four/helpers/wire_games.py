"""A judge's game on the wire: openings and turns to feed bots with, replies checked by the judge's rules."""

import random

from judge.games.connect_four.rules import ConnectFour
from protocol.games.connect_four import Opening, Turn, encode_opening, encode_turn

# The forbidden cell lies in the bottom row, so that rows are not all alike.
BOARD = (9, 10, (8, 3))


class WireGame:
    """The bot's adapter at a game against a random mover; a new one on the same board begins when it is over.

    first: whether the bot has the first move (of every game).
    """

    def __init__(self, rows=BOARD[0], cols=BOARD[1], forbidden=BOARD[2], wire="saiblo", seed=1, first=True):
        self._setup, self.wire, self._first = (rows, cols, forbidden), wire, first
        self._random = random.Random(seed)
        self._begin()

    def _begin(self):
        self.rules = ConnectFour(*self._setup)
        if not self._first:
            self._opponent_moves()

    def _opponent_moves(self):
        self.rules.play(self._random.choice(self.rules.legal_moves()))

    def opening(self):
        """The bytes that begin the game."""
        return encode_opening(Opening(*self._setup), self.wire)

    def turn(self):
        """The bytes that ask for a move."""
        rules = self.rules
        return encode_turn(Turn(rules.last, rules.tops(), rules.board_for(rules.to_move)), self.wire)

    def take(self, reply):
        """Play the bot's reply, which must be legal, and the answer to it; the next turn is ready then."""
        self.rules.play_cell(*reply)
        if not self.rules.over:
            self._opponent_moves()
        if self.rules.over:
            self._begin()
