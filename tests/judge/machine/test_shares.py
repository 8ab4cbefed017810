"""Cores, memory and load as containers and virtual machines have them."""

import psutil

from judge.machine import facts
from judge.machine.facts import (
    GAME_BYTES,
    Cores,
    Load,
    State,
    cores_fact,
    count_fitting_games,
    load_fact,
    measure_load,
    memory_fact,
    read_memory,
)


def test_games_at_a_time_are_as_many_as_whole_cores():
    for cores, usable, jobs in [
        (Cores(8, 8, None), 8, 8),
        (Cores(8, 3, None), 3, 3),
        (Cores(8, 8, 1.5), 1.5, 1),
        (Cores(8, 2, 6.0), 2, 2),
        (Cores(1, 1, 0.5), 0.5, 1),
    ]:
        assert (cores.usable, cores.jobs) == (usable, jobs)
        fact = cores_fact(cores)
        assert f"--jobs {jobs}" in fact.text
        assert (fact.state is State.WARNING, bool(fact.advice)) == (usable < 1, usable < 1)


def test_memory_is_what_is_available_and_within_the_containers_limit(monkeypatch):
    for left in (None, 10**15):
        monkeypatch.setattr(facts, "available_memory", lambda left=left: left)
        assert 0 < read_memory() <= psutil.virtual_memory().total
    monkeypatch.setattr(facts, "available_memory", lambda: 5)
    assert read_memory() == 5


def test_memory_is_judged_by_the_games_that_are_to_fit():
    for games_that_fit, jobs, state, advice in [
        (4, 4, State.OK, ""),
        (3, 4, State.WARNING, "--jobs 3"),
        (0, 1, State.WARNING, "--memory 300"),
    ]:
        available = games_that_fit * GAME_BYTES + 2 * 10**8
        assert count_fitting_games(available) == games_that_fit
        fact = memory_fact(available, jobs)
        assert (fact.state, advice in fact.advice, bool(fact.advice)) == (state, True, state is not State.OK)
    assert count_fitting_games(0) == 0


def test_load_is_measured_over_a_pause():
    pauses = []

    def work(seconds):
        pauses.append(seconds)
        end = psutil.Process().cpu_times().user + 0.2
        while psutil.Process().cpu_times().user < end:
            pass

    load = measure_load(3.0, work)
    assert pauses == [3.0]
    assert 0 < load.busy <= 1 and 0 <= load.steal <= 1 and load.one_minute >= 0


def test_load_is_judged_by_the_cores_it_leaves():
    for load, cores, state, advice in [
        (Load(0.1, 0.02, 0.0), Cores(4, 4, None), State.OK, ""),
        (Load(0.1, 0.12, 0.0), Cores(4, 4, None), State.OK, ""),  # half a core
        (Load(0.1, 0.5, 0.0), Cores(4, 4, None), State.WARNING, "play with --jobs 2"),
        (Load(0.1, 1.0, 0.0), Cores(4, 4, None), State.WARNING, "end other programs"),
        (Load(0.1, 0.5, 0.0), Cores(8, 8, 2.0), State.WARNING, "end other programs"),
        (Load(0.1, 0.0, 0.05), Cores(4, 4, None), State.WARNING, "less busy"),
    ]:
        fact = load_fact(load, cores)
        assert (fact.state, advice in fact.advice, bool(fact.advice)) == (state, True, state is not State.OK)
