"""The games' messages, a package per game."""
