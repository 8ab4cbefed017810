"""What starts a player: the words of its command, the variables it needs, its folder."""

from dataclasses import dataclass


class PlayerError(Exception):
    """What the command line or the players file calls a player is none. str() says what was expected."""


class BadCommand(Exception):
    """A command line that cannot be taken apart: empty, or with an open quote."""


@dataclass(frozen=True)
class Launch:
    """A command to start: its words, the variables to add, its folder (None: the judge's own)."""

    argv: tuple[str, ...]
    environment: dict[str, str]
    folder: str | None

    def filled(self, limit_s: float, seed: int) -> "Launch":
        """The same with {limit} (seconds per move) and {seed} replaced in its words."""
        words = (word.replace("{limit}", f"{limit_s:g}").replace("{seed}", str(seed)) for word in self.argv)
        return Launch(tuple(words), self.environment, self.folder)
