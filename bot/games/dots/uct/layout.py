"""What the tree's game words (search/uct/control.py) are in dots and boxes, and the codes of moves.

A move's code is a turn's code (rules/turns.py), 0..255, or, where moves are single edges, SINGLE_EDGE + the edge's
number. Standard library only.
"""

(
    RANDOM_STATE,  # of rollouts, not zero
    RULES,  # the bits below: what moves, rollouts and leaves are like
    SOLVER,  # address of the exact solver's memory, whose board is set; 0: leaves are not solved
    LEAF_EDGES,  # free edges of a leaf that the solver is asked about, at most
    LEAF_NODES,  # positions that it may visit for one
) = range(5)

MERGED = 1  # a move is a whole turn; without it, one edge
DOUBLE_CROSS_MOVES = 2  # with MERGED: a turn may leave two boxes (four of a loop)
CHAINS = 4  # rollouts know chains
ONE_OF_EQUALS = 8  # with MERGED: of edges that do the same only one is a move, and openings are tried last

SINGLE_EDGE = 256  # what a single edge has in its move's code beyond its number
