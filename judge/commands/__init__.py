"""A file for each command of `python -m judge`, named like it."""
