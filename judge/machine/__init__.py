"""Checks whether the machine has what the judge and its players need, and changes nothing. Standard library only.

Each module covers one topic and returns Facts. Its functions take their sources as arguments: folders such as /proc,
a `which` function, an environment. Nothing here prints.
"""
