"""Schedules of any length: nothing is made of games that nobody comes to."""

import random
import tracemalloc

import pytest

from judge.runs.schedule import Schedule, without

MANY = 10**15


def numbers(games):
    """A Schedule of its own numbers."""
    return Schedule(games, lambda index: index)


def test_what_is_left_out_is_left_out_in_order():
    chance = random.Random(1)
    for games in [0, 1, 2, 17] * 30:
        left_out = chance.sample(range(games), chance.randint(0, games))
        assert list(without(numbers(games), left_out)) == [index for index in range(games) if index not in left_out]


def test_a_long_schedule_takes_no_room():
    tracemalloc.start()
    try:
        left = without(numbers(MANY), [0, 2, MANY - 1])
        assert (len(left), left[0], left[1], left[2], left[-1]) == (MANY - 3, 1, 3, 4, MANY - 2)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()
    with pytest.raises(IndexError):
        left[MANY - 3]
