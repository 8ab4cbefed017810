"""What an exact search finds out. Standard library only."""

from protocol.value_types import value_type

Solution = value_type("Solution", "outcome plies move nodes elapsed_s score")
Solution.__doc__ = """What is known of a position.

outcome: "win", "draw" or "loss" for the side to move, None where it is not settled; plies: to the end with best play of
both sides (shortest win, longest loss), None where that was not asked for, not settled, or is the same for all; move:
one that keeps the outcome, None where it is not settled; nodes: positions visited; elapsed_s: seconds; score: at the
end of the game, for the side to move now: discs more than the opponent's with the empty squares given to the winner,
boxes more than the opponent's; None where that is not known or the game has none.
"""


def outcome_of(lower, upper):
    """ "win", "draw" or "loss" by the bounds of a score, None where they leave it open."""
    if lower > 0:
        return "win"
    if upper < 0:
        return "loss"
    return "draw" if lower == upper == 0 else None
