"""What rollouts learn: the replies that won last, as a plain table has them that is kept beside the kernels'."""

import numpy as np
import pytest

from bot.games.connect_four.plain import columns_of, tactical_columns, winning_cells
from bot.games.connect_four.rules.board import ALL_TACTICS
from bot.games.connect_four.settings import DEFAULT
from bot.games.connect_four.uct.engine import UctEngine
from bot.games.connect_four.uct.replies import CELLS, REPLIES, REPLY_WORDS
from bot.kernels.lanes import LANE_COUNT
from bot.search.process_memory import PROCESS_MB, SMALLEST_SEARCH_MB
from bot.search.uct.edge_nodes.layout import ROLLOUT_PLIES
from tests.bot.games.connect_four.helpers.exhaustive import random_positions
from tests.bot.games.connect_four.helpers.probes import as_words, rollout_control, run_rollouts

ROLLOUTS = 200
# Of 9 bits each a random key has none in one of 512, so a preferred column is the one played but once in 40 games.
ALWAYS = 9
LEAST_SHARE = 0.97


class Rollouts:
    """Rollouts from one position, one at a time."""

    def __init__(self, position, seed, reply=ALWAYS):
        self.control = rollout_control(seed, reply=reply)
        self._words = as_words(position)

    def next(self):
        """(value, cells in their order as (column, row)) of one more."""
        before = int(self.control[ROLLOUT_PLIES])
        value, score = np.zeros(1, np.int64), np.zeros(1, np.int64)
        run_rollouts(self._words, -1, ALL_TACTICS, self.control, value, score)
        plies = int(self.control[ROLLOUT_PLIES]) - before
        return int(value[0]), [divmod(int(cell), 16) for cell in self.control[CELLS : CELLS + plies]]

    def known(self):
        """{(side, cell): column} of the kernels' table."""
        found = {}
        for place, word in enumerate(self.control[REPLIES : REPLIES + REPLY_WORDS]):
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


@pytest.mark.parametrize("seed", range(3))
def test_the_table_is_that_of_the_games_and_the_games_are_by_the_rules(seed):
    learnt = lost = 0
    for position in unsettled(seed, 12):
        rollouts, known = Rollouts(position, seed), {}
        side = position.plies() & 1
        for _ in range(ROLLOUTS):
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
    for position in unsettled(5, 12):
        rollouts = Rollouts(position, 5)
        side = position.plies() & 1
        for _ in range(ROLLOUTS):
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
    assert asked > 1000
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
        return sum(word != 0 for word in engine._control[REPLIES : REPLIES + REPLY_WORDS])

    decision = engine.think(first, iterations=3000)
    learnt = words()
    engine.think(first.play(decision.move), iterations=1)
    assert words() >= learnt // 2
    engine.think(other, iterations=1)
    assert words() < learnt // 2
