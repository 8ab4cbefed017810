"""The network: what it sees of lines, and what it makes of them, against a plain reckoning by definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.connect_four import network_weights
from bot.games.connect_four.board import MAX_COLUMNS, MAX_ROWS
from bot.games.connect_four.config import DEFAULT
from bot.games.connect_four.network import code_at, codes_in, describe_board, evaluate, free_in, network_at
from bot.games.connect_four.network_weights import NETWORK_FILE
from bot.games.connect_four.plain import empty_position
from bot.games.connect_four.rules import load_root
from bot.games.connect_four.uct_engine import UctEngine
from bot.search.limits import PROCESS_MB, SMALLEST_SEARCH_MB
from tests.bot.games.connect_four.helpers.exhaustive import position_from_picture
from tests.bot.games.connect_four.helpers.lines import IN_A_ROW, code, free_rows, played
from tests.bot.games.connect_four.helpers.probes import as_words
from tests.bot.helpers.probe import probe

SEED = 5
MEMORY_MB = PROCESS_MB + SMALLEST_SEARCH_MB


@probe
def see(words, planes, free, codes):
    describe_board(planes, load_root(words, 0))
    for column in range(MAX_COLUMNS):
        free[column] = free_in(planes, column)
        if free[column]:
            for side in range(network_weights.SIDES):
                for height in range(free[column]):
                    codes[side, column, height] = code_at(codes_in(planes, side, column), height)


@probe
def values_of(address, words, values):
    for index in range(len(words)):
        values[index] = evaluate(network_at(address), load_root(words[index], 0))


def plain_value(position, weights):
    """The network's value in double precision."""
    gates = weights[network_weights.GATES : network_weights.STEPS].reshape(
        2, network_weights.BUCKETS, network_weights.CODES, network_weights.CHANNELS
    )
    steps = weights[network_weights.STEPS : network_weights.TOPS].reshape(
        2, network_weights.BUCKETS, network_weights.CODES, network_weights.CHANNELS
    )
    tops = weights[network_weights.TOPS : network_weights.FIRST].reshape(-1, 2, network_weights.CHANNELS)
    sides = ((position.own, position.opponent), (position.opponent, position.own))
    columns = {column: free_rows(position, column) for column in range(position.columns)}
    free = sum(map(len, columns.values()))
    sums = np.zeros(network_weights.CHANNELS)
    for column, rows in columns.items():
        if rows:
            channels = tops[len(rows), free % 2]
            for height, row in reversed(list(enumerate(rows))):
                bucket = 2 * (network_weights.HEIGHTS * (free % 2) + min(height, 5)) + (len(rows) - height) % 2
                chosen = [(side, bucket, code(position, *sides[side], column, row)) for side in (0, 1)]
                gate, step = (sum(table[place] for place in chosen) for table in (gates, steps))
                channels = np.clip(gate * channels + step, 0, 1)
            sums += channels
    odd = sum(len(rows) % 2 for rows in columns.values())
    inputs = np.concatenate([sums, [free % 2, free * network_weights.FREE_CELL, odd, odd % 2]])
    first = weights[network_weights.FIRST : network_weights.FIRST_BIAS].reshape(-1, network_weights.HIDDEN)
    hidden = np.clip(inputs @ first + weights[network_weights.FIRST_BIAS : network_weights.SECOND], 0, 1)
    worth = hidden @ weights[network_weights.SECOND : network_weights.BIAS] + weights[network_weights.BIAS]
    return worth / (1 + abs(worth))


def random_weights(seed):
    """Weights by which no number is clipped always or never."""
    generator = np.random.default_rng(seed)
    weights = generator.normal(0, 0.3, network_weights.NUMBERS)
    weights[network_weights.GATES : network_weights.STEPS] += 0.35
    return weights.astype(np.float32)


def network_values(positions, weights):
    """float32 values, reckoned one after the other in one block of memory."""
    memory = np.zeros(network_weights.WEIGHTS_OFFSET + 4 * network_weights.NUMBERS + 64, np.uint8)
    skipped = -memory.ctypes.data % 64  # vectors want whole cache lines
    numbers = memory[skipped + network_weights.WEIGHTS_OFFSET :][: 4 * network_weights.NUMBERS].view(np.float32)
    numbers[:] = weights
    values = np.zeros(len(positions), np.float32)
    values_of(memory.ctypes.data + skipped, np.stack([as_words(position) for position in positions]), values)
    return values


