"""Commands that play one game."""
