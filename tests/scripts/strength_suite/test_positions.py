"""scripts/strength make-positions, positions and solver: real runs on a few positions, killed and resumed."""

import itertools
import json
import os
import signal
import time

import pytest

from strength_suite.json_lines import Answers, SuiteError, append_line, read_lines
from strength_suite.positions import candidates, positions, recorded_games, solver
from strength_suite.positions.exact_positions import (
    empty_cells,
    keeps_value,
    name_of,
    position_of,
    random_share,
    spread,
    wins_at_once,
)
from tests.scripts.helpers.strength_command import REPOSITORY, info, lines, run, start, succeed

SUITE = REPOSITORY / "tests" / "positions" / "exact.jsonl"
# A seed of which the first positions are solved at once.
FEW = ("--suite", "suite.jsonl", "--standard", 0, "--endgames", 0, "--seed", 54)
ENTRY = {
    "rows": 9,
    "columns": 9,
    "forbidden": [8, 4],
    "moves": [4, 4, 0],
    "value": "draw",
    "moves_values": {"0": "draw", "1": "loss", "4": "draw"},
    "kind": "endgame",
}


def test_positions_are_made_to_the_number_asked_for_and_never_twice(tmp_path):
    assert "small: 3 positions" in succeed(tmp_path, "make-positions", *FEW, "--small", 3)
    first = (tmp_path / "suite.jsonl").read_bytes()
    with open(tmp_path / "suite.jsonl", "ab") as file:
        file.write(b'{"rows":4,"col')  # a run killed while it wrote
    succeed(tmp_path, "make-positions", *FEW, "--small", 5)
    content = (tmp_path / "suite.jsonl").read_bytes()
    assert content.startswith(first)
    entries = lines(tmp_path / "suite.jsonl")
    assert len({name_of(entry) for entry in entries}) == 5
    succeed(tmp_path, "make-positions", *FEW, "--small", 5)
    assert (tmp_path / "suite.jsonl").read_bytes() == content
    for entry in entries:
        position = position_of(entry)
        assert not wins_at_once(position)
        assert entry["empty"] == empty_cells(position)
        assert list(map(int, entry["moves_values"])) == position.legal_moves()
        assert len(set(entry["moves_values"].values())) > 1
        assert entry["value"] == min(entry["moves_values"].values(), key=["win", "draw", "loss"].index)


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
    before = read_lines(work)
    assert 6 <= len(before) < 25
    with open(work, "ab") as file:
        file.write(b'{"budget_s":0.05,"posi')
    refused = run(tmp_path, *words)
    assert refused.returncode == 2
    assert "holds" in refused.stderr and "--resume continues" in refused.stderr

    output = succeed(tmp_path, *words, "--resume")
    after = lines(work)
    assert after[: len(before)] == before
    chosen = {name_of(entry): entry for entry in spread(read_lines(SUITE), 12)}
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
    words = ("solver", "random", "--plies", "24-26", "--resume", "--count")
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
    assert "`scripts/strength positions --suite exact.jsonl --limit-count 3" in report
    (tmp_path / "results" / "x.json").write_text("{}")
    done = run(tmp_path, "report")
    assert done.returncode == 2
    assert "x.json is no summary of a run" in done.stderr


def test_the_committed_report_is_that_of_the_committed_results():
    from strength_suite.report import report

    results = REPOSITORY / "docs" / "results"
    assert (REPOSITORY / "docs" / "results.md").read_text("utf-8") == report.report(report.read_infos(results))


def test_a_summary_counts_kinds_and_budgets():
    other = {**ENTRY, "moves": [4, 4, 1], "kind": "small", "moves_values": {"0": "draw", "1": "loss"}}
    answer = {"proven": None, "elapsed_s": 0.1}
    answers = {
        (1.0, name_of(ENTRY)): {**answer, "kept": True},
        (1.0, name_of(other)): {**answer, "kept": False, "proven": "loss"},
        (0.1, name_of(ENTRY)): {**answer, "kept": False},
    }
    rows = positions.summarize([ENTRY, other], answers)["rows"]
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
    assert solver.summarize_random(answers) == {
        "asked": 3,
        "settled": 2,
        "within_5_s": 1,
        "outcomes": {"win": 1, "draw": 0, "loss": 1},
        "median_s": 6.0,
        "worst_s": 13.0,
        "nodes_per_s": 5,
    }


def test_games_are_cut_before_their_end():
    game = recorded_games.Game(9, 10, [0, 0], (5, 5, 4, 4, 3, 3, 6))
    assert (game.cells(), game.last_empty()) == (89, 83)
    assert game.entry_with(83)["moves"] == [5, 5, 4, 4, 3, 3]
    assert game.entry_with(82) is None
    assert empty_cells(position_of(game.entry_with(86))) == 86
    assert game.entry_with(90) is None


def test_candidates_follow_from_their_number():
    found = [candidates.numbered("small", candidates.small, 1, number) for number in range(60)]
    assert found == [candidates.numbered("small", candidates.small, 1, number) for number in range(60)]
    entries = [one[0] for one in found if one is not None]
    assert {entry["forbidden"] is None for entry in entries} == {True, False}
    for entry in entries:
        assert not position_of(entry).opponent_has_won()
        assert empty_cells(position_of(entry)) == entry["empty"] >= candidates.SMALL_LEAST_EMPTY - 1


def test_an_illegal_move_in_a_suite_is_named():
    with pytest.raises(SuiteError, match="move 4 is not legal"):
        position_of({**ENTRY, "moves": [4, 4, 4, 12]})


def test_answers_are_kept_but_for_a_torn_line(tmp_path):
    path = tmp_path / "answers.jsonl"
    Answers(path, {"a": 1}, ("n",), resume=False).keep({"n": 1})
    with open(path, "ab") as file:
        file.write(b'{"n":2')
    answers = Answers(path, {"a": 1}, ("n",), resume=True)
    assert (1,) in answers and (2,) not in answers
    answers.keep({"n": 3})
    assert read_lines(path) == [{"asked": {"a": 1}}, {"n": 1}, {"n": 3}]
    with pytest.raises(SuiteError, match="of another run"):
        Answers(path, {"a": 2}, ("n",), resume=True)
    path.write_bytes(b"[1]\n")
    with pytest.raises(SuiteError, match="line 1: expected a JSON object"):
        read_lines(path)
    append_line(path, {"x": None})
    assert path.read_bytes() == b'[1]\n{"x":null}\n'
    assert json.loads(path.read_bytes().splitlines()[1]) == {"x": None}
