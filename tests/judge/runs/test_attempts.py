"""A VOID game is played again at once, three times at most; what became of it is in the record file."""

import collections
import dataclasses
import json
import threading

import pytest

from judge.__main__ import main
from judge.command_parts import recorded_run
from judge.play.attempts import MOST_ATTEMPTS, attempts_left, attempts_made, is_settled
from judge.play.referee import Interrupted, play_game
from judge.runs.ledger import Ledger
from judge.runs.progress import Progress
from judge.runs.schedule import Schedule, ScheduledGame, play_all
from protocol.records.record import Player, Termination, read_records
from tests.judge.helpers.records import ended
from tests.judge.helpers.scripted import BOARD, PATIENCE_S, bot, command, moves_of, plan

MOVER = command("random_mover", "--seed", "{seed}")
LOSER = command("misbehave", "off_board")
EVERY_TIME = 1000


def schedule(games):
    players = (bot("first_legal"), bot("first_legal"))
    return Schedule(games, lambda index: ScheduledGame(players, plan(index=index, pair=index // 2)))


class Spoilt:
    """Plays in place of play_game, and has the first so many attempts at each of some games end VOID.

    voids: {a game's index: how many}; play: what makes a record of the others.
    """

    def __init__(self, voids, play=None):
        self.voids, self.play = voids, play or self._at_once
        self.played = collections.Counter()

    @staticmethod
    def _at_once(contestants, plan, observer, stop):
        return dataclasses.replace(ended(Termination.NORMAL), pair=plan.pair, extra={"index": plan.index})

    def __call__(self, contestants, plan, observer, stop):
        record = self.play(contestants, plan, observer, stop)
        self.played[plan.index] += 1
        if self.played[plan.index] > self.voids.get(plan.index, 0):
            return record
        return dataclasses.replace(record, termination=Termination.VOID, winner=None, at_fault=None)


def attempts_of(records):
    return [(record.extra["index"], record.extra["attempt"], record.termination.value) for record in records]


def played(games, voids, jobs=1):
    """The records of some games of which some are VOID, in the order in which they came."""
    records = []
    play_all(games, jobs, threading.Event(), records.append, Spoilt(voids))
    return records


def test_a_void_game_is_played_again_before_any_other():
    records = played(schedule(4), {1: 2})
    assert attempts_of(records) == [
        (0, 1, "NORMAL"),
        (1, 1, "VOID"),
        (1, 2, "VOID"),
        (1, 3, "NORMAL"),
        (2, 1, "NORMAL"),
        (3, 1, "NORMAL"),
    ]


@pytest.mark.parametrize("jobs", [1, 3])
def test_four_attempts_are_the_most(jobs):
    records = played(schedule(6), {2: EVERY_TIME}, jobs)
    assert sorted(attempts_of(records)) == sorted(
        [*((index, 1, "NORMAL") for index in (0, 1, 3, 4, 5)), *((2, number, "VOID") for number in (1, 2, 3, 4))]
    )


def test_its_partner_is_left_alone():
    spoilt = Spoilt({0: 1})
    play_all(schedule(2), 1, threading.Event(), lambda record: None, spoilt)
    assert spoilt.played == {0: 2, 1: 1}


def test_nothing_is_played_again_once_it_is_to_stop():
    records, stop, again = [], threading.Event(), []

    def play(contestants, plan, observer, stop):
        if records:  # the next attempt may have begun by now; it is told to stop
            again.append(plan.index)
            assert stop.wait(PATIENCE_S)
            raise Interrupted
        return dataclasses.replace(ended(Termination.VOID), extra={"index": plan.index})

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


@pytest.mark.parametrize("made, left", [(0, 4), (1, 3), (3, 1), (4, 4), (6, 2)])
def test_a_series_is_gone_on_with_and_followed_by_another(made, left):
    assert MOST_ATTEMPTS == 4
    assert attempts_left(made) == left
    games = [dataclasses.replace(game, attempts=made) for game in schedule(1)]
    records = played(games, {0: EVERY_TIME})
    assert attempts_of(records) == [(0, made + number, "VOID") for number in range(1, left + 1)]
    assert [is_settled(record) for record in records] == [False] * (left - 1) + [True]


@pytest.mark.parametrize("number, made", [(None, 0), (3, 3), (0, 0), (-1, 0), ("2", 0), (True, 0), (1.0, 0)])
def test_what_is_no_number_of_an_attempt_is_taken_for_none(number, made):
    record = dataclasses.replace(ended(Termination.VOID), extra={"index": 0, "attempt": number})
    assert attempts_made(record) == made


def test_a_void_record_of_before_attempts_were_counted_is_settled():
    assert is_settled(ended(Termination.VOID))
    assert attempts_made(None) == 0


def of_attempt(index, attempt, termination=Termination.VOID):
    return dataclasses.replace(
        ended(termination),
        board=BOARD.as_json(),
        players=tuple(Player(player.name, player.command) for player in schedule(1)[0].contestants),
        seed=schedule(1)[0].plan.seed,
        pair=index // 2,
        extra={"index": index, "attempt": attempt},
    )


def ledger_of(tmp_path, *records, games=4):
    return Ledger(tmp_path / "file.jsonl", {}, schedule(games), records, {})


def test_a_ledger_goes_on_where_the_attempts_ended(tmp_path):
    ledger = ledger_of(tmp_path, of_attempt(0, 1, Termination.NORMAL), of_attempt(1, 1), of_attempt(1, 2))
    assert [record.extra["index"] for record in ledger.records] == [0]
    assert [(game.plan.index, game.attempts) for game in ledger.unsettled] == [(1, 2), (2, 0), (3, 0)]
    assert [(game.plan.index, game.attempts) for game in ledger.remaining] == [(1, 2), (2, 0), (3, 0)]
    assert ledger.void_attempts == 2


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


@pytest.fixture
def spoil(monkeypatch):
    """Have some games of the commands end VOID: spoil({index: how often})."""

    def patch(voids):
        spoilt = Spoilt(voids, play_game)
        monkeypatch.setattr(recorded_run, "play_game", spoilt)

    return patch


def outcome_of(capsys, path, *words, status=0, resume=False):
    """(JSON object, stdout) of a command that plays into the file."""
    shared = ("--seed", 5, "--limit", 20, "--no-machine-check", "--record", path, "--json")
    assert main(list(map(str, (*words, *shared, *(["--resume"] if resume else []))))) == status
    output = capsys.readouterr().out
    return json.loads(output.splitlines()[-1]), output


def test_a_match_counts_the_last_attempt_alone(tmp_path, capsys, spoil):
    words = ("match", MOVER, MOVER, "--games", 4)
    plain, _ = outcome_of(capsys, tmp_path / "plain.jsonl", *words)
    spoil({1: 3, 2: 1})
    outcome, output = outcome_of(capsys, tmp_path / "spoilt.jsonl", *words)
    assert outcome["void_attempts"] == 4
    assert "VOID attempts: 4; games that stayed VOID: 0" in output
    assert {name: outcome[name] for name in ("games", "wins", "terminations", "pairs")} == {
        name: plain[name] for name in ("games", "wins", "terminations", "pairs")
    }
    records = read_records(tmp_path / "spoilt.jsonl")[0]
    assert [entry for entry in attempts_of(records) if entry[0] == 1] == [
        (1, 1, "VOID"),
        (1, 2, "VOID"),
        (1, 3, "VOID"),
        (1, 4, "NORMAL"),
    ]
    again = [record for record in records if record.extra["index"] == 1]
    assert len({json.dumps([record.board, record.first, record.seed, moves_of(record)]) for record in again}) == 1


def test_a_game_that_stays_void_is_told_and_a_resumed_match_tries_again(tmp_path, capsys, spoil):
    words, path = ("match", MOVER, MOVER, "--games", 4), tmp_path / "match.jsonl"
    spoil({3: EVERY_TIME})
    outcome, output = outcome_of(capsys, path, *words, status=3)
    assert (outcome["games"], outcome["void_attempts"], outcome["terminations"]["VOID"]) == (3, 4, 1)
    assert "VOID attempts: 4; games that stayed VOID: 1" in output
    spoil({3: 1})
    outcome, _ = outcome_of(capsys, path, *words, resume=True)
    assert (outcome["games"], outcome["void_attempts"], outcome["terminations"].get("VOID")) == (4, 5, None)
    assert [entry[1] for entry in attempts_of(read_records(path)[0]) if entry[0] == 3] == [1, 2, 3, 4, 5, 6]


def test_a_match_killed_between_two_attempts_goes_on(tmp_path, capsys, spoil):
    words, path = ("match", MOVER, MOVER, "--games", 4), tmp_path / "match.jsonl"
    spoil({1: EVERY_TIME})
    outcome_of(capsys, path, *words, status=3)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    spoil({})
    outcome, output = outcome_of(capsys, path, *words, resume=True)
    assert "resumed: 1 of 4 games are in the record" in output
    assert (outcome["games"], outcome["void_attempts"]) == (4, 1)
    assert attempts_of(read_records(path)[0])[:3] == [(0, 1, "NORMAL"), (1, 1, "VOID"), (1, 2, "NORMAL")]


def test_a_test_waits_for_the_pair_of_a_void_game(tmp_path, capsys, spoil):
    """The same pairs count, in the same order, as where nothing was VOID."""
    words = ("sprt", MOVER, LOSER, "--elo0", 0, "--elo1", 200, "--games", 60)
    plain, _ = outcome_of(capsys, tmp_path / "plain.jsonl", *words)
    spoil({0: 3, 5: 1})
    outcome, _ = outcome_of(capsys, tmp_path / "spoilt.jsonl", *words, "--jobs", 3, "--oversubscribe")
    assert outcome["verdict"] == plain["verdict"] == "H1"
    assert {name: outcome[name] for name in ("pairs", "counts", "llr")} == {
        name: plain[name] for name in ("pairs", "counts", "llr")
    }
    assert outcome["void_attempts"] == 4


def test_a_pair_that_stays_void_is_left_out_of_a_test_for_good(tmp_path, capsys, spoil):
    words, path = ("sprt", MOVER, MOVER, "--elo0", 0, "--elo1", 200, "--games", 6), tmp_path / "test.jsonl"
    spoil({2: EVERY_TIME})
    outcome, _ = outcome_of(capsys, path, *words, status=3)
    assert (outcome["pairs"], outcome["void_attempts"]) == (2, 4)
    size = path.stat().st_size
    spoil({})
    again, _ = outcome_of(capsys, path, *words, status=3, resume=True)
    assert (again["counts"], path.stat().st_size) == (outcome["counts"], size)


def test_a_test_killed_between_two_attempts_plays_the_rest_of_them(tmp_path, capsys, spoil):
    words, path = ("sprt", MOVER, MOVER, "--elo0", 0, "--elo1", 200, "--games", 2), tmp_path / "test.jsonl"
    spoil({0: EVERY_TIME})
    outcome_of(capsys, path, *words, status=3)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    spoil({})
    outcome, _ = outcome_of(capsys, path, *words, resume=True)
    assert (outcome["pairs"], outcome["void_attempts"]) == (1, 2)
    assert [entry[1] for entry in attempts_of(read_records(path)[0]) if entry[0] == 0] == [1, 2, 3]


def test_a_batch_plays_its_void_games_again(tmp_path, capsys, spoil):
    spoil({1: 2})
    outcome, output = outcome_of(capsys, tmp_path / "batch.jsonl", "batch", MOVER, "--against", MOVER, LOSER)
    assert (outcome["judged"], outcome["total"], outcome["void_attempts"]) == (4, 4, 2)
    assert "VOID attempts: 2; games that stayed VOID: 0" in output


def test_the_failures_of_a_player_in_a_row_are_not_interrupted_by_a_void_game(tmp_path, capsys, spoil):
    crashing = command("misbehave", "exit_3", "--at", 2)
    spoil({1: 2})
    _, output = outcome_of(capsys, tmp_path / "match.jsonl", "match", MOVER, crashing, "--games", 9, status=4)
    assert "stopped: 3 of 9 games were played" in output
