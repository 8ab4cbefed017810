"""The control block at the start of every tree search's memory: int64[256]; floats are stored as their float64 bits.

Standard library only. What only one way to store the tree needs is numbered in its own layout.py.
"""

CONTROL_FIELDS = 256
MAX_PLIES = 256

(
    NODE_CAPACITY,  # nodes there is room for
    LIVE_LIMIT,  # nodes that re-rooting keeps at most
    ROOT,
    BUDGET_NS,
    MAX_ITERATIONS,
    FLAGS,
    EXPLORATION,  # float
    FIRST_PLAY,  # float: what a move is worth before its first visit
    ITERATIONS,  # from here on written by the search
    MAX_DEPTH,
    STOP_REASON,
) = range(11)
# The first of those that a layout numbers.
OWN_FIELDS = 11

FLAG_UCB1 = 1
FLAG_PROOFS = 2
FLAG_RELATIVE_FIRST_PLAY = 4  # FIRST_PLAY is added to what the node above is worth
FLAG_STOP_WHEN_FORCED = 8
FLAG_SHARE = 16
FLAG_ROLLOUT_PROOFS = 32
FLAG_DRAW_PROOFS = 64
FLAG_AMAF = 128

STOP_TIME, STOP_ITERATIONS, STOP_PROVEN, STOP_FORCED = range(4)
