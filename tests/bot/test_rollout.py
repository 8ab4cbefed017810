"""Rollouts: the compiled ones equal a slow, obvious one move by move, and what they prove is true."""

import random
import struct

import numpy as np
import pytest
from exhaustive import Solver, random_position, random_positions
from kernel_probes import as_words, run_general_rollout, run_rollouts

from bot.games.connect_four.board import ALL_TACTICS, AVOID, BLOCK, RESERVE, TAKE_WINS
from bot.games.connect_four.engine import UctEngine
from bot.games.connect_four.plain import columns_of, winning_cells
from bot.games.connect_four.settings import DEFAULT
from bot.search.layout import CONTROL_FIELDS, RANDOM_STATE, ROLLOUT_PLIES
from bot.search.scores import UNPROVEN, is_loss, is_win
from judge.rules.connect_four import ConnectFour

MEMORY_MB = 198
WORD = 0xFFFFFFFFFFFFFFFF
SMALL_BOARDS = [(4, 4, 5), (4, 5, 11), (5, 4, 11)]
ALL_SIZES = [(rows, columns, 0) for rows in (4, 6, 9, 12) for columns in (4, 7, 9, 12)]


def control_with(seed):
    """A control block with that random state."""
    control = np.zeros(CONTROL_FIELDS, np.uint64)
    control[RANDOM_STATE] = seed
    return control


def rollouts(position, policy, seed, count):
    """(values, scores, control block afterwards) of so many rollouts, one after the other."""
    control = control_with(seed)
    values, scores = np.zeros(count, np.int64), np.zeros(count, np.int64)
    run_rollouts(as_words(position), policy, control, values, scores)
    return values.tolist(), scores.tolist(), control


def allowed_columns(position, policy):
    """The columns that a mover of that policy picks from: one tactic after the other, as the issue lists them."""
    wins = columns_of(winning_cells(position.own) & position.floor)
    if policy & TAKE_WINS and wins:
        return wins
    blocks = columns_of(winning_cells(position.opponent) & position.floor)
    if policy & BLOCK and blocks:
        return blocks
    columns = position.legal_columns()
    above = position.cell_above(position.floor)
    under_opponents = columns_of(winning_cells(position.opponent) & above)
    if policy & AVOID:
        columns = [column for column in columns if column not in under_opponents] or columns
    under_own = columns_of(winning_cells(position.own) & above)
    if policy & RESERVE and not blocks:
        columns = [column for column in columns if column not in under_own] or columns
    return columns


def slow_rollout(position, policy, random_state):
    """(value, plies, random state afterwards) of one rollout, refereed by the judge's rules."""
    rules = ConnectFour(position.rows, position.columns)
    side = plies = 0
    while position.floor:
        random_state ^= (random_state << 13) & WORD
        random_state ^= random_state >> 7
        random_state ^= (random_state << 17) & WORD
        columns = allowed_columns(position, policy)
        column = columns[((random_state >> 32) * len(columns)) >> 32]
        row = rules.rows - 1 - position.floor_row(column)
        position = position.play(column)
        rules.owner = owners(position, side)
        plies += 1
        if rules.completes_line(row, column):
            return (1 if side == 0 else -1), plies, random_state
        side = 1 - side
    return 0, plies, random_state


def owners(position, mover):
    """The judge's grid of a position in which `mover` has just moved."""
    grid = []
    for row in reversed(range(position.rows)):
        bits = [1 << (16 * column + row) for column in range(position.columns)]
        grid.append([mover if position.opponent & bit else 1 - mover if position.own & bit else None for bit in bits])
    return grid


@pytest.mark.parametrize("policy", range(ALL_TACTICS + 1))
def test_every_policy_equals_the_slow_rollout(policy):
    generator = random.Random(policy)
    for position in random_positions(policy, 12, ALL_SIZES[policy % 4::4]):
        seed = generator.getrandbits(63) | 1
        control = control_with(seed)
        value, _ = run_general_rollout(as_words(position), policy, control)
        expected, plies, random_state = slow_rollout(position, policy, seed)
        assert (value, int(control[ROLLOUT_PLIES]), int(control[RANDOM_STATE])) == (expected, plies, random_state)


def test_the_quick_rollout_has_the_results_of_the_general_one():
    """It stops as soon as the end is certain; the moves until then are the same ones."""
    generator = random.Random(1)
    results = set()
    for position in random_positions(2, 1500, ALL_SIZES):
        seed = generator.getrandbits(63) | 1
        values, scores, _ = rollouts(position, ALL_TACTICS, seed, 1)
        value, _ = run_general_rollout(as_words(position), ALL_TACTICS, control_with(seed))
        assert values == [value]
        results.add(value)
        if scores[0] != UNPROVEN:
            assert value == (1 if is_win(scores[0]) else -1 if is_loss(scores[0]) else 0)
    assert results == {-1, 0, 1}


@pytest.mark.parametrize("policy", [ALL_TACTICS, ALL_TACTICS & ~RESERVE, ALL_TACTICS & ~AVOID, ALL_TACTICS & ~BLOCK,
                                    ALL_TACTICS & ~TAKE_WINS, TAKE_WINS, BLOCK, AVOID, 0])
def test_what_a_rollout_proves_is_true(policy):
    solver = Solver()
    proofs = 0
    for position in random_positions(7, 1200, SMALL_BOARDS):
        for score in set(rollouts(position, policy, 12345, 20)[1]) - {UNPROVEN}:
            proofs += 1
            assert score == solver.score(position)
    assert proofs > 50


def test_the_same_seed_gives_the_same_rollouts():
    position = random_position(random.Random(4), 9, 10, (0, 3), 10)
    values, scores, control = rollouts(position, ALL_TACTICS, 99, 500)
    again, scores_again, control_again = rollouts(position, ALL_TACTICS, 99, 500)
    assert (values, scores, control.tolist()) == (again, scores_again, control_again.tolist())
    assert values != rollouts(position, ALL_TACTICS, 100, 500)[0]
    assert set(values) <= {-1, 0, 1}


def test_rollouts_are_fair_to_both_sides_of_a_mirrored_board():
    """Left and right are alike: a position and its mirror image have about the same average result."""
    def mean(picture):
        return np.mean(rollouts(picture, ALL_TACTICS, 7, 20_000)[0])

    position = random_position(random.Random(9), 9, 9, (2, 4), 15)
    mirrored = mirror_image(position)
    assert mirrored != position
    # Twenty thousand results of at most 1 have a standard error of 0.007; six of the difference's are 0.06.
    assert abs(mean(position) - mean(mirrored)) < 0.06


def mirror_image(position):
    def turned(cells):
        return sum(((cells >> (16 * column)) & 0xFFFF) << (16 * (position.columns - 1 - column))
                   for column in range(position.columns))
    return type(position)(position.rows, position.columns, position.board, turned(position.forbidden),
                          turned(position.own), turned(position.opponent), turned(position.floor))


def test_timed_rollouts_are_counted_and_play_whole_games(kernels):
    position = random_position(random.Random(4), 9, 10, (0, 3), 10)
    engine = UctEngine(kernels, DEFAULT, MEMORY_MB, seed=1)
    seconds, plies = engine.time_rollouts(position, 2000)
    assert seconds > 0
    assert 2000 * 4 < plies < 2000 * 80
