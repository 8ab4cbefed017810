"""The bot's rules of dots and boxes, plain and compiled, against the judge's, and turns against edges."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from bot.games.dots import notation, rules
from bot.games.dots.board import (
    EDGE_BITS,
    VERTICAL,
    boxes_mask,
    edge_count,
    edges_of,
    horizontal_mask,
    turn_of,
    vertical_mask,
)
from bot.games.dots.notation import edge_name, edge_named, edges_named, name_of
from bot.games.dots.plain import by_edges_drawn, complete, double_cross, start_position, takeable
from bot.games.dots.turn_decoder import TurnDecoder
from judge.games.dots.board import rendering
from judge.games.dots.rules import Dots
from tests.bot.games.dots.helpers import probes as dots_probes
from tests.bot.games.dots.helpers.counts import Exact, all_turns, drawn, drawn_position
from tests.bot.helpers.probe import probe

SOME_SIZES = [(1, 1), (1, 7), (7, 1), (2, 3), (4, 2), (5, 5), (7, 7)]
EVERY_SIZE = [(rows, columns) for rows in range(1, 8) for columns in range(1, 8)]


@pytest.fixture(scope="module")
def decoder():
    return TurnDecoder(dots_probes)


def as_numbers(words):
    """The six words of a stored state, the margin signed."""
    return [int(word) for word in words.view(np.uint64)][:2] + [int(words.view(np.int64)[2])]


def expected_numbers(position):
    return [position.edges & 2**VERTICAL - 1, position.edges >> VERTICAL, position.margin]


@pytest.mark.parametrize("sizes", [SOME_SIZES, pytest.param(EVERY_SIZE, marks=pytest.mark.slow)], ids=len)
def test_random_games_edge_by_edge(sizes):
    generator = random.Random(1)
    for size in sizes:
        judge, plain = Dots(*size), start_position(*size)
        words, after = dots_probes.as_words(plain), np.zeros(24, np.uint16)
        while not judge.over:
            side = judge.to_move
            assert sorted(judge.legal_moves()) == sorted(map(edge_name, plain.legal_edges()))
            name = generator.choice(judge.legal_moves())
            judge.play(name)
            plain, captured = plain.draw(edge_named(name))
            assert (captured > 0) == (judge.to_move == side)
            assert plain.margin == judge.counts[judge.to_move] - judge.counts[1 - judge.to_move]
            dots_probes.draw_one(words, edge_named(name), after)
            assert as_numbers(after) == expected_numbers(plain)
            words = after.copy()
        assert plain.is_over()


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_boxes_by_their_edges(seed):
    position = drawn(seed, least_free=0)
    boxes = boxes_mask(position.rows, position.columns)
    assert dots_probes.by_edges_drawn(dots_probes.as_words(position)) == (
        *by_edges_drawn(position.edges, boxes),
        complete(position.edges, boxes),
    )


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_the_kernels_turns_are_legal_turns_that_lead_where_they_say(decoder, seed):
    position = drawn(seed)
    codes, after = np.zeros(room(), np.int16), np.zeros(24, np.uint16)
    count = dots_probes.list_turns(dots_probes.as_words(position), codes)
    assert 0 < count <= rules.MOST_TURNS and len(set(codes[:count].tolist())) == count
    for code in codes[:count].tolist():
        turn = decoder.turn(position, code)
        assert position.allows(turn)
        dots_probes.play(dots_probes.as_words(position), code, after)
        assert as_numbers(after) == expected_numbers(position.play(turn))


def room():
    return rules.MOST_TURNS + 7


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_a_double_cross_is_listed_where_there_is_one(seed):
    position = drawn(seed)
    codes = np.zeros(room(), np.int16)
    count = dots_probes.list_turns(dots_probes.as_words(position), codes)
    assert (codes[count - 1] & rules.DOUBLE_CROSS != 0) == bool(double_cross(position))
    assert not any(codes[: count - 1] & rules.DOUBLE_CROSS)


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_the_turns_worth_trying_are_some_of_all(seed):
    position = drawn(seed)
    tried, listed = np.zeros(room(), np.int16), np.zeros(room(), np.int16)
    words = dots_probes.as_words(position)
    chosen = tried[: dots_probes.list_moves(words, tried)].tolist()
    assert set(chosen) <= set(listed[: dots_probes.list_turns(words, listed)].tolist())
    assert len(set(chosen)) == len(chosen) > 0


@pytest.mark.parametrize("count", [16, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("size", [(3, 3), (2, 5)])
def test_no_turn_is_better_than_those_worth_trying(decoder, size, count):
    """Of all legal turns, and of all that take everything and then draw any edge."""
    exact, codes = Exact(), np.zeros(room(), np.int16)
    for seed in range(count):
        generator = random.Random(seed)
        position = drawn_position(generator, size, generator.randint(1, 12), safely=seed % 2)
        count = dots_probes.list_moves(dots_probes.as_words(position), codes)
        values = [exact.value_after(position, decoder.turn(position, code)) for code in codes[:count].tolist()]
        assert max(values) == exact.value(position)


def turn_games(position, depth):
    """Games of so many merged turns: everything taken, then any edge or none; or a double-cross."""
    quiet = position
    while takeable(quiet):
        quiet, _ = quiet.draw((takeable(quiet) & -takeable(quiet)).bit_length() - 1)
    afters = [quiet.draw(edge)[0] for edge in quiet.legal_edges()] or ([quiet] if position.free() else [])
    left = double_cross(position)
    if left:
        afters.append(position.play(turn_of(left)))
    return len(afters) if depth == 1 else sum(turn_games(after, depth - 1) for after in afters)


@pytest.mark.parametrize("size, free, depth", [((2, 2), 12, 4), ((3, 3), 12, 3), ((1, 4), 8, 4)])
def test_games_of_turns_are_counted(size, free, depth):
    position = drawn_position(random.Random(9), size, free, safely=True)
    expected = [turn_games(position, plies) for plies in range(1, depth + 1)]
    assert [
        dots_probes.perft(position, plies, dots_probes.count_turn_games) for plies in range(1, depth + 1)
    ] == expected
    assert expected[-1] > 10


def judged_edge_games(size, opening, depth):
    """(all games of so many edges, those after which the side that began is to move), by the judge's rules."""
    rules = Dots(*size, opening)
    begins = rules.to_move
    if depth == 0:
        return 1, 1
    games = back = 0
    for name in rules.legal_moves():
        after = Dots(*size)
        for drawn_before in (*opening, name):
            after.play(drawn_before)
        if after.over:
            below = (1, 1) if depth == 1 else (0, 0)
        else:
            below = judged_edge_games(size, (*opening, name), depth - 1)
        games += below[0]
        back += below[1] if after.to_move == begins else below[0] - below[1]
    return games, back


