"""What a table's thread is told: by pages, by what happens around it, and by who advises."""

import enum
from collections.abc import Callable
from dataclasses import dataclass

from judge.analysis.analysis import Analysis
from judge.pages.languages import Texts
from judge.server.inputs import Command


@dataclass(frozen=True)
class Wish:
    """A page's message; refuse() is called with the reason where it is not followed."""

    command: Command
    refuse: Callable[[Texts], None]


class Event(enum.Enum):
    """What happens around a table."""

    SOMEBODY_LOOKS = enum.auto()
    NOBODY_LOOKS = enum.auto()
    DESERTED = enum.auto()  # for some time


@dataclass(frozen=True)
class Advised:
    """News of a hint (`moves`) or an evaluation (`analysis`), asked for with this ticket; or the trouble with it."""

    ticket: int
    moves: list[str] | None = None
    analysis: Analysis | None = None
    trouble: Texts | None = None


Message = Wish | Event | Advised
