"""The record of a game, in a file that only grows."""
