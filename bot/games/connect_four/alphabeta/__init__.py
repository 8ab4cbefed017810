"""The alpha-beta player and its evaluation."""
