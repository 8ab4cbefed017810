"""What many games add up to on a page: the pairs that `match` and `sprt` count, and no others."""

import math
import random

import pytest
from msgspec import structs

from judge.reports.match import estimate, strength_in_words
from judge.runs.schedule import is_settled, with_attempt
from judge.statistics import score
from judge.statistics.ratings import rate
from judge.statistics.sprt import SPRT_KEY, Hypotheses, SequentialTest, as_json
from judge.web.record_data import Source
from judge.web.totals import MOST_POINTS, games_by_board, ratings_json, thinned, times_json, totals_json
from protocol.records.record import Move, Player, Termination
from tests.judge.helpers.records import ended
from tests.judge.web.view.helpers import samples

HYPOTHESES = Hypotheses(0.0, 20.0)


def result(pair, first, winner="A", columns=9, players=("one", "two")):
    """The record of a game with this result, on a board that is the pair's unless told otherwise."""
    record = ended(Termination.NORMAL)
    return structs.replace(
        record,
        board={"rows": 9, "cols": columns, "forbidden": [pair % 9, pair // 9]},
        players=tuple(Player(name, name) for name in players),
        first=first,
        winner=winner,
        pair=pair,
        extra={SPRT_KEY: as_json(HYPOTHESES)},
    )


def void(record):
    return structs.replace(record, termination=Termination.VOID, winner=None)


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
    return test.counts, test.verdict, [test.pairs, test.llr]


def shown(found):
    return found["strength"]["pairs"], found["llr"]["verdict"], list(found["llr"]["points"][-1])


def spoilt(*attempts):
    """A match of which some games were VOID at first: these were their attempts, of which the last is judged unless it
    is the fourth. The games of several jobs stand in the file's order, each game's attempts one after the other."""
    records = []
    for record in match(40):
        if record.pair % 5 == 2 and record.first == "B":
            *void_ones, last = attempts
            records += [with_attempt(void(record), attempt) for attempt in void_ones]
            records.append(with_attempt(void(record) if last == 4 else record, last))
        else:
            records.append(with_attempt(record, 1))
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
    found = totals([*others, with_attempt(void(first), 1)])
    assert found["llr"] is None and test.pairs == 0
    assert sum(found["strength"]["pairs"]) == 9


def test_files_have_pairs_of_their_own_and_no_test_in_common():
    one, two = match(12, seed=1), match(9, seed=2)
    found = totals(one, two)
    assert found["strength"]["pairs"] == [sum(both) for both in zip(*map(score.pair_counts, (one, two)), strict=True)]
    assert sum(found["strength"]["pairs"]) == 21
    assert found["llr"] is None
    assert totals(one)["llr"] is not None


def test_games_that_play_has_put_into_a_file_are_no_pairs():
    for records in (
        [result(0, "A"), result(0, "A")],
        [result(0, "A"), result(0, "B", columns=12)],
        [result(0, "A"), result(0, "B"), result(0, "A", "B")],
        [result(0, "A")],
    ):
        found = totals(records)
        assert found["strength"] is None and found["llr"] is None


def test_games_without_a_pair_are_in_none():
    lone = [structs.replace(record, pair=None) for record in match(1)]
    found = totals([*lone, *match(3)])
    assert sum(found["strength"]["pairs"]) == 3
    assert found["llr"]["points"][-1][0] == 3
    assert totals(lone)["strength"] is None
    assert score.judged_pairs([*lone, *match(1)]).keys() == {0}


def test_odd_hypotheses_have_bounds_all_the_same():
    for kept in ({"alpha": 1e-310}, {"beta": 5e-324}, {"alpha": 5e-324, "model": "normalized"}, {"elo1": 1e-300}):
        sprt = {**as_json(HYPOTHESES), **kept}
        records = [structs.replace(record, extra={SPRT_KEY: sprt}) for record in match(8)]
        found = totals(records)["llr"]
        assert found["known"] and found["elo0"] == 0.0
        assert all(map(math.isfinite, found["bounds"]))


def test_the_ratio_is_told_with_its_hypotheses():
    found = totals(match(3))["llr"]
    test = SequentialTest(HYPOTHESES)
    for record in match(3):
        test.add(record)
    assert {name: found[name] for name in found if name != "points"} == {
        "bounds": [pytest.approx(-2.944, abs=0.001), pytest.approx(2.944, abs=0.001)],
        "verdict": None,
        "elo0": 0.0,
        "elo1": 20.0,
        "model": "logistic",
        "known": True,
    }
    assert [pairs for pairs, _llr in found["points"]] == [1, 2, 3]
    assert found["points"][-1] == (3, test.llr)
    unknown = totals([structs.replace(record, extra={}) for record in match(3)])["llr"]
    assert (unknown["known"], unknown["elo0"], unknown["elo1"]) == (False, 0.0, 30.0)


@pytest.mark.parametrize("pairs", [3, 8])
def test_the_strength_is_that_of_the_report_with_figures_for_its_bar(pairs):
    counts = score.pair_counts(match(pairs))
    found = estimate(counts)
    assert (found is None) == (pairs < 5)
    assert totals(match(pairs))["strength"] == {
        "pairs": counts,
        "elo": found and found.elo,
        "error": found and found.elo_error,
        "told": strength_in_words(counts).elo.replace("+-", "±"),
        "los": strength_in_words(counts).los,
    }


def test_hypotheses_that_no_results_satisfy_have_no_ratio(monkeypatch):
    def refuse(self, counts):
        raise ValueError("no distribution")

    monkeypatch.setattr(Hypotheses, "llr", refuse)
    found = totals(match(8))
    assert found["llr"] is None and sum(found["strength"]["pairs"]) == 8


def test_games_of_several_matches_have_no_strength():
    pair = [result(0, "A"), result(0, "B")]
    for other in (result(1, "B", players=("one", "three")), structs.replace(result(1, "B"), game="dots")):
        found = totals([*pair, other])
        assert found["strength"] is None and found["llr"] is None


def test_a_long_curve_keeps_its_ends():
    points = [(pair, 0.01 * pair) for pair in range(1, 5000)]
    kept = thinned(points)
    assert len(kept) == MOST_POINTS == 200
    assert (kept[0], kept[-1]) == (points[0], points[-1])
    assert kept[1][0] == 1 + round(4998 / 199)
    assert thinned(points[:200]) == points[:200] and len(thinned(points[:201])) == 200


def times_of(*walls_s):
    """The record of a game of "one" alone, whose moves took so long."""
    moves = tuple(Move("A", 0, wall_s) for wall_s in walls_s)
    return structs.replace(result(0, "A"), moves=moves)


def test_times_are_counted_by_player_and_class():
    found = totals([times_of(0.0, 0.0005, 0.001, 0.0011, 0.25, 10.0, 10.1, 99.0)])["times"]
    assert found["classes"] == (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
    assert found["players"] == [{"name": "one", "counts": [2, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2]}]
    assert found["all"] == 1
    record = samples.game_of("connect_four")
    sums = {player["name"]: sum(player["counts"]) for player in times_json([record])["players"]}
    assert sums == {"one": -(-len(record.moves) // 2), "two": len(record.moves) // 2}
    many = [
        structs.replace(times_of(*[0.1] * (20 - number)), players=(Player(f"\x07{number}", ""),) * 2)
        for number in range(10)
    ]
    found = times_json(many)
    assert [player["name"] for player in found["players"]] == [f"\\x07{number}" for number in range(8)]
    assert found["all"] == 10


NAMES = ("ada", "bob", "cyd", "dee")


def test_ratings_are_those_that_the_judge_tells():
    records = samples.tournament(loser="cyd")
    told = ratings_json(records)
    found = rate(4, games_by_board(records, NAMES))
    advantage, error = found.first_move
    assert told["first"] == f"{advantage:+.0f} ±{error:.0f}"
    assert (told["draws"], told["dispersion"]) == (f"{found.draws:.1%}", f"{found.dispersion:.2f}")
    assert [player["elo"] for player in told["players"]] == sorted(
        (player["elo"] for player in told["players"]), reverse=True
    )
    for place, player in enumerate(told["players"]):
        number = NAMES.index(player["name"])
        elo, error = found.elo(number), found.error(number)
        assert (player["elo"], player["error"], player["held"]) == (elo, error, player["name"] == "cyd")
        assert player["told"] == [f"{round(elo):+d}" + "*" * player["held"], f"±{error:.0f}"]
        played = [record for record in records if player["name"] in [each.name for each in record.players]]
        won = sum(record.players["AB".index(record.winner)].name == player["name"] for record in played)
        assert player["counts"] == [18, won, 0, 18 - won]
        assert player["score"] == f"{won / 18:.1%}".replace("%", " %")
        assert (player["los"] == "-") == (place == 3)


def test_games_of_a_player_against_itself_change_no_rating():
    records = samples.tournament(NAMES[:3])
    against_itself = [samples.between(record, "ada", "ada") for record in records]
    assert ratings_json([*records, *against_itself]) == ratings_json(records)


def test_where_there_are_no_ratings_there_is_no_table():
    game = samples.tournament(NAMES[:3], rounds=1)
    assert len(ratings_json(game)["players"]) == 3
    for records in (
        samples.tournament(NAMES[:2]),
        [*game, samples.between(samples.game_of("dots"), "ada", "bob")],
        [structs.replace(record, winner=None, termination=Termination.VOID) for record in game],
    ):
        assert ratings_json(records) is None


def test_ratings_are_of_a_hundred_players_at_most(monkeypatch):
    game, asked = samples.game_of("dots"), []
    monkeypatch.setattr("judge.web.totals.rate", lambda number, boards: asked.append(number))
    for number in (100, 101):
        ring = [samples.between(game, f"player {one}", f"player {(one + 1) % number}") for one in range(number)]
        assert ratings_json(ring) is None
    assert asked == [100]


def test_games_of_a_pair_stand_together_whatever_file_they_are_from():
    records = samples.tournament(NAMES, rounds=1)
    other_seed = [structs.replace(record, seed=9) for record in records]
    without = [structs.replace(record, pair=None) for record in records[:2]]
    three = [records[0], records[1], records[0]]
    sizes = [len(board) for board in games_by_board([*records, *other_seed, *without], NAMES)]
    assert sizes == [2] * 12 + [1] * 2
    assert [len(board) for board in games_by_board(three, NAMES)] == [1, 1, 1]
    lost_by_second = structs.replace(records[1], first="B", winner="A")
    ((game,),) = games_by_board([lost_by_second], NAMES)
    assert game == (1, 0, score.LOSS)
