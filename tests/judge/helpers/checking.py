"""What the tests of `judge check` share."""

import contextlib
import threading

from judge.checks.checks import Checks, in_order
from judge.checks.trial import USUAL, CheckConditions, Effort
from judge.games import DEFAULT_GAME
from judge.play.sandbox import Sandbox
from judge.play.scoresheet import Conditions
from judge.processes.start import JudgeFailure

LIMIT_S = 3.0  # a sound player on a busy machine keeps it
TRIES = 5
LEAST = Effort(0.0, 0, hurries=True)  # a turn or two in every case


def checked(
    contestant,
    limit_s=LIMIT_S,
    only=None,
    game=DEFAULT_GAME,
    effort=USUAL,
    until=lambda found: True,
    sandbox=None,
):
    """{check's name: Outcome} of a player of the game, one check at a time.

    Where the judge could not run in time itself the check is made again: that says nothing of it. It is also made again
    until(what it has found), a few times: a player that has no core for a while may miss a short limit.
    """
    conditions = CheckConditions(
        Conditions(limit_s, sandbox=sandbox or Sandbox()), 1, threading.Event(), game, effort=effort
    )

    def found():
        checks = Checks(contestant, conditions, only)
        outcomes_found = {outcome.name: outcome for outcome in in_order(list(checks.outcomes()), game)}
        if checks.not_made:
            raise JudgeFailure(str(checks.not_made))
        return outcomes_found

    for _ in range(TRIES - 1):
        with contextlib.suppress(JudgeFailure):
            if until(outcomes_found := found()):
                return outcomes_found
    return found()
