"""What the solver believes without search: lines still open, cells in reach, positions and columns that are one."""

import itertools
import random
from typing import NamedTuple

import numpy as np
import pytest

from bot.games.connect_four.plain import winning_cells as plain_winning_cells
from bot.games.connect_four.rules import (
    has_four,
    idle_columns,
    load_root,
    open_lines,
    reachable_cells,
    winning_cells,
)
from bot.games.connect_four.solver import position_hash
from bot.games.connect_four.zugzwang import CANNOT_WIN, LOSES, UNBOUNDED, follow_up_bound, loses_by_zugzwang
from bot.kernels.lanes import count_bits, quarter, without
from bot.search.scores import PROVEN_DRAW, outcome
from tests.bot.games.connect_four.helpers.exhaustive import (
    Solver,
    quiet_positions,
    random_position,
    random_positions,
)
from tests.bot.games.connect_four.helpers.probes import as_words
from tests.bot.helpers.probe import probe

SIZES = ((4, 4, 2), (4, 5, 8), (5, 4, 8), (4, 6, 12), (6, 4, 12), (5, 5, 13))
FOUR_IN_LINE = [(0, 16, 32, 48), (0, 1, 2, 3), (0, 17, 34, 51), (3, 18, 33, 48)]


@probe
def write_lines(words, found):
    """found: uint64[16]: four words of open lines of the mover, four of reachable cells, four, two hashes."""
    own, opponent, floor, _, forbidden, board = load_root(words, 0)
    free = without(board, own | opponent | forbidden)
    reachable = reachable_cells(free, winning_cells(own), winning_cells(opponent))
    own_lines, opponent_lines = open_lines(own | reachable), open_lines(opponent | reachable)
    for index, lanes in enumerate((own_lines, reachable)):
        found[4 * index] = quarter(lanes, 0)
        found[4 * index + 1] = quarter(lanes, 1)
        found[4 * index + 2] = quarter(lanes, 2)
        found[4 * index + 3] = quarter(lanes, 3)
    found[8] = np.uint64(has_four(own | free))
    found[9] = position_hash(own & own_lines, opponent & opponent_lines, floor, 0)
    idle = idle_columns(free, own_lines | opponent_lines)
    passes = count_bits(free & idle) & 1
    found[10] = position_hash(own & own_lines, opponent & opponent_lines, without(floor, idle), passes)


class Probed(NamedTuple):
    """What the kernels say of a position."""

    lines: int
    reachable: int
    possible: bool
    exact_hash: int
    outcome_hash: int


def probed(position):
    found = np.zeros(16, np.uint64)
    write_lines(as_words(position), found)
    lines, reachable = (int.from_bytes(found[first : first + 4].tobytes(), "little") for first in (0, 4))
    return Probed(lines, reachable, bool(found[8]), int(found[9]), int(found[10]))


@pytest.fixture(scope="module")
def everything():
    return Solver()


def free_cells(position):
    return position.board & ~position.forbidden & ~(position.own | position.opponent)


@pytest.mark.parametrize("count", [250, pytest.param(2000, marks=pytest.mark.slow)])
def test_no_line_beyond_the_open_ones_is_ever_completed(everything, count):
    """A side without a four in its stones and the free cells can at best draw."""
    hopeless = 0
    for position in random_positions(9, count, SIZES):
        found = probed(position)
        if not found.possible:
            assert everything.score(position) <= PROVEN_DRAW
            hopeless += 1
        assert found.lines == slow_open_lines(position.own | found.reachable)
    assert hopeless > count / 100


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
    for position in random_positions(10, 200, SIZES):
        unreachable = free_cells(position) & ~probed(position).reachable
        if unreachable and bin(free_cells(position)).count("1") <= 10:
            blocked += 1
            assert not can_be_filled(position, unreachable, set())
    assert blocked > 4


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


BOARDS = [
    (4, 4, (1, 2)),
    *[pytest.param(*board, marks=pytest.mark.slow) for board in ((4, 4, None), (5, 4, (2, 1)), (4, 5, (3, 2)))],
]


def merged(rows, columns, forbidden_cell, hash_of):
    """Groups of random positions of one board that have one hash."""
    by_hash = {}
    generator = random.Random(12)
    for _ in range(2500):
        plies = generator.randint(rows * columns // 2, rows * columns - 4)
        position = random_position(generator, rows, columns, forbidden_cell, plies)
        by_hash.setdefault(hash_of(probed(position)), {})[position.key()] = position
    return [list(group.values()) for group in by_hash.values() if len(group) > 1]


@pytest.mark.parametrize("rows, columns, forbidden_cell", BOARDS)
def test_positions_with_one_hash_have_one_score(everything, rows, columns, forbidden_cell):
    """Where distances count, the table takes those for one that differ in stones of which none matters."""
    groups = merged(rows, columns, forbidden_cell, lambda found: found.exact_hash)
    assert len(groups) > 30
    for group in groups:
        assert len({everything.score(position) for position in group}) == 1
        assert len({position.floor for position in group}) == 1


@pytest.mark.parametrize("rows, columns, forbidden_cell", BOARDS)
def test_positions_that_differ_in_idle_columns_too_have_one_outcome(everything, rows, columns, forbidden_cell):
    groups = merged(rows, columns, forbidden_cell, lambda found: found.outcome_hash)
    for group in groups:
        assert len({outcome(everything.score(position)) for position in group}) == 1
    assert sum(len({position.floor for position in group}) > 1 for group in groups) > 8


QUIET_SIZES = ((4, 4, 2), (4, 5, 8), (5, 4, 8), (4, 6, 12), (6, 4, 12), (5, 5, 13), (6, 5, 18), (5, 6, 18))
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


@pytest.fixture(scope="module", params=[100, pytest.param(3000, marks=pytest.mark.slow)])
def quiet(request):
    """Positions in which winning cells wait; to play their games takes seconds."""
    return list(quiet_positions(9, request.param))


def test_following_up_is_worth_what_it_promises(everything, quiet):
    seen = dict.fromkeys((UNBOUNDED, CANNOT_WIN, LOSES), 0)
    only_thorough = 0
    for position in itertools.chain(random_positions(8, min(4 * len(quiet), 3000), QUIET_SIZES), quiet[::2]):
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
    assert min(seen.values()) > len(quiet) / 100
    assert only_thorough > 0


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
    assert found > (len(quiet) / 20 if left_over else 0)
    assert only_thorough > 0 or not left_over or len(quiet) < 1000
