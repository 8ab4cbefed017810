"""The tree search for games of many moves on a toy game: proofs are true, thresholds hold, sides keep their values."""

import itertools
import math
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.search import scores
from bot.search.uct import control
from bot.search.uct.wide_tree import layout
from tests.bot.search.probes.pile import (
    ALIKE,
    LAST_MARGIN,
    LAST_MOVES,
    Memory,
    margin_of,
    play_plain,
    prove_move,
    result,
)

UCB1, PROOFS, AMAF = control.FLAG_UCB1, control.FLAG_PROOFS, control.FLAG_AMAF
TREES = "30ae82d3"
SETTINGS = [
    {},
    {"FLAGS": PROOFS, "EXPLORATION": 3.0, "FIRST_PLAY": 0.0},
    {"FLAGS": PROOFS | control.FLAG_RELATIVE_FIRST_PLAY, "FIRST_PLAY": -0.1},
    {"FLAGS": UCB1 | PROOFS | AMAF, "ALPHA": 0.5},
    {"FLAGS": UCB1 | PROOFS | AMAF, "ALPHA": 1.0, "SIM_MIN": 2},
    {"SIM_MIN": 4, "SIM_MAX": 9},
    {"SIM_MAX": 3, "SOLVED_STONES": 1, "SOLVE_VISITS": 1},
    {"MARGIN_SHARE": 0.3},
]


def result_of_score(score):
    return {"win": 1, "draw": 0, "loss": -1}[scores.outcome(score)]


@pytest.mark.parametrize("piles", [(1, 3, 8), pytest.param((2, 5, 11, 13), marks=pytest.mark.slow)])
def test_the_root_is_proven_to_be_what_it_is(piles):
    for fields, stones, margin in itertools.product(SETTINGS, piles, (-1, 0, 2)):
        memory = Memory(stones, margin, **fields)
        memory.run(60_000)
        assert memory.control[control.STOP_REASON] == control.STOP_PROVEN
        expected = result(stones, margin)
        assert result_of_score(memory.view.score(memory.view.root())) == expected
        best = memory.view.best_move()
        final = margin + margin_of(stones, best)
        assert (final > 0) - (final < 0) == expected


@pytest.mark.parametrize("fields", SETTINGS, ids=str)
@settings(max_examples=6, deadline=None)
@given(stones=st.integers(8, 25), margin=st.integers(-3, 3), iterations=st.integers(1, 3000))
def test_every_proof_in_the_tree_is_true(fields, stones, margin, iterations):
    memory = Memory(stones, margin, **fields)
    memory.run(iterations)
    for node, left, seen, again in memory.walk():
        if memory.view.score(node):
            assert result_of_score(memory.view.score(node)) == result(left, seen) * (1 if again else -1)
        if memory.view.visits(node):
            assert memory.view.moves_again(node) == again


def test_without_proofs_nothing_is_proven():
    memory = Memory(6, FLAGS=UCB1)
    assert memory.run(5000) == 5000
    assert not any(memory.view.score(node) for node, *_ in memory.walk())
    best = memory.view.best_move()
    assert margin_of(6, best) == max(margin_of(6, move) for move in range(1, 6))


@settings(max_examples=20, deadline=None)
@given(
    stones=st.integers(12, 60), iterations=st.integers(1, 2000), sim_max=st.integers(1, 30), sim_min=st.integers(0, 12)
)
def test_thresholds_of_visits(stones, iterations, sim_max, sim_min):
    memory = Memory(stones, FLAGS=UCB1, SIM_MAX=sim_max, SIM_MIN=sim_min)
    memory.run(iterations)
    view = memory.view
    assert view.visits(view.root()) == iterations
    for node, *_ in memory.walk():
        below = [view.visits(child) for child in view.children(node)]
        if not below:
            assert view.visits(node) <= sim_max or play_is_over(memory, node)
        elif node == view.root():
            assert sum(below) == iterations
        else:
            assert view.visits(node) - sum(below) == sim_max
        if below and min(below) < sim_min:
            assert max(below) <= min(below) + 1


def play_is_over(memory, node):
    return any(other == node and stones == 0 for other, stones, _, _ in memory.walk())


@pytest.mark.parametrize("iterations", [7, 1003])
def test_plain_monte_carlo_shares_simulations_equally_and_grows_no_tree(iterations):
    memory = Memory(40, SIM_MIN=1_000_000, SIM_MAX=1_000_000, FLAGS=UCB1)
    memory.run(iterations)
    shares = [memory.view.visits(child) for child in memory.view.children(memory.view.root())]
    assert sum(shares) == iterations and max(shares) - min(shares) <= 1
    assert memory.control[control.MAX_DEPTH] == 1


