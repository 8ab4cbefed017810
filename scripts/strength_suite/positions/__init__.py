"""Positions of known value: made, searched, solved."""
