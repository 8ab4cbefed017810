"""How many positions the search to the game's end visits, from what it has visited before. Standard library only."""

# log2 of the positions by level (pvs/open_position.py), at so many empty squares, and the rise with each more: means of
# 40 positions each at 16, 18, .. 24 empty squares of games of the engine against itself. They spread by 1.4, exact
# searches by 2.
AT_EMPTY = 20
MEANS = {1: 17.0, 3: 18.4, 5: 20.0, 7: 20.3}
RISES = {1: 0.78, 3: 0.84, 5: 1.0, 7: 1.1}
# Added to the mean: so that most searches fit.
MARGIN = 0.5


def nodes_to_solve(empty, level):
    """Positions that a search to the end at that level is not likely to exceed."""
    return 2.0 ** (MEANS[level] + MARGIN + RISES[level] * (empty - AT_EMPTY))
