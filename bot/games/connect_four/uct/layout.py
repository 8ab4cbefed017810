"""What the tree's game words (search/uct/control.py) are in connect four: uint64[256]. Standard library only.

word 0     RANDOM_STATE: as many random generators as there are words, none of them zero
word 4     the numbers named below
word 16    replies: what has last won after a stone; a word for each side and column (16 of them a side), in it four
           bits for each row: 15 - the reply's column, 0 where none is known
word 48    cells: 16 * column + row of every stone of the rollout under way, in their order
"""

from ..rules.board import MAX_COLUMNS, MAX_ROWS

RANDOM_STATE, RANDOM_WORDS = 0, 4
(
    TREE_POLICY,  # the tactics of the tree, bits of rules/board.py
    ROLLOUT_POLICY,  # those of the rollouts
    FOLLOW_BITS,  # how many bits the key lacks (game.py) of the column just played in
    EVEN_BITS,  # of a column with an odd number of free cells
    REPLY_BITS,  # of the reply that has last won
    NETWORK,  # address of the network's memory, 0 for none
    NETWORK_SHARE,  # the network's part of a leaf's value, the rollout has the rest; counts in WHOLE_SHARE
    ROLLOUT_PLIES,  # written by rollouts: plies that they have played
) = range(4, 12)
REPLIES, REPLY_WORDS = 16, 32
CELLS, MOST_CELLS = REPLIES + REPLY_WORDS, MAX_ROWS * MAX_COLUMNS

WHOLE_SHARE = 1000
# A win, as the network's value of a position leaves the kernels.
WHOLE_VALUE = 1_000_000
