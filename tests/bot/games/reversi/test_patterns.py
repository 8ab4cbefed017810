"""Patterns: what the kernels see of a position is what a slow look finds, for playing and for training alike."""

import random

import numpy as np
import pytest

from bot.games.reversi import weights as weights_module
from bot.games.reversi.weights import UNIQUE_WEIGHTS, WEIGHTS_A_POSITION, WeightsError, pack_weights, unpack_weights
from tests.bot.games.reversi.helpers import pvs_probes
from tests.bot.games.reversi.helpers import slow_rules as slow_reversi
from tests.bot.games.reversi.helpers.pvs_probes import words

KNOTS = (12, 30, 60)
STEPS = 32


def some_positions(count=24):
    generator = random.Random(8)
    return [slow_reversi.drawn_position(generator, generator.randrange(1, 60)) for _ in range(count)]


def content(squares, own, opponent):
    """A feature's content in balanced ternary."""
    return sum(3**place * ((own >> square & 1) - (opponent >> square & 1)) for place, square in enumerate(squares))


def slow_unique(own, opponent):
    """(shape, what distinguishes a content up to the mirror image) of each feature."""
    found = []
    for shape, squares in weights_module.LANE_FEATURES:
        other_way = [squares[place] for place in weights_module.MIRRORS[shape]]
        found.append((shape, frozenset({content(squares, own, opponent), content(other_way, own, opponent)})))
    return found


def indices_of(memory, positions):
    boards = np.array(positions, np.uint64)
    found = np.full((len(positions), WEIGHTS_A_POSITION), -1, np.int32)
    pvs_probes.pattern_indices(memory.address, boards.ctypes.data, found.ctypes.data, len(positions))
    return found


@pytest.fixture(scope="module")
def weights():
    return np.random.default_rng(5).normal(0, 20, (len(KNOTS), UNIQUE_WEIGHTS)).astype(int)


def test_shapes_lie_on_the_board_as_often_as_they_should():
    assert len(weights_module.LANE_FEATURES) == 46 <= weights_module.LANES
    for features, mirror, length in zip(
        weights_module.FEATURES, weights_module.MIRRORS, weights_module.LENGTHS, strict=True
    ):
        assert len(features) == len({frozenset(squares) for squares in features}) in (2, 4)
        assert sorted(mirror) == list(range(length)) and all(mirror[mirror[place]] == place for place in mirror)
    seen = [sum(square in squares for _, squares in weights_module.LANE_FEATURES) for square in range(64)]
    assert min(seen) >= 3 and seen == seen[::-1]


def test_indices_are_those_of_a_slow_look():
    """Equal numbers for equal contents and their mirror images, and for no others."""
    positions = some_positions()
    numbers = {}
    for (own, opponent), row in zip(positions, indices_of(pvs_probes.Memory(), positions), strict=True):
        assert row[-1] == weights_module.CONSTANT + slow_reversi.count(own | opponent) % 2
        for seen, number in zip(slow_unique(own, opponent), row[:-1], strict=True):
            assert numbers.setdefault(seen, number) == number
            first = weights_module.FIRST_UNIQUE[seen[0]]
            assert first <= number < first + weights_module.UNIQUE[seen[0]]
    assert len(set(numbers.values())) == len(numbers) > 200


def test_a_board_turned_round_has_the_same_indices():
    own, opponent = some_positions(1)[0]
    turned = [int(f"{side:064b}"[::-1], 2) for side in (own, opponent)]
    rows = indices_of(pvs_probes.Memory(), [(own, opponent), turned])
    assert sorted(rows[0]) == sorted(rows[1])


def test_the_evaluation_is_the_sum_of_the_weights_between_the_knots(weights):
    memory = pvs_probes.Memory(weights=pack_weights(KNOTS, weights, STEPS))
    positions = some_positions()
    boards, worths = np.array(positions, np.uint64), np.zeros(len(positions), np.int64)
    pvs_probes.weigh(memory.address, boards.ctypes.data, worths.ctypes.data, len(positions))
    numbers = indices_of(pvs_probes.Memory(), positions)
    for (own, opponent), worth, row in zip(positions, worths, numbers, strict=True):
        discs = slow_reversi.count(own | opponent)
        middle = discs - discs % 2 + 0.5
        expected = sum(np.interp(middle, KNOTS, weights[:, number]) for number in row) * 128 / STEPS
        assert abs(worth - expected) < WEIGHTS_A_POSITION  # each weight is rounded


def test_features_kept_through_games_are_those_of_the_position_reached():
    generator, memory = random.Random(2), pvs_probes.Memory()
    for _ in range(12):
        own, opponent = slow_reversi.START
        squares = []
        while len(squares) < generator.randrange(1, 70):
            moves = slow_reversi.legal_squares(own, opponent)
            if not moves and not slow_reversi.legal_squares(opponent, own):
                break
            squares.append(generator.choice(moves) if moves else 64)
            own, opponent = slow_reversi.play(own, opponent, squares[-1]) if moves else (opponent, own)
        assert pvs_probes.follow_game(memory.address, *words(*slow_reversi.START), np.array(squares), len(squares))


def test_a_file_of_weights_holds_them(weights):
    weights = weights.copy()
    weights[0, :4] = -32768, 32767, 0, -1
    knots, low, high, steps = unpack_weights(pack_weights(KNOTS, weights, STEPS))
    assert (knots, steps) == (KNOTS, STEPS)
    folded = np.frombuffer(low, np.uint8).astype(int) | np.frombuffer(high, np.uint8).astype(int) << 8
    assert ((folded >> 1 ^ -(folded & 1)) == weights.ravel()).all()


def test_a_file_that_is_not_one_of_these_weights_is_refused(weights):
    data = pack_weights(KNOTS, weights, STEPS)
    for damaged in (b"", b"something else", data[:40], data[:-100], data[:20] + b"\0\0\0\0" + data[24:]):
        with pytest.raises(WeightsError):
            unpack_weights(damaged)
    with pytest.raises(WeightsError):
        pack_weights((30, 12, 60), weights, STEPS)
    with pytest.raises(WeightsError):
        pack_weights(KNOTS, weights[:, 1:], STEPS)


def test_a_search_without_weights_forgets_nothing_else():
    """Weights are made ready in the table's room: it is empty then."""
    memory = pvs_probes.Memory(weights=pack_weights((20,), [[0] * UNIQUE_WEIGHTS], 1))
    assert memory.entries_in_use() == 0
    assert memory.known_move(*slow_reversi.START) >= 64
    assert not any(memory._table)
