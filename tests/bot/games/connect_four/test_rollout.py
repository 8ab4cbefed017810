"""Rollouts: on average what the policy's own game tree says, exactly true where they claim a proof."""

import functools
import itertools
import random
import zlib

import numpy as np
import pytest

from bot.games.connect_four.board import (
    ALL_TACTICS,
    AVOID,
    BLOCK,
    COLUMN,
    COLUMN_BITS,
    PAIRS,
    RESERVE,
    TAKE_WINS,
)
from bot.games.connect_four.config import DEFAULT
from bot.games.connect_four.plain import columns_of, empty_position, tactical_columns, winning_cells
from bot.games.connect_four.uct_engine import CELLS, REPLIES, REPLY_WORDS, ROLLOUT_PLIES, UctEngine
from bot.kernels.lanes import LANE_COUNT
from bot.search.limits import PROCESS_MB, SMALLEST_SEARCH_MB
from bot.search.scores import UNPROVEN, WIN_BASE, is_loss, is_win
from tests.bot.games.connect_four.helpers.exhaustive import (
    Solver,
    late_positions,
    position_from_picture,
    random_positions,
)
from tests.bot.games.connect_four.helpers.probes import as_words, rollout_words, run_rollouts

MEMORY_MB = 198
ROLLOUTS_DIGEST = "60830d88"
ROLLOUTS = 4000
# Results of at most 1 have a standard error below 0.016 at 4000 rollouts: six of them.
TOLERANCE = 0.095


def rollouts(position, policy, seed, count=ROLLOUTS, last=None, follow=0, even=0):
    """(values, scores) of so many rollouts, one after the other; last: the column that led to the position."""
    control = rollout_words(seed, follow, even)
    values, scores = np.zeros(count, np.int64), np.zeros(count, np.int64)
    run_rollouts(as_words(position), -1 if last is None else last, policy, control, values, scores)
    return values.tolist(), scores.tolist()


def allowed_columns(position, policy):
    """The columns that a mover of that policy picks from: one tactic after the other."""
    wins = columns_of(winning_cells(position.own) & position.floor)
    if policy & TAKE_WINS and wins:
        return wins
    blocks = columns_of(winning_cells(position.opponent) & position.floor)
    if policy & BLOCK and blocks:
        return blocks
    columns = position.legal_moves()
    above = position.cell_above(position.floor)
    under_opponents = columns_of(winning_cells(position.opponent) & above)
    if policy & AVOID:
        columns = [column for column in columns if column not in under_opponents] or columns
    under_own = columns_of(winning_cells(position.own) & above)
    if policy & RESERVE and not blocks:
        columns = [column for column in columns if column not in under_own] or columns
    return columns


def wins_by_pair(position):
    """Whether a stone can be dropped just below two winning cells of the mover's that lie one above the other."""
    own, opponent = winning_cells(position.own), winning_cells(position.opponent)
    if opponent & position.floor:
        return False
    for column in position.legal_moves():
        above = position.cell_above(position.floor & (COLUMN << (COLUMN_BITS * column)))
        if own & above and own & position.cell_above(above) and not opponent & above:
            return True
    return False


def levels(position, policy, last, follow, even):
    """Column -> how many random values its key can have: a power of two, smaller for those that are preferred."""
    bits = (
        9
        if policy | PAIRS == ALL_TACTICS
        else 8
        if policy & RESERVE
        else 9
        if policy & AVOID
        else (10 if policy & BLOCK else 11)
    )
    free = position.board & ~(position.own | position.opponent | position.forbidden)
    lost = {}
    for column in position.legal_moves():
        is_odd = bin(free & (COLUMN << (COLUMN_BITS * column))).count("1") % 2
        lost[column] = max(follow if column == last else 0, even if is_odd else 0)
    return {column: 2 ** max(bits - lost[column], 0) for column in lost}


