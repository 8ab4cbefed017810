"""The sentence that ends a match or a sequential test."""

import re

import pytest
from msgspec import structs

from judge.reports import verdict
from judge.statistics import elo, score
from judge.statistics.sprt import Hypotheses, SequentialTest
from protocol.records.record import Move, Player, Termination
from tests.judge.helpers.records import ended

LOST, DRAWN, WON = "B", None, "A"


def games(*pairs, names=("v8", "v7")):
    """Records of pairs of games with these winners, each with moves of its own."""
    record = structs.replace(ended(Termination.NORMAL), players=tuple(Player(name, name) for name in names))
    return [
        structs.replace(record, winner=winner, first=first, pair=number, moves=(Move("A", number, 1.0),))
        for number, pair in enumerate(pairs)
        for first, winner in zip("AB", pair, strict=True)
    ]


WW, WL, LL, WD = (WON, WON), (WON, LOST), (LOST, LOST), (WON, DRAWN)


def test_the_stronger_is_named_with_the_figures_from_pairs():
    records = games(*[WW] * 15, *[WL] * 31, *[LL] * 4)
    found = elo.estimate(score.pair_counts(records))
    assert verdict.of_match(records) == (
        f"v8 is stronger than v7: {found.elo:+.0f} Elo (95 %: {found.lower:+.0f} to {found.upper:+.0f}), "
        "61 of 100 points"
    )
    assert found.lower > 0


def test_the_weaker_too_and_half_points_are_points():
    assert re.fullmatch(
        r"v8 is weaker than v7: -\d+ Elo \(95 %: -\d+ to -\d+\), 10\.5 of 40 points",
        verdict.of_match(games(*[LL] * 10, *[WL] * 9, WD)),
    )


def test_all_results_alike_have_a_bound():
    assert verdict.of_match(games(*[WW] * 10)) == "v8 is stronger than v7: over +183 Elo (95 %), 20 of 20 points"


def test_an_interval_that_holds_0_decides_nothing_and_the_games_told_would_do():
    pairs = [WW] * 12 + [WL] * 30 + [LL] * 8
    told = verdict.of_match(games(*pairs))
    found = re.fullmatch(
        r"not decided: v8 against v7: \+28 Elo \(95 %: -\d+ to \+\d+\), 54 of 100 points; "
        r"about (\d+) more games are needed if they go like the games so far",
        told,
    )
    factor = (int(found[1]) + 100) / 100
    bounds = [elo.estimate([round(8 * much), 0, round(30 * much), 0, round(12 * much)]).lower for much in (factor, 1)]
    assert bounds[0] > 0 > bounds[1]


def test_few_games_say_how_many_are_the_least():
    assert (
        verdict.of_match(games(WW, WL))
        == "not decided: v8 against v7: 3 of 4 points; at least 6 more games are needed to decide"
    )
    same = [structs.replace(record, moves=()) for record in games(*[WW] * 30)]
    assert verdict.of_match(same) == (
        "not decided: v8 against v7: 60 of 60 points; only 1 of the 30 pairs of games count, because the others repeat "
        "one of them"
    )


def test_copies_of_a_pair_decide_nothing():
    once = games(WW, WW, WL, WL, LL)
    copies = [structs.replace(record, pair=5 * copy + record.pair) for copy in range(20) for record in once]
    figures = verdict.of_match(once).partition(" Elo")[0]
    assert verdict.of_match(copies).startswith(f"{figures} Elo") and figures.startswith("not decided: ")


def test_equal_points_say_how_large_a_difference_is_possible_before_what_more_games_would_tell():
    assert re.fullmatch(
        r"not decided: v8 against v7: \+0 Elo \(95 %: -(\d+) to \+\1\), 10 of 20 points; any difference within the "
        "interval of the Elo difference is possible; if the difference is as small as it looks, even 100,000 more "
        "games would not show it",
        verdict.of_match(games(*[WL] * 10)),
    )


def test_players_of_one_name_are_told_apart():
    assert verdict.of_match(games(*[WW] * 10, names=("bot", "bot"))).startswith("A (bot) is stronger than B (bot): ")


def test_names_are_text():
    assert "\x1b" not in verdict.of_match(games(WW, names=("\x1b[2J", "b")))


@pytest.mark.parametrize(
    ("hypotheses", "pair", "words"),
    [
        ((0, 30), WW, "v8 is stronger than v7: "),
        ((0, 30), LL, "v8 is not 30 Elo stronger than v7: "),
        ((-10, 0), WW, "v8 is not 10 Elo weaker than v7: "),
        ((-10, 0), LL, "v8 is weaker than v7: "),
    ],
)
def test_a_test_says_what_its_hypothesis_means(hypotheses, pair, words):
    test = SequentialTest(Hypotheses(*hypotheses))
    for record in games(*[pair] * 400):
        test.add(record)
    assert test.verdict is not None
    assert verdict.of_test(test, test.records).startswith(words)
    assert verdict.of_test(test, test.records).endswith(f" of {2 * test.pairs} points")


def test_a_test_without_a_verdict_says_what_it_still_takes():
    test = SequentialTest(Hypotheses(0, 30))
    records = games(*[WW, WL, WL, WW, WL, WL, LL, WL] * 100)
    for record in records[: 16 * 10]:
        test.add(record)
    told, so_far = verdict.of_test(test, test.records), test.pairs
    found = re.search(r"^not decided: v8 against v7: .*; about (\d+) more games", told)
    for record in records[16 * 10 :]:
        test.add(record)
    assert test.verdict == "H1"
    assert abs(2 * (test.pairs - so_far) - int(found[1])) <= 0.2 * int(found[1])


def test_a_rough_number_has_two_digits_and_is_even():
    assert [verdict.rounded_up(games) for games in (0.1, 3, 37, 123, 4999, 5001.5)] == [2, 4, 38, 130, 5000, 5100]
