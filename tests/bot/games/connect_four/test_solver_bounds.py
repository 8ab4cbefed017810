"""What the solver believes without search: bounds from following up, lines still open, cells in reach."""

import random

import numpy as np
import pytest
from numba import njit

from bot.games.connect_four.plain import winning_cells as plain_winning_cells
from bot.games.connect_four.rules.lines import has_four, open_lines, reachable_cells
from bot.games.connect_four.rules.position import load_root, winning_cells
from bot.games.connect_four.rules.zugzwang import CANNOT_WIN, LOSES, UNBOUNDED, follow_up_bound, loses_by_zugzwang
from bot.games.connect_four.solver.memory import position_hash
from bot.kernels.lanes import quarter, without
from bot.search.scores import PROVEN_DRAW, outcome
from tests.bot.games.connect_four.helpers.exhaustive import Solver, random_position, random_positions
from tests.bot.games.connect_four.helpers.probes import as_words

SIZES = ((4, 4, 2), (4, 5, 8), (5, 4, 8), (4, 6, 12), (6, 4, 12), (5, 5, 13))
FOUR_IN_LINE = [(0, 16, 32, 48), (0, 1, 2, 3), (0, 17, 34, 51), (3, 18, 33, 48)]


@njit
def probe(words, found):
    """found: uint64[16]: four words of open lines of the mover, four of reachable cells, bound, four, hash."""
    own, opponent, floor, _, forbidden, board = load_root(words, 0)
    free = without(board, own | opponent | forbidden)
    reachable = reachable_cells(free, winning_cells(own), winning_cells(opponent))
    own_lines, opponent_lines = open_lines(own | reachable), open_lines(opponent | reachable)
    for index, lanes in enumerate((own_lines, reachable)):
        found[4 * index] = quarter(lanes, 0)
        found[4 * index + 1] = quarter(lanes, 1)
        found[4 * index + 2] = quarter(lanes, 2)
        found[4 * index + 3] = quarter(lanes, 3)
    found[8] = np.uint64(follow_up_bound(own, opponent, free, floor, reachable) + 5)
    found[9] = np.uint64(has_four(own | free))
    found[10] = position_hash(own & own_lines, opponent & opponent_lines, floor)


def probed(position):
    found = np.zeros(16, np.uint64)
    probe(as_words(position), found)
    lines, reachable = (int.from_bytes(found[first : first + 4].tobytes(), "little") for first in (0, 4))
    return lines, reachable, int(found[8]) - 5, bool(found[9]), int(found[10])


@pytest.fixture(scope="module")
def everything():
    return Solver()


def free_cells(position):
    return position.board & ~position.forbidden & ~(position.own | position.opponent)


def test_following_up_is_worth_what_it_promises(everything):
    seen = {UNBOUNDED: 0, CANNOT_WIN: 0, LOSES: 0}
    for position in random_positions(8, 4000, SIZES):
        if bin(free_cells(position)).count("1") % 2:
            continue
        bound = probed(position)[2]
        seen[bound] += 1
        if bound == LOSES:
            assert outcome(everything.score(position)) == "loss"
        elif bound == CANNOT_WIN:
            assert outcome(everything.score(position)) in ("draw", "loss")
    assert min(seen.values()) > 20


def test_no_line_beyond_the_open_ones_is_ever_completed(everything):
    """A side without a four in its stones and the free cells can at best draw."""
    hopeless = 0
    for position in random_positions(9, 2000, SIZES):
        lines, _, _, possible, _ = probed(position)
        if not possible:
            assert everything.score(position) <= PROVEN_DRAW
            hopeless += 1
        assert lines == slow_open_lines(position.own | probed(position)[1])
    assert hopeless > 20


def slow_open_lines(cells):
    """Every cell of four in line, one line after another."""
    found = 0
    for line in FOUR_IN_LINE:
        for start in range(192):
            four = sum(1 << (start + step) for step in line)
            if cells & four == four:
                found |= four
    return found


def test_unreachable_cells_are_never_filled():
    """Whatever both sides play, the game is over before a stone comes there, if every four ends it."""
    blocked = 0
    for position in random_positions(10, 500, SIZES):
        unreachable = free_cells(position) & ~probed(position)[1]
        if unreachable and bin(free_cells(position)).count("1") <= 10:
            blocked += 1
            assert not can_be_filled(position, unreachable, set())
    assert blocked > 10


def can_be_filled(position, cells, seen):
    """Whether some line of play without a missed win or block puts a stone into one of the cells."""
    if position.key() in seen or position.opponent_has_won():
        return False
    seen.add(position.key())
    if (position.own | position.opponent) & cells:
        return True
    if plain_winning_cells(position.own) & position.floor:
        return False
    return any(can_be_filled(position.play(column), cells, seen) for column in position.legal_moves())


@pytest.mark.parametrize(
    "rows, columns, forbidden_cell", [(4, 4, None), (4, 4, (1, 2)), (5, 4, (2, 1)), (4, 5, (3, 2))]
)
def test_positions_with_one_hash_have_one_score(everything, rows, columns, forbidden_cell):
    """Positions of one board that the table takes for one: equal floors, and stones that differ where none matters."""
    by_hash = {}
    generator = random.Random(12)
    for _ in range(5000):
        plies = generator.randint(rows * columns // 2, rows * columns - 4)
        position = random_position(generator, rows, columns, forbidden_cell, plies)
        by_hash.setdefault(probed(position)[4], {})[position.key()] = position
    merged = [list(group.values()) for group in by_hash.values() if len(group) > 1]
    assert len(merged) > 100
    for group in merged:
        assert len({everything.score(position) for position in group}) == 1
        assert len({position.floor for position in group}) == 1
