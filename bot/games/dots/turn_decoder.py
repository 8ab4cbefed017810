"""Memory of the entry points about turns: turn_edges, whose codes become moves of the bot, and perft.

Standard library only. turn_edges takes the address of

    byte 0     the position, Position.to_bytes
    byte 48    int16[112], written by the kernel: the edges in their order

and perft that of a stack:

    byte 0      positions: 24 uint16s (Position.to_bytes) for each ply, the first one written by the caller
    byte 624    codes: 120 int16s for each ply, the last of them how many are left to try
"""

from bot.kernels.memory_block import MemoryBlock

from .board import turn_of

POSITION_BYTES = 48
MOST_EDGES = 112  # of the largest board

DEEPEST = 12  # plies of the stack
HALVES = 24  # uint16s of a position
MOST_CODES = 120
CODES_OFFSET = 2 * HALVES * (DEEPEST + 1)
STACK_BYTES = CODES_OFFSET + 2 * MOST_CODES * DEEPEST


class TurnDecoder:
    """kernels: a module with the entry point turn_edges(address, code)."""

    def __init__(self, kernels):
        self._kernels = kernels
        self._memory = MemoryBlock(POSITION_BYTES + 2 * MOST_EDGES)
        self._edges = self._memory.array(POSITION_BYTES, MOST_EDGES, "h")

    def turn(self, position, code):
        """The turn of that code, one of those that kernels list for a Position."""
        self._memory.write(0, position.to_bytes())
        count = self._kernels.turn_edges(self._memory.address, code)
        return turn_of(self._edges[:count].tolist())

    def line(self, position, codes):
        """The turns of codes played one after another from a Position."""
        turns = []
        for code in codes:
            turns.append(self.turn(position, code))
            position = position.play(turns[-1])
        return turns
