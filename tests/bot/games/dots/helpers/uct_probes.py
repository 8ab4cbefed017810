"""The rollouts of dots and boxes one by one, and the moves that its tree search lists."""

import ctypes
import mmap

from bot.games.dots import uct as uct_game
from bot.games.dots.uct_engine import RANDOM_STATE, RULES
from bot.search.uct import control
from bot.search.uct.wide_tree import layout
from bot.search.uct.wide_tree.tree import tree_at
from tests.bot.helpers.probe import probe


@probe
def rollouts(address):
    tree = tree_at(address)
    state = uct_game.load_root(tree.position, 0)
    total = 0
    for _ in range(tree.control[control.MAX_ITERATIONS]):
        margin, _ = uct_game.rollout(state, tree)
        total += margin
    return total


@probe
def rollout(address):
    """Margin + 1000 and moves * 2000 of one rollout."""
    tree = tree_at(address)
    margin, count = uct_game.rollout(uct_game.load_root(tree.position, 0), tree)
    return margin + 1000 + 2000 * count


@probe
def list_moves(address):
    """Moves and preferred moves * 1000 of the position in memory."""
    tree = tree_at(address)
    count, preferred = uct_game.list_moves(uct_game.load_root(tree.position, 0), tree)
    return count + 1000 * preferred


class SearchMemory:
    """A small search memory without an engine. flags: control[FLAGS]; seed: the rollouts' random state, not zero."""

    def __init__(self, rules, flags=0, seed=88172645463325252):
        plan = layout.plan_memory(1 << 20)
        self._memory = mmap.mmap(-1, plan.pop("total_bytes"))
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        view = memoryview(self._memory)
        self.control = view[: 8 * control.CONTROL_FIELDS].cast("q")
        for field, value in plan.items():
            self.control[field] = value
        self.control[control.FLAGS] = flags
        words = view[control.GAME_WORDS_OFFSET :][: 8 * control.GAME_WORDS].cast("q")
        words[RULES], words[RANDOM_STATE] = rules, seed
        self._trace = view[layout.TRACE_OFFSET : layout.TRACE_OFFSET + 2 * layout.TRACE_PLACES].cast("h")
        self._moves = view[layout.MOVES_OFFSET : layout.MOVES_OFFSET + 2 * layout.MOST_MOVES].cast("h")

    def put(self, position):
        data = position.to_bytes()
        self._memory[control.ROOT_POSITION_OFFSET : control.ROOT_POSITION_OFFSET + len(data)] = data

    def rollout(self, position):
        """(margin, [(edge, side)]) of one rollout; the moves only where the flags ask for them."""
        self.put(position)
        count, margin = divmod(rollout(self.address), 2000)
        return margin - 1000, [(entry & 255, entry >> 8) for entry in self._trace[:count]]

    def sum_of_rollouts(self, position, count):
        self.put(position)
        self.control[control.MAX_ITERATIONS] = count
        return rollouts(self.address)

    def moves(self, position):
        """(codes listed, how many of them are preferred)."""
        self.put(position)
        preferred, count = divmod(list_moves(self.address), 1000)
        return list(self._moves[:count]), preferred
