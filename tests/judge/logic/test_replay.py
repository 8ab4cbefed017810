"""The replay that a match leaves: complete before the judger hears of the end, and read by `import`."""

import json
import os
from pathlib import Path

import pytest

from judge.games.reversi.rules import Reversi
from judge.logic.program import CUT_OFF_STATUS, ENDED_STATUS, REFUSED_STATUS
from protocol.records.record import Termination
from tests.judge.helpers.logged_games import imported
from tests.judge.logic.helpers.fake_judger import failed, refereed, spoke, start

BOARD = {"rows": 9, "cols": 9, "forbidden": [7, 1]}
MOVES = ("8 0", "8 1", "7 0", "6 1", "6 0", "5 1", "5 0")
WHOLE = [spoke(number % 2, reply) for number, reply in enumerate(MOVES)]
RUN_ERROR, TIME_OUT, OUTPUT_LIMIT = range(3)


def replay_of(tmp_path, *steps, config=None, **others):
    """The text of the replay that a match leaves."""
    path = tmp_path / "replay.json"
    path.write_text("of an earlier match, and longer than what comes now\n" * 1000)
    status, _judger = refereed(start(config or BOARD, str(path), **others), *steps, stays=True)
    assert status == ENDED_STATUS
    return path.read_text("ascii")


def test_it_is_written_and_closed_before_the_end(tmp_path):
    path = tmp_path / "replay.json"
    seen = []

    def on_write(data):
        if b'"end_info"' in data:
            files = [os.path.realpath(place) for place in Path("/proc/self/fd").iterdir()]
            seen.append((json.loads(path.read_text()), str(path) in files))

    status, _judger = refereed(start(BOARD, str(path)), *WHOLE, on_write=on_write)
    assert status == ENDED_STATUS
    ((content, is_open),) = seen
    assert content["rounds"] == [0, 1, 0, 1, 0, 1, 0]
    assert not is_open


@pytest.mark.parametrize(
    "steps, termination",
    [
        (WHOLE, Termination.NORMAL),
        ([*WHOLE[:3], spoke(1, "8 1")], Termination.ILLEGAL_MOVE),
        ([*WHOLE[:3], spoke(1, "resign")], Termination.BAD_FRAME),
        ([*WHOLE[:3], spoke(1, "6 1", 4000)], Termination.TIME_FORFEIT),
        (WHOLE[:3], Termination.STALL),
        ([*WHOLE[:3], failed(1, 5, TIME_OUT)], Termination.TIME_FORFEIT),
        ([*WHOLE[:3], failed(1, 5, OUTPUT_LIMIT)], Termination.OUTPUT_LIMIT),
        ([*WHOLE[:3], failed(1, 5, RUN_ERROR)], Termination.CRASH),
    ],
)
def test_import_reads_how_a_match_of_connect_four_ended(tmp_path, steps, termination):
    (record,), problems, name = imported(replay_of(tmp_path, *steps))
    assert (problems, name) == ([], "saiblo")
    assert (record.termination, record.winner) == (termination, "A")
    assert record.at_fault == (None if termination is Termination.NORMAL else "B")
    assert [move.move for move in record.moves] == [0, 1, 0, 1, 0, 1, 0][: len(record.moves)]


def test_import_reads_a_match_of_reversi(tmp_path):
    position, steps = Reversi(8), []
    while not position.over:
        row, column = position.legal_cells()[0]
        steps.append(spoke(position.to_move, f"{row}{column}"))
        position.play_cell(row, column)
    text = replay_of(tmp_path, *steps, config={"game": "reversi"})
    (record,), problems, name = imported(text)
    assert (problems, name) == ([], "saiblo-reversi")
    assert (record.termination, record.winner) == (Termination.NORMAL, "B")
    assert json.loads(text)[-1]["0"] == 0


def test_import_reads_a_forfeit_of_reversi(tmp_path):
    (record,), problems, _name = imported(replay_of(tmp_path, spoke(0, "00"), config={"game": "reversi"}))
    assert problems == []
    assert (record.termination, record.winner, record.at_fault) == (Termination.ILLEGAL_MOVE, "B", "A")


def test_a_draw_is_no_win_of_either(tmp_path):
    content = json.loads(replay_of(tmp_path, players=(0, 0)))
    assert (content["win"], content["rounds"]) == (2, [])
    assert content["gameend_reason"] == "STARTUP_FAILURE: neither player has been started"


@pytest.mark.parametrize("place", ["missing/replay.json", ".", "a\0b", "x" * 300])
def test_a_replay_that_cannot_be_written_is_told_and_costs_nothing(tmp_path, place):
    status, judger = refereed(start(BOARD, str(tmp_path / place)), *WHOLE)
    assert (status, judger.end()) == (ENDED_STATUS, ([1, 0], ["OK", "OK"]))
    assert judger.said[-1].startswith(f"error: the replay {tmp_path / place} could not be written: ")


@pytest.mark.parametrize("steps, status", [([WHOLE[0]], CUT_OFF_STATUS), ([b"\0\0\0\0"], REFUSED_STATUS)])
def test_a_match_without_an_end_leaves_none(tmp_path, steps, status):
    path = tmp_path / "replay.json"
    assert refereed(start(BOARD, str(path)), *steps)[0] == status
    assert not path.exists()
