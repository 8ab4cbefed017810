"""`judge sprt`, and its verdict on pairs in the order of the schedule."""

import json
import random

import pexpect
import pytest
from msgspec import structs

from judge.cli.sprt import BAR_CELLS, llr_bar
from judge.statistics.sprt import Hypotheses, SequentialTest, recorded_hypotheses
from protocol.records.record import GameRecord, Player, Termination, read_records
from tests.judge.helpers.scripted import WIDE_LIMIT_S, command, run_judge
from tests.judge.helpers.started import in_terminal

MOVER = command("random_mover", "--seed", "{seed}")
LOSER = command("misbehave", "off_board")
HYPOTHESES = Hypotheses(0, 50)


def record(pair, first, winner, termination=Termination.NORMAL):
    return GameRecord(
        game="connect_four",
        board={"rows": 9, "cols": 9, "forbidden": [pair % 9, pair // 9]},
        players=[Player("a", "a"), Player("b", "b")],
        first=first,
        moves=[],
        winner=winner,
        termination=termination,
        at_fault=None,
        started="2026-01-01T00:00:00+00:00",
        finished="2026-01-01T00:00:01+00:00",
        judge_version="1",
        pair=pair,
    )


def games(pairs, seed=0, won=0.9):
    chance = random.Random(seed)
    return [record(pair, first, "A" if chance.random() < won else "B") for pair in range(pairs) for first in "AB"]


def test_only_the_pairs_before_the_first_unfinished_one_count():
    test = SequentialTest(HYPOTHESES)
    for game in [record(1, "A", "A"), record(1, "B", "A"), record(0, "B", "B"), record(2, "A", "A")]:
        test.add(game)
    assert (test.pairs, test.llr) == (0, 0.0)
    test.add(record(0, "A", "A"))
    assert test.counts == [0, 0, 1, 0, 1]
    assert test.llr == HYPOTHESES.llr([0, 0, 1, 0, 1])


@pytest.mark.parametrize("won", [0.9, 0.2])
def test_the_verdict_does_not_depend_on_the_order_of_arrival(won):
    outcomes = set()
    for seed in range(8):
        arriving = games(200, won=won)
        random.Random(seed).shuffle(arriving)
        test = SequentialTest(HYPOTHESES)
        for game in arriving:
            test.add(game)
        outcomes.add((test.verdict, test.pairs, test.llr, tuple(test.counts)))
    [(verdict, pairs, llr, _)] = outcomes
    assert verdict == ("H1" if won == 0.9 else "H0")
    assert 5 < pairs < 200
    assert HYPOTHESES.verdict(llr) == verdict


def test_the_first_verdict_stands():
    test = SequentialTest(HYPOTHESES)
    for game in games(100, won=1.0):
        test.add(game)
    pairs = test.pairs
    assert test.verdict == "H1"
    for game in games(200, won=0.0)[200:]:
        assert test.add(game) == "H1"
    assert test.pairs == pairs


def test_a_pair_with_a_void_game_is_left_out():
    test = SequentialTest(HYPOTHESES)
    for game in [
        record(0, "A", "A"),
        record(0, "B", None, Termination.VOID),
        record(1, "A", "A"),
        record(1, "B", "A"),
    ]:
        test.add(game)
    assert test.counts == [0, 0, 0, 0, 1]


def test_a_repeated_pair_proves_nothing():
    test = SequentialTest(HYPOTHESES)
    for game in games(5, won=1.0):
        test.add(game)
    before = test.llr
    for game in games(400, won=1.0)[10:]:
        test.add(structs.replace(game, board={"rows": 9, "cols": 9, "forbidden": [game.pair % 5, 0]}))
    assert (test.counts, test.llr, test.verdict) == ([0, 0, 0, 0, 5], before, None)
    assert len(test.records) == 800


def test_the_bar_reaches_from_zero_to_the_figure():
    for figure, filled in ((0.0, (5, 5)), (2.9, (5, 10)), (-2.9, (0, 5)), (50.0, (5, 10)), (1.2, (5, 7))):
        drawn = llr_bar(figure, (-2.9, 2.9))
        assert len(drawn) == BAR_CELLS
        marked = [cell for cell, sign in enumerate(drawn) if sign != "·"]
        assert (min(marked), max(marked)) == filled, figure
        assert drawn[5] == "|"


def outcome_of(folder, *words):
    done = run_judge(folder, "sprt", *words, "--record", "test.jsonl", "--json", "--limit", WIDE_LIMIT_S, "--seed", 3)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done


def test_the_stronger_is_found_and_the_games_end(tmp_path):
    outcome, done = outcome_of(tmp_path, MOVER, LOSER, "--elo0", 0, "--elo1", 600, "--jobs", 2, "--oversubscribe")
    pairs = outcome["pairs"]
    assert outcome["verdict"] == "H1"
    assert outcome["counts"] == [0, 0, 0, 0, pairs]
    assert (outcome["games"], outcome["wins"]) == (2 * pairs, 2 * pairs)
    assert outcome["llr"] >= outcome["bounds"][1] > Hypotheses(0, 600).llr([0, 0, 0, 0, pairs - 1])
    assert outcome["elo_error"] is None
    assert outcome["terminations"] == {"ILLEGAL_MOVE": 2 * pairs}
    # Those still running at the verdict are discarded; what had ended before it is kept.
    records = read_records(tmp_path / "test.jsonl")[0]
    assert 2 * pairs <= len(records) <= 2 * pairs + 6
    assert recorded_hypotheses(records) == Hypotheses(0.0, 600.0)
    assert "H1 accepted" in done.stdout
    assert done.stdout.splitlines()[-2].startswith("random_mover.py is stronger than misbehave.py: ")
    assert f"LLR {outcome['llr']:+.2f} H0 ·····|█████ H1" in done.stderr.splitlines()[-1]


def test_one_job_plays_no_game_too_many(tmp_path):
    outcome, _ = outcome_of(tmp_path, LOSER, MOVER, "--elo0", 0, "--elo1", 600)
    assert outcome["verdict"] == "H0"
    assert len(read_records(tmp_path / "test.jsonl")[0]) == 2 * outcome["pairs"]


def test_without_hypotheses_it_tests_0_against_30_and_the_games_may_run_out(tmp_path):
    outcome, done = outcome_of(tmp_path, LOSER, LOSER, "--games", 4)
    assert (outcome["elo0"], outcome["elo1"]) == (0.0, 30.0)
    assert recorded_hypotheses(read_records(tmp_path / "test.jsonl")[0]) == Hypotheses(0.0, 30.0)
    assert (outcome["verdict"], outcome["pairs"], outcome["games"]) == (None, 2, 4)
    assert "no verdict" in done.stdout
    assert "run the same command with --record test.jsonl --resume --games 8\n" in done.stdout


def test_a_terminal_shows_the_bar_in_place(tmp_path):
    words = ("sprt", MOVER, LOSER, "--elo0", 0, "--elo1", 600, "--seed", 3, "--games", 40, "--limit", WIDE_LIMIT_S)
    terminal = in_terminal(tmp_path, *words)
    terminal.expect(r"0 games  Elo -  LLR \+0\.00 H0 ·{5}\|·{5} H1")
    terminal.expect(r"\d+ games  Elo -  LLR \+[1-9]\.\d\d H0 ·{5}\|█+·* H1")
    terminal.expect("H1 accepted")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0


def test_hypotheses_are_not_changed_after_the_games(tmp_path):
    words = (LOSER, LOSER, "--games")
    outcome_of(tmp_path, *words, 4, "--elo1", 5)
    before = (tmp_path / "test.jsonl").read_bytes()
    for other in (("--elo1", 10), ("--elo1", 5, "--alpha", 0.1), ("--elo1", 5, "--model", "normalized")):
        done = run_judge(
            tmp_path, "sprt", *words, 8, *other, "--record", "test.jsonl", "--limit", WIDE_LIMIT_S, "--resume"
        )
        assert (done.returncode, (tmp_path / "test.jsonl").read_bytes()) == (2, before)
        assert "test.jsonl holds games of a test of --elo0 0 --elo1 5 --alpha 0.05" in done.stderr
    resumed, _ = outcome_of(tmp_path, *words, 8, "--elo1", 5, "--resume")
    assert resumed["games"] == 8


def test_games_of_a_match_count_and_that_is_said(tmp_path):
    words = (LOSER, LOSER, "--record", "test.jsonl", "--limit", WIDE_LIMIT_S, "--seed", 3, "--games")
    assert run_judge(tmp_path, "match", *words, 4).returncode == 0
    done = run_judge(tmp_path, "sprt", *words, 6, "--resume")
    assert (done.returncode, len(read_records(tmp_path / "test.jsonl")[0])) == (0, 6)
    assert (
        "note: 4 games in test.jsonl were played without hypotheses; they count in this test all the same"
        in done.stderr
    )
