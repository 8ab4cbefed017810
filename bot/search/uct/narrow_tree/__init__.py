"""UCT for games of at most 12 moves: a node's edges are loaded into vector registers. Transpositions share subtrees."""
