"""What starts a player: the words of its command, the variables it needs, its folder."""

from dataclasses import dataclass, replace


class PlayerError(Exception):
    """What the command line or the players file calls a player is none. str() says what was expected."""


class BadCommand(Exception):
    """A command line that cannot be taken apart: empty, or with an open quote."""


@dataclass(frozen=True)
class Launch:
    """A command to start: its words, the variables to add, its folder (None: the judge's own).

    `keeps_prints_apart` where it is our host of a strategy library, which sends replies alone to stdout, and what the
    library prints to a pipe of its own (protocol/strategy_library.py).
    """

    argv: tuple[str, ...]
    environment: dict[str, str]
    folder: str | None
    keeps_prints_apart: bool = False

    def filled(self, limit_s: float, seed: int) -> "Launch":
        """The same with {limit} (seconds per move) and {seed} replaced in its words."""
        words = (word.replace("{limit}", f"{limit_s:g}").replace("{seed}", str(seed)) for word in self.argv)
        return replace(self, argv=tuple(words))