def test_means_are_the_results_for_the_side_that_moved():
    memory = Memory(30, 0, FLAGS=UCB1, SIM_MAX=4)
    sums = {}
    for _ in range(500):
        memory.run(1)
        depth, value = last_simulation(memory)
        for ply in range(depth + 1):
            node, side = memory.path[2 * ply], memory.path[2 * ply + 1]
            sums.setdefault(node, []).append(value if side == 0 else -value)
    assert len(sums) > 30
    for node, values in sums.items():
        assert memory.view.visits(node) == len(values)
        assert memory.view.mean(node) == pytest.approx(sum(values) / len(values), abs=1e-4)


def last_simulation(memory):
    """(depth of its path, its value for the root's side to move), played again by the plain rule."""
    stones, margin, side, depth = memory.stones, memory.margin, 0, memory.control[layout.PATH_DEPTH]
    assert (memory.path[0], memory.path[1]) == (memory.view.root(), 0)
    for ply in range(1, depth + 1):
        assert memory.path[2 * ply + 1] == side
        stones, margin, again = play_plain(stones, margin, memory.view.move(memory.path[2 * ply]))
        side ^= not again
    final = margin if stones == 0 else memory.game_words[LAST_MARGIN]
    value = (final > 0) - (final < 0)
    return depth, value if side == 0 else -value


def test_amaf_counts_every_sibling_whose_move_the_side_made_later():
    memory = Memory(33, 0, FLAGS=UCB1 | AMAF, ALPHA=0.4, SIM_MAX=3, SIM_MIN=1)
    view = memory.view
    visits, means = view.array(layout.AMAF_VISITS, "I"), view.array(layout.AMAF_MEANS, "f")
    found, compared = {}, 0
    for _ in range(400):
        memory.run(1)
        depth, value = last_simulation(memory)
        stones, sides = memory.stones, [memory.path[2 * ply + 1] for ply in range(depth + 1)]
        played = [(view.move(memory.path[2 * ply]), sides[ply]) for ply in range(1, depth + 1)]
        last_side = 0
        for move, side in played:
            stones -= move
            last_side = side if move in (2, 4) else 1 - side
        if stones:
            played += [
                (entry & 255, (entry >> 8) ^ last_side) for entry in memory.trace[: memory.game_words[LAST_MOVES]]
            ]
        for ply in range(1, depth + 1):
            later = set(played[ply - 1 :])
            for sibling in view.children(memory.path[2 * ply - 2]):
                if (view.move(sibling), sides[ply]) in later:
                    found.setdefault(sibling, []).append(value if sides[ply] == 0 else -value)
    for node, *_ in memory.walk():
        for child in view.children(node):
            values = found.get(child, [])
            assert visits[child] == len(values)
            if values:
                assert means[child] == pytest.approx(sum(values) / len(values), abs=1e-4)
                compared += 1
    assert compared > 30


@pytest.mark.parametrize("flags, alpha", [(UCB1, 0.0), (UCB1 | AMAF, 0.7), (0, 0.0)])
def test_the_child_descended_to_is_the_formulas_best(flags, alpha):
    memory = Memory(50, 0, FLAGS=flags, ALPHA=alpha, EXPLORATION=0.8, FIRST_PLAY=0.2, SIM_MAX=5)
    view = memory.view
    amaf = view.array(layout.AMAF_MEANS, "f")
    for _ in range(300):
        root = view.root()
        total, children = view.visits(root), view.children(root)
        keys = []
        for child in children:
            value = view.mean(child) * (1 - alpha) + alpha * amaf[child]
            if flags & UCB1:
                keys.append(value + 0.8 * math.sqrt(math.log(max(total, 1)) / max(view.visits(child), 1)))
            else:
                keys.append(value + 0.8 / len(children) * math.sqrt(total + 1) / (1 + view.visits(child)))
        memory.run(1)
        assert keys[memory.path[2] - children[0]] == pytest.approx(max(keys), abs=1e-3)


def test_the_same_seed_and_iterations_give_the_tree_that_they_have_always_given():
    """Anything that changes a search changes the number."""
    digest = 0
    for fields in SETTINGS:
        memories = [Memory(40, 0, seed=seed, **fields) for seed in (3, 3, 4)]
        for memory in memories:
            for _ in range(4):
                memory.run(300)
        first, second, other = [bytes(memory.memory) for memory in memories]
        assert first == second != other
        digest = zlib.crc32(first[layout.NODES_OFFSET :], digest)
    assert f"{digest:08x}" == TREES


def snapshot(memory, node):
    """All that is known of a node and what is below it."""
    view = memory.view
    return [
        (
            view.move(child),
            view.visits(child),
            view.mean(child),
            view.score(child),
            view.moves_again(child),
            snapshot(memory, child),
        )
        for child in view.children(node)
    ]


