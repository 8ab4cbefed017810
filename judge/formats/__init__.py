"""Readers and writers for the game logs of other programs, one module for each format.

Every game that is read is judged again.
"""
