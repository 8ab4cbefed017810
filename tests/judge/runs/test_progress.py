"""What a run says while it goes, by a clock of the test's own."""

import io
import itertools

import pytest
from rich.console import Console
from rich.table import Table

from judge.runs.progress import FEWEST_SETTLED, Progress, duration_in_words
from protocol.records.record import Termination
from tests.judge.helpers.records import ended


def lines(capsys, to_play, seconds_a_game, games):
    """What is said after each of so many games."""
    ticks = itertools.count(0, seconds_a_game)
    with Progress(lambda records: "so far", to_play, clock=lambda: next(ticks)) as progress:
        progress.show([])
        for _ in range(games):
            progress.show([], ended(Termination.NORMAL))
    return [line.partition("  (game")[0] for line in capsys.readouterr().err.splitlines()]


def test_the_time_left_is_that_of_the_games_left(capsys):
    said = lines(capsys, 100, 10, 10)
    assert said[: FEWEST_SETTLED - 1] == ["so far"] * (FEWEST_SETTLED - 1)
    assert said[-1].startswith("so far  1")
    assert said[-1].endswith(" min left")


def test_an_end_that_is_not_known_has_a_pace(capsys):
    assert all(line.endswith(" games/min") for line in lines(capsys, None, 10, 10)[FEWEST_SETTLED:])


def test_after_the_last_game_nothing_is_left(capsys):
    assert lines(capsys, 10, 1, 10)[-1] == "so far"


@pytest.mark.parametrize(
    "seconds, words", [(0, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "120 min"), (9000, "2.5 h")]
)
def test_durations(seconds, words):
    assert duration_in_words(seconds) == words


def test_a_table_stands_below_the_line_on_a_terminal():
    written, made = io.StringIO(), itertools.count(1)
    progress = Progress(lambda records: f"{len(records)} games", table=lambda: Table(f"table {next(made)}"))
    progress.console = Console(file=written, force_terminal=True, width=80, markup=False, _environ={"TERM": "xterm"})
    progress.live.console = progress.console
    with progress:
        progress.show([])
        progress.show([])
    shown = written.getvalue()
    assert shown.index("0 games") < shown.index("table 1") < shown.index("table 2")


@pytest.mark.parametrize("is_terminal", [True, False])
def test_why_a_game_does_not_count_is_said_at_once(capsys, is_terminal):
    written = io.StringIO()
    progress = Progress(lambda records: "so far")
    if is_terminal:
        progress.console = progress.live.console = Console(
            file=written, force_terminal=True, markup=False, highlight=False
        )
    with progress:
        void = ended(Termination.VOID)
        progress.show([], void.changed(extra={"index": 4, "reason": "the disk is full"}), 1)
        progress.show([], ended(Termination.NORMAL))
    said = written.getvalue() + capsys.readouterr().err
    assert said.count("(game 1: VOID: the disk is full, 0 plies)") == 1


def test_elsewhere_no_table_is_made(capsys):
    with Progress(lambda records: "so far", table=lambda: 1 / 0) as progress:
        progress.show([], ended(Termination.NORMAL), 1)
    assert capsys.readouterr().err.startswith("so far  (game 1")