@given(st.integers(0, 10**9))
@settings(max_examples=25)
def test_it_sees_the_free_cells_and_their_codes(seed):
    position = played(seed)
    planes, free = np.zeros(network_weights.PLANES, np.uint16), np.zeros(MAX_COLUMNS, np.int64)
    codes = np.zeros((network_weights.SIDES, MAX_COLUMNS, MAX_ROWS), np.int64)
    see(as_words(position), planes, free, codes)
    for column in range(position.columns):
        rows = free_rows(position, column)
        assert free[column] == len(rows)
        for side, sides in enumerate(((position.own, position.opponent), (position.opponent, position.own))):
            seen = codes[side, column, : len(rows)].tolist()
            assert seen == [code(position, *sides, column, row) for row in rows], (side, column)


@pytest.mark.parametrize(
    "bottom_row, column, mine",
    [("....", 1, 1), ("x...", 1, 2), ("xx..", 2, IN_A_ROW), ("xxx.", 3, 8)],
)
def test_codes_of_the_cell_beside_the_stones(bottom_row, column, mine):
    position = position_from_picture(f".... .... .... {bottom_row}")
    planes, free = np.zeros(network_weights.PLANES, np.uint16), np.zeros(MAX_COLUMNS, np.int64)
    codes = np.zeros((network_weights.SIDES, MAX_COLUMNS, MAX_ROWS), np.int64)
    see(as_words(position), planes, free, codes)
    assert codes[0, column, 0] == mine


def test_it_says_what_the_plain_reckoning_says():
    positions = [played(seed) for seed in range(40)]
    weights = random_weights(SEED)
    expected = [plain_value(position, weights.astype(float)) for position in positions]
    assert np.std(expected) > 0.05
    assert network_values(positions, weights) == pytest.approx(expected, abs=1e-5)


def test_the_cache_of_columns_changes_no_bit():
    """Many positions through one cache, whose slots many columns share, and each with an empty one."""
    positions = [played(seed) for seed in range(300)]
    weights = random_weights(SEED)
    one_by_one = [network_values([position], weights)[0] for position in positions]
    assert network_values(positions, weights).tolist() == one_by_one
    assert network_values(positions[::-1], weights)[::-1].tolist() == one_by_one


def test_mirror_images_are_worth_the_same():
    """But for the order in which columns are added up."""
    weights = random_weights(SEED)
    pictures = [("....x", "#..ox", "oxxoo", "xooxx"), ("......", "..x.#.", "x.oo.x", "oxxoxo")]
    drawn = [position_from_picture(" ".join(lines)) for lines in pictures]
    mirrored = [position_from_picture(" ".join(line[::-1] for line in lines)) for lines in pictures]
    assert network_values(drawn, weights) == pytest.approx(network_values(mirrored, weights), abs=1e-5)


def test_the_packages_weights_know_who_is_about_to_win():
    """Columns of three for the mover, and for the opponent with the mover's single stones elsewhere."""
    numbers, _ = NETWORK_FILE.stored()
    weights = np.frombuffer(numbers, np.float32)
    empty = [empty_position(rows, columns) for rows in (9, 10) for columns in (9, 10, 11)]
    ahead, behind = [], []
    for position in empty:
        for column in (4, 2, 4, 6):
            position = position.play(column)
        ahead.append(position.play(4).play(1))
        behind.append(position.play(4))
    better, worse = network_values(ahead, weights), network_values(behind, weights)
    assert (better > worse).all()


def test_the_engine_says_what_the_network_says_of_a_position_and_of_its_moves(kernels):
    """Moves that win or fill the board are left out; the kept tree is not touched."""
    weights = random_weights(SEED)
    engine = UctEngine(kernels, DEFAULT._replace(solver=False), MEMORY_MB, 1, weights.tobytes())
    position = position_from_picture("...... oo.... xxx.o. ooxxo. oxxoo.")
    engine.think(position, iterations=300)
    value, of_moves = engine.static_values(position)
    assert value == pytest.approx(network_values([position], weights)[0], abs=1e-6)
    assert sorted(of_moves) == [0, 1, 4, 5]  # four in the third column, or in the row
    after = network_values([position.play(column) for column in sorted(of_moves)], weights)
    assert [of_moves[column] for column in sorted(of_moves)] == pytest.approx(list(-after), abs=1e-6)
    assert engine.knows(position)


def test_without_a_network_the_engine_says_nothing_unsearched(kernels):
    engine = UctEngine(kernels, DEFAULT._replace(solver=False, network_share=0.0), MEMORY_MB, 1)
    assert engine.static_values(empty_position(9, 9)) is None
