"""Plays one game on stdin and stdout, within the time limits."""
