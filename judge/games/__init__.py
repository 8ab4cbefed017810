"""The games that the judge supports, by name; each is a package that exports one Game."""

from judge.games import connect_four, dots, reversi
from judge.games.game import AnyGame

DEFAULT_GAME = "connect_four"  # the only game that the course's libraries, Compete and old revisions of the bot play

GAMES: dict[str, AnyGame] = {"connect_four": connect_four.GAME, "reversi": reversi.GAME, "dots": dots.GAME}
