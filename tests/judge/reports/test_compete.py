"""Compete's result files, byte for byte."""

import itertools

from judge.formats import compete
from judge.play.scoresheet import in_order
from protocol.records.record import GameRecord, Move, Player, Termination


def record(first="A", winner="A", termination="NORMAL", at_fault=None, walls=(), started="2026-01-01T00:00:00.000"):
    return GameRecord(
        game="connect_four",
        board={"rows": 9, "cols": 9, "forbidden": [0, 0]},
        players=[Player("a", "a"), Player("b", "b")],
        first=first,
        moves=[Move(side, 4, wall_s) for side, wall_s in zip(itertools.cycle(in_order(first)), walls)],
        winner=winner,
        termination=Termination(termination),
        at_fault=at_fault,
        started=f"{started}+00:00",
        finished="2026-01-01T00:01:00.000+00:00",
        judge_version="1",
        extra={"limit_s": 3.0},
    )


CODES = [
    (None, "NORMAL", None, 0),
    ("A", "NORMAL", None, 1),
    ("B", "NORMAL", None, 2),
    ("B", "CRASH", "A", 3),
    ("B", "BAD_FRAME", "A", 3),
    ("B", "OUTPUT_LIMIT", "A", 3),
    ("B", "MEMORY_LIMIT", "A", 3),
    ("B", "ILLEGAL_MOVE", "A", 4),
    ("A", "CRASH", "B", 5),
    ("A", "ILLEGAL_MOVE", "B", 6),
    ("B", "TIME_FORFEIT", "A", 7),
    ("B", "STALL", "A", 7),
    ("A", "TIME_FORFEIT", "B", 8),
    ("A", "STALL", "B", 8),
    ("B", "STARTUP_FAILURE", "A", -1),
    ("A", "STARTUP_FAILURE", "B", -2),
    ("A", "RESIGNATION", None, 1),
    ("B", "RESIGNATION", None, 2),
]


def test_every_ending_has_its_code():
    for winner, termination, at_fault, code in CODES:
        assert compete.result_code(record("A", winner, termination, at_fault)) == code, (termination, winner)


def test_no_ending_is_without_a_code():
    for termination in [member for member in Termination if member.value != "VOID"]:
        for winner, at_fault in ("AB", "BA"):
            code = compete.result_code(record("A", winner, termination, at_fault))
            assert (code in compete.WON_BY_A) == (winner == "A" and code >= 0), termination
            assert (code in compete.WON_BY_B) == (winner == "B" and code >= 0), termination


def test_seconds_are_differences_of_a_clock_of_whole_seconds():
    # From 0.9 on, the clock changes within the moves at 0.9 .. 1.1, 1.4 .. 3.4 and 3.9 .. 4.1.
    walls = (0.2, 0.3, 2.0, 0.5, 0.2)
    assert compete.seconds(record("A", walls=walls, started="2026-01-01T00:00:00.900")) == {"A": 4, "B": 0}
    assert compete.seconds(record("B", walls=walls, started="2026-01-01T00:00:00.900")) == {"A": 0, "B": 4}
    assert compete.seconds(record("A", walls=walls, started="2026-01-01T00:00:00.600")) == {"A": 2, "B": 1}
    assert compete.seconds(record("A", walls=(2.9,), started="2026-01-01T00:00:00.000")) == {"A": 2, "B": 0}


def test_an_overrun_counts_as_long_as_the_limit():
    for termination in ("TIME_FORFEIT", "STALL"):
        lost = record("B", "B", termination, "A", walls=(1.0,))
        assert compete.seconds(lost) == {"A": 3, "B": 1}


def test_the_documented_sample():
    slow, quick = record("A", walls=[1.0, 0.0] * 35), record("B", walls=[0.0, 1.0] * 17)
    content = compete.result_file([(slow, quick)])
    assert content.startswith(bytes.fromhex("303a0a 31093335 09300a 31093137 09300a 0a 537461743a0a"))


def test_a_whole_file():
    won, lost, tied = record(), record("B", "B"), record("A", None)
    late, faulty = record("B", "B", "STALL", "A", walls=(0.0,)), record("A", "A", "ILLEGAL_MOVE", "B")
    content = compete.result_file([(won, lost), (tied, late), (faulty, lost)])
    assert content == (
        b"0:\n1\t0\t0\n2\t0\t0\n\n"
        b"1:\n0\t0\t0\n7\t3\t0\n\n"
        b"2:\n6\t0\t0\n2\t0\t0\n\n"
        b"Stat:\n"
        b"ratio of A wins : 0.333333\n"
        b"ratio of B wins : 0.5\n"
        b"ratio of Tie : 0.166667\n"
        b"\n"
        b"ratio of (A wins + tie) : 0.5\n"
        b"ratio of (B wins + tie) : 0.666667\n"
    )


def test_whole_ratios_have_no_point():
    assert b"ratio of A wins : 1\nratio of B wins : 0\nratio of Tie : 0\n" in compete.result_file(
        [(record(), record("B"))]
    )
