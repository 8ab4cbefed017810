"""The value of positions that are nothing but separate chains and loops, by recursion on their lengths. Kernels.

A chain of n boxes whose both ends are the board's border is worth its length and nothing else, and so is a loop. The
side to move has to open one. The other side takes it and has to open the next, or takes all but two boxes of a long
chain (three or more), all but four of a loop, and makes the opener go on. With v the value of the rest for who opens
there, opening costs

    a chain of one or two boxes   n + v                     (of two, its middle edge gives no choice)
    a long chain                  n - 2 + |v + 2|
    a loop                        n - 4 + |v + 4|

Of each of these three kinds only the shortest has to be tried: the value changes by at most one with a box more or
less in one of them (follow the same strategy), so that what a longer one costs more is never won back. So the
recursion needs no sets, only how many of each kind are left. Sources: Berlekamp, The Dots-and-Boxes Game, 2000;
Buzzard and Ciere, arXiv 1305.2156.

The room holds int64: how many chains of one box there are, of two, long ones, and loops; the lengths of the long chains
and of the loops, longest first; values.
"""

from bot.kernels.kernel import kernel

from .memory import lengths_at

ONES, TWOS, LONG_CHAINS, LOOPS = range(4)
CHAIN_LENGTHS, LOOP_LENGTHS, VALUES = 16, 40, 64
_LOOPS_AT_MOST = 16
_LOWER_THAN_ANY = -64
# Boxes that a double-cross leaves.
_LEFT_OF_CHAIN, _LEFT_OF_LOOP = 2, 4


@kernel
def clear_lengths(base):
    """Begin a position's list."""
    room = lengths_at(base)
    room[ONES] = room[TWOS] = room[LONG_CHAINS] = room[LOOPS] = 0


@kernel
def add_chain(base, length):
    """Enter a chain."""
    room = lengths_at(base)
    if length <= 2:
        room[ONES + length - 1] += 1
    else:
        _insert(room, LONG_CHAINS, CHAIN_LENGTHS, length)


@kernel
def add_loop(base, length):
    """Enter a loop."""
    _insert(lengths_at(base), LOOPS, LOOP_LENGTHS, length)


@kernel
def _insert(room, counter, first, length):
    place = first + room[counter]
    room[counter] += 1
    while place > first and room[place - 1] < length:
        room[place] = room[place - 1]
        place -= 1
    room[place] = length


@kernel
def loony_value(base):
    """Net boxes for the side to move, of the chains and loops entered and nothing else."""
    room = lengths_at(base)
    ones, twos, chains, loops = room[ONES], room[TWOS], room[LONG_CHAINS], room[LOOPS]
    for shorts in range(ones + twos + 1):
        cost = 2 if shorts <= twos else 1
        for chain in range(chains + 1):
            row = VALUES + _LOOPS_AT_MOST * chain
            for loop in range(loops + 1):
                best = _LOWER_THAN_ANY if shorts + chain + loop > 0 else 0
                if shorts > 0:
                    best = -cost - room[row + loop]
                if chain > 0:
                    rest = room[row - _LOOPS_AT_MOST + loop]
                    taken = room[CHAIN_LENGTHS + chain - 1] - _LEFT_OF_CHAIN
                    best = max(best, -taken - abs(rest + _LEFT_OF_CHAIN))
                if loop > 0:
                    taken = room[LOOP_LENGTHS + loop - 1] - _LEFT_OF_LOOP
                    best = max(best, -taken - abs(room[row + loop - 1] + _LEFT_OF_LOOP))
                room[row + loop] = best
    return room[VALUES + _LOOPS_AT_MOST * chains + loops]
