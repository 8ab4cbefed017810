"""A file for each command of `python -m judge`, named like it, and the arguments that they share."""
