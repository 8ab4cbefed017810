"""What edges a kernel's turn has: codes of turns.py become moves of the bot. Standard library only.

The memory of the entry point turn_edges:

    byte 0     the position, Position.to_bytes
    byte 48    int16[112], written by the kernel: the edges in their order
"""

from bot.kernels.memory_block import MemoryBlock

from .board import turn_of

POSITION_BYTES = 48
MOST_EDGES = 112  # of the largest board


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
