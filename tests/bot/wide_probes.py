"""The kernels of the tree search of dots and boxes as an engine takes them, uncached, and its rollouts one by one."""

import ctypes
import mmap

from numba import njit

from bot.games.dots import turns, uct_game
from bot.games.dots.solver_root import solve_in
from bot.games.dots.turn_decoder import MOST_EDGES, POSITION_BYTES
from bot.games.dots.uct_layout import RULES
from bot.search import wide_layout as layout
from bot.search.machine import int16_array_at, uint16_array_at
from bot.search.wide_layout import MAX_ITERATIONS
from bot.search.wide_tree import wide_tree_at
from bot.search.wide_uct import make_wide_uct

_prepare_root, _search, _settle_child = make_wide_uct(uct_game)


@njit(error_model="numpy", nogil=True)
def prepare_root(address, keep):
    return _prepare_root(wide_tree_at(address), keep)


@njit(error_model="numpy", nogil=True)
def search(address):
    return _search(wide_tree_at(address))


@njit(error_model="numpy", nogil=True)
def settle(address, move, score):
    _settle_child(wide_tree_at(address), move, score)
    return 0


@njit(error_model="numpy", nogil=True)
def turn_edges(address, code):
    positions, edges = uint16_array_at(address, turns.STATE_HALVES), int16_array_at(address + POSITION_BYTES, MOST_EDGES)
    return turns.turn_edges(turns.load_root(positions, 0), code, edges, 0)


@njit(error_model="numpy", nogil=True)
def solve(address):
    return solve_in(address)


@njit(error_model="numpy", nogil=True)
def rollouts(address):
    tree = wide_tree_at(address)
    state = uct_game.load_root(tree.position, 0)
    total = 0
    for _ in range(tree.control[MAX_ITERATIONS]):
        margin, _ = uct_game.rollout(state, tree)
        total += margin
    return total


@njit(error_model="numpy")
def rollout(address):
    """Margin + 1000 and moves * 2000 of one rollout."""
    tree = wide_tree_at(address)
    margin, count = uct_game.rollout(uct_game.load_root(tree.position, 0), tree)
    return margin + 1000 + 2000 * count


@njit(error_model="numpy")
def list_moves(address):
    """Moves and preferred moves * 1000 of the position in memory."""
    tree = wide_tree_at(address)
    count, preferred = uct_game.list_moves(uct_game.load_root(tree.position, 0), tree)
    return count + 1000 * preferred


class SearchMemory:
    """A small search memory without an engine; control fields by keyword, names as in wide_layout.py."""

    def __init__(self, rules, **fields):
        plan = layout.plan_memory(1 << 20)
        self._memory = mmap.mmap(-1, plan.pop("total_bytes"))
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        view = memoryview(self._memory)
        self.control = view[:8 * layout.CONTROL_FIELDS].cast("q")
        for field, value in plan.items():
            self.control[field] = value
        self.control[RULES], self.control[layout.RANDOM_STATE] = rules, 88172645463325252
        for name, value in fields.items():
            self.control[getattr(layout, name)] = value
        self._trace = view[layout.TRACE_OFFSET:layout.TRACE_OFFSET + 2 * layout.TRACE_PLACES].cast("h")
        self._moves = view[layout.MOVES_OFFSET:layout.MOVES_OFFSET + 2 * layout.MOST_MOVES].cast("h")

    def put(self, position):
        data = position.to_bytes()
        self._memory[layout.ROOT_POSITION_OFFSET:layout.ROOT_POSITION_OFFSET + len(data)] = data

    def rollout(self, position):
        """(margin, [(edge, side)]) of one rollout; the moves only where the flags ask for them."""
        self.put(position)
        count, margin = divmod(rollout(self.address), 2000)
        return margin - 1000, [(entry & 255, entry >> 8) for entry in self._trace[:count]]

    def sum_of_rollouts(self, position, count):
        self.put(position)
        self.control[MAX_ITERATIONS] = count
        return rollouts(self.address)

    def moves(self, position):
        """(codes listed, how many of them are preferred)."""
        self.put(position)
        preferred, count = divmod(list_moves(self.address), 1000)
        return list(self._moves[:count]), preferred
