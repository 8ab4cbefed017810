"""UCT whose nodes hold their edges in vector registers, for at most 12 moves; transpositions share subtrees."""
