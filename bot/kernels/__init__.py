"""Building blocks for the kernels of every game. They depend on no search and no game."""
