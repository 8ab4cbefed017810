"""Dots and boxes."""
