"""A game for tests of the tree search for many moves, small enough to be known by heart: taking from a pile.

A side takes 1..5 stones and gets the points of POINTS for it; after 2 or 4 it moves again. Without stones the game is
over; more points win. Kernels as bot/search/uct/wide_tree/search.py asks for them, a memory that tests may read, and
the exact values.
"""

import ctypes
import mmap
import sys
from functools import cache

import numpy as np

from bot.kernels.kernel import kernel
from bot.search.uct import control
from bot.search.uct.control import FLAG_AMAF, FLAGS
from bot.search.uct.wide_tree import layout
from bot.search.uct.wide_tree.search import make_uct
from bot.search.uct.wide_tree.tree import tree_at
from tests.bot.helpers.probe import probe

POINTS = (0, 1, 0, -1, 2, -2)
MOST_TAKEN = len(POINTS) - 1
_POINTS = np.array(POINTS, np.int64)
# Game words: the rollouts' random state; whether leaves with at most so many stones are solved; what the last rollout
# found: its margin and how many moves.
RANDOM_STATE, SOLVED_STONES, LAST_MARGIN, LAST_MOVES = range(4)
_BIAS = 1000
ALIKE = 10_000


@kernel
def load_root(positions, offset):
    return np.int64(positions[offset]), np.int64(positions[offset + 1]) - _BIAS


@kernel
def store(state, positions, offset):
    positions[offset], positions[offset + 1] = state[0], state[1] + _BIAS


@kernel
def list_moves(state, tree):
    count = min(state[0], MOST_TAKEN)
    for place in range(count):
        tree.moves[place] = place + 1
    return count, count


@kernel
def play(state, move):
    stones, margin = state
    margin += _POINTS[move]
    if move == 2 or move == 4:
        return (stones - move, margin), 1
    return (stones - move, -margin), 0


@kernel
def amaf_key(move):
    return move


