"""What many games add up to on a page: the pairs that `match` and `sprt` count, and no others."""

import dataclasses
import math
import random

import pytest

from judge.pages.rows import Source
from judge.pages.totals import totals_json
from judge.play.attempts import is_settled, numbered
from judge.statistics import score
from judge.statistics.llr import Hypotheses
from judge.statistics.sequential_test import KEY, SequentialTest, as_json
from protocol.records.record import Player, Termination
from tests.judge.helpers.records import ended

HYPOTHESES = Hypotheses(0.0, 20.0)


def result(pair, first, winner="A", columns=9, players=("one", "two")):
    """The record of a game with this result, on a board that is the pair's unless told otherwise."""
    record = ended(Termination.NORMAL)
    return dataclasses.replace(
        record,
        board={"rows": 9, "cols": columns, "forbidden": [pair % 9, 0]},
        players=tuple(Player(name, name) for name in players),
        first=first,
        winner=winner,
        pair=pair,
        extra={KEY: as_json(HYPOTHESES)},
    )


def void(record):
    return dataclasses.replace(record, termination=Termination.VOID, winner=None)


def match(pairs, seed=1):
    """The games of a match of so many pairs in the order of their schedule."""
    chance = random.Random(seed)
    return [result(pair, first, chance.choice(("A", "B", None))) for pair in range(pairs) for first in "AB"]


def totals(*files):
    """The totals of a page of these files' records."""
    sources = [
        Source(index, number, record)
        for index, records in enumerate(files)
        for number, record in enumerate(records, start=1)
    ]
    return totals_json(sources)


def counted(test):
    return test.counts, test.verdict, [test.pairs, round(test.llr, 3)]


def shown(found):
    return found["strength"]["pairs"], found["llr"]["verdict"], list(found["llr"]["points"][-1])


def spoilt(*attempts):
    """A match of which some games were VOID at first: these were their attempts, of which the last is judged unless it
    is the fourth. The games of several jobs stand in the file's order, each game's attempts one after the other."""
    records = []
    for record in match(40):
        if record.pair % 5 == 2 and record.first == "B":
            *void_ones, last = attempts
            records += [numbered(void(record), attempt) for attempt in void_ones]
            records.append(numbered(void(record) if last == 4 else record, last))
        else:
            records.append(numbered(record, 1))
    random.Random(3).shuffle(records)
    return sorted(records, key=lambda record: record.extra["attempt"])


@pytest.mark.parametrize("attempts", [(1, 2), (1, 2, 3, 4)])
def test_the_ratio_is_that_of_the_test_where_void_games_were_played_again(attempts):
    records = spoilt(*attempts)
    test = SequentialTest(HYPOTHESES)
    for record in filter(is_settled, records):  # as they come
        test.add(record)
    assert shown(totals(records)) == counted(test)
    assert test.pairs == (40 if attempts == (1, 2) else 32)


def test_the_ratio_is_that_of_a_test_that_is_taken_up_again():
    records = spoilt(1, 2, 3, 4, 5)
    test = SequentialTest(HYPOTHESES)
    for record in {(record.pair, record.first): record for record in records}.values():  # the latest, as the ledger has
        test.add(record)
    assert shown(totals(records)) == counted(test)
    assert test.pairs == 40


def test_a_game_that_is_to_be_played_again_is_one_not_played_yet():
    first, *others = match(10)
    test = SequentialTest(HYPOTHESES)
    for record in others:
        test.add(record)
    found = totals([*others, numbered(void(first), 1)])
    assert found["llr"] is None and test.pairs == 0
    assert sum(found["strength"]["pairs"]) == 9


def test_files_have_pairs_of_their_own_and_no_test_in_common():
    one, two = match(12, seed=1), match(9, seed=2)
    found = totals(one, two)
    assert found["strength"]["pairs"] == [sum(both) for both in zip(*map(score.pair_counts, (one, two)), strict=True)]
    assert sum(found["strength"]["pairs"]) == 21
    assert found["llr"] is None
    assert totals(one)["llr"] is not None


@pytest.mark.parametrize(
    "records",
    [
        [result(0, "A"), result(0, "A")],
        [result(0, "A"), result(0, "B", columns=12)],
        [result(0, "A"), result(0, "B"), result(0, "A", "B")],
        [result(0, "A")],
    ],
    ids=["both A first", "two boards", "three games", "one game"],
)
def test_games_that_play_has_put_into_a_file_are_no_pairs(records):
    found = totals(records)
    assert found["strength"] is None and found["llr"] is None


def test_games_without_a_pair_are_in_none():
    lone = [dataclasses.replace(record, pair=None) for record in match(1)]
    found = totals([*lone, *match(3)])
    assert sum(found["strength"]["pairs"]) == 3
    assert found["llr"]["points"][-1][0] == 3
    assert totals(lone)["strength"] is None
    assert score.judged_pairs([*lone, *match(1)]).keys() == {0}


@pytest.mark.parametrize(
    "kept", [{"alpha": 1e-310}, {"beta": 5e-324}, {"alpha": 5e-324, "model": "normalized"}, {"elo1": 1e-300}]
)
def test_odd_hypotheses_have_bounds_all_the_same(kept):
    sprt = {**as_json(HYPOTHESES), **kept}
    records = [dataclasses.replace(record, extra={KEY: sprt}) for record in match(8)]
    found = totals(records)["llr"]
    assert found["known"] and found["elo0"] == 0.0
    assert all(map(math.isfinite, found["bounds"]))


def test_hypotheses_that_no_results_satisfy_have_no_ratio(monkeypatch):
    def refuse(self, counts):
        raise ValueError("no distribution")

    monkeypatch.setattr(Hypotheses, "llr", refuse)
    found = totals(match(8))
    assert found["llr"] is None and sum(found["strength"]["pairs"]) == 8


def test_games_of_several_matches_have_no_strength():
    pair = [result(0, "A"), result(0, "B")]
    for other in (result(1, "B", players=("one", "three")), dataclasses.replace(result(1, "B"), game="dots")):
        found = totals([*pair, other])
        assert found["strength"] is None and found["llr"] is None
