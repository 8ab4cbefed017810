"""What a pair of games is expected to tell, against the covariance with that pair in it."""

import random

import numpy
import pytest

from judge.statistics.ratings import PRECISION, Question, StrengthCovariance
from tests.judge.helpers.simulated_tournaments import drawn_world


def known(players=5, pairs=12, seed=4):
    """Some boards of so many players, met by chance."""
    chance = random.Random(seed)
    world = drawn_world(players, 200.0, chance, first_move=0.2, draw=0.2)
    return [world.board(*chance.sample(range(players), 2), chance) for _ in range(pairs)]


def all_of(players):
    """The question of all ratings, whose mean is 0."""
    return Question(range(players), [1.0 / players] * players)


def variances(covariance):
    """Of each strength's difference to the mean."""
    size = len(covariance)
    means = [sum(row) / size for row in covariance]
    return [covariance[place][place] - 2 * means[place] + sum(means) / size for place in range(size)]


def test_a_gain_is_what_the_variances_fall_by():
    """By the inverse of the information with that of two games more."""
    strengths = StrengthCovariance(5, known())
    covariance = strengths._covariance
    fit, (one, other) = strengths._fit, (1, 3)
    information = numpy.linalg.inv(covariance)
    weight = fit.chances(one, other).variance + fit.chances(other, one).variance
    for row, by in ((one, 1.0), (other, -1.0)):
        for column, across in ((one, 1.0), (other, -1.0)):
            information[row, column] += weight * by * across
    expected = numpy.linalg.inv(information)
    before, after = variances(covariance), variances(expected)
    gain = strengths.gain(one, other, all_of(5))
    assert gain == pytest.approx(sum(before) - sum(after))
    assert strengths.gain(one, other, all_of(5)._replace(players=[2])) == pytest.approx(before[2] - after[2])
    to_the_first = Question([one], [1.0, 0.0, 0.0, 0.0, 0.0])
    difference = numpy.array([1.0, -1.0, 0.0, 0.0, 0.0])
    assert strengths.gain(one, other, to_the_first) == pytest.approx(difference @ (covariance - expected) @ difference)
    strengths.learn(one, other)
    for row, other_row in zip(strengths._covariance, expected, strict=True):
        assert row == pytest.approx(other_row)
    assert strengths.gain(one, other, all_of(5)) < gain


def test_before_any_game_all_pairings_tell_as_much():
    strengths = StrengthCovariance(4, [])
    gains = {round(strengths.gain(one, other, all_of(4)), 12) for other in range(4) for one in range(other)}
    assert len(gains) == 1
    assert strengths._covariance[0][0] == pytest.approx(1 / PRECISION)


def test_a_pair_that_is_nearly_certain_tells_little():
    """Of two who are alike more is learnt by their games than by those of one of them against one who loses to it."""
    chance = random.Random(1)
    world = drawn_world(3, 1.0, chance)
    boards = [world.board(0, 1, chance) for _ in range(10)]
    for board in [world.board(0, 2, chance) for _ in range(10)]:
        boards.append([game._replace(result=2 if game.first == 0 else 0) for game in board])
    strengths = StrengthCovariance(3, boards)
    question = Question([0, 1], [0.5, 0.5, 0.0])
    assert strengths.gain(0, 1, question) > 10 * strengths.gain(0, 2, question)
