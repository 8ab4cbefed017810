"""The first 4096 bytes of the memory of every tree search, narrow_tree or wide_tree. Standard library only.

    byte 0        control: int64[64]; the fields below, then those that the storage's layout.py numbers
    byte 512      the position to search, at most 1536 bytes (768 in wide_tree); the game's engine writes it
    byte 2048     game words: uint64[256], which only the game's engine and kernels read and write

A field whose comment says "float" holds the 64 bits of a float64.
"""

CONTROL_FIELDS = 64
ROOT_POSITION_OFFSET = 512
GAME_WORDS_OFFSET = 2048
GAME_WORDS = 256
HEAD_BYTES = 4096
MAX_PLIES = 256  # the most plies of a descent

(
    NODE_CAPACITY,  # the number of nodes that the memory has room for
    LIVE_LIMIT,  # the most nodes that re-rooting keeps
    ROOT,  # the root's node
    BUDGET_NS,  # the time limit of the next call
    MAX_ITERATIONS,  # the limit of iterations of the next call
    FLAGS,  # the FLAG_ bits below
    EXPLORATION,  # float: weight of the selection's exploration term
    FIRST_PLAY,  # float: the value of a move before its first visit
    ITERATIONS,  # iterations done by the last call; the search writes this field and the two below
    MAX_DEPTH,  # plies of the longest descent since the engine set this field to 0
    STOP_REASON,  # why the last call ended: one of the STOP_ numbers below
) = range(11)
STORAGE_FIELDS = 11  # the first field that a layout.py numbers

FLAG_UCB1 = 1  # select by UCB1 instead of PUCT
FLAG_PROOFS = 2  # carry proven results up the tree
FLAG_RELATIVE_FIRST_PLAY = 4  # add FIRST_PLAY to the value of the parent node
FLAG_SHARE = 16  # positions that several move orders lead to share a node
FLAG_ROLLOUT_PROOFS = 32  # a leaf's value may come with a proof
FLAG_DRAW_PROOFS = 64  # with FLAG_PROOFS: carry proven draws up the tree too
FLAG_AMAF = 128  # keep all-moves-as-first statistics

STOP_TIME, STOP_ITERATIONS, STOP_PROVEN = range(3)
