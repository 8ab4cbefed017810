"""Proven results as one small integer, ordered by how good they are for the side they are given for.

    1024 - plies      a win that is on the board `plies` plies from here (shorter is larger)
    1                 a draw
    0                 not proven
    -(1024 - plies)   a loss after `plies` plies (longer is larger)

Distances are those of the proof that was found, so at most so many plies: a shorter win may exist beside it, and a
loss is measured by the opponent's wins found. Standard library only; the kernels use the same numbers.
"""

WIN_BASE = 1024
PROVEN_DRAW = 1
UNPROVEN = 0
VALUES = {"win": 1.0, "draw": 0.0, "loss": -1.0}
NEVER = -32768  # the score of an edge that is no legal move


def is_win(score):
    return score > 1


def is_loss(score):
    return score < 0


def plies_to_end(score):
    """Plies until a proven win or loss; None for a draw and where nothing is proven."""
    return WIN_BASE - abs(score) if is_win(score) or is_loss(score) else None


def outcome(score):
    """ "win", "draw", "loss" or None."""
    if is_win(score):
        return "win"
    if is_loss(score):
        return "loss"
    return "draw" if score == PROVEN_DRAW else None


def at_most(result, plies):
    """The score of a "win", "draw" or "loss" that comes after at most so many plies."""
    return PROVEN_DRAW if result == "draw" else WIN_BASE - plies if result == "win" else plies - WIN_BASE
