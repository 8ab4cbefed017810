"""What the compiled kernels of this game offer, however they were compiled. Standard library only."""

# Name -> how many integers (int64) it takes; each returns one. What they do: kernels.py.
ENTRY_POINTS = {
    "prepare_root": 2,
    "search": 1,
    "prove_move": 3,
    "rollouts": 1,
    "static_value": 1,
    "alphabeta": 1,
    "solve": 1,
    "steps": 2,
}
