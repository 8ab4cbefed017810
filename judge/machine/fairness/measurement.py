"""The measurement: slots at work, wake-ups watched, the cores' times before and after."""

from collections.abc import Callable

from judge.machine.cores import read_cores
from judge.machine.fairness import slots
from judge.machine.fairness.figures import Fairness, fairness_of
from judge.machine.fairness.lateness import lateness
from judge.machine.load import between, one_minute, read_cpu_times

ROUND_S = 0.5
MOST_SLOTS_PER_CORE = 4  # more tell nothing new: all of them wait
SHORT_ROUNDS, SHORT_ROUND_S = 7, 0.05  # before a run of games: under half a second with what it takes to start


def measure(
    jobs: int,
    rounds: int = SHORT_ROUNDS,
    round_s: float = SHORT_ROUND_S,
    on_round: Callable[[int], object] = lambda done: None,
) -> Fairness:
    """The Fairness of this machine for so many games at a time, from so many rounds of round_s seconds.

    on_round(done) is called after every round. Nothing started here is left. Raises slots.NotMeasured.
    """
    cores, load = read_cores(), one_minute()
    late_s: list[float] = []
    with slots.started(min(jobs, MOST_SLOTS_PER_CORE * cores.jobs), rounds, round_s) as workers:
        begin = workers.begin()
        before = read_cpu_times()
        for number in range(1, rounds + 1):
            late_s += lateness(begin + number * round_s)
            on_round(number)
        after = read_cpu_times()
        done = workers.results()
    shares = between(before, after) if before and after else None
    return fairness_of(done, late_s, cores, jobs, rounds * round_s, load, shares[1] if shares else None)
