"""What any search of the bot answers. Standard library only."""

from protocol.value_types import value_type

Decision = value_type("Decision", "move value proven proven_by pv iterations depth nodes elapsed_s")
Decision.__doc__ = """A move and how sure it is.

move: in the game's own numbering, a column or a cell; value: -1..1 for the side to move; proven: "win", "draw",
"loss" or None; proven_by: "tactics", "search", "solver" or None; pv: moves from the root on; depth: plies of the
longest descent; nodes: positions in the tree; elapsed_s: seconds.
"""
