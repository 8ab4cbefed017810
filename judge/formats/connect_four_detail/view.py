"""A match detail for people and programs: all that it tells, and the bytes that the seats were sent."""

from dataclasses import dataclass
from typing import Any

from rich.console import Console

from judge.formats.connect_four_detail import detail, screen
from judge.formats.connect_four_detail.facts import facts
from judge.formats.documents import JUNK, Source
from judge.formats.logged import Problem


@dataclass(frozen=True)
class MatchView:
    """`told` is one JSON object; `stdins` what each seat was sent, None where the file does not have it."""

    told: dict[str, Any]
    stdins: list[bytes | None]
    problems: list[Problem]

    def show(self, console: Console) -> None:
        """Print it as tables and sentences."""
        screen.show(self.told, console)


def view(source: Source, replay: Source | None, replay_name: str, threshold_s: float) -> MatchView:
    """The view of a file. threshold_s: turns that took longer are counted. Raises DocumentError where it is none."""
    found = detail.read_detail(source, replay, replay_name)
    problems = list(found.problems)
    if found.junk:
        problems.append(Problem("", JUNK.format(number=found.junk), is_note=True))
    return MatchView(facts(found, threshold_s), [seat.stdin for seat in found.match.seats], problems)
