"""Rollouts: on average what the policy's own game tree says, exactly true where they claim a proof."""

import itertools
import random

import numpy as np
import pytest
from exhaustive import Solver, late_position, late_positions, position_from_picture, random_positions
from kernel_probes import as_words, run_rollouts

from bot.games.connect_four.board import ALL_TACTICS, AVOID, BLOCK, RESERVE, TAKE_WINS
from bot.games.connect_four.engine import UctEngine
from bot.games.connect_four.plain import columns_of, winning_cells
from bot.games.connect_four.settings import DEFAULT
from bot.search.layout import CONTROL_FIELDS, RANDOM_STATE, RANDOM_WORDS
from bot.search.scores import UNPROVEN, WIN_BASE, is_loss, is_win

MEMORY_MB = 198
ROLLOUTS = 4000
# Results of at most 1 have a standard error below 0.016 at 4000 rollouts: six of them.
TOLERANCE = 0.095


def rollouts(position, policy, seed, count=ROLLOUTS):
    """(values, scores) of so many rollouts, one after the other."""
    generator = random.Random(seed)
    control = np.zeros(CONTROL_FIELDS, np.uint64)
    for word in range(RANDOM_WORDS):
        control[RANDOM_STATE + word] = generator.getrandbits(63) | 1
    values, scores = np.zeros(count, np.int64), np.zeros(count, np.int64)
    run_rollouts(as_words(position), policy, control, values, scores)
    return values.tolist(), scores.tolist()


def allowed_columns(position, policy):
    """The columns that a mover of that policy picks from: one tactic after the other."""
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


def expected_value(position, policy, known):
    """The exact average result for the side to move when both sides pick evenly from the policy's columns."""
    if position.opponent_has_won():
        return -1.0
    if not position.floor:
        return 0.0
    key = position.key()
    if key not in known:
        columns = allowed_columns(position, policy)
        results = [-expected_value(position.play(column), policy, known) for column in columns]
        known[key] = sum(results) / len(results)
    return known[key]


@pytest.mark.parametrize("policy", range(ALL_TACTICS + 1))
def test_average_result_is_that_of_the_policy(policy):
    spread = set()
    for position in itertools.chain(random_positions(policy, 12), late_positions(policy, 12, 4, 2)):
        expected = expected_value(position, policy, {})
        spread.add(round(expected))
        values, _ = rollouts(position, policy, seed=policy)
        assert set(values) <= {-1, 0, 1}
        assert abs(np.mean(values) - expected) < TOLERANCE
    assert len(spread) > 1


@pytest.mark.parametrize("policy", [
    ALL_TACTICS, ALL_TACTICS & ~RESERVE, ALL_TACTICS & ~AVOID, ALL_TACTICS & ~BLOCK, ALL_TACTICS & ~TAKE_WINS,
    TAKE_WINS, BLOCK, AVOID, 0])
def test_what_a_rollout_proves_is_true(policy):
    solver = Solver()
    proofs = 0
    for position in itertools.chain(random_positions(7, 900), late_positions(7, 150)):
        values, scores = rollouts(position, policy, seed=3, count=30)
        for value, score in set(zip(values, scores)):
            if score != UNPROVEN:
                proofs += 1
                assert score == solver.score(position)
                assert value == (1 if is_win(score) else -1 if is_loss(score) else 0)
    assert proofs > 10


@pytest.mark.parametrize("policy", [ALL_TACTICS, 0])
def test_the_same_seed_gives_the_same_rollouts(policy):
    position = late_position(random.Random(4), 9, 10, (7, 3), 6, 5)
    first = rollouts(position, policy, seed=99)
    assert first == rollouts(position, policy, seed=99)
    assert first != rollouts(position, policy, seed=100)


def test_timed_rollouts_are_counted_and_play_whole_games(kernels):
    position = late_position(random.Random(4), 9, 10, None, 10, 8)
    engine = UctEngine(kernels, DEFAULT, MEMORY_MB, seed=1)
    seconds, plies = engine.time_rollouts(position, 2000)
    assert seconds > 0
    assert 2000 * 4 < plies < 2000 * 80


@pytest.mark.parametrize("policy", range(ALL_TACTICS + 1))
def test_a_game_that_is_over_is_not_played_on(policy):
    """The tree looks no further than a rollout where its own tactics are off."""
    position = position_from_picture("....... ....... o...... ox..... ox.x... oxxo...")
    assert position.opponent_has_won()
    values, scores = rollouts(position, policy, seed=1, count=200)
    assert set(values) == {-1}
    assert set(scores) <= {UNPROVEN, -WIN_BASE}
