"""How much processor time a player's threads ask for, whatever the machine gives them."""

from judge.play.turn_clock import ThreadTimes

AT_WORK_S = 0.05  # of a turn or a silence


def demand_s(before: ThreadTimes, after: ThreadTimes) -> float:
    """The processor time that all threads have had in between or, those that were at work, waited for, in seconds.

    A thread that only woke up does not count as waiting: on a busy machine it may wait for long to find nothing to do.
    """
    demand_s = 0.0
    for thread, (ran_s, waited_s) in after.items():
        ran_before_s, waited_before_s = before.get(thread, (0.0, 0.0))
        worked_s = ran_s - ran_before_s
        demand_s += worked_s + (waited_s - waited_before_s if worked_s > AT_WORK_S else 0.0)
    return demand_s
