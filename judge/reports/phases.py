"""The times that a side's start-up, first move and later moves took, as a table, as JSON and as text."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judge.language import _, marked
from judge.reports.tables import ReportTable
from judge.statistics import score
from protocol.records.record import GameRecord

START_UP = "start_up"
# {name of a phase in JSON: its name in tables}. A first move's clock may or may not include the bot's start-up.
NAMES = {
    START_UP: marked("start-up"),
    "first_move": marked("first move"),
    "first_move_with_start_up": marked("first move, with start-up"),
    "later_moves": marked("later moves"),
}


@dataclass
class Phase:
    """The wall times and CPU times, in seconds, of all moves or start-ups of one phase.

    CPU times that are not known are left out.
    """

    walls_s: list[float] = field(default_factory=list)
    cpus_s: list[float] = field(default_factory=list)


def phases(records: Iterable[GameRecord], side: str) -> dict[str, Phase]:
    """Return {key of NAMES: Phase} for the times of `side`.

    A move that came in one reply with an earlier move is left out, because it has no time of its own.
    """
    by_name = {name: Phase() for name in NAMES}
    for record in records:
        start_up_s = record.kept(side).get("start_up_s")
        if start_up_s is not None:
            by_name[START_UP].walls_s.append(start_up_s)
        moves = [move for move in record.moves if move.side == side and move.wall_s]
        for number, move in enumerate(moves):
            first = "first_move_with_start_up" if starts_on_its_clock(record, side) else "first_move"
            phase = by_name["later_moves" if number else first]
            phase.walls_s.append(move.wall_s)
            if move.cpu_s is not None:
                phase.cpus_s.append(move.cpu_s)
    return by_name


def starts_on_its_clock(record: GameRecord, side: str) -> bool:
    """Return whether the clock of the side's first move includes its start-up.

    With --free-start no clock includes the start-up. Otherwise the clock of the side that moves first includes it, and
    with --freeze the clocks of both sides.
    """
    if record.extra.get("free_start") is True:
        return False
    return record.extra.get("freeze") is True or (bool(record.moves) and record.moves[0].side == side)


def table(title: str, records: Sequence[GameRecord], name_of_a: str, name_of_b: str) -> ReportTable:
    """Return a table with the times of A and B for each phase that has times; the names are headings of its columns.

    A cell has the mean, the 95th percentile and the longest time. Rows with wall times come first, then rows with CPU
    times.
    """
    report_table = ReportTable(title, ("", name_of_a, name_of_b), left=("",))
    of_a, of_b = phases(records, "A"), phases(records, "B")
    rows = [(_(name), of_a[key].walls_s, of_b[key].walls_s) for key, name in NAMES.items()]
    for key, name in NAMES.items():
        rows.append((_("CPU, {phase}").format(phase=_(name)), of_a[key].cpus_s, of_b[key].cpus_s))
    for name, times_of_a, times_of_b in rows:
        if times_of_a or times_of_b:
            report_table.add_row(name, _times_in_words(times_of_a), _times_in_words(times_of_b))
    return report_table


def summary(records: Sequence[GameRecord]) -> dict[str, Any]:
    """Return, as JSON, {"A": {key of NAMES: figures}, "B": {...}}. Unknown figures are None."""
    return {side: {key: _figures(phase, key) for key, phase in phases(records, side).items()} for side in ("A", "B")}


def in_words(record: GameRecord) -> list[str]:
    """Return a line with the times of each side that has moved in the game, or whose start-up time is known."""
    return [line for side in "AB" if (line := _side_in_words(record, side))]


def _side_in_words(record: GameRecord, side: str) -> str:
    """Return a line with the times of a side, or "" if none are known."""
    by_name = phases([record], side)
    sentences = []
    for key, form in (
        (START_UP, _("start-up {first} s")),
        ("first_move", _("first move {first} s")),
        ("first_move_with_start_up", _("first move {first} s, including start-up")),
        ("later_moves", _("later moves {mean} s on average, the slowest {slowest} s")),
    ):
        walls_s = by_name[key].walls_s
        if walls_s:
            figures = {"first": walls_s[0], "mean": statistics.fmean(walls_s), "slowest": max(walls_s)}
            sentences.append(form.format(**{name: f"{figure:.2f}" for name, figure in figures.items()}))
    return _("times of {side}: {words}").format(side=side, words="; ".join(sentences)) if sentences else ""


def _figures(phase: Phase, key: str) -> Mapping[str, float | int | None]:
    """Return the JSON object for a phase: the number of its times, and their mean, 95th percentile and largest one."""
    if key == START_UP:  # a start-up has no CPU time
        return {"games": len(phase.walls_s), **_mean_p95_slowest(phase.walls_s)}
    times = {**_mean_p95_slowest(phase.walls_s), **_mean_p95_slowest(phase.cpus_s, "cpu_")}
    return {"moves": len(phase.walls_s), **times}


def _mean_p95_slowest(times: Sequence[float], prefix: str = "") -> dict[str, float | None]:
    """Return {name with `prefix`: figure} for the mean, the 95th percentile and the largest of `times`, in seconds.

    The figures are None if there are no times.
    """
    names = (f"{prefix}mean_s", f"{prefix}p95_s", f"{prefix}slowest_s")
    if not times:
        return dict.fromkeys(names)
    ordered = sorted(times)
    figures = statistics.fmean(ordered), score.percentile(ordered, 95), ordered[-1]
    return dict(zip(names, (round(figure, 4) for figure in figures), strict=True))


def _times_in_words(times: Sequence[float]) -> str:
    """Return a text such as "0.512 / 1.204 / 2.371", or "-" if there are no times."""
    figures = _mean_p95_slowest(times).values()
    return " / ".join(_short_number(figure) for figure in figures if figure is not None) or "-"


def _short_number(figure: float) -> str:
    """Return a time as a text of about five characters, so that two columns of three times fit a terminal."""
    return f"{figure:.{3 - (figure >= 10) - (figure >= 100)}f}"
