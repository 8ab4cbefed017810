"""Every ending by a real process, once for each way in which a process can bring it about.

What the referee makes of bytes, ends and clocks is tried to the instant in test_endings_to_the_instant.py; here are the
signals, pipes, floods, children and kills. The games run side by side, as nearly all of their time is waiting; each
test looks at one of them.
"""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from judge.games import DEFAULT_GAME
from judge.processes.process import MARKER
from judge.reasons import reason_of
from tests.judge.helpers.scripted import (
    PLIES_OF_FIRST_LEGAL_PLAY,
    Stopwatch,
    bot,
    plan,
    play_until_offence,
    processes_with,
    replies_of,
    running_bots,
)

LIMIT_S = 20.0  # nobody reaches it
SHORT_LIMIT_S = 1.5  # of those that are to break it; a sound bot keeps it on a busy machine
THINKING_S = 15.0  # an opponent's move, which ends as soon as bytes out of turn arrive
PATIENCE_S = 60  # what a game may take beyond its limit
CONCURRENT = 16
LATER_MOVE = 6  # the leftmost column of nine rows is full by then

# game, mode, side, at which of its moves: the ending
CASES = {
    (DEFAULT_GAME, "off_board", "A", LATER_MOVE): "ILLEGAL_MOVE",
    (DEFAULT_GAME, "full_column", "B", LATER_MOVE): "ILLEGAL_MOVE",
    (DEFAULT_GAME, "print_text_behind", "A", 0): "BAD_FRAME",
    (DEFAULT_GAME, "two_replies", "A", 0): "BAD_FRAME",
    (DEFAULT_GAME, "out_of_turn", "B", LATER_MOVE): "BAD_FRAME",
    (DEFAULT_GAME, "flood_out_of_turn", "B", LATER_MOVE): "BAD_FRAME",
    (DEFAULT_GAME, "flood_stdout", "A", LATER_MOVE): "OUTPUT_LIMIT",
    (DEFAULT_GAME, "close_stdout", "B", 0): "CRASH",
    (DEFAULT_GAME, "exit_3", "A", 0): "CRASH",
    (DEFAULT_GAME, "abort_with_words", "A", LATER_MOVE): "CRASH",
    (DEFAULT_GAME, "segfault", "B", 0): "CRASH",
    (DEFAULT_GAME, "die_mid_frame", "B", LATER_MOVE): "CRASH",
    (DEFAULT_GAME, "die_leaving_children", "A", LATER_MOVE): "CRASH",
    (DEFAULT_GAME, "reply_and_exit", "A", 0): "CRASH",
    (DEFAULT_GAME, "late", "A", LATER_MOVE): "TIME_FORFEIT",
    (DEFAULT_GAME, "stop_itself", "B", 0): "STALL",
    (DEFAULT_GAME, "busy_forever", "A", LATER_MOVE): "STALL",
    (DEFAULT_GAME, "ignore_sigterm", "A", 0): "STALL",
    (DEFAULT_GAME, "stop_mid_frame", "B", 0): "STALL",
    (DEFAULT_GAME, "never_read", "A", 0): "STALL",
    (DEFAULT_GAME, "close_stdin", "B", LATER_MOVE): "STALL",
    (DEFAULT_GAME, "leave_children", "A", 0): "NORMAL",
    (DEFAULT_GAME, "flood_stderr", "A", 0): "NORMAL",
    (DEFAULT_GAME, "close_stderr", "B", LATER_MOVE): "NORMAL",
    ("reversi", "asks", "A", 0): "NORMAL",
    ("reversi", "asks_and_replies_at_once", "B", LATER_MOVE): "NORMAL",
    ("reversi", "asks_forever", "A", 0): "TIME_FORFEIT",
    ("reversi", "asks_forever_unheard", "B", LATER_MOVE): "TIME_FORFEIT",
    ("reversi", "turns_nothing", "A", 0): "ILLEGAL_MOVE",
    ("dots", "late_line_end", "B", LATER_MOVE): "NORMAL",
    ("dots", "without_count", "A", 0): "NORMAL",
    ("dots", "drawn_edge", "B", LATER_MOVE): "ILLEGAL_MOVE",
    ("dots", "goes_on", "A", 0): "ILLEGAL_MOVE",
    ("dots", "names_itself_out_of_turn", "A", LATER_MOVE): "BAD_FRAME",
}
NEEDS_A_THINKING_OPPONENT = ("two_replies", "out_of_turn", "flood_out_of_turn", "names_itself_out_of_turn")
NEEDS_A_SHORT_LIMIT = ("TIME_FORFEIT", "STALL")
# It replies a moment after the limit. By the usual clock a judge that looks late forgives it; by the strict one such a
# game is void, and played again.
NEEDS_A_STRICT_CLOCK = ("late",)


def play_case(game, mode, side, at):
    """(record, seconds from the last turn's limit to the game's end, processes left)."""
    limit_s = SHORT_LIMIT_S if CASES[game, mode, side, at] in NEEDS_A_SHORT_LIMIT else LIMIT_S
    offender = bot("misbehave", mode, "--at", at, "--limit", limit_s, game=game)
    # The second mover's reply is followed by the other's next one.
    delay = ["--delay", THINKING_S, "--delay-from", at + (side == "B")] if mode in NEEDS_A_THINKING_OPPONENT else []
    other = bot("first_legal", *delay, game=game)
    contestants = (offender, other) if side == "A" else (other, offender)
    stopwatch = Stopwatch()
    played = plan(limit_s, game=game, strict_clock=mode in NEEDS_A_STRICT_CLOCK)
    record = play_until_offence(contestants, played, side, at, stopwatch)
    beyond_s = time.monotonic() - stopwatch.turn_began - limit_s
    return record, beyond_s, processes_with(f"{MARKER}={record.extra['id']}")


@pytest.fixture(scope="module")
def games():
    with ThreadPoolExecutor(CONCURRENT) as pool:
        yield {case: pool.submit(play_case, *case) for case in CASES}


@pytest.mark.parametrize("game, mode, side, at", CASES)
def test_ending_has_the_right_name_in_time_and_leaves_nothing(games, game, mode, side, at):
    record, beyond_s, left = games[game, mode, side, at].result()
    # Where the machine keeps a late reply back for another second, it is a stall.
    ending = CASES[game, mode, side, at]
    held_back = ("STALL",) if ending == "TIME_FORFEIT" else ()
    assert record.termination in (ending, *held_back), record.extra
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
    assert running_bots() == []


def test_floods_of_stderr_are_counted_and_cut(games):
    record = games[DEFAULT_GAME, "flood_stderr", "A", 0].result()[0]
    assert record.extra["A"]["stderr_bytes"] == 64 * 6 * 2731
    assert record.extra["B"]["stderr_bytes"] == 0


def test_a_crash_tells_how_the_process_ended(games):
    for mode, side, at, reason in (
        ("exit_3", "A", 0, "A ended with status 3"),
        ("segfault", "B", 0, "B was ended by signal 11 (SIGSEGV, Segmentation fault)"),
        ("close_stdout", "B", 0, "B closed its stdout"),
    ):
        assert reason_of(games[DEFAULT_GAME, mode, side, at].result()[0]) == reason
