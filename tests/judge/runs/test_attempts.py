"""A VOID game is played again at once, three times at most; what became of it is in the record file."""

import dataclasses
import json
import threading

import pytest
from msgspec import structs

from judge.play.referee import Interrupted
from judge.runs.ledger import Ledger
from judge.runs.progress import Progress
from judge.runs.record_file import exclusive_lock
from judge.runs.schedule import (
    MOST_ATTEMPTS,
    Schedule,
    ScheduledGame,
    attempts_left,
    attempts_made,
    is_settled,
    play_all,
)
from protocol.records.record import Player, Termination, read_records
from tests.judge.helpers.records import ended
from tests.judge.helpers.scripted import BOARD, PATIENCE_S, bot, moves_of, plan
from tests.judge.runs.helpers.at_once import (
    ADA,
    BOB,
    CRASHING,
    EVERY_TIME,
    ILLEGAL,
    AtOnce,
    outcome_of,
    stopped_before,
)

PLAYERS = (bot("first_legal"), bot("first_legal"))


def schedule(games):
    return Schedule(games, lambda index: ScheduledGame(PLAYERS, plan(index=index, pair=index // 2)))


def attempts_of(records):
    return [(record.extra["index"], record.extra["attempt"], record.termination.value) for record in records]


def played(games, voids, jobs=1):
    """The records of some games of which some are VOID, in the order in which they came."""
    records = []
    play_all(games, jobs, threading.Event(), records.append, AtOnce(voids))
    return records


def test_a_void_game_is_played_again_before_any_other():
    found = [(0, 1, "NORMAL"), (1, 1, "VOID"), (1, 2, "VOID"), (1, 3, "NORMAL"), (2, 1, "NORMAL"), (3, 1, "NORMAL")]
    assert attempts_of(played(schedule(4), {1: 2})) == found


@pytest.mark.parametrize("jobs", [1, 3])
def test_four_attempts_are_the_most(jobs):
    records = played(schedule(6), {2: EVERY_TIME}, jobs)
    assert sorted(attempts_of(records)) == sorted(
        [*((index, 1, "NORMAL") for index in (0, 1, 3, 4, 5)), *((2, number, "VOID") for number in (1, 2, 3, 4))]
    )


def test_nothing_is_played_again_once_it_is_to_stop():
    records, stop, again = [], threading.Event(), []

    def play(contestants, plan, observer, stop):
        if records:  # the next attempt may have begun by now; it is told to stop
            again.append(plan.index)
            assert stop.wait(PATIENCE_S)
            raise Interrupted
        return structs.replace(ended(Termination.VOID), extra={"index": plan.index})

    def keep(record):
        records.append(record)
        stop.set()

    play_all(schedule(1), 1, stop, keep, play)
    assert attempts_of(records)[:1] == [(0, 1, "VOID")]
    assert len(again) <= 1


def test_a_failure_of_the_judges_own_ends_the_run():
    def play(contestants, plan, observer, stop):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        play_all(schedule(5), 2, threading.Event(), lambda record: None, play)


def test_as_many_games_run_at_a_time_as_there_are_jobs():
    meeting = threading.Barrier(3)  # nobody passes before the third comes
    records = []
    play = AtOnce(before=lambda contestants, plan, stop: meeting.wait(PATIENCE_S))
    play_all(schedule(6), 3, threading.Event(), records.append, play)
    assert sorted(record.extra["index"] for record in records) == list(range(6))


@pytest.mark.parametrize("made, left", [(0, 4), (1, 3), (3, 1), (4, 4), (6, 2)])
def test_a_series_is_gone_on_with_and_followed_by_another(made, left):
    assert MOST_ATTEMPTS == 4
    assert attempts_left(made) == left
    games = [dataclasses.replace(game, attempts=made) for game in schedule(1)]
    records = played(games, {0: EVERY_TIME})
    assert attempts_of(records) == [(0, made + number, "VOID") for number in range(1, left + 1)]
    assert [is_settled(record) for record in records] == [False] * (left - 1) + [True]


def test_a_record_without_a_number_of_its_attempt_counts_none():
    assert is_settled(ended(Termination.VOID))  # before attempts were counted
    assert attempts_made(None) == 0


def of_attempt(index, attempt, termination=Termination.VOID):
    return structs.replace(
        ended(termination),
        board=BOARD.as_json(),
        players=tuple(Player(player.name, player.command) for player in PLAYERS),
        seed=schedule(1)[0].plan.seed,
        pair=index // 2,
        extra={"index": index, "attempt": attempt},
    )


def ledger_of(tmp_path, *records, games=4):
    with exclusive_lock(tmp_path / "file.jsonl") as file:
        return Ledger(tmp_path / "file.jsonl", file, {}, schedule(games), records, {})


def test_a_ledger_goes_on_where_the_attempts_ended(tmp_path):
    ledger = ledger_of(tmp_path, of_attempt(0, 1, Termination.NORMAL), of_attempt(1, 1), of_attempt(1, 2))
    assert [record.extra["index"] for record in ledger.records] == [0]
    assert [(game.plan.index, game.attempts) for game in ledger.unsettled] == [(1, 2), (2, 0), (3, 0)]
    assert [(game.plan.index, game.attempts) for game in ledger.remaining] == [(1, 2), (2, 0), (3, 0)]
    assert ledger.void_attempts == 2
    assert [ledger.attempts_at(index) for index in (1, 2)] == [2, 0]


def test_a_game_that_stayed_void_is_left_or_tried_again(tmp_path):
    ledger = ledger_of(tmp_path, *(of_attempt(0, number) for number in (1, 2, 3, 4)), games=2)
    assert [record.extra["attempt"] for record in ledger.records] == [4]
    assert [(game.plan.index, game.attempts) for game in ledger.unsettled] == [(1, 0)]
    assert [(game.plan.index, game.attempts) for game in ledger.remaining] == [(0, 4), (1, 0)]


def test_an_attempt_that_is_followed_by_another_is_no_game_more(capsys):
    seconds = iter([0.0, 8.0, 16.0, 24.0, 32.0])
    with Progress(lambda records: "", 5, lambda: next(seconds)) as progress:
        for record in played(schedule(3), {1: 1}):
            progress.show([], record)
    # Three games in 32 s are too few for a pace; with the attempt counted they would be four.
    assert "left" not in capsys.readouterr().err


MATCH = ("match", ADA, BOB, "--games", 4, "--seed", 5, "--record", "games.jsonl")
TEST = ("sprt", ADA, BOB, "--elo0", 0, "--elo1", 200, "--seed", 5, "--record", "games.jsonl")


def in_file(folder, index):
    """The attempts at a game that the file has."""
    records = read_records(folder / "games.jsonl")[0]
    return [attempt for attempt in attempts_of(records) if attempt[0] == index]


def test_a_match_counts_the_last_attempt_alone(tmp_path):
    plain, _ = outcome_of(tmp_path, *MATCH[:-1], "plain.jsonl")
    spoilt = AtOnce({1: 3, 2: 1})
    outcome, output = outcome_of(tmp_path, *MATCH, play=spoilt)
    assert spoilt.played == {0: 1, 1: 4, 2: 2, 3: 1}  # a partner is left alone
    assert outcome["void_attempts"] == 4
    assert "attempts at games that did not count (VOID): 4; games left without a result: 0" in output
    for name in ("games", "wins", "terminations", "pairs"):
        assert outcome[name] == plain[name], name
    assert in_file(tmp_path, 1) == [(1, 1, "VOID"), (1, 2, "VOID"), (1, 3, "VOID"), (1, 4, "NORMAL")]
    again = [record for record in read_records(tmp_path / "games.jsonl")[0] if record.extra["index"] == 1]
    assert len({json.dumps([record.board, record.first, record.seed, moves_of(record)]) for record in again}) == 1


def test_a_game_that_stays_void_is_told_and_a_resumed_match_tries_again(tmp_path):
    outcome, output = outcome_of(tmp_path, *MATCH, play=AtOnce({3: EVERY_TIME}), status=3)
    assert (outcome["games"], outcome["void_attempts"], outcome["terminations"]["VOID"]) == (3, 4, 1)
    assert "attempts at games that did not count (VOID): 4; games left without a result: 1" in output
    outcome, _ = outcome_of(tmp_path, *MATCH, "--resume", play=AtOnce({3: 1}))
    assert (outcome["games"], outcome["void_attempts"], outcome["terminations"].get("VOID")) == (4, 5, None)
    assert [attempt for _, attempt, _ in in_file(tmp_path, 3)] == [1, 2, 3, 4, 5, 6]


def cut_off_after(folder, lines):
    path = folder / "games.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:lines]))


def test_a_match_killed_between_two_attempts_goes_on(tmp_path):
    outcome_of(tmp_path, *MATCH, play=AtOnce({1: EVERY_TIME}), status=3)
    cut_off_after(tmp_path, 2)
    outcome, output = outcome_of(tmp_path, *MATCH, "--resume")
    assert "resumed: 1 of 4 games are in the record" in output
    assert (outcome["games"], outcome["void_attempts"]) == (4, 1)
    assert in_file(tmp_path, 1) == [(1, 1, "VOID"), (1, 2, "NORMAL")]


def test_a_test_waits_for_the_pair_of_a_void_game(tmp_path):
    """The same pairs count, in the same order, as where nothing was VOID."""
    words = ("sprt", ADA, ILLEGAL, "--elo0", 0, "--elo1", 200, "--games", 60, "--seed", 5)
    plain, _ = outcome_of(tmp_path, *words, "--record", "plain.jsonl")
    several = ("--jobs", 3, "--oversubscribe", "--record", "games.jsonl")
    outcome, _ = outcome_of(tmp_path, *words, *several, play=AtOnce({0: 3, 5: 1}))
    assert outcome["verdict"] == plain["verdict"] == "H1"
    for name in ("pairs", "counts", "llr"):
        assert outcome[name] == plain[name], name
    assert outcome["void_attempts"] == 4


def test_a_pair_that_stays_void_is_left_out_of_a_test_for_good(tmp_path):
    outcome, _ = outcome_of(tmp_path, *TEST, "--games", 6, play=AtOnce({2: EVERY_TIME}), status=3)
    assert (outcome["pairs"], outcome["void_attempts"]) == (2, 4)
    size = (tmp_path / "games.jsonl").stat().st_size
    again, _ = outcome_of(tmp_path, *TEST, "--games", 6, "--resume", status=3)
    assert (again["counts"], (tmp_path / "games.jsonl").stat().st_size) == (outcome["counts"], size)


def test_a_test_killed_between_two_attempts_plays_the_rest_of_them(tmp_path):
    outcome_of(tmp_path, *TEST, "--games", 2, play=AtOnce({0: EVERY_TIME}), status=3)
    cut_off_after(tmp_path, 2)
    outcome, _ = outcome_of(tmp_path, *TEST, "--games", 2, "--resume")
    assert (outcome["pairs"], outcome["void_attempts"]) == (1, 2)
    assert [attempt for _, attempt, _ in in_file(tmp_path, 0)] == [1, 2, 3]


def test_a_batch_plays_its_void_games_again(tmp_path):
    words = ("batch", ADA, "--against", BOB, ILLEGAL, "--record", "games.jsonl")
    outcome, output = outcome_of(tmp_path, *words, play=AtOnce({1: 2}))
    assert (outcome["judged"], outcome["total"], outcome["void_attempts"]) == (4, 4, 2)
    assert "attempts at games that did not count (VOID): 2; games left without a result: 0" in output


def test_the_failures_of_a_player_in_a_row_are_not_interrupted_by_a_void_game(tmp_path):
    words = ("match", ADA, CRASHING, "--games", 9, "--record", "games.jsonl")
    _, output = outcome_of(tmp_path, *words, play=AtOnce({1: 2}, stopped_before(3)), status=4)
    assert "stopped: 3 of 9 games were played" in output
