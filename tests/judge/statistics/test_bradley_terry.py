"""The fit against published figures, closed forms, a maximizer that knows nothing of it, and another program's."""

import itertools
import math
import random

import numpy
import pytest
from scipy.optimize import minimize

from judge.statistics.bradley_terry import BALANCE, chances, fit, is_bounded, linked_groups, rival_groups

# The home team's wins and losses against each other team: baseball's American League, Eastern Division, 1987.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
AT_HOME = """
 -  4-3 4-2 4-3 6-1 4-2 6-0
3-3  -  4-2 4-3 6-0 6-1 4-3
2-5 4-3  -  2-4 4-3 4-2 6-0
3-3 5-1 2-5  -  4-3 4-2 6-1
5-1 2-5 3-3 4-2  -  5-2 6-0
2-5 3-3 3-4 4-3 4-2  -  2-4
2-5 1-5 1-6 2-4 1-6 3-4  -
"""


def baseball():
    """The season as counts."""
    counts = {}
    for home, row in enumerate(AT_HOME.split("\n")[1:-1]):
        for away, cell in enumerate(row.split()):
            if cell != "-":
                won, lost = map(int, cell.split("-"))
                counts[home, away] = [lost, 0, won]
    return counts


def random_counts(players, games, chance, draws=True):
    """Counts of random games of all against all, with all results in each order of two players."""
    counts = {}
    for first, other in itertools.permutations(range(players), 2):
        counts[first, other] = [
            1 + chance.randrange(games),
            draws * chance.randrange(games),
            1 + chance.randrange(games),
        ]
    return counts


def without_advantage(counts):
    """Every game twice, once with the order of the two players exchanged: so moving first is worth nothing."""
    both = {}
    for (first, other), numbers in counts.items():
        for pair, results in (((first, other), numbers), ((other, first), numbers[::-1])):
            both[pair] = [sum(games) for games in zip(both.get(pair, (0, 0, 0)), results, strict=True)]
    return both


def likelihood(counts, strengths, first_move=0.0, draw=0.0):
    """Its logarithm, written down anew."""
    value = 0.0
    for (first, other), (lost, drawn, won) in counts.items():
        x = strengths[first] - strengths[other] + first_move
        total = math.exp(x / 2) + math.exp(-x / 2) + draw
        value += won * math.log(math.exp(x / 2) / total) + lost * math.log(math.exp(-x / 2) / total)
        value += drawn * math.log(draw / total) if drawn else 0.0
    return value


def test_published_figures_without_an_advantage():
    """Agresti, Categorical Data Analysis (2nd ed., 2002), table 10.11: Baltimore is 0, errors are about 0.3."""
    found = fit(7, without_advantage(baseball()))
    over_baltimore = sorted(round(strength - found.strengths[6], 2) for strength in found.strengths)
    assert over_baltimore == [0.0, 0.68, 1.11, 1.25, 1.29, 1.44, 1.58]
    spread = 2 * found.covariance  # every game counts twice
    errors = [math.sqrt(spread[team][team] + spread[6][6] - 2 * spread[team][6]) for team in range(6)]
    assert [round(error, 1) for error in errors] == [0.3] * 6


def test_published_figures_with_an_advantage():
    """The same table and section 10.6.3: shares of the odds, and what playing at home is worth with its error."""
    found = fit(7, baseball())
    odds = [math.exp(strength) for strength in found.strengths]
    assert sorted(round(odd / sum(odds), 3) for odd in odds) == [0.044, 0.088, 0.137, 0.157, 0.164, 0.19, 0.22]
    assert found.first_move == pytest.approx(0.302, abs=5e-4)
    assert math.sqrt(found.covariance[7][7]) == pytest.approx(0.131, abs=5e-4)
    assert TEAMS[odds.index(max(odds))] == "Milwaukee"


def test_two_players_by_hand():
    """Without an advantage the odds are wins to losses, the draws' weight is D / sqrt(W L), all shares are met."""
    found = fit(2, without_advantage({(0, 1): [8, 6, 16]}))
    wins, draws, losses = 16, 6, 8
    assert found.strengths[0] - found.strengths[1] == pytest.approx(math.log(wins / losses))
    assert found.draw == pytest.approx(draws / math.sqrt(wins * losses))
    shares = chances(found.strengths[0] - found.strengths[1], found.draw)
    assert shares == pytest.approx((losses / 30, draws / 30, wins / 30))


@pytest.mark.parametrize("seed, draws", [(0, True), (1, False)])
def test_no_place_is_likelier(seed, draws):
    """By a maximizer that is given the likelihood alone."""
    counts = random_counts(4, 6, random.Random(seed), draws)
    found = fit(4, counts)

    def loss(place):
        return -likelihood(counts, [*place[:3], -sum(place[:3])], place[3], math.exp(place[4]) if draws else 0.0)

    best = minimize(loss, [0.0] * (4 + draws), method="BFGS", options={"gtol": 1e-8})
    assert found.strengths == pytest.approx([*best.x[:3], -sum(best.x[:3])], abs=1e-5)
    assert found.first_move == pytest.approx(best.x[3], abs=1e-5)
    assert found.draw == pytest.approx(math.exp(best.x[4]) if draws else 0.0, abs=1e-5)
    own = -likelihood(counts, found.strengths, found.first_move, found.draw)
    assert own <= best.fun + 1e-9