@functools.cache
def chances(sizes):
    """How often each key, evenly from range(size), is the smallest; of equal ones the leftmost."""

    def chance(place):
        keys = np.arange(sizes[place])
        others = [
            np.maximum(size - keys - (other < place), 0) / size for other, size in enumerate(sizes) if other != place
        ]
        return np.prod(others, axis=0).mean() if others else 1.0

    return [chance(place) for place in range(len(sizes))]


def expected_value(position, policy, known, last=None, follow=0, even=0):
    """The exact average result for the side to move when both sides pick from the policy's columns.

    Evenly, but for follow and even: bits that the keys of the column just played in, and of odd ones, are short of.
    """
    if position.opponent_has_won():
        return -1.0
    if not position.floor:
        return 0.0
    key = (position.key(), last)
    if key not in known:
        wins = winning_cells(position.own) & position.floor
        if policy & PAIRS and policy & TAKE_WINS and not wins and wins_by_pair(position):
            return 1.0
        columns = allowed_columns(position, policy)
        sizes = levels(position, policy, last, follow, even)
        known[key] = sum(
            -weight * expected_value(position.play(column), policy, known, column, follow, even)
            for column, weight in zip(columns, chances(tuple(sizes[column] for column in columns)), strict=True)
        )
    return known[key]


OFTEN = (ALL_TACTICS, ALL_TACTICS & ~PAIRS, TAKE_WINS | BLOCK, AVOID | RESERVE, 0)


@pytest.mark.parametrize(
    "policies, count",
    [*[((policy,), 5) for policy in OFTEN], pytest.param(range(ALL_TACTICS + 1), 12, marks=pytest.mark.slow)],
)
def test_average_result_is_that_of_the_policy(policies, count):
    for policy in policies:
        spread = set()
        for position in itertools.chain(random_positions(policy, count), late_positions(policy, count, 4, 2)):
            expected = expected_value(position, policy, {})
            spread.add(round(expected))
            values, _ = rollouts(position, policy, seed=policy)
            assert set(values) <= {-1, 0, 1}
            assert abs(np.mean(values) - expected) < TOLERANCE
        assert len(spread) > 1


PREFERENCES = [(5, 0), (0, 1), (2, 9), (DEFAULT.rollout_follow, DEFAULT.rollout_even)]


@pytest.mark.parametrize(
    "policy, follow, even, count",
    [
        (0, 5, 0, 2),
        (TAKE_WINS | BLOCK, 0, 1, 2),
        *[
            pytest.param(policy, *preference, 8, marks=pytest.mark.slow)
            for policy in (ALL_TACTICS, ALL_TACTICS & ~PAIRS, AVOID, 0)
            for preference in PREFERENCES
        ],
    ],
)
def test_preferred_columns_are_played_as_often_as_they_should(policy, follow, even, count):
    changed = 0
    for position in itertools.chain(random_positions(policy, count), late_positions(policy, count, 4, 2)):
        for last in (None, position.legal_moves()[-1]):
            expected = expected_value(position, policy, {}, last, follow, even)
            changed += abs(expected - expected_value(position, policy, {})) > 0.02
            values, _ = rollouts(position, policy, seed=policy, last=last, follow=follow, even=even)
            assert abs(np.mean(values) - expected) < TOLERANCE
    assert changed


