"""The games for which every contract is tried: those of bot.games. A new game brings its modules `examples`."""

import importlib

from bot.games import NAMES

GAMES = tuple(NAMES)


def examples(package, game):
    """The module `examples` of a game's tests, as tests/judge/games/reversi/examples.py for "tests.judge.games"."""
    return importlib.import_module(f"{package}.{game}.examples")
