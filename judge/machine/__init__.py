"""Checks whether the machine has what the judge and its players need, and changes nothing. Standard library only.

Each module covers one topic and returns Facts. Its functions get as arguments where they look: folders such as /proc, a
`which` function, an environment. No module prints anything.
"""
