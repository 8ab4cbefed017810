"""Summaries of runs and games as tables, JSON and lines of text."""
