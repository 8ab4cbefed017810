"""The messages of each game, one module per game."""
