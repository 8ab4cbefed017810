"""What any search of the bot answers. Standard library only."""
from protocol.value_types import value_type

Decision = value_type("Decision", "column value proven proven_by pv iterations depth nodes elapsed_s")
Decision.__doc__ = """A move and how sure it is.

value: -1..1 for the side to move; proven: "win", "draw", "loss" or None; proven_by: "tactics", "search", "solver" or None;
pv: columns from the root on; depth: plies of the longest descent; nodes: positions in the tree; elapsed_s: seconds.
"""
