"""Alpha-beta on games made for it: the documented example, and games drawn by a hash with passes and quick wins."""

import ctypes
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from bot.search import alphabeta_engine as layout
from bot.search.alphabeta import make_alphabeta, memory_at

# The example's tree: A is the root, to be made as large as can be; B and C are the opponent's choices.
A, B, C, D, E, F, G, H = range(8)
FIRST_CHILD = np.array([B, D, F, 0, 0, 0, 0, 0])
CHILDREN = np.array([2, 2, 3, 0, 0, 0, 0, 0])

PASS = -1
MOST_CHILDREN = 5


@njit
def load_root(positions, offset):
    return np.int64(positions[offset])


@njit
def store(state, positions, offset):
    positions[offset] = state


@njit
def no_win(state):
    return False


@njit
def example_moves(state, control, moves, offset):
    for place in range(CHILDREN[state]):
        moves[offset + place] = FIRST_CHILD[state] + place
    return CHILDREN[state]


@njit
def example_play(state, move):
    return np.int64(move)


@njit
def example_value(state, evaluation, ply):
    """D = 3, E = 17, F = 2; evaluation: what G and H are worth."""
    if state == D:
        return 3
    if state == E:
        return 17
    return 2 if state == F else evaluation


@njit
def mixed(number, salt):
    """A number of 16 bits that looks drawn at random."""
    word = np.uint64(number * 64 + salt) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.int64((word ^ (word >> np.uint64(32))) & np.uint64(0xFFFF))


@njit
def drawn_moves(state, control, moves, offset):
    """Up to MOST_CHILDREN moves, the first of them a pass; none in one position of eight."""
    count = 0 if mixed(state, 0) % 8 == 0 else 1 + mixed(state, 1) % MOST_CHILDREN
    for place in range(count):
        moves[offset + place] = place + PASS
    return count


@njit
def drawn_play(state, move):
    return mixed(state, 3 + move)


@njit
def drawn_win(state):
    return mixed(state, 0) % 8 == 7


@njit
def drawn_value(state, evaluation, ply):
    """Few different values, so that many are equal; the ply matters."""
    return (mixed(state, 10) % 7 - 3) * evaluation + ply


def searcher(list_moves, play, can_win, leaf_value):
    """search(root, depth, ..) -> control fields, best line: the alpha-beta of such a game."""
    game = types.ModuleType("game")
    game.load_root, game.store = load_root, store
    game.list_moves, game.play, game.can_win, game.leaf_value = list_moves, play, can_win, leaf_value
    kernel = make_alphabeta(game)
    run = njit(lambda address: kernel(memory_at(address)))

    def search(
        root,
        depth,
        evaluation,
        pruning=True,
        window=(-layout.INFINITY, layout.INFINITY),
        win_steps=-1,
        max_nodes=1 << 62,
    ):
        memory = ctypes.create_string_buffer(layout.MEMORY_BYTES)
        control = memoryview(memory).cast("B")[: layout.FRAMES_OFFSET].cast("q")
        for field, value in (
            (layout.DEPTH, depth),
            (layout.EVALUATION, evaluation),
            (layout.PRUNING, pruning),
            (layout.ALPHA, window[0]),
            (layout.BETA, window[1]),
            (layout.WIN_STEPS, win_steps),
            (layout.MAX_NODES, max_nodes),
            (layout.BUDGET_NS, 1 << 62),
        ):
            control[field] = value
        ctypes.c_uint16.from_buffer(memory, layout.POSITIONS_OFFSET).value = root
        run(ctypes.addressof(memory))
        lines = memoryview(memory).cast("B")[layout.LINES_OFFSET : layout.POSITIONS_OFFSET].cast("q")
        return control, list(lines[: control[layout.LINE_LENGTH]])

    return search


@pytest.fixture(scope="module")
def search_example():
    return searcher(example_moves, example_play, no_win, example_value)


@pytest.fixture(scope="module")
def search_drawn():
    return searcher(drawn_moves, drawn_play, drawn_win, drawn_value)


