"""The move to play, by what a tree search knows of each. Standard library only."""

from __future__ import annotations

from protocol.value_types import ValueType

from .. import scores
from ..move_value import MoveValue


class SearchedMove(ValueType):
    """What a tree knows of a move, for the side that makes it."""

    score: int  # what is proven (search/scores.py)
    visits: int  # how often the search took it
    mean: float  # of the results of these, -1..1


def value_of(move: SearchedMove) -> float:
    """-1..1: what a move is proven to be worth, else the mean of its results."""
    if move.score != scores.UNPROVEN:
        return scores.VALUES[scores.outcome(move.score)]
    return move.mean if move.visits else 0.0


def is_known(move: SearchedMove) -> bool:
    """Whether the search has tried or proven a move."""
    return bool(move.visits or move.score)


def move_value(key: int, move: SearchedMove) -> MoveValue:
    """What the tree knows of a move, `key` being its name."""
    value = value_of(move) if is_known(move) else None
    return MoveValue(key, value, False, move.visits, scores.outcome(move.score), None)


def best_move(moves: dict[int, SearchedMove], final_move: str) -> int | None:
    """The key of the move to play, None without moves.

    A proven win, shortest first; else the best of the unproven moves and the proven draws, a draw counting as 0; else
    the longest loss that is known. Of moves proven to be equal it is the most visited one, the search's favourite until
    the proof. final_move: "visits" or "mean", what makes an unproven move the best.
    """
    if not moves:
        return None
    best_proven = max(moves, key=lambda move: (moves[move].score, moves[move].visits))
    if scores.is_win(moves[best_proven].score):
        return best_proven
    unproven = [move for move in moves if moves[move].score == scores.UNPROVEN]
    visited = [move for move in unproven if moves[move].visits]
    draws = [move for move in moves if moves[move].score == scores.PROVEN_DRAW]
    if visited:
        best = max(visited, key=lambda move: _rank(moves[move], final_move))
        if not draws or moves[best].mean >= 0:
            return best
    if draws:
        return draws[0]
    return unproven[0] if unproven else best_proven


def _rank(move: SearchedMove, final_move: str) -> tuple[float, float]:
    return (move.mean, move.visits) if final_move == "mean" else (move.visits, move.mean)
