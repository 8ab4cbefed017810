"""Cores, memory and load as containers and virtual machines have them, read from files that a test has written."""

from judge.machine.facts import (
    GAME_BYTES,
    GIGABYTE,
    JUDGE_BYTES,
    Cores,
    CpuTimes,
    Load,
    Memory,
    State,
    between,
    cores_fact,
    load_fact,
    measure_load,
    memory_fact,
    read_cores,
    read_cpu_times,
    read_memory,
)
from tests.judge.helpers.projects import write_project


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
        assert f"--jobs {jobs} fits" in fact.text
        assert (fact.state is State.WARNING, bool(fact.advice)) == (usable < 1, usable < 1)


def test_cores_are_put_together_from_all_that_limits_them():
    assert read_cores(8, lambda: 4, lambda: 2.5) == Cores(8, 4, 2.5)
    assert read_cores(8, lambda: None, lambda: None) == Cores(8, 8, None)


MEMINFO = (
    "MemTotal:       16000000 kB\nMemFree:         1000000 kB\nMemAvailable:    8000000 kB\nHugePages_Total:       0\n"
)


def test_memory_is_what_is_available_and_within_the_containers_limit(tmp_path):
    path = tmp_path / "meminfo"
    path.write_text(MEMINFO)
    assert read_memory(path, lambda: None) == Memory(16_384_000_000, 8_192_000_000)
    assert read_memory(path, lambda: 5) == Memory(16_384_000_000, 5)
    path.write_text(MEMINFO.replace("MemAvailable", "Other"))  # a kernel before 3.14
    assert read_memory(path, lambda: None) == Memory(16_384_000_000, 1_024_000_000)


def test_memory_that_is_not_told_is_a_warning(tmp_path):
    for text in ["", "MemTotal: 5 kB\n", "MemAvailable: 5 kB\n", "MemTotal: x kB\nMemFree:\n", "\0\n:::"]:
        path = tmp_path / "meminfo"
        path.write_text(text)
        assert read_memory(path, lambda: None) is None
        assert read_memory(tmp_path / "none", lambda: None) is None
        assert memory_fact(None, 1).state is State.WARNING


def test_memory_is_judged_by_the_games_that_are_to_fit():
    for games_that_fit, jobs, state, word in [
        (4, 4, State.OK, "a game takes 2 GB"),
        (3, 4, State.WARNING, "--jobs 3"),
        (0, 1, State.WARNING, "do not fit"),
    ]:
        memory = Memory(64 * GIGABYTE, games_that_fit * GAME_BYTES + JUDGE_BYTES)
        assert memory.jobs == games_that_fit
        fact = memory_fact(memory, jobs)
        assert (fact.state, word in fact.text, bool(fact.advice)) == (state, True, state is not State.OK)


STAT = "cpu  100 10 40 800 30 1 9 5 0 0\ncpu0 100 10 40 800 30 1 9 5 0 0\nintr 5\n"


def test_cpu_times_are_those_of_all_cores(tmp_path):
    assert read_cpu_times(write_project(tmp_path, {"stat": STAT})) == CpuTimes(busy=160, idle=830, steal=5)


def test_cpu_times_that_cannot_be_read_are_none(tmp_path):
    for text in ["", "\n", "cpu 1 2 3\n", "cpu a b c d e f g h\n", "cpu0 1 2 3 4 5 6 7 8\n"]:
        assert read_cpu_times(write_project(tmp_path, {"stat": text})) is None
        assert read_cpu_times(tmp_path / "none") is None


def test_shares_are_of_the_time_between():
    assert between(CpuTimes(100, 100, 0), CpuTimes(130, 160, 10)) == (0.3, 0.1)
    assert between(CpuTimes(100, 100, 0), CpuTimes(100, 100, 0)) is None
    assert between(CpuTimes(100, 100, 5), CpuTimes(110, 110, 0)) == (10 / 15, 0)  # a count that went back


def test_load_is_measured_over_a_pause(tmp_path):
    write_project(tmp_path, {"stat": STAT, "loadavg": "0.25 0.1 0.0 1/100 999\n"})
    pauses = []

    def sleep(seconds):
        pauses.append(seconds)
        write_project(tmp_path, {"stat": "cpu  150 10 40 850 30 1 9 5 0 0\n"})

    assert measure_load(tmp_path, 3.0, sleep) == Load(0.25, 0.5, 0.0)
    assert pauses == [3.0]


def test_load_that_is_not_told_is_a_warning(tmp_path):
    load = measure_load(tmp_path, 0.0, lambda seconds: None)
    assert load == Load(None, None, None)
    assert load_fact(load, Cores(4, 4, None)).state is State.WARNING


def test_load_is_judged_by_the_cores_it_leaves():
    for load, cores, state, advice in [
        (Load(0.1, 0.02, 0.0), Cores(4, 4, None), State.OK, ""),
        (Load(0.1, 0.12, 0.0), Cores(4, 4, None), State.OK, ""),  # half a core
        (Load(0.1, 0.5, 0.0), Cores(4, 4, None), State.WARNING, "--jobs 2 fits"),
        (Load(0.1, 1.0, 0.0), Cores(4, 4, None), State.WARNING, "end what runs beside"),
        (Load(0.1, 0.5, 0.0), Cores(8, 8, 2.0), State.WARNING, "end what runs beside"),
        (Load(0.1, 0.0, 0.05), Cores(4, 4, None), State.WARNING, "quieter"),
    ]:
        fact = load_fact(load, cores)
        assert (fact.state, advice in fact.advice, bool(fact.advice)) == (state, True, state is not State.OK)
