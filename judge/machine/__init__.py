"""What the machine has that the judge and its players need: looked at, judged, never changed. Standard library only.

Each file reads one theme from sources that its functions take as arguments (folders such as /proc, a `which`, an
environment), and makes Facts of what it has read. Nothing here prints.
"""
