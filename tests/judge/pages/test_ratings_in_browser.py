"""The ratings of a tournament on its page: the standings that the judge tells, in words and as bars."""

import dataclasses
import itertools
import random

import pytest

from judge.pages.ratings import boards_of, ratings_json
from judge.statistics.ratings import rate
from protocol.records.record import Termination
from tests.judge.pages.helpers import samples

NAMES = ("ada", "bob", "cyd", "dee")
TEXTS = "all => all.map((row) => [...row.children].map((cell) => cell.textContent))"


def tournament(names=NAMES, rounds=3, loser=None, game="connect_four"):
    """Everybody against everybody, won by chance; `loser` loses all."""
    chance = random.Random(4)
    played = samples.game_of(game)
    records = []
    for pair, (one, other) in enumerate(list(itertools.combinations(names, 2)) * rounds):
        for first in "AB":
            winner = chance.choice("AB")
            if loser in (one, other):
                winner = "B" if loser == one else "A"
            record = samples.between(played, one, other, pair)
            records.append(dataclasses.replace(record, first=first, winner=winner))
    return records


def rows(tab):
    """The rows of the ratings, a text for each cell."""
    return tab.locator(".ratings tbody tr").evaluate_all(TEXTS)


def test_the_page_shows_what_the_judge_tells(pages):
    records = tournament(loser="cyd")
    told = ratings_json(records)
    found = rate(4, boards_of(records, NAMES))
    assert told["players"][-1]["name"] == "cyd" and told["players"][-1]["held"]
    assert told["dispersion"] == f"{found.dispersion:.2f}"
    tab = pages.open(records, "#statistics")
    shown = rows(tab)
    assert [row[0] for row in shown] == [f"{place}  {row['name']}" for place, row in enumerate(told["players"], 1)]
    for row, player in zip(shown, told["players"], strict=True):
        elo, error = found.elo(NAMES.index(player["name"])), found.error(NAMES.index(player["name"]))
        assert row[1:3] == [f"{round(elo):+d}" + "*" * player["held"], f"±{error:.0f}"]
        assert row[4:8] == [str(count) for count in player["counts"]]
        assert sum(player["counts"][1:]) == player["counts"][0] == 18
    assert [row[9] for row in shown][-1] == "-"
    assert tab.locator(".rating circle").count() == 4
    assert tab.locator(".rating.held").count() == 1
    places = tab.locator(".rating circle").evaluate_all("all => all.map((dot) => Number(dot.getAttribute('cx')))")
    assert places == sorted(places, reverse=True)
    assert "one way" in tab.locator(".part", has=tab.locator(".ratings")).inner_text()
    assert tab.locator(".cross").count() == 1


def test_ratings_are_told_in_chinese(pages):
    tab = pages.open(tournament(), "#statistics", locale="zh-CN")
    tab.get_by_label("language").select_option("zh")
    assert "等级分" in tab.locator(".part", has=tab.locator(".ratings")).inner_text()


def test_twenty_players_who_have_met_have_a_crosstable(pages):
    names = [f"player {number}" for number in range(20)]
    tab = pages.open(tournament(names, rounds=1), "#statistics")
    assert len(rows(tab)) == 20
    assert tab.locator(".cross tbody tr").count() == 20


@pytest.mark.parametrize(
    "records",
    [
        tournament(NAMES[:2]),
        [*tournament(), samples.between(samples.game_of("dots"), "ada", "bob")],
        [dataclasses.replace(record, winner=None, termination=Termination.VOID) for record in tournament()],
        tournament([f"player {number}" for number in range(102)], rounds=1)[:300],
    ],
    ids=["a match", "two games", "no result", "too many"],
)
def test_where_there_are_no_ratings_there_is_no_table(records):
    assert ratings_json(records) is None


def test_games_of_a_pair_stand_together_whatever_file_they_are_from():
    records = tournament(rounds=1)
    other_seed = [dataclasses.replace(record, seed=9) for record in records]
    without = [dataclasses.replace(record, pair=None) for record in records[:2]]
    three = [records[0], records[1], records[0]]
    sizes = [len(board) for board in boards_of([*records, *other_seed, *without], NAMES)]
    assert sizes == [2] * 12 + [1] * 2
    assert [len(board) for board in boards_of(three, NAMES)] == [1, 1, 1]
