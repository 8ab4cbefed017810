"""Checks of a player before it is uploaded to the platform."""