def most_visited(memory, moves):
    """(stones, margin, the most visited nodes of that position) after moves from the root."""
    stones, margin = memory.stones, memory.margin
    for move in moves:
        stones, margin, _ = play_plain(stones, margin, move)
    nodes = [node for node, left, seen, _ in memory.walk() if (left, seen) == (stones, margin)]
    most = max(memory.view.visits(node) for node in nodes)
    return stones, margin, [node for node in nodes if memory.view.visits(node) == most]


@pytest.mark.parametrize("moves", [(), (2,), (2, 4, 1), (3, 2, 2)])
def test_the_tree_below_the_new_root_is_kept(moves):
    memory = Memory(45, 0, SIM_MAX=2, SIM_MIN=1_000_000)  # so that all moves are looked at
    memory.run(3000)
    stones, margin, nodes = most_visited(memory, moves)
    signs = [1 if memory.view.moves_again(node) else -1 for node in nodes]
    known = [(snapshot(memory, node), sign * memory.view.mean(node)) for node, sign in zip(nodes, signs, strict=True)]
    visits = memory.view.visits(nodes[0])
    assert visits > 20
    assert memory.take(stones, margin, keep=1)
    root = memory.view.root()
    assert (snapshot(memory, root), memory.view.mean(root)) in known
    assert memory.view.visits(root) == visits
    memory.run(2000)
    for node, left, seen, again in memory.walk():
        if memory.view.score(node):
            assert result_of_score(memory.view.score(node)) == result(left, seen) * (1 if again else -1)


def test_a_position_that_the_tree_does_not_know_starts_afresh():
    memory = Memory(45, 0)
    memory.run(500)
    assert not memory.take(46, 0, keep=1)
    assert memory.control[layout.TOP] == 2 + 1 + 5 and memory.view.visits(memory.view.root()) == 0
    assert not memory.take(46, 1, keep=1)  # the same stones with another margin are another position
    assert not memory.take(46 + ALIKE, 1, keep=1)  # nor are positions the same that a node's check cannot tell apart


@pytest.mark.parametrize("limit", [0, 40])
def test_what_is_too_much_to_keep_is_cut_off(limit):
    memory = Memory(45, 0, SIM_MAX=2, SIM_MIN=1_000_000)
    memory.run(3000)
    stones, margin, nodes = most_visited(memory, (1, 3))
    visits = memory.view.visits(nodes[0])
    memory.control[control.LIVE_LIMIT] = limit
    assert memory.take(stones, margin, keep=1)
    assert memory.control[layout.TOP] <= max(limit, 2) + 6  # the root has its children in any case
    assert memory.view.visits(memory.view.root()) == visits
    assert memory.run(1000) == 1000


def test_a_root_whose_children_are_cut_off_forgets_that_one_was_a_draw():
    memory = Memory(45, 0)
    root, flags = memory.view.root(), memory.view.array(layout.NODE_FLAGS, "h")
    prove_move(memory.address, memory.view.move(memory.view.children(root)[0]), scores.PROVEN_DRAW)
    assert flags[root] == layout.AGAIN | layout.HAS_DRAW
    memory.control[control.LIVE_LIMIT] = 0
    assert memory.take(45, 0, keep=1)
    assert flags[memory.view.root()] == layout.AGAIN


def test_a_full_arena_still_searches():
    memory = Memory(60, 0, nodes=1024)
    assert memory.run(20_000) == 20_000
    assert memory.control[layout.TOP] <= memory.control[control.NODE_CAPACITY]
    assert memory.control[control.NODE_CAPACITY] - memory.control[layout.TOP] < 6
    assert memory.view.visits(memory.view.root()) == 20_000


def test_a_small_memory_is_refused():
    with pytest.raises(ValueError, match="too small"):
        layout.plan_memory(30_000)


def test_a_settled_child_is_left_alone_and_settles_its_parent():
    memory = Memory(50, 0)
    memory.run(300)
    first, second, *others = memory.view.children(memory.view.root())
    visits = memory.view.visits(first)
    prove_move(memory.address, memory.view.move(first), -1000)
    memory.run(300)
    assert memory.view.visits(first) == visits and memory.view.score(first) == -1000
    assert not memory.view.score(memory.view.root())
    prove_move(memory.address, memory.view.move(second), 900)
    assert memory.view.score(memory.view.root()) == 900
    assert memory.view.best_move() == memory.view.move(second)
    assert memory.run(10) == 0


def test_time_ends_a_search():
    memory = Memory(900, 0, BUDGET_NS=20_000_000)
    assert memory.run(1 << 62) > 0 and memory.control[control.STOP_REASON] == control.STOP_TIME