def test_the_covariance_is_the_inverse_of_minus_the_second_derivatives():
    """By differences of the likelihood, of the three strengths but one, the advantage and the logarithm of draws."""
    counts = random_counts(3, 9, random.Random(5))
    found = fit(3, counts)
    place = [found.strengths[0], found.strengths[1], found.first_move, math.log(found.draw)]

    def value(at):
        return likelihood(counts, [at[0], at[1], -at[0] - at[1]], at[2], math.exp(at[3]))

    def second(one, other, step=1e-4):
        ends = []
        for by, across in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            at = list(place)
            at[one] += by * step
            at[other] += across * step
            ends.append(by * across * value(at))
        return sum(ends) / (4 * step * step)

    information = [[-second(one, other) for other in range(4)] for one in range(4)]
    expected = numpy.linalg.inv(information)
    rows = (0, 1, 3, 4)  # without the third strength
    own = [[found.covariance[one][other] for other in rows] for one in rows]
    for row, other in zip(own, expected, strict=True):
        assert row == pytest.approx(other, rel=1e-3, abs=1e-6)


def test_another_program_finds_the_same_where_there_are_no_draws():
    choix = pytest.importorskip("choix", reason="need choix: pip install -e '.[oracle]'")
    chance = random.Random(1)
    counts = random_counts(6, 8, chance, draws=False)
    won = [
        pair
        for (first, other), (lost, _drawn, won) in counts.items()
        for pair in [(other, first)] * lost + [(first, other)] * won
    ]
    expected = choix.ilsr_pairwise(6, won)
    mean = sum(expected) / 6
    found = fit(6, without_advantage(counts)).strengths
    assert found == pytest.approx([strength - mean for strength in expected], abs=1e-5)


def test_a_prior_alone_is_its_own_estimate():
    found = fit(3, {}, precision=0.25)
    assert found.strengths == pytest.approx([0.0] * 3)
    assert [found.covariance[row][row] for row in range(4)] == pytest.approx([4.0] * 4)


def test_strong_players_are_far_apart():
    """2,000 Elo by way of others, and nothing overflows or cancels."""
    counts = {}
    for player in range(10):
        counts[player, player + 1] = counts[player + 1, player] = [10, 0, 10]
        counts[player, player + 1], counts[player + 1, player] = [10, 0, 40], [40, 0, 10]
    found = fit(11, counts)
    assert found.strengths[0] - found.strengths[10] == pytest.approx(10 * math.log(4))
    assert chances(800.0, 0.5) == pytest.approx((0.0, 0.0, 1.0))
    assert chances(60.0, 0.0).variance == pytest.approx(math.exp(-60.0))


def test_who_is_linked_by_games():
    for counts, expected in [
        ({}, [[0], [1], [2], [3]]),
        ({(1, 3): [1, 0, 0]}, [[1, 3], [0], [2]]),
        ({(1, 3): [1, 0, 0], (0, 2): [0, 1, 0]}, [[0, 2], [1, 3]]),
        ({(1, 3): [1, 0, 0], (3, 0): [0, 1, 0], (2, 0): [0, 0, 1]}, [[0, 1, 2, 3]]),
        ({(1, 3): [0, 0, 0]}, [[0], [1], [2], [3]]),
    ]:
        assert linked_groups(4, counts) == expected


def test_who_is_linked_by_results_both_ways():
    for counts, expected in [
        ({(0, 1): [0, 0, 5], (1, 2): [3, 0, 0]}, [[0], [1], [2]]),
        ({(0, 1): [0, 0, 5], (1, 0): [0, 0, 1]}, [[0, 1], [2]]),
        ({(0, 1): [0, 1, 0]}, [[0, 1], [2]]),
        ({(0, 1): [0, 0, 1], (1, 2): [0, 0, 1], (2, 0): [0, 0, 1]}, [[0, 1, 2]]),
        ({(0, 1): [0, 0, 1], (1, 0): [0, 0, 1], (2, 0): [1, 0, 0], (1, 2): [0, 0, 4]}, [[0, 1], [2]]),
    ]:
        assert rival_groups(3, counts) == expected


def test_what_bounds_the_advantage():
    assert is_bounded({(0, 1): [1, 0, 1], (1, 0): [2, 0, 3]})
    assert not is_bounded({(0, 1): [0, 0, 5], (1, 0): [2, 0, 3]})  # a strength and the advantage may grow together
    assert not is_bounded({(0, 1): [0, 3, 5], (1, 0): [0, 2, 3]})
    assert not is_bounded({(0, 1): [4, 0, 5], (1, 2): [4, 0, 5]})


def test_without_a_bound_half_a_game_either_way_is_one():
    """All won by the first mover: as far as one game between equals allows."""
    counts = {(0, 1): [0, 0, 10], (1, 0): [0, 0, 10]}
    found = fit(2, counts, is_balanced=True)
    lost, _drawn, won = BALANCE
    assert found.first_move == pytest.approx(math.log((20 + won) / lost))
    assert found.strengths == pytest.approx([0.0, 0.0])
    with pytest.raises(numpy.linalg.LinAlgError):
        fit(2, {(0, 1): [0, 0, 10], (1, 0): [0, 0, 10]}, precision=-1e-9)
