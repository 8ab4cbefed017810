"""The opponents that this program brings along: our bot in steps, from random moves to its full strength.

All that offers them takes them from here: the levels of `serve`, the command `opponents`, and "opponents:" in place of
players. Iterations, unlike seconds, give the bot the same strength on every machine.
"""

from typing import NamedTuple

from judge.games import DEFAULT_GAME
from judge.language import marked
from judge.players.own_bot import OWN_BOT

ALL = "opponents:"  # stands for all levels where several players are named


class Level(NamedTuple):
    """Our bot at a strength.

    `iterations` are those of a move; with None the bot thinks as long as its limit allows. `elo` is the rating in
    connect four, where that of "random" is 0, or None if no tournament has measured it.
    """

    name: str
    iterations: int | None
    elo: int | None
    what: str
    preset: str = ""

    @property
    def player(self) -> str:
        """The text that names the level as a player."""
        preset = f":{self.preset}" if self.preset else ""
        return f"{OWN_BOT}{preset}" + ("" if self.iterations is None else f" --iterations {self.iterations}")


LEVELS = (
    Level("random", 1, None, marked("one random game decides on each move"), "uct-plain"),
    Level("novice", 50, None, marked("a tree of random games"), "uct-plain"),
    Level("beginner", 120, None, marked("a tree of random games"), "uct-plain"),
    Level("learner", 250, None, marked("a tree of random games"), "uct-plain"),
    Level("student", 600, None, marked("a tree of random games"), "uct-plain"),
    Level("easy", 30, None, marked("a few positions with all that the bot has learnt")),
    Level("fair", 100, None, marked("the same, more positions")),
    Level("medium", 300, None, marked("the same, more positions")),
    Level("good", 1000, None, marked("the same, more positions")),
    Level("strong", 3000, None, marked("the same, more positions")),
    Level("expert", 10000, None, marked("the same, more positions")),
    Level("default", None, None, marked("the bot at full strength, for as long as its limit allows")),
)
MEASURED = marked("no tournament has measured them yet")  # when and by which command `elo` was measured


def levels(game: str) -> list[Level]:
    """Return the levels for a game, the weakest first. Only connect four has those with a preset."""
    return [level for level in LEVELS if game == DEFAULT_GAME or not level.preset]
