"""Elo against published figures and by its own laws."""

import math

import pytest

from judge.statistics.elo import elo_of_score, estimate, expected_score, results_needed
from judge.statistics.score import percentile


def test_game_counts_by_hand():
    """60 wins and 40 losses: mean 0.6, variance 0.24, standard error 0.049."""
    found = estimate([40, 0, 60])
    assert found.score == pytest.approx(0.6, abs=1e-5)
    assert found.elo == pytest.approx(400 * math.log10(1.5), abs=0.01)
    assert found.lower == pytest.approx(elo_of_score(0.6 - 1.95996 * math.sqrt(0.0024)), abs=0.05)
    assert found.los == pytest.approx(0.9794, abs=0.0002)


def test_elo_and_score_are_inverse():
    for elo in (-300.0, -1.5, 0.0, 20.0, 700.0):
        assert elo_of_score(expected_score(elo)) == pytest.approx(elo)


@pytest.mark.parametrize("counts", [[3, 5, 20], [1, 4, 9, 2, 0]])
def test_swapping_the_players_turns_the_sign(counts):
    found, swapped = estimate(counts), estimate(counts[::-1])
    assert swapped.elo == pytest.approx(-found.elo)
    assert swapped.upper == pytest.approx(-found.lower)
    assert swapped.los == pytest.approx(1 - found.los)


@pytest.mark.parametrize("counts", [[0, 0, 100], [0, 0, 0, 0, 100]])
def test_only_wins_have_a_bound_below_and_none_above(counts):
    """100 results alike: by Clopper and Pearson the share of the others is below 2.95 % at 95 %."""
    found = estimate(counts)
    assert found.lower == pytest.approx(elo_of_score(1 - 0.029513), abs=0.01)
    assert (found.score, found.elo, found.upper, found.elo_error) == (1.0, math.inf, math.inf, math.inf)
    assert found.los > 0.9999
    turned = estimate(counts[::-1])
    assert (turned.score, turned.elo, turned.lower, turned.upper) == (
        0.0,
        -math.inf,
        -math.inf,
        pytest.approx(-found.lower),
    )


@pytest.mark.parametrize("counts", [[0, 0, 8, 0, 0], [0, 0, 0, 8, 0], [0, 8, 0]])
def test_results_that_are_all_alike_may_be_chance(counts):
    """Of 8 results alike the share of the others is below 31.2 % at 95 %, and these may be losses or wins."""
    found, share = estimate(counts), 1 - 0.05 ** (1 / 8)
    mean = counts.index(8) / (len(counts) - 1)
    assert (found.score, found.elo) == (mean, pytest.approx(elo_of_score(mean)))
    assert found.lower == pytest.approx(elo_of_score((1 - share) * mean))
    assert found.upper == pytest.approx(elo_of_score((1 - share) * mean + share))
    assert found.los == 0.5 if mean == 0.5 else 0.95 < found.los < 1


@pytest.mark.parametrize("counts", [[0, 0, 0, 5, 0], [0, 5, 0, 0, 0], [0, 0, 4, 2, 0]])
def test_the_results_that_are_needed_are_enough(counts):
    factor = math.ceil(results_needed(counts)) / sum(counts)
    enough, fewer = (estimate([round(factor * count) - less * bool(count) for count in counts]) for less in (0, 1))
    assert enough.lower > 0 or enough.upper < 0
    assert fewer.lower < 0 < fewer.upper


def test_percentiles_are_values_that_were_there():
    for percent, expected in [(50, 2), (99, 4), (100, 4), (1, 1)]:
        assert percentile([1, 2, 3, 4], percent) == expected
