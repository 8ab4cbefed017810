"""Every misbehaviour of a scripted bot: as either player, at its first and at a later move.

The games run side by side, as nearly all of their time is waiting; each test looks at one of them.
"""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from scripted import PLIES_OF_LEFTMOST_PLAY, Stopwatch, bot, plan, processes_with

from judge import descendants
from judge.referee import play_game

LIMIT_S = 0.6
CONCURRENT = 6
LATER_MOVE = 6  # the leftmost column of nine rows is full by then

EXPECTED = {
    "full_column": "ILLEGAL_MOVE",
    "wrong_row": "ILLEGAL_MOVE",
    "off_board": "ILLEGAL_MOVE",
    "negative_column": "ILLEGAL_MOVE",
    "zero_length": "BAD_FRAME",
    "no_integers": "BAD_FRAME",
    "one_integer": "BAD_FRAME",
    "extra_bytes": "BAD_FRAME",
    "two_replies": "BAD_FRAME",
    "out_of_turn": "BAD_FRAME",
    "flood_out_of_turn": "BAD_FRAME",
    "length_2gb": "OUTPUT_LIMIT",
    "length_2049": "OUTPUT_LIMIT",
    "flood_stdout": "OUTPUT_LIMIT",
    "close_stdout": "CRASH",
    "exit_0": "CRASH",
    "exit_3": "CRASH",
    "segfault": "CRASH",
    "die_mid_frame": "CRASH",
    "die_leaving_children": "CRASH",
    "late": "TIME_FORFEIT",
    "late_and_illegal": "TIME_FORFEIT",
    "late_exit": "TIME_FORFEIT",
    "stop_itself": "STALL",
    "sleep_forever": "STALL",
    "busy_forever": "STALL",
    "ignore_sigterm": "STALL",
    "stop_mid_frame": "STALL",
    "never_read": "STALL",
    "close_stdin": "STALL",
    "leave_children": "NORMAL",
    "flood_stderr": "NORMAL",
    "close_stderr": "NORMAL",
}
NEEDS_A_THINKING_OPPONENT = ("two_replies", "out_of_turn", "flood_out_of_turn")
CASES = [
    (mode, side, at)
    for mode in EXPECTED
    for side in "AB"
    for at in (0, LATER_MOVE)
    if not (mode == "full_column" and at == 0)
]


def play_case(mode, side, at):
    """(record, seconds from the last turn's start to the end, processes left)."""
    offender = bot("misbehave", mode, "--at", at, "--limit", LIMIT_S)
    other = bot("first_legal", *(["--delay", 0.15] if mode in NEEDS_A_THINKING_OPPONENT else []))
    contestants = (offender, other) if side == "A" else (other, offender)
    stopwatch = Stopwatch()
    record = play_game(contestants, plan(LIMIT_S), stopwatch)
    elapsed_s = time.monotonic() - stopwatch.turn_began
    return record, elapsed_s, processes_with(f"{descendants.MARKER}={record.extra['id']}")


@pytest.fixture(scope="module")
def games():
    with ThreadPoolExecutor(CONCURRENT) as pool:
        yield {case: pool.submit(play_case, *case) for case in CASES}


@pytest.mark.parametrize("mode, side, at", CASES)
def test_ending_has_the_right_name_in_time_and_leaves_nothing(games, mode, side, at):
    record, elapsed_s, left = games[mode, side, at].result()
    assert record.termination == EXPECTED[mode], record.extra
    if record.termination == "NORMAL":
        assert (record.winner, record.at_fault) == ("B", None)
        assert len(record.moves) == PLIES_OF_LEFTMOST_PLAY
    else:
        assert (record.winner, record.at_fault) == ("B" if side == "A" else "A", side)
        own_moves = record.moves[0 if side == "A" else 1 :: 2]
        assert len(own_moves) in (at, at + 1)  # some modes move and misbehave after it
    assert elapsed_s < LIMIT_S + 2
    assert left == []


def test_nothing_is_left_of_all_these_games(games):
    """Children that cleared their environment show only as children of this process."""
    for game in games.values():
        game.result()
    assert descendants.strays() == []


def test_floods_of_stderr_are_counted_and_cut(games):
    record = games["flood_stderr", "A", 0].result()[0]
    assert record.extra["A"]["stderr_bytes"] == 64 * 6 * 2731
    assert record.extra["B"]["stderr_bytes"] == 0


def test_a_crash_tells_how_the_process_ended(games):
    assert games["exit_3", "A", 0].result()[0].extra["reason"] == "A ended with status 3"
    assert games["segfault", "B", 0].result()[0].extra["reason"] == "B was ended by signal 11"
    assert games["close_stdout", "B", 0].result()[0].extra["reason"] == "B closed its stdout"
