"""Converts the kernels' codes of turns into the bot's moves. Shows the memory of the entry points turn_edges and perft.

Standard library only. turn_edges takes the address of

    byte 0     the position, Position.to_bytes
    byte 48    int16[112], written by the kernel: the edges in the order in which they are drawn

and perft takes the address of a stack:

    byte 0      positions: uint16[24] (Position.to_bytes) for each ply, the first one written by the caller
    byte 624    codes: int16[120] for each ply; the last element is the number of codes that are left to try
"""

from bot.kernels.memory_block import MemoryBlock

from .board import turn_of

POSITION_BYTES = 48
MOST_EDGES = 112  # number of edges on the largest board

DEEPEST = 12  # plies of the stack
HALVES = 24  # number of uint16 in a position
MOST_CODES = 120
CODES_OFFSET = 2 * HALVES * (DEEPEST + 1)
STACK_BYTES = CODES_OFFSET + 2 * MOST_CODES * DEEPEST


class TurnDecoder:
    """Converts codes of turns. `kernels` is a module with the entry point turn_edges(address, code)."""

    def __init__(self, kernels):
        self._kernels = kernels
        self._memory = MemoryBlock(POSITION_BYTES + 2 * MOST_EDGES)
        self._edges = self._memory.array(POSITION_BYTES, MOST_EDGES, "h")

    def turn(self, position, code):
        """Returns the turn that `code` stands for in `position`.

        It must be a code that the kernels list for the position.
        """
        self._memory.write(0, position.to_bytes())
        count = self._kernels.turn_edges(self._memory.address, code)
        return turn_of(self._edges[:count].tolist())

    def line(self, position, codes):
        """Returns the turns that `codes` stand for. The turns are played one after another, beginning in `position`."""
        turns = []
        for code in codes:
            turns.append(self.turn(position, code))
            position = position.play(turns[-1])
        return turns
