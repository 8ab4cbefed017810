"""The opponents that this program brings along: our bot in steps, from random moves to its full strength.

All that offers them takes them from here: the levels of `serve`, the command `opponents`, and "opponents:" in place of
players. Iterations, unlike seconds, give the bot the same strength on every machine.
"""

from typing import NamedTuple

from judge.games import DEFAULT_GAME
from judge.language import marked
from judge.players.own_bot import OWN_BOT

# Stands for all levels where several players are named. With the name of a level behind it, it names that level.
ALL = "opponents:"


class Level(NamedTuple):
    """Our bot at a strength.

    `name` and `description` are marked() messages. `iterations` is their number in each move; None means that the bot
    thinks as long as its limit allows. `elo` is the rating in connect four, where that of "random" is 0; None means
    that it was not measured. `preset` names the bot's settings, "" for the defaults.
    """

    name: str
    iterations: int | None
    elo: int | None
    description: str
    preset: str = ""

    @property
    def player(self) -> str:
        """The text that names the level as a player."""
        preset = f":{self.preset}" if self.preset else ""
        return f"{OWN_BOT}{preset}" + ("" if self.iterations is None else f" --iterations {self.iterations}")


LEVELS = (
    Level(marked("random"), 1, 0, marked("the bot decides on each move by one random game"), "uct-plain"),
    Level(marked("novice"), 50, 168, marked("the bot searches a tree of random games"), "uct-plain"),
    Level(marked("beginner"), 130, 464, marked("the bot searches a tree of random games"), "uct-plain"),
    Level(marked("learner"), 220, 606, marked("the bot searches a tree of random games"), "uct-plain"),
    Level(marked("student"), 500, 909, marked("the bot searches a tree of random games"), "uct-plain"),
    Level(marked("amateur"), 2000, 1161, marked("the bot searches a tree of random games"), "uct-plain"),
    Level(marked("easy"), 30, 1312, marked("the bot searches few positions, with all that it has learnt")),
    Level(marked("fair"), 100, 1498, marked("the bot searches more positions, with all that it has learnt")),
    Level(marked("medium"), 300, 1696, marked("the bot searches more positions, with all that it has learnt")),
    Level(marked("good"), 700, 1809, marked("the bot searches more positions, with all that it has learnt")),
    Level(marked("strong"), 3000, 2082, marked("the bot searches more positions, with all that it has learnt")),
    Level(marked("expert"), 10000, 2239, marked("the bot searches more positions, with all that it has learnt")),
    Level(marked("default"), None, 2433, marked("the bot at full strength, which thinks as long as its limit allows")),
)
MEASURED = marked(
    "measured on 28 November 2026 by `dropfour tournament opponents: --adaptive --rounds 5 --limit 0.5 --free-start "
    "--jobs 2`"
)


def levels(game: str) -> list[Level]:
    """Return the levels for a game, the weakest first. Only connect four has those with a preset."""
    return [level for level in LEVELS if game == DEFAULT_GAME or not level.preset]
