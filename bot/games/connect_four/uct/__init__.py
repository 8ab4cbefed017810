"""The tree search: its engine and its rollouts."""
