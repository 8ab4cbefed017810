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

    `name` and `what` are marked() messages. `iterations` are those of a move; with None the bot thinks as long as its
    limit allows. `elo` is the rating in connect four, where that of "random" is 0.
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
    Level(marked("random"), 1, None, marked("one random game decides on each move"), "uct-plain"),
    Level(marked("novice"), 50, None, marked("a tree of random games"), "uct-plain"),
    Level(marked("beginner"), 130, None, marked("a tree of random games"), "uct-plain"),
    Level(marked("learner"), 220, None, marked("a tree of random games"), "uct-plain"),
    Level(marked("student"), 500, None, marked("a tree of random games"), "uct-plain"),
    Level(marked("amateur"), 2000, None, marked("a tree of random games"), "uct-plain"),
    Level(marked("easy"), 30, None, marked("a few positions with all that the bot has learnt")),
    Level(marked("modest"), 50, None, marked("the same, more positions")),
    Level(marked("fair"), 100, None, marked("the same, more positions")),
    Level(marked("medium"), 300, None, marked("the same, more positions")),
    Level(marked("good"), 700, None, marked("the same, more positions")),
    Level(marked("strong"), 3000, None, marked("the same, more positions")),
    Level(marked("expert"), 10000, None, marked("the same, more positions")),
    Level(marked("default"), None, None, marked("the bot at full strength, for as long as its limit allows")),
)
MEASURED = marked("no tournament has measured them yet")  # when and by which command `elo` was measured


def levels(game: str) -> list[Level]:
    """Return the levels for a game, the weakest first. Only connect four has those with a preset."""
    return [level for level in LEVELS if game == DEFAULT_GAME or not level.preset]
