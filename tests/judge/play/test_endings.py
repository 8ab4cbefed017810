"""Every misbehaviour of a scripted bot in every game: as either player, at its first and at a later move.

Connect four has all four of these, the other games two. The games run side by side, as nearly all of their time is
waiting; each test looks at one of them.
"""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from judge.games import DEFAULT_GAME
from judge.processes import descendants
from tests.judge.helpers.scripted import (
    GAMES,
    PLIES_OF_FIRST_LEGAL_PLAY,
    Stopwatch,
    bot,
    plan,
    play_unless_void,
    processes_with,
    replies_of,
)

LIMIT_S = 3.0  # a sound bot on a busy machine keeps it, and one that is to be late need not be waited for too long
LIMIT_OF_THE_BUSY_S = 1.5  # where somebody computes all the time
THINKING_S = 2.0  # an opponent's move during which bytes out of turn arrive
PATIENCE_S = 20  # what a game may take beyond its limit
CONCURRENT = 16
LATER_MOVE = 6  # the leftmost column of nine rows is full by then

EXPECTED_IN_EVERY_GAME = {
    "off_board": "ILLEGAL_MOVE",
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
    "abort_with_words": "CRASH",
    "print_text_behind": "BAD_FRAME",
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
EXPECTED = {
    "connect_four": {
        **EXPECTED_IN_EVERY_GAME,
        "full_column": "ILLEGAL_MOVE",
        "wrong_row": "ILLEGAL_MOVE",
        "print_text": "OUTPUT_LIMIT",
        "negative_column": "ILLEGAL_MOVE",
    },
    "reversi": {
        **EXPECTED_IN_EVERY_GAME,
        "taken_cell": "ILLEGAL_MOVE",
        "turns_nothing": "ILLEGAL_MOVE",
        "print_text": "OUTPUT_LIMIT",
        "negative_row": "BAD_FRAME",
        "a_pass": "BAD_FRAME",
        "half_a_board": "BAD_FRAME",
        "asks_out_of_turn": "BAD_FRAME",
        "asks_forever": "TIME_FORFEIT",
        "asks_forever_unheard": "TIME_FORFEIT",
        "asks_late": "TIME_FORFEIT",
        "asks_and_sleeps": "STALL",
        "asks_and_dies": "CRASH",
        "asks": "NORMAL",
        "asks_and_replies_at_once": "NORMAL",
    },
    "dots": {
        **EXPECTED_IN_EVERY_GAME,
        "drawn_edge": "ILLEGAL_MOVE",
        "print_text": "BAD_FRAME",
        "goes_on": "ILLEGAL_MOVE",
        "half_an_edge": "BAD_FRAME",
        "wrong_count": "BAD_FRAME",
        "names_itself_again": "BAD_FRAME",
        "names_itself_out_of_turn": "BAD_FRAME",
        "without_count": "NORMAL",
        "late_line_end": "NORMAL",
    },
}
NEEDS_A_THINKING_OPPONENT = (
    "two_replies",
    "out_of_turn",
    "flood_out_of_turn",
    "asks_out_of_turn",
    "names_itself_out_of_turn",
)
NEEDS_MOVES_BEFORE = ("full_column", "drawn_edge")
KEEPS_A_PROCESSOR_BUSY = ("busy_forever", "asks_forever", "asks_forever_unheard")


def when(game, mode):
    """The (side, move) at which the mode is tried: all in one game, in the others few, as the referee knows no game."""
    if game == DEFAULT_GAME:
        return [(side, at) for side in "AB" for at in (0, LATER_MOVE)]
    if mode not in EXPECTED_IN_EVERY_GAME:
        return [("A", 0), ("B", LATER_MOVE)]
    return [("A", 0)] if list(EXPECTED_IN_EVERY_GAME).index(mode) % 2 else [("B", LATER_MOVE)]


CASES = [
    (game, mode, side, at)
    for game in GAMES
    for mode in EXPECTED[game]
    for side, at in when(game, mode)
    if not (mode in NEEDS_MOVES_BEFORE and at == 0)
]


def play_case(game, mode, side, at):
    """(record, seconds from the last turn's limit to the game's end, processes left)."""
    limit_s = LIMIT_OF_THE_BUSY_S if mode in KEEPS_A_PROCESSOR_BUSY else LIMIT_S
    offender = bot("misbehave", mode, "--at", at, "--limit", limit_s, game=game)
    # The second mover's reply is followed by the other's next one.
    delay = ["--delay", THINKING_S, "--delay-from", at + (side == "B")] if mode in NEEDS_A_THINKING_OPPONENT else []
    other = bot("first_legal", *delay, game=game)
    contestants = (offender, other) if side == "A" else (other, offender)
    stopwatch = Stopwatch()
    record = play_unless_void(contestants, plan(limit_s, game=game), stopwatch)
    beyond_s = time.monotonic() - stopwatch.turn_began - limit_s
    return record, beyond_s, processes_with(f"{descendants.MARKER}={record.extra['id']}")


@pytest.fixture(scope="module")
def games():
    with ThreadPoolExecutor(CONCURRENT) as pool:
        yield {case: pool.submit(play_case, *case) for case in CASES}


@pytest.mark.parametrize("game, mode, side, at", CASES)
def test_ending_has_the_right_name_in_time_and_leaves_nothing(games, game, mode, side, at):
    record, beyond_s, left = games[game, mode, side, at].result()
    assert record.termination == EXPECTED[game][mode], record.extra
    if record.termination == "NORMAL":
        assert (record.winner, record.at_fault) == ("B", None)
        assert len(record.moves) == PLIES_OF_FIRST_LEGAL_PLAY[game]
    else:
        assert (record.winner, record.at_fault) == ("B" if side == "A" else "A", side)
        assert replies_of(record, side) in (at, at + 1)  # some modes move and misbehave after it
    assert beyond_s < PATIENCE_S
    assert left == []


def test_nothing_is_left_of_all_these_games(games):
    """Children that cleared their environment show only as children of this process."""
    for game in games.values():
        game.result()
    assert descendants.strays() == []


def test_floods_of_stderr_are_counted_and_cut(games):
    record = games["connect_four", "flood_stderr", "A", 0].result()[0]
    assert record.extra["A"]["stderr_bytes"] == 64 * 6 * 2731
    assert record.extra["B"]["stderr_bytes"] == 0


def test_a_crash_tells_how_the_process_ended(games):
    for mode, side, reason in (
        ("exit_3", "A", "A ended with status 3"),
        ("segfault", "B", "B was ended by signal 11 (SIGSEGV, Segmentation fault)"),
        ("close_stdout", "B", "B closed its stdout"),
    ):
        assert games["connect_four", mode, side, 0].result()[0].extra["reason"] == reason
