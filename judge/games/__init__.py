"""The games the judge knows, by their names: a package each, which exports one Game."""

from judge.games import connect_four, dots, reversi
from judge.games.game import AnyGame

DEFAULT_GAME = "connect_four"  # the course's libraries, Compete and this bot's older revisions know no other

GAMES: dict[str, AnyGame] = {"connect_four": connect_four.GAME, "reversi": reversi.GAME, "dots": dots.GAME}
