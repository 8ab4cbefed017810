"""What a position is worth: learnt patterns, and a heuristic without weights."""
