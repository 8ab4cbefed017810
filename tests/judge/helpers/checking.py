"""What the tests of `judge check` share."""

import contextlib
import threading

from judge.checks.trial import Conditions
from judge.commands import check
from judge.games import DEFAULT_GAME
from judge.processes.spawn import JudgeFailure

LIMIT_S = 3.0  # a sound player on a busy machine keeps it
TRIES = 5


def checked(contestant, limit_s=LIMIT_S, only=None, game=DEFAULT_GAME):
    """{check's name: Outcome} of a player of the game.

    Where the judge could not run in time itself the check is made again: that says nothing of it.
    """
    conditions = Conditions(limit_s, 10**9, 1, threading.Event(), game)
    for _ in range(TRIES - 1):
        with contextlib.suppress(JudgeFailure):
            return {outcome.name: outcome for outcome in check.outcomes(contestant, conditions, only)}
    return {outcome.name: outcome for outcome in check.outcomes(contestant, conditions, only)}
