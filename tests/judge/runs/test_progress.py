"""What a run says while it goes, by a clock of the test's own."""

import itertools

import pytest

from judge.runs.progress import SETTLED_GAMES, Progress, duration_in_words
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
    assert said[: SETTLED_GAMES - 1] == ["so far"] * (SETTLED_GAMES - 1)
    assert said[-1].startswith("so far  1")
    assert said[-1].endswith(" min left")


def test_an_end_that_is_not_known_has_a_pace(capsys):
    assert all(line.endswith(" games/min") for line in lines(capsys, None, 10, 10)[SETTLED_GAMES:])


def test_after_the_last_game_nothing_is_left(capsys):
    assert lines(capsys, 10, 1, 10)[-1] == "so far"


@pytest.mark.parametrize(
    "seconds, words", [(0, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "120 min"), (9000, "2.5 h")]
)
def test_durations(seconds, words):
    assert duration_in_words(seconds) == words