@pytest.mark.parametrize(
    "size, opening, depth", [((1, 2), "", 4), ((2, 2), "AAABAABBA", 4), ((1, 1), "", 3), ((2, 3), "AAABAABBAABBACB", 3)]
)
def test_games_of_edges_by_who_is_to_move(size, opening, depth):
    names = [opening[place : place + 3] for place in range(0, len(opening), 3)]
    position = start_position(*size)
    for name in names:
        position, _ = position.draw(edge_named(name))
    games, back = judged_edge_games(size, tuple(names), depth)
    assert games == math.perm(position.free_edges(), depth)
    assert dots_probes.perft(position, depth, dots_probes.count_edge_games) == back


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_every_turn_of_a_small_board_is_known_to_the_plain_rules(seed):
    generator = random.Random(seed)
    position = drawn_position(generator, (2, 2), generator.randint(1, 5))
    for edges in all_turns(position):
        judge, plain = Dots(2, 2), start_position(2, 2)
        for edge in range(128):
            if position.edges >> edge & 1:
                judge.play(edge_name(edge))
                plain, _ = plain.draw(edge)
        assert plain.allows(turn_of(edges))
        side = judge.to_move
        for edge in edges:
            assert judge.to_move == side
            judge.play(edge_name(edge))
        assert judge.over or judge.to_move != side
        after = plain.play(turn_of(edges))
        assert after.margin == judge.counts[1 - side] - judge.counts[side]


def test_where_nothing_can_be_taken_separate_chains_are_worth_what_they_are():
    """Chains in a board's rows, with every edge between them drawn: the value of opening them one after another."""
    exact, checked = Exact(), 0
    for seed in range(40):
        generator = random.Random(seed)
        position = start_position(3, 4)
        for row in range(4):
            for column in range(4):
                position, _ = position.draw(8 * row + column)
        for row in range(3):
            for column in generator.sample(range(1, 4), generator.randint(0, 2)):
                if not takeable(position.draw(VERTICAL + 8 * row + column)[0]):
                    position, _ = position.draw(VERTICAL + 8 * row + column)
        if not takeable(position):
            checked += 1
            assert dots_probes.quiet_value(dots_probes.as_words(position)) == exact.rest(position)
    assert checked > 10


