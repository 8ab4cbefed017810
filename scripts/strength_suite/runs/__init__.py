"""Runs of the judge, and where they are kept."""
