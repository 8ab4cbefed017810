"""Exact values, and searches for short wins and losses."""
