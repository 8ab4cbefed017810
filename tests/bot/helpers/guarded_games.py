"""The games in which the guard is tried, each as tests feed a bot with it; a new game begins where one is over."""

from protocol.games.connect_four import ReplyDecoder
from tests.bot.games.connect_four.helpers.wire_games import WireGame
from tests.bot.games.dots.helpers import wire_games as dots_games
from tests.bot.games.reversi.helpers.wire_games import ReversiGame, reply_decoder


class EndlessReversi(ReversiGame):
    """One game of reversi after another, the bot on the same side in each."""

    def __init__(self, seed, first):
        super().__init__("saiblo", 0 if first else 1, seed)
        self._seed, self._first = seed, first

    def opening(self):
        """The bytes that begin the game: none."""
        return b""

    def take(self, reply):
        """Play the bot's reply, which must be legal, and the answer to it; the next turn is ready then."""
        super().take(reply)
        if self.rules.over:
            self.__init__(self._seed, self._first)


class EndlessDots(dots_games.DotsGame):
    """One game of dots and boxes after another on the contest platform's wire, the bot on the same side in each."""

    def __init__(self, seed, first):
        super().__init__("platform", 0 if first else 1, seed)
        self._seed, self._first = seed, first

    def take(self, reply):
        """Play the bot's reply, which must be legal, and the answer to it; the next turn is ready then."""
        super().take(reply)
        if self.rules.over:
            self.__init__(self._seed, self._first)


def game_and_decoder(name, seed=1, first=True):
    """A game with opening(), turn() and take(reply), and a decoder of the bot's replies to it."""
    if name == "connect_four":
        return WireGame(seed=seed, first=first), ReplyDecoder("saiblo")
    if name == "dots":
        return EndlessDots(seed, first), dots_games.reply_decoder("platform")
    return EndlessReversi(seed, first), reply_decoder("saiblo")