def test_the_documented_example(search_example):
    """D = 3 and E = 17 make B worth 3; F = 2 shows that C is worth less, whatever the rest of it holds."""
    for rest in (-100, 0, 2, 3, 17, 100):
        control, line = search_example(A, 2, rest)
        assert (control[layout.VALUE], line) == (3, [B, D])
        assert control[layout.NODES] == len([A, B, D, E, C, F])
        control, line = search_example(A, 2, rest, pruning=False)
        assert (control[layout.VALUE], line) == (3, [B, D])
        assert control[layout.NODES] == len([A, B, D, E, C, F, G, H])


def reference(state, ply, depth, evaluation, win_steps):
    """(value, best line, nodes) of a drawn game by plain minimax."""
    if ply < depth and drawn_win(state):
        return (layout.WIN if win_steps < 0 else layout.WIN * (win_steps - ply)), [], 1
    moves = np.zeros(MOST_CHILDREN, np.int16)
    count = drawn_moves(state, None, moves, 0) if ply < depth else 0
    if count == 0:
        return drawn_value(state, evaluation, ply), [], 1
    best, best_line, nodes = None, [], 1
    for move in map(int, moves[:count]):
        value, line, below = reference(drawn_play(state, move), ply + 1, depth, evaluation, win_steps)
        nodes += below
        if best is None or -value > best:
            best, best_line = -value, [move, *line]
    return best, best_line, nodes


@given(st.integers(0, 2**16 - 1), st.integers(0, 6), st.booleans())
def test_minimax_and_alpha_beta_find_what_there_is(search_drawn, root, depth, counts_steps):
    win_steps = depth if counts_steps else -1
    value, line, nodes = reference(root, 0, depth, 20, win_steps)
    control, found = search_drawn(root, depth, 20, pruning=False, win_steps=win_steps)
    assert (control[layout.VALUE], found, control[layout.NODES], control[layout.STOPPED]) == (value, line, nodes, 0)
    control, found = search_drawn(root, depth, 20, win_steps=win_steps)
    assert (control[layout.VALUE], found) == (value, line)
    assert control[layout.NODES] <= nodes


@given(st.integers(0, 2**16 - 1), st.integers(1, 5), st.integers(-70, 70), st.integers(1, 60))
def test_a_window_gives_the_value_or_a_bound(search_drawn, root, depth, alpha, width):
    value = reference(root, 0, depth, 20, -1)[0]
    control, _ = search_drawn(root, depth, 20, window=(alpha, alpha + width))
    found = control[layout.VALUE]
    if value <= alpha:
        assert value <= found <= alpha
    elif value >= alpha + width:
        assert alpha + width <= found <= value
    else:
        assert found == value


def test_a_search_ends_at_its_last_node(search_drawn):
    root = next(root for root in range(2**16) if reference(root, 0, 6, 20, -1)[2] > 200)
    nodes = search_drawn(root, 6, 20, pruning=False)[0][layout.NODES]
    for max_nodes in (1, 2, nodes - 1, nodes):
        control, _ = search_drawn(root, 6, 20, pruning=False, max_nodes=max_nodes)
        assert control[layout.STOPPED] == (max_nodes < nodes)
        assert control[layout.NODES] == min(nodes, max_nodes + 1)


def test_all_the_places_of_a_ply_are_used():
    """A game of as many moves as there may be, at the deepest ply but one."""

    @njit
    def chain_moves(state, control, moves, offset):
        count = 1 if state < layout.DEEPEST - 1 else layout.MOST_MOVES
        for place in range(count):
            moves[offset + place] = place - (layout.MOST_MOVES if count > 1 else 0)
        return count

    @njit
    def chain_play(state, move):
        return state + 1 if move >= 0 else 1000 - move

    @njit
    def chain_value(state, evaluation, ply):
        return state

    control, line = searcher(chain_moves, chain_play, no_win, chain_value)(0, layout.DEEPEST, 0)
    assert control[layout.VALUE] == 1001 and line == [0] * (layout.DEEPEST - 1) + [-1]
