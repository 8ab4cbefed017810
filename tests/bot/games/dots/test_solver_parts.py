"""What the exact solver of dots and boxes is made of: values of chains and loops, images of a position, its table."""

import functools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from bot.games.dots import solver_engine as layout
from bot.games.dots.board import edge_count
from bot.games.dots.plain import Position, start_position
from bot.games.dots.solver_engine import SolverEngine, table_entries
from tests.bot.games.dots.helpers import solver_probes as probes
from tests.bot.games.dots.helpers.every_position import EveryPosition
from tests.bot.games.dots.helpers.solver_probes import WORD, drawn_at_random


@pytest.fixture(scope="module")
def address():
    engine = SolverEngine(probes, 1)
    yield engine.address
    del engine


@functools.cache
def value_by_opening(chains, loops):
    """Net boxes for who has to open one of these chains or loops: any of them, what is left decided by the taker."""
    values = []
    for place, length in enumerate(chains):
        rest = value_by_opening(chains[:place] + chains[place + 1 :], loops)
        values.append(-length - rest if length <= 2 else -max(length + rest, length - 4 - rest))
    for place, length in enumerate(loops):
        rest = value_by_opening(chains, loops[:place] + loops[place + 1 :])
        values.append(-max(length + rest, length - 8 - rest))
    return max(values, default=0)


@given(
    chains=some.lists(some.integers(1, 12), max_size=7), loops=some.lists(some.sampled_from([4, 6, 8, 10]), max_size=4)
)
@settings(max_examples=50, deadline=None)
def test_loony_values_agree_with_opening_anything(address, chains, loops):
    found = probes.loony_value(address, np.array(chains, np.int64), np.array(loops, np.int64))
    assert found == value_by_opening(tuple(sorted(chains)), tuple(sorted(loops)))


@pytest.mark.parametrize(
    ("chains", "loops", "value"),
    [
        ([5], [], -5),
        ([], [4], -4),
        ([3, 3], [], -2),
        ([4, 5], [], -5),
        ([3, 3, 3], [], -1),
        ([], [4, 4], 0),
        ([4], [4], 0),
        ([10, 10], [], -16),
        ([1, 1], [], 0),
        ([1, 2, 5], [], -4),
    ],
)
def test_loony_values_by_hand(address, chains, loops, value):
    assert value_by_opening(tuple(chains), tuple(loops)) == value
    assert probes.loony_value(address, np.array(chains, np.int64), np.array(loops, np.int64)) == value


def words(edges):
    return np.uint64(edges & WORD), np.uint64(edges >> 64)


def turned(position, image):
    across, beside = probes.image_of(*words(position.edges), position.rows, position.columns, image)
    return Position(position.rows, position.columns, int(across) | int(beside) << 64, 0)


@given(seed=some.integers(0, 2**32), rows=some.integers(1, 7), columns=some.integers(1, 7))
@settings(max_examples=60, deadline=None)
def test_all_images_have_one_normal_image(seed, rows, columns):
    generator = random.Random(seed)
    free = generator.randrange(start_position(rows, columns).free_edges())
    position = drawn_at_random(generator, rows, columns, free)
    normal = probes.normal_image(*words(position.edges), rows, columns)
    images = [turned(position, image) for image in range(8 if rows == columns else 4)]
    for image in images:
        assert image.free_edges() == position.free_edges() and image.boxes_left() == position.boxes_left()
        assert probes.normal_image(*words(image.edges), rows, columns) == normal


def test_an_image_is_the_board_seen_from_elsewhere():
    edges = {"top left": 1 | 1 << 64, "top right": 1 << 2 | 1 << 67, "below left": 1 << 16 | 1 << 72}
    drawn = Position(2, 3, edges["top left"], 0)
    assert turned(drawn, 2).edges == edges["top right"] and turned(drawn, 1).edges == edges["below left"]
    square = Position(4, 4, 1 << 1 | 1 << 64 + 16, 0)  # above box (0, 1), left of box (2, 0)
    assert turned(square, 4).edges == 1 << 2 | 1 << 64 + 8


