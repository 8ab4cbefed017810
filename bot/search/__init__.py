"""Searches without a game."""
