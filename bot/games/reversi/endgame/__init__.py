"""The exact end of a game."""
