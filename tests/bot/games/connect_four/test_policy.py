"""The policy: what it sees of columns and what it makes of that, against a plain reckoning by definition."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.connect_four import policy_weights as layout
from bot.games.connect_four.board import COLUMN_BITS, MAX_COLUMNS
from bot.games.connect_four.config import DEFAULT
from bot.games.connect_four.network_weights import CODES, PLANES
from bot.games.connect_four.plain import empty_position, winning_cells
from bot.games.connect_four.policy import rows_of, view_of, write_factors
from bot.games.connect_four.rules import load_root
from bot.games.connect_four.uct_engine import UctEngine
from bot.kernels.arithmetic import natural_exp
from bot.search.limits import PROCESS_MB, SMALLEST_SEARCH_MB
from tests.bot.games.connect_four.helpers.exhaustive import position_from_picture
from tests.bot.games.connect_four.helpers.lines import code, free_rows, played
from tests.bot.games.connect_four.helpers.probes import as_words
from tests.bot.helpers.probe import probe

MEMORY_MB = PROCESS_MB + SMALLEST_SEARCH_MB
SEED = 5


@probe
def see(words, planes, column, rows):
    view = view_of(planes, load_root(words, 0))
    for number, row in enumerate(rows_of(planes, view, column)):
        rows[number] = row


@probe
def factors_of(words, legal, address, share, factors):
    write_factors(load_root(words, 0), legal, address, share, factors, 0)


@probe
def exp_of(numbers, results):
    for index in range(len(numbers)):
        results[index] = natural_exp(numbers[index])


def cells_of(column, rows):
    return {COLUMN_BITS * column + row for row in rows}


def bits_in(cells):
    return {bit for bit in range(cells.bit_length()) if cells >> bit & 1}


def kind(position, stones, other_stones, column, row):
    """What one more stone makes, by the words of policy.py."""
    heights = {
        cell: height
        for other in range(position.columns)
        for height, cell in enumerate(sorted(cells_of(other, free_rows(position, other))))
    }
    threats = bits_in(winning_cells(stones)) & set(heights)
    other_threats = bits_in(winning_cells(other_stones)) & set(heights)
    added = 0 if row is None else 1 << (COLUMN_BITS * column + row)
    new = bits_in(winning_cells(stones | added)) & set(heights) - threats
    counts = [0, 0, 0, 0]
    for cell in new:
        counts[heights[cell] if heights[cell] < 2 else 2 + heights[cell] % 2] += 1
    number = sum(min(count, 2) * 3**place for place, count in enumerate(counts))
    mine = threats | new
    is_stacked = any(cell - 1 in mine or cell + 1 in mine for cell in new)
    is_above = any(cell - 1 in other_threats for cell in new)
    return number + 81 * (is_stacked + 2 * is_above + 4 * bool(new & other_threats))


def plain_rows(position, column):
    rows = free_rows(position, column)
    own, opponent = position.own, position.opponent
    parity = sum(len(free_rows(position, other)) for other in range(position.columns)) % 2
    found = []
    for height in range(layout.HEIGHTS):
        row = layout.CODE_PAIRS
        if height < len(rows):
            bucket = 2 * parity + (len(rows) - height) % 2
            codes = (
                code(position, own, opponent, column, rows[height]),
                code(position, opponent, own, column, rows[height]),
            )
            row = (bucket * CODES + codes[0]) * CODES + codes[1]
        found.append(layout.CELLS + height * (layout.CODE_PAIRS + 1) + row)
    cells = rows[0], rows[1] if len(rows) > 1 else None
    for stone, (cell, mine, others) in enumerate(
        (cell, mine, others) for cell in cells for mine, others in ((own, opponent), (opponent, own))
    ):
        found.append(layout.CREATED + stone * layout.KINDS + kind(position, mine, others, column, cell))
    return [*found, layout.FREE + len(rows), layout.EDGE + min(column, position.columns - 1 - column)]


def plain_priors(position, weights, legal):
    """{column: prior} in double precision."""
    part = {
        name: weights[getattr(layout, name) : getattr(layout, name) + size]
        for name, size in (
            ("TABLE", layout.ROWS * layout.CHANNELS),
            ("SKIP", layout.CHANNELS),
            ("OWN", layout.CHANNELS * layout.HIDDEN),
            ("BIAS", layout.HIDDEN),
            ("SIDES", layout.REACH * layout.CHANNELS * layout.HIDDEN),
            ("WHOLE", layout.CHANNELS * layout.HIDDEN),
            ("OUT", layout.HIDDEN),
        )
    }
    table = part["TABLE"].reshape(layout.ROWS, layout.CHANNELS)
    own, whole = (part[name].reshape(layout.CHANNELS, layout.HIDDEN) for name in ("OWN", "WHOLE"))
    sides = part["SIDES"].reshape(layout.REACH, layout.CHANNELS, layout.HIDDEN)
    sums = np.zeros((MAX_COLUMNS + 2 * layout.REACH, layout.CHANNELS))
    for column in range(position.columns):
        if free_rows(position, column):
            sums[layout.REACH + column] = table[plain_rows(position, column)].sum(0)
    channels = np.clip(sums, 0, 1)
    logits = {}
    for column in legal:
        place = layout.REACH + column
        hidden = part["BIAS"] + channels.sum(0) @ whole + channels[place] @ own
        for distance in range(1, layout.REACH + 1):
            hidden = hidden + (channels[place - distance] + channels[place + distance]) @ sides[distance - 1]
        logits[column] = sums[place] @ part["SKIP"] + np.clip(hidden, 0, 1) @ part["OUT"]
    best = max(logits.values())
    chances = {column: math.exp(logit - best) for column, logit in logits.items()}
    return {column: chance / sum(chances.values()) for column, chance in chances.items()}


def random_weights(seed):
    """Weights by which no number is clipped always or never."""
    return np.random.default_rng(seed).normal(0.02, 0.2, layout.NUMBERS).astype(np.float32)


def factors(position, weights, legal, share=1.0):
    memory = layout.POLICY_FILE.memory(layout.WEIGHTS_OFFSET, weights.tobytes())
    found = np.full(MAX_COLUMNS, 9, np.float32)
    mask = sum(1 << column for column in legal)
    factors_of(as_words(position), mask, memory.address, np.float32(share), found)
    return found


@given(st.integers(0, 10**9))
@settings(max_examples=25)
def test_it_sees_what_stones_in_a_column_would_make(seed):
    position = played(seed)
    planes, rows = np.zeros(PLANES, np.uint16), np.zeros(layout.SEEN, np.int64)
    for column in position.legal_moves():
        see(as_words(position), planes, column, rows)
        assert rows.tolist() == plain_rows(position, column), column


def test_it_says_what_the_plain_reckoning_says():
    weights, spread = random_weights(SEED), []
    for seed in range(40):
        position = played(seed)
        legal = position.legal_moves()[seed % 2 :] or position.legal_moves()
        expected = plain_priors(position, weights.astype(float), legal)
        found = factors(position, weights, legal)
        assert {column for column in range(MAX_COLUMNS) if found[column]} == set(legal)
        assert [found[column] / len(legal) for column in legal] == pytest.approx(
            [expected[column] for column in legal], abs=1e-4
        )
        spread.append(max(expected.values()) - min(expected.values()))
    assert np.mean(spread) > 0.05


def test_its_share_is_mixed_with_an_even_prior():
    position, weights = empty_position(9, 11), random_weights(SEED)
    legal = position.legal_moves()
    alone, mixed = factors(position, weights, legal), factors(position, weights, legal, 0.25)
    assert mixed[legal] == pytest.approx(0.75 + 0.25 * alone[legal], abs=1e-5)
    assert mixed[legal].sum() == pytest.approx(len(legal), abs=1e-3)


def test_mirror_images_have_the_mirrored_priors():
    weights = random_weights(SEED)
    lines = ("......", "..x.#.", "x.oo.x", "oxxoxo")
    drawn, mirrored = (position_from_picture(" ".join(picture)) for picture in (lines, [line[::-1] for line in lines]))
    found, other = factors(drawn, weights, range(6)), factors(mirrored, weights, range(6))
    assert found[:6] == pytest.approx(other[5::-1], abs=1e-4)


def test_the_exponential_is_exact_enough():
    numbers = np.concatenate([np.linspace(-39, 0, 5000), [-1e9]]).astype(np.float32)
    results = np.zeros(len(numbers), np.float32)
    exp_of(numbers, results)
    assert results[:-1] == pytest.approx(np.exp(numbers[:-1].astype(float)), rel=3e-4)
    assert 0 < results[-1] < 1e-17


def test_the_packages_policy_knows_which_cells_matter(kernels):
    """Two stones side by side in the bottom row of an empty board: a third one beside them makes two winning cells."""
    engine = UctEngine(kernels, DEFAULT._replace(solver=False), MEMORY_MB, 1)
    position = empty_position(10, 10)
    for column in (4, 4, 3):
        position = position.play(column)
    priors = engine.priors(position)
    assert sum(priors.values()) == pytest.approx(1, abs=1e-3)
    assert priors[2] + priors[5] > 0.7


def test_without_a_policy_priors_are_even_and_visits_too(kernels):
    """With one, the search visits most what the policy names."""
    position = empty_position(9, 9)
    without = UctEngine(kernels, DEFAULT._replace(solver=False, policy_share=0.0), MEMORY_MB, 1)
    assert without.priors(position) is None
    weights = np.zeros(layout.NUMBERS, np.float32)
    weights[layout.SKIP] = 4  # a column at the edge has 1 in the first channel, the others 0
    weights[layout.TABLE + layout.EDGE * layout.CHANNELS] = 1
    engine = UctEngine(kernels, DEFAULT._replace(solver=False), MEMORY_MB, 1, policy=weights.tobytes())
    priors = engine.priors(position)
    assert priors[0] == priors[8] > 0.4
    visits = {}
    for name, searching in (("with", engine), ("without", without)):
        decision = searching.think(position, iterations=600)
        visits[name] = {known.move: known.visits for known in searching.move_values(position, decision)}
    assert visits["with"][0] + visits["with"][8] > 2 * (visits["without"][0] + visits["without"][8])