@kernel
def position_hash(state):
    """Piles that differ by a multiple of ALIKE stones have the same lower half."""
    return np.uint64(state[0] % ALIKE * 2000 + state[1] + _BIAS) * np.uint64(0x9E3779B97F4A7C15) + (
        np.uint64(state[0] // ALIKE) << np.uint64(32)
    )


@kernel
def can_reach(state, target):
    return state[0] >= target[0]


@kernel
def known_result(state):
    return state[0] == 0, state[1]


@kernel
def solve_leaf(state, tree):
    """Knows nothing but piles of one stone."""
    return state[0] == 1 and tree.game_words[SOLVED_STONES] >= np.uint64(1), state[1] + 1


@kernel
def rollout(state, tree):
    side = count = 0
    stones, margin = state
    first_margin = margin
    while stones > 0:
        tree.game_words[RANDOM_STATE] = tree.game_words[RANDOM_STATE] * np.uint64(6364136223846793005) + np.uint64(
            1442695040888963407
        )
        move = 1 + np.int64((tree.game_words[RANDOM_STATE] >> np.uint64(33)) % np.uint64(min(stones, MOST_TAKEN)))
        if tree.control[FLAGS] & FLAG_AMAF:
            tree.trace[count] = move | side << 8
        count += 1
        first_margin += -_POINTS[move] if side else _POINTS[move]
        (stones, margin), again = play((stones, margin), move)
        side ^= 1 - again
    tree.game_words[LAST_MARGIN], tree.game_words[LAST_MOVES] = np.uint64(first_margin), np.uint64(count)
    return first_margin, count


_prepare_root, _search, _prove_move = make_uct(sys.modules[__name__])


@probe
def prepare_root(address, keep):
    return _prepare_root(tree_at(address), keep)


@probe
def search(address):
    return _search(tree_at(address))


@probe
def prove_move(address, move, score):
    _prove_move(tree_at(address), move, score)


def play_plain(stones, margin, move):
    """(stones, margin, whether the side moves again): the same rule once more."""
    again = move in (2, 4)
    margin += POINTS[move]
    return stones - move, margin if again else -margin, again


@cache
def best_margin(stones):
    """What the side to move gets more than the other from here on, when both play perfectly."""
    return max((margin_of(stones, move) for move in range(1, min(stones, MOST_TAKEN) + 1)), default=0)


def margin_of(stones, move):
    """The same after a certain move."""
    left, gained, again = play_plain(stones, 0, move)
    return gained + best_margin(left) if again else -gained - best_margin(left)


@cache
def result(stones, margin):
    """1, 0 or -1 for the side to move."""
    final = margin + best_margin(stones)
    return (final > 0) - (final < 0)


class View(layout.View):
    """The storage's View with what it has of single nodes."""

    def __init__(self, memory, final_move):
        super().__init__(memory, final_move)
        self._flags = self.array(layout.NODE_FLAGS, "h")

    def visits(self, node):
        return self._visits[node]

    def mean(self, node):
        return self._means[node]

    def move(self, node):
        return self._codes[node]

    def score(self, node):
        """For the side that moved there; the root's for its own side to move."""
        return self._scores[node]

    def moves_again(self, node):
        return bool(self._flags[node] & layout.AGAIN)


class Memory:
    """One search memory of the game; control fields by keyword, named as in bot/search/uct/, and SOLVED_STONES."""

    def __init__(self, stones, margin=0, nodes=20_000, seed=7, **fields):
        plan = layout.plan_memory(layout.NODES_OFFSET + nodes * layout.NODE_BYTES)
        self.memory = mmap.mmap(-1, plan.pop("total_bytes"))
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        view = memoryview(self.memory)
        self.control = view[: 8 * control.CONTROL_FIELDS].cast("q")
        self.reals = view[: 8 * control.CONTROL_FIELDS].cast("d")
        self.game_words = view[control.GAME_WORDS_OFFSET :][: 8 * control.GAME_WORDS].cast("q")
        self.path = view[layout.PATH_OFFSET : layout.PATH_OFFSET + 16 * control.MAX_PLIES].cast("q")
        self.trace = view[layout.TRACE_OFFSET : layout.TRACE_OFFSET + 2 * layout.TRACE_PLACES].cast("h")
        usual = {
            "SIM_MIN": 0,
            "SIM_MAX": 1,
            "SOLVE_VISITS": 0,
            "EXPLORATION": 1.0,
            "FIRST_PLAY": 100.0,
            "FLAGS": control.FLAG_UCB1 | control.FLAG_PROOFS,
            "GREATEST_MARGIN": 100,
            "BUDGET_NS": 1 << 62,
        }
        self.game_words[RANDOM_STATE] = seed
        self.game_words[SOLVED_STONES] = fields.pop("SOLVED_STONES", 0)
        for field, value in {**plan, **usual, **fields}.items():
            name = field if isinstance(field, int) else getattr(control if hasattr(control, field) else layout, field)
            (self.reals if isinstance(value, float) else self.control)[name] = value
        self.view = View(view, "visits")
        self.kept = self.take(stones, margin)

    def take(self, stones, margin=0, keep=0):
        """Make a position the root; whether the tree knew it."""
        words = memoryview(self.memory)[control.ROOT_POSITION_OFFSET : control.ROOT_POSITION_OFFSET + 4].cast("H")
        words[0], words[1] = stones, margin + _BIAS
        self.stones, self.margin = stones, margin
        return bool(prepare_root(self.address, keep))

    def run(self, iterations):
        """So many simulations at most; how many there were."""
        self.control[control.MAX_ITERATIONS] = iterations
        return search(self.address)

    def walk(self):
        """(node, stones, margin, whether its mover is to move) of every node with visits, margin seen as in states."""
        waiting = [(self.view.root(), self.stones, self.margin, True)]
        while waiting:
            node, stones, margin, again = waiting.pop()
            yield node, stones, margin, again
            for child in self.view.children(node):
                if self.view.visits(child) or self.view.score(child):
                    waiting.append((child, *play_plain(stones, margin, self.view.move(child))))
