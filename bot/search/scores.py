"""Scores: a score is a proven result as one small integer, for one side. The better the result, the greater the score.

    1024 - plies      a win that is on the board after `plies` plies (a shorter win has a larger score)
    1                 a draw
    0                 not proven
    -(1024 - plies)   a loss after `plies` plies (a longer loss has a larger score)

`plies` comes from the proof that was found, and is an upper bound: a shorter win may exist, and so may a shorter win of
the opponent. Standard library only; the kernels use the same numbers.
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


def outcome(score):
    """Returns "win", "draw" or "loss" for a proven score, else None."""
    if is_win(score):
        return "win"
    if is_loss(score):
        return "loss"
    return "draw" if score == PROVEN_DRAW else None


def at_most(result, plies):
    """Returns the score of `result` ("win", "draw" or "loss") if the game ends after at most `plies` plies."""
    return PROVEN_DRAW if result == "draw" else WIN_BASE - plies if result == "win" else plies - WIN_BASE
