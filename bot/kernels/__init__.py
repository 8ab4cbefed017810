"""Building blocks for the kernels of every game. They know no search and no game."""
