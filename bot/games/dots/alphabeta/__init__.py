"""The alpha-beta player and its evaluations."""
