"""The 8x8 search's memory as Python sees it: put a question, let the kernel work on it, read the answer.

Standard library only. Squares and scores are the kernels' (rules/bitboard.py, search.py); questions are about positions
with a legal move.
"""

from bot.kernels.memory_block import MEGABYTE, MemoryBlock
from bot.search.limits import nanoseconds

from ..memory import layout

NO_SQUARE = 64
_BUCKET_BYTES, _ENTRY_BYTES = 64, 16
_EVERY_BIT = (1 << 64) - 1
_CORNER_PLACES = ((0, 0), (0, 1), (1, 0), (1, 1))
# The table's hash, as memory/position_table.py computes it.
_OWN_MULTIPLIER, _OPPONENT_MULTIPLIER, _INDEX_MULTIPLIER = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93


class SearchMemory:
    """One search's memory.

    kernels: a module with kernels.py's pvs and prepare_weights. megabytes: what the table of positions takes. weights:
    as weights/pattern_set.unpack_weights() gives them, or None to play without.
    """

    def __init__(self, kernels, megabytes, weights):
        self._kernels = kernels
        self.buckets = max(int(megabytes * MEGABYTE), layout.LEAST_TABLE_BYTES) // _BUCKET_BYTES
        memory = self._memory = MemoryBlock(layout.TABLE_OFFSET + self.buckets * _BUCKET_BYTES, huge_pages=True)
        self._address = memory.address
        self._control = memory.array(0, layout.CONTROL_FIELDS, "q")
        self._words = memory.array(0, layout.CONTROL_FIELDS, "Q")
        self._root_words = memory.array(layout.FRAMES_OFFSET, layout.FRAME_WORDS, "Q")
        self._root_numbers = memory.array(layout.FRAMES_OFFSET, layout.FRAME_WORDS, "q")
        self._table = memory.array(layout.TABLE_OFFSET, self.buckets * _BUCKET_BYTES // 8, "Q")
        self._control[layout.TABLE_BUCKETS] = self.buckets
        self._size, self._trained = None, weights is not None
        if self._trained:
            self._take_weights(weights)

    def _take_weights(self, weights):
        knots, low, high, steps = weights
        self._memory.write(layout.TABLE_OFFSET, low + high)
        for place, discs in enumerate(knots):
            self._control[layout.KNOT_DISCS + place] = discs
        self._control[layout.KNOTS], self._control[layout.STEPS] = len(knots), steps
        self._kernels.prepare_weights(self._address)

    def set_size(self, size):
        """Search boards of that size from now on, 4 .. 8; what is known of another size is forgotten."""
        if size == self._size:
            return
        if self._size is not None:
            self.forget()
        self._size = size
        # The features that have weights are those of the whole board.
        self._control[layout.TRAINED] = self._trained and size == 8
        row = (1 << size) - 1
        self._words[layout.BOARD] = sum(row << 8 * line for line in range(size))
        self._words[layout.BOARD_CORNERS] = sum(
            1 << 8 * (size - 1) * down + (size - 1) * right for down, right in _CORNER_PLACES
        )

    def forget(self):
        """Empty the table of positions."""
        self._memory.clear_from(layout.TABLE_OFFSET)
        self._control[layout.TABLE_USED] = 0

    def new_date(self):
        """From now on the table gives up what earlier searches entered before what later ones do."""
        self._control[layout.TABLE_DATE] = self._control[layout.TABLE_DATE] % 255 + 1

    def entries_in_use(self):
        """Positions in the table."""
        return self._control[layout.TABLE_USED]

    def bytes_in_use(self):
        """Bytes of the memory that hold something, the table's entries side by side."""
        return layout.TABLE_OFFSET + _ENTRY_BYTES * self.entries_in_use()

    def ask(self, own, opponent, depth, level, alpha, beta):
        """Put a question: the position's score in that window, so many plies deep (search.py); `go_on` works on it."""
        self._root_words[layout.OWN], self._root_words[layout.OPPONENT] = own, opponent
        numbers = self._root_numbers
        numbers[layout.DEPTH], numbers[layout.LEVEL] = depth, level
        numbers[layout.ALPHA], numbers[layout.BETA] = alpha, beta
        self._control[layout.ROOT_MOVE] = NO_SQUARE
        self._control[layout.STATUS] = layout.NOT_STARTED

    def go_on(self, seconds, nodes):
        """Work on the question within these limits; (its score or None, positions visited)."""
        self._control[layout.BUDGET_NS], self._control[layout.MAX_NODES] = nanoseconds(seconds), nodes
        visited = self._kernels.pvs(self._address)
        done = self._control[layout.STATUS] == layout.DONE
        return self._control[layout.ANSWER] if done else None, visited

    def best_square(self):
        """The best move so far for the question, NO_SQUARE while none has a score above alpha."""
        return self._control[layout.ROOT_MOVE]

    def known_move(self, own, opponent):
        """The best move that the table has for a position, NO_SQUARE where it has none."""
        key = own * _OWN_MULTIPLIER & _EVERY_BIT
        swapped = int.from_bytes((opponent * _OPPONENT_MULTIPLIER & _EVERY_BIT).to_bytes(8, "little"), "big")
        key = key + swapped & _EVERY_BIT
        spread = (key * _INDEX_MULTIPLIER & _EVERY_BIT) >> 32
        first = (spread * self.buckets >> 32) * 8
        for slot in range(first, first + 8, 2):
            if self._table[slot] == key:
                return self._table[slot + 1] >> 32 & 0xFF
        return NO_SQUARE
