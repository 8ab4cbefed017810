"""Check if the machine has what the judge and its players need, without changing anything. Standard library only.

Each module reads one topic from sources that its functions take as arguments (folders such as /proc, a `which`, an
environment) and returns Facts. Nothing here prints.
"""