def test_the_judges_pictures_are_read():
    console = Console(width=80, no_color=True)
    for seed in range(15):
        generator = random.Random(seed)
        size = generator.randint(1, 7), generator.randint(1, 7)
        rules = Dots(*size)
        for _ in range(generator.randrange(start_position(*size).free_edges())):
            rules.play(generator.choice(rules.legal_moves()))
        with console.capture() as captured:
            console.print(rendering(rules))
        position = notation.position_from_drawing(captured.get(), "XO"[rules.to_move])
        assert {edge_name(edge) for edge in position.legal_edges()} == set(rules.legal_moves())
        assert position.margin == rules.counts[rules.to_move] - rules.counts[1 - rules.to_move]
        assert (position.rows, position.columns) == size


@probe
def with_three(across, beside, board):
    return rules.with_three(across, beside, board)


@probe
def list_turns(state, codes, offset):
    return rules.list_turns(state, codes, offset)


@probe
def play_turn(state, code):
    return rules.play_turn(state, code)


@probe
def turn_edges(state, code, edges, offset):
    return rules.turn_edges(state, code, edges, offset)


def state_with_free(rows, columns, *names):
    """The kernels' state of a board where all is drawn but those edges."""
    edges = start_position(rows, columns).free() & ~sum(1 << edge_named(name) for name in names)
    masks = [np.uint64(mask(rows, columns)) for mask in (horizontal_mask, vertical_mask, boxes_mask)]
    return np.uint64(edges & 2**VERTICAL - 1), np.uint64(edges >> VERTICAL), np.int64(0), *masks


def listed(state):
    codes = np.zeros(rules.MOST_TURNS, np.int16)
    return [int(code) for code in codes[: list_turns(state, codes, 0)]]


def edges_drawn(state, code):
    edges = np.zeros(128, np.int16)
    return [int(edge) for edge in edges[: turn_edges(state, code, edges, 0)]]


def test_the_largest_board_has_the_bits_that_the_constants_say():
    edges = start_position(7, 7).legal_edges()
    assert edge_count(7, 7) + 1 == rules.MOST_TURNS and len(edges) == edge_count(7, 7)
    assert max(edges) < rules.NOTHING_IS_RUNNING < 1 << EDGE_BITS


@given(st.lists(st.integers(0, 119), min_size=1, max_size=30))
def test_turns_are_numbers_and_back(edges):
    assert edges_of(turn_of(edges)) == edges


def test_names_are_the_platforms():
    assert [edge_name(edge) for edge in (0, 1, 8, VERTICAL, VERTICAL + 1, VERTICAL + 8)] == [
        "AAA",
        "AAB",
        "ABA",
        "BAA",
        "BBA",
        "BAB",
    ]
    assert name_of(turn_of([9, VERTICAL + 11])) == "ABBBDB"
    for edges in (start_position(*size).legal_edges() for size in ((5, 5), (7, 7), (1, 7))):
        assert [edge_named(edge_name(edge).lower()) for edge in edges] == edges
    assert edges_named("AABBBA") == [1, VERTICAL + 1]
    for text in ("AAH", "CAA", "AIA", "AA", "AABB", "A B", "1AA"):
        assert edges_named(text) is None


def test_a_double_cross_leaves_two_of_an_open_chain():
    """A corridor of three boxes, its left end takeable and its right end open to the border."""
    state = state_with_free(1, 3, "BBA", "BCA", "BDA")
    (take, cross) = listed(state)
    assert [edge_name(edge) for edge in edges_drawn(state, take)] == ["BBA", "BCA", "BDA"]
    assert [edge_name(edge) for edge in edges_drawn(state, cross)] == ["BBA", "BDA"]
    assert take == rules.NOTHING_IS_RUNNING and cross & rules.DOUBLE_CROSS


def test_a_double_cross_leaves_four_of_an_opened_loop_as_two_pairs():
    """The ring of a 2 x 2 board, opened by an edge of it: the two boxes beside that edge are takeable."""
    state = state_with_free(2, 2, "BBA", "ABA", "BBB")
    (take, cross) = listed(state)
    assert len(edges_drawn(state, take)) == 3
    assert [edge_name(edge) for edge in edges_drawn(state, cross)] == ["ABA"]
    after = play_turn(state, cross)
    assert int(with_three(after[0], after[1], after[5])).bit_count() == 4