def test_a_corners_border_edges_are_one():
    for rows, columns in ((2, 2), (3, 5), (7, 7)):
        corners = [
            (0, 64),
            (columns - 1, 64 + columns),
            (8 * rows, 64 + 8 * (rows - 1)),
            (8 * rows + columns - 1, 64 + 8 * (rows - 1) + columns),
        ]
        normals = {probes.normal_image(*words(1 << edge), rows, columns) for pair in corners for edge in pair}
        assert len(normals) == 1
        both = [probes.normal_image(*words(1 << pair[0] | 1 << pair[1]), rows, columns) for pair in corners]
        assert not normals.intersection(both)


@pytest.mark.parametrize("size", [(1, 6), (3, 3), (4, 7), (7, 7)])
def test_keys_of_the_positions_after_moves_are_those_of_the_positions(size):
    engine, generator, listed = SolverEngine(probes, 1), random.Random(str(size)), 0
    for _ in range(80):
        position = nothing_takeable(generator, *size)
        if position.is_over():
            continue
        engine.ask(position)
        engine.go_on(0, 0)
        left = position.boxes_left()
        moves, mistaken = probes.listed_and_mistaken(engine.address, *words(position.edges), left, 2 - left)
        assert not mistaken
        listed += moves
    assert listed > 80


@pytest.mark.parametrize("size", [(3, 3)])
def test_positions_with_one_key_are_worth_the_same(size):
    engine, generator = SolverEngine(probes, 1), random.Random(str(size))
    seen, met_again = {}, 0
    for _ in range(1200):
        position = nothing_takeable(generator, *size)
        if not 4 <= position.free_edges() <= 11:
            continue
        engine.ask(position)
        engine.go_on(0, 0)
        key = probes.key_of(engine.address, *words(position.edges))
        image = probes.normal_image(*words(position.edges), *size)
        known_image, known_value = seen.setdefault(key, (image, EveryPosition(position).value(position)))
        if known_image != image:
            met_again += 1
            assert EveryPosition(position).value(position) == known_value
    assert met_again > 15


def nothing_takeable(generator, rows, columns):
    """A Position after random edges and all that can be taken then."""
    position = drawn_at_random(generator, rows, columns, generator.randrange(edge_count(rows, columns)))
    while True:
        taking = [edge for edge in position.legal_edges() if position.draw(edge)[1]]
        if not taking:
            return position
        position, _ = position.draw(taking[0])


def test_the_table_keeps_what_it_is_told(address):
    generator = np.random.default_rng(1)
    keys = generator.integers(0, 2**64, 500, np.uint64)
    for number, key in enumerate(keys):
        probes.store_bounds(address, key, number % 50 - 49, number % 49, number % 123 - 1, 3)
    for number, key in enumerate(keys):
        assert probes.probe_bounds(address, key) == (number % 50 - 49, number % 49, number % 123 - 1)
    assert probes.probe_bounds(address, np.uint64(12345)) == (-64, 64, -1)


def test_the_table_is_a_power_of_two():
    assert table_entries(1) == 1 << 17 and table_entries(1.9) == 1 << 17
    with pytest.raises(ValueError, match="at least"):
        table_entries(0.001)


def test_the_parts_of_the_memory_do_not_overlap():
    assert 8 * layout.CONTROL_FIELDS <= layout.POSITION_OFFSET < layout.TURN_OFFSET < layout.LENGTHS_OFFSET
    assert layout.LENGTHS_OFFSET + 8 * (64 + 16 * 18) <= layout.SURVEYS_OFFSET
    assert 8 * (layout.CHAINS + layout.CHAIN_WORDS * 49) <= layout.SURVEY_BYTES
    assert layout.SURVEYS_OFFSET + 2 * layout.SURVEY_BYTES <= layout.FRAMES_OFFSET and layout.TABLE_OFFSET % 64 == 0
