"""What the compiled kernels of this game offer, however they were compiled. Standard library only."""

# Name -> how many integers (int64) it takes; each returns one. What they do: kernels.py.
ENTRY_POINTS = {"pvs": 1, "prepare_weights": 1, "list_unique": 4, "perft": 2, "alphabeta": 1, "steps": 2}
