"""Bounds without a search are sound, by trying everything where few cells are free."""

import itertools

import numpy as np
import pytest

from bot.games.connect_four.rules.lines import reachable_cells
from bot.games.connect_four.rules.position import load_root, winning_cells
from bot.games.connect_four.rules.zugzwang import CANNOT_WIN, LOSES, UNBOUNDED, follow_up_bound, loses_by_zugzwang
from bot.kernels.lanes import without
from bot.search.scores import outcome
from tests.bot.games.connect_four.helpers.exhaustive import (
    Solver,
    quiet_positions,
    random_positions,
)
from tests.bot.games.connect_four.helpers.probes import as_words
from tests.bot.helpers.probe import probe

SIZES = ((4, 4, 2), (4, 5, 8), (5, 4, 8), (4, 6, 12), (6, 4, 12), (5, 5, 13), (6, 5, 18), (5, 6, 18))
FOLLOW_UP, FOLLOW_UP_QUICKLY, ZUGZWANG, ZUGZWANG_QUICKLY = range(4)


@probe
def write_bounds(words, found):
    own, opponent, floor, _, forbidden, board = load_root(words, 0)
    free = without(board, own | opponent | forbidden)
    threats = winning_cells(opponent) & free
    reachable = reachable_cells(free, winning_cells(own), threats)
    found[FOLLOW_UP] = follow_up_bound(own, opponent, free, floor, reachable, threats, True)
    found[FOLLOW_UP_QUICKLY] = follow_up_bound(own, opponent, free, floor, free, threats, False)
    found[ZUGZWANG] = loses_by_zugzwang(own, opponent, free, floor, reachable, threats, True)
    found[ZUGZWANG_QUICKLY] = loses_by_zugzwang(own, opponent, free, floor, free, threats, False)


def bounds_of(position):
    found = np.zeros(4, np.int64)
    write_bounds(as_words(position), found)
    return found.tolist()


@pytest.fixture(scope="module")
def everything():
    return Solver()


@pytest.fixture(scope="module")
def quiet():
    """Positions in which winning cells wait; to play their games takes seconds."""
    return list(quiet_positions(9, 3000))


def test_following_up_is_worth_what_it_promises(everything, quiet):
    seen = dict.fromkeys((UNBOUNDED, CANNOT_WIN, LOSES), 0)
    only_thorough = 0
    for position in itertools.chain(random_positions(8, 3000, SIZES), quiet[::2]):
        if position.free_cells() % 2:
            continue
        thorough, quick = bounds_of(position)[:2]
        seen[thorough] += 1
        only_thorough += thorough != quick
        assert thorough <= quick
        if thorough == LOSES:
            assert outcome(everything.score(position)) == "loss"
        elif thorough == CANNOT_WIN:
            assert outcome(everything.score(position)) in ("draw", "loss")
    assert min(seen.values()) > 20
    assert only_thorough > 5


@pytest.mark.parametrize("left_over", [0, 1])
def test_who_has_to_fill_the_cell_below_a_win_loses(everything, quiet, left_over):
    found, only_thorough = 0, 0
    for position in quiet:
        if position.free_cells() % 2 != left_over:
            continue
        thorough, quick = bounds_of(position)[2:]
        assert thorough >= quick
        if thorough:
            assert outcome(everything.score(position)) == "loss"
            found += 1
            only_thorough += not quick
    assert found > (500 if left_over else 20)
    assert only_thorough > 0 or not left_over
