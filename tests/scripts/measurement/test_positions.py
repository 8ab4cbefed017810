"""scripts/measure strength positions and solver-*: real runs on a few positions, killed and resumed."""

import itertools
import json
import os
import signal
import time
from types import SimpleNamespace

import pytest

from measurement import positions
from measurement.kept import Answers, MeasureError, Run
from measurement.positions import SUITE, course, empty_cells, keeps_value, name_of, position_of, random_share, suite
from tests.scripts.helpers.strength_command import info, lines, run, start, succeed

ENTRY = {
    "rows": 9,
    "columns": 9,
    "forbidden": [8, 4],
    "moves": [4, 4, 0],
    "value": "draw",
    "moves_values": {"0": "draw", "1": "loss", "4": "draw"},
    "kind": "endgame",
}


@pytest.mark.slow
def test_a_killed_run_of_positions_goes_on(tmp_path):
    words = (
        "positions",
        "--suite",
        SUITE,
        "--limit-count",
        12,
        "--budgets",
        "0.05,0.1",
        "--preset",
        "puct-basic",
    )
    work = tmp_path / "work" / "positions_puct-basic.jsonl"
    process = start(tmp_path, *words)
    give_up = time.monotonic() + 300
    while not work.exists() or work.read_bytes().count(b"\n") < 6:
        assert time.monotonic() < give_up and process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=120)
    before = [json.loads(line) for line in work.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    assert 6 <= len(before) < 25
    with open(work, "ab") as file:
        file.write(b'{"budget_s":0.05,"posi')
    refused = run(tmp_path, *words)
    assert refused.returncode == 2
    assert "is there already: --resume continues" in refused.stderr

    output = succeed(tmp_path, *words, "--resume")
    after = lines(work)
    assert after[: len(before)] == before
    chosen = suite(SUITE, 12)
    questions = [(answer["budget_s"], answer["position"]) for answer in after[1:]]
    assert sorted(questions) == sorted((budget, name) for budget in (0.05, 0.1) for name in chosen)
    kept = sum(keeps_value(chosen[answer["position"]], answer["column"]) for answer in after[1:13])
    found = info(tmp_path, "positions_puct-basic")
    assert (found["complete"], found["lines"]) == (True, 25)
    (row,) = [row for row in found["summary"]["rows"] if (row["kind"], row["budget_s"]) == ("all", 0.05)]
    assert (row["asked"], row["kept"]) == (12, kept)
    assert f"0.05 s, all: {kept} of 12 moves keep the value" in output
    other = run(tmp_path, *words, "--seed", 2, "--resume")
    assert other.returncode == 2
    assert "is of another run" in other.stderr


def test_an_answer_that_was_being_written_when_the_run_was_stopped_counts(tmp_path, monkeypatch):
    syncs = itertools.count(1)

    def sync(descriptor):
        if next(syncs) == 4:  # what was asked for, and three answers
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", sync)
    words = ("positions", "--suite", SUITE, "--limit-count", 50, "--budgets", "0.01", "--preset", "alphabeta")
    assert run(tmp_path, *words).returncode == 130
    found = info(tmp_path, "positions_alphabeta")
    (row,) = [row for row in found["summary"]["rows"] if row["kind"] == "all"]
    assert (row["asked"], found["lines"], found["complete"]) == (3, 4, False)


@pytest.mark.slow
def test_the_solver_is_timed_on_random_positions(tmp_path):
    words = ("solver-random", "--plies", "24-26", "--resume", "--count")
    succeed(tmp_path, *words, 3)
    name = "solver-random_plies-24-26"
    first = lines(tmp_path / "work" / f"{name}.jsonl")
    for answer in first[1:]:
        assert answer["ply"] == len(answer["position"].split()[2].split(",")) in (24, 25, 26)
    assert "5 of 5 settled, " in succeed(tmp_path, *words, 5)
    assert lines(tmp_path / "work" / f"{name}.jsonl")[:4] == first
    found = info(tmp_path, name)["summary"]
    assert found["settled"] == found["asked"] == sum(found["outcomes"].values()) == 5
    assert found["within_5_s"] == sum(
        answer["elapsed_s"] <= 5 for answer in lines(tmp_path / "work" / f"{name}.jsonl")[1:]
    )
    assert 0 <= found["median_s"] <= found["worst_s"] < 60


def test_the_report_shows_what_the_runs_left(tmp_path):
    words = ("positions", "--suite", SUITE, "--limit-count", 3, "--budgets", "0.02", "--preset", "puct-basic")
    succeed(tmp_path, *words)
    row = info(tmp_path, "positions_puct-basic")["summary"]["rows"][-1]
    succeed(tmp_path, "report")
    report = (tmp_path / "results.md").read_text("utf-8")
    assert f"| puct-basic | all | 0.02 | 3 | {row['kept']} | {row['kept'] / 3:.1%} |" in report
    assert "`scripts/measure strength positions --suite exact.jsonl --limit-count 3" in report
    (tmp_path / "results" / "x.json").write_text("{}")
    done = run(tmp_path, "report")
    assert done.returncode == 2
    assert "x.json is no summary of a run" in done.stderr


def test_a_summary_counts_kinds_and_budgets():
    other = {**ENTRY, "moves": [4, 4, 1], "kind": "small", "moves_values": {"0": "draw", "1": "loss"}}
    answer = {"proven": None, "elapsed_s": 0.1, "position": name_of(ENTRY)}
    answers = [
        {**answer, "budget_s": 1.0, "kept": True},
        {**answer, "budget_s": 1.0, "position": name_of(other), "kept": False, "proven": "loss"},
        {**answer, "budget_s": 0.1, "kept": False},
    ]
    rows = positions.summary_of_suite({name_of(entry): entry for entry in (ENTRY, other)}, answers)["rows"]
    counts = [(row["budget_s"], row["kind"], row["asked"], row["kept"], row["proven"]) for row in rows]
    assert counts == [
        (0.1, "endgame", 1, 0, 0),
        (0.1, "all", 1, 0, 0),
        (1.0, "endgame", 1, 1, 0),
        (1.0, "small", 1, 0, 1),
        (1.0, "all", 2, 1, 1),
    ]
    assert random_share(ENTRY) == 2 / 3
    assert rows[-1]["random_share"] == round((2 / 3 + 1 / 2) / 2, 4)


def test_unsettled_positions_count_as_such():
    answers = [
        {"outcome": "win", "elapsed_s": 1.0, "nodes": 10},
        {"outcome": "loss", "elapsed_s": 6.0, "nodes": 30},
        {"outcome": None, "elapsed_s": 13.0, "nodes": 60},
    ]
    assert positions.summary_of_random(answers) == {
        "asked": 3,
        "settled": 2,
        "within_5_s": 1,
        "outcomes": {"win": 1, "draw": 0, "loss": 1},
        "median_s": 6.0,
        "worst_s": 13.0,
        "nodes_per_s": 5,
    }


def test_a_game_is_taken_back_from_before_its_last_move():
    board = {"rows": 9, "cols": 10, "forbidden": [0, 0]}
    entry, before = course(board, [5, 5, 4, 4, 3, 3, 6])
    assert name_of(entry) == "9x10 0,0 5,5,4,4,3,3,6"
    assert [empty_cells(position) for position in before] == [89, 88, 87, 86, 85, 84, 83]
    assert before[-1].key() == position_of({**entry, "moves": [5, 5, 4, 4, 3, 3]}).key()


class SolverOfSo:
    """Settles positions of at most so many empty cells."""

    def __init__(self, most):
        self._most = most

    def forget(self):
        pass

    def solve(self, position, budget_s):
        outcome = "win" if empty_cells(position) <= self._most else None
        return SimpleNamespace(outcome=outcome, nodes=10, elapsed_s=budget_s)


@pytest.mark.parametrize("most, settled", [(82, 82), (83, 83), (86, 86), (99, 89)])
def test_the_cells_that_are_settled_are_counted_from_the_end(most, settled):
    _entry, before = course({"rows": 9, "cols": 10, "forbidden": [0, 0]}, [5, 5, 4, 4, 3, 3, 6])
    assert positions.settled_cells(SolverOfSo(most), "a", before, 1.0)["settled_empty"] == settled


def test_random_positions_follow_from_the_seed():
    found = positions.random_positions(20, (11, 14), 1)
    assert (
        list(found)
        == list(positions.random_positions(20, (11, 14), 1))
        != list(positions.random_positions(20, (11, 14), 2))
    )
    for position in found.values():
        assert 11 <= position.plies() <= 14 and not position.opponent_has_won()


def test_an_illegal_move_in_a_suite_is_named():
    with pytest.raises(MeasureError, match="move 4 is not legal"):
        position_of({**ENTRY, "moves": [4, 4, 4, 12]})


def test_answers_are_kept_but_for_a_torn_line(tmp_path):
    def answers(asked, resume=True):
        options = SimpleNamespace(work=tmp_path, results=tmp_path, resume=resume)
        return Answers(Run("positions", "a", asked, options), "v1", ("n",))

    answers({"a": 1}, resume=False).keep({"n": 1})
    with open(tmp_path / "a.jsonl", "ab") as file:
        file.write(b'{"n":2')
    found = answers({"a": 1})
    assert set(found.found) == {(1,)}
    found.keep({"n": 3})
    assert lines(tmp_path / "a.jsonl") == [{"asked": {"a": 1, "revision": "v1"}}, {"n": 1}, {"n": 3}]
    with pytest.raises(MeasureError, match="of another run"):
        answers({"a": 2})
    with pytest.raises(MeasureError, match="is there already"):
        answers({"a": 1}, resume=False)
