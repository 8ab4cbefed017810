"""What a search says of one move of the position that it has decided on. Standard library only."""

from protocol.value_types import value_type

MoveValue = value_type("MoveValue", "move value is_bound visits proven depth")
MoveValue.__doc__ = """A move, and what is known of it.

move: in the game's own numbering; value: -1..1 for the side that plays it, None where nothing is known; is_bound: the
move is worth that or less; visits: simulations that took it, None where the search counts none; proven: "win", "draw",
"loss" or None; depth: plies searched for this value, None where they differ from line to line.
"""


def unknown(move):
    """The MoveValue of a move that was not looked at."""
    return MoveValue(move, None, False, None, None, None)


def decided(decision):
    """The MoveValue of a Decision's own move, as decided."""
    return MoveValue(decision.move, decision.value, False, None, decision.proven, decision.depth)
