"""How many positions the search to the end of the game visits, from what it has visited before. Standard library only."""

# log2 of the positions by level (pvs_open.py), at so many empty squares, and its rise with each more.
AT_EMPTY = 20
LOG2_NODES = {1: 19.0, 3: 20.5, 7: 22.5}
RISE = {1: 0.8, 3: 0.85, 7: 0.95}


def nodes_to_solve(empty, level):
    """Positions that a search to the end at that level is likely to visit."""
    return 2.0 ** (LOG2_NODES[level] + RISE[level] * (empty - AT_EMPTY))