def test_the_tree_tells_a_rollout_which_column_was_played(kernels):
    """The first iteration's value is that of one rollout behind the column it picks."""
    settings = DEFAULT.with_values(
        ["solver=off", "keep_tree=off", "rollout_follow=9", "rollout_reply=0", "rollout_proofs=off", "network_share=0"]
    )
    engine = UctEngine(kernels, settings, MEMORY_MB, seed=1)
    differ = 0
    for position in late_positions(8, 100, 4, 2):
        if tactical_columns(position)[0] is not None:
            continue
        column = engine.think(position, iterations=1).move
        told, untold = (
            -expected_value(position.play(column), ALL_TACTICS, {}, last, 9, settings.rollout_even)
            for last in (column, None)
        )
        if abs(told - untold) > 2 * TOLERANCE:
            differ += 1
            values = [engine.think(position, iterations=1).value for _ in range(ROLLOUTS // 2)]
            assert abs(np.mean(values) - told) < TOLERANCE
        if differ == 1:
            break
    assert differ


def positions_with_pairs(seed, count):
    """Positions of random games without blunders in which wins_by_pair is the quickest way to win."""
    generator = random.Random(seed)
    while count:
        position = empty_position(generator.randint(6, 12), generator.randint(6, 12), (2, generator.randrange(6)))
        while tactical_columns(position)[0] is None and position.floor and not wins_by_pair(position):
            position = position.play(generator.choice(tactical_columns(position)[1]))
        if tactical_columns(position)[0] is None and position.floor:
            count -= 1
            yield position


def wins_within(position, plies):
    """Whether the side to move can force a four of its own within so many plies."""
    for column in position.legal_moves():
        after = position.play(column)
        if after.opponent_has_won():
            return True
        if (
            plies >= 3
            and after.floor
            and all(
                not after.play(reply).opponent_has_won() and wins_within(after.play(reply), plies - 2)
                for reply in after.legal_moves()
            )
        ):
            return True
    return False


@pytest.mark.parametrize("policy", [ALL_TACTICS, PAIRS | TAKE_WINS, PAIRS | TAKE_WINS | BLOCK])
def test_a_pair_is_a_win_in_three(policy):
    for position in positions_with_pairs(5, 15):
        assert wins_within(position, 3) and not wins_within(position, 1)
        values, scores = rollouts(position, policy, seed=1, count=10)
        assert set(values) == {1} and set(scores) == {WIN_BASE - 3}
        assert set(rollouts(position, policy & ~PAIRS, seed=1, count=300)[1]) != {WIN_BASE - 3}


@pytest.mark.parametrize(
    "policy, count",
    [
        *[(policy, 80) for policy in (ALL_TACTICS, ALL_TACTICS & ~TAKE_WINS, 0)],
        *[
            pytest.param(policy, 300, marks=pytest.mark.slow)
            for policy in (ALL_TACTICS, ALL_TACTICS & ~PAIRS, ALL_TACTICS & ~BLOCK, TAKE_WINS, BLOCK, AVOID)
        ],
    ],
)
def test_what_a_rollout_proves_is_true(policy, count):
    solver = Solver()
    proofs = 0
    for position in itertools.chain(random_positions(7, count), late_positions(7, count // 6)):
        values, scores = rollouts(position, policy, seed=3, count=30)
        for value, score in set(zip(values, scores, strict=True)):
            if score != UNPROVEN:
                proofs += 1
                assert score == solver.score(position)
                assert value == (1 if is_win(score) else -1 if is_loss(score) else 0)
    assert proofs > 10


def test_rollouts_are_what_they_have_always_been():
    """Of every policy, and with columns preferred: anything that changes a rollout changes this number."""
    positions = [*random_positions(1, 4), *late_positions(1, 4, 4, 2), empty_position(9, 10, (4, 4))]
    found = [
        rollouts(position, policy, 99, 20, last, follow, even)
        for policy in range(ALL_TACTICS + 1)
        for position in positions
        for last, follow, even in ((None, 0, 0), (position.legal_moves()[0], 2, 1))
    ]
    assert f"{zlib.crc32(repr(found).encode()):08x}" == ROLLOUTS_DIGEST
    assert rollouts(positions[-1], 0, seed=99) != rollouts(positions[-1], 0, seed=100)


def test_a_game_that_is_over_is_not_played_on():
    """The tree looks no further than a rollout where its own tactics are off."""
    position = position_from_picture("....... ....... o...... ox..... ox.x... oxxo...")
    assert position.opponent_has_won()
    for policy in range(ALL_TACTICS + 1):
        values, scores = rollouts(position, policy, seed=1, count=20)
        assert set(values) == {-1}
        assert set(scores) <= {UNPROVEN, -WIN_BASE}


# Of 9 bits each a random key has none in one of 512, so a preferred column is the one played but once in 40 games.
ALWAYS = 9
LEAST_SHARE = 0.97


class Rollouts:
    """Rollouts from one position, one at a time."""

    def __init__(self, position, seed, reply=ALWAYS):
        self.words = rollout_words(seed, reply=reply)
        self._words = as_words(position)

    def next(self):
        """(value, cells in their order as (column, row)) of one more."""
        before = int(self.words[ROLLOUT_PLIES])
        value, score = np.zeros(1, np.int64), np.zeros(1, np.int64)
        run_rollouts(self._words, -1, ALL_TACTICS, self.words, value, score)
        plies = int(self.words[ROLLOUT_PLIES]) - before
        return int(value[0]), [divmod(int(cell), 16) for cell in self.words[CELLS : CELLS + plies]]

    def known(self):
        """{(side, cell): column} of the kernels' table."""
        found = {}
        for place, word in enumerate(self.words[REPLIES : REPLIES + REPLY_WORDS]):
            side, column = divmod(place, LANE_COUNT)
            for row in range(16):
                nibble = int(word) >> 4 * row & 15
                if nibble:
                    found[side, (column, row)] = 15 - nibble
        return found


def taught(known, side, value, cells):
    """Take one rollout into account in a table as Rollouts.known() has it."""
    for ply in range(1, len(cells)):
        mover, reply = side ^ ply & 1, cells[ply][0]
        has_won = value == (1 if mover == side else -1)
        if has_won:
            known[mover, cells[ply - 1]] = reply
        elif value and known.get((mover, cells[ply - 1])) == reply:
            del known[mover, cells[ply - 1]]


def unsettled(seed, count):
    return [each for each in random_positions(seed, count) if tactical_columns(each)[0] is None]


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_the_table_is_that_of_the_games_and_the_games_are_by_the_rules(seed):
    learnt = lost = 0
    for position in unsettled(seed, 10):
        rollouts, known = Rollouts(position, seed), {}
        side = position.plies() & 1
        for _ in range(200):
            value, cells = rollouts.next()
            after = position
            for column, row in cells:
                assert not after.opponent_has_won()
                assert after.floor_row(column) == row
                after = after.play(column)
            assert not after.opponent_has_won()
            before = len(known)
            taught(known, side, value, cells)
            assert rollouts.known() == known
            learnt, lost = learnt + (len(known) > before), lost + (len(known) < before)
    assert learnt and lost


def test_a_known_reply_is_played_where_no_tactic_has_a_say():
    played = asked = 0
    for position in unsettled(5, 6):
        rollouts = Rollouts(position, 5)
        side = position.plies() & 1
        for _ in range(200):
            known = rollouts.known()
            _, cells = rollouts.next()
            after = position
            for ply, (column, _row) in enumerate(cells):
                reply = known.get((side ^ ply & 1, cells[ply - 1])) if ply else None
                quiet = not winning_cells(after.opponent) & after.floor
                under = columns_of(
                    (winning_cells(after.opponent) | winning_cells(after.own)) & after.cell_above(after.floor)
                )
                if quiet and reply in set(after.legal_moves()) - set(under):
                    asked += 1
                    played += column == reply
                after = after.play(column)
    assert asked > 500
    assert played > LEAST_SHARE * asked


def test_without_the_setting_nothing_is_learnt():
    for position in unsettled(6, 4):
        rollouts = Rollouts(position, 6, reply=0)
        for _ in range(20):
            rollouts.next()
        assert rollouts.known() == {}


def test_what_was_learnt_goes_with_the_tree(kernels):
    engine = UctEngine(kernels, DEFAULT._replace(rollout_reply=6), PROCESS_MB + SMALLEST_SEARCH_MB, seed=1)
    first, other = unsettled(7, 20)[:2]

    def words():
        return sum(word != 0 for word in engine._game_words[REPLIES : REPLIES + REPLY_WORDS])

    decision = engine.think(first, iterations=3000)
    learnt = words()
    engine.think(first.play(decision.move), iterations=1)
    assert words() >= learnt // 2
    engine.think(other, iterations=1)
    assert words() < learnt // 2
