"""How busy the machine is with other things, and how much of its cores another machine takes."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from judge.language import recorded
from judge.machine.cores import Cores
from judge.machine.fact import Fact, State

PROC = Path("/proc")
SAMPLE_S = 0.5
TOLERATED_CORES = 0.5  # in use beside the games: a desktop's own needs, and the error of a short sample
MOST_STEAL = 0.02
# What is said, as JSON has it.
NAME = recorded("load")
NOT_TOLD = recorded("how busy the cores are is not told here")
NOT_TOLD_BUT_AVERAGE = recorded("how busy the cores are is not told here, load average {average}")
BUSY = recorded("{busy} of {online} cores busy, steal {steal}")
BUSY_ON_AVERAGE = recorded("{busy} of {online} cores busy, load average {average}, steal {steal}")
STOLEN = recorded("{load}: the host takes time away from players")
MEASURE_LATER = recorded("measure when the host is quieter")
SLOW = recorded("{load}: players' times will suffer")
END_OTHERS = recorded("end what runs beside, or wait for it")
END_OTHERS_OR_FEWER = recorded("end what runs beside, or wait for it; until then --jobs {jobs} fits")


@dataclass(frozen=True)
class CpuTimes:
    """Ticks of all cores since the start: in which they worked, in which they waited, which the host took away."""

    busy: int
    idle: int
    steal: int


@dataclass(frozen=True)
class Load:
    """one_minute: processes that ran or wanted to, on average; busy and steal: shares of all cores' time in a sample.

    None is what the system does not tell.
    """

    one_minute: float | None
    busy: float | None
    steal: float | None


def read_cpu_times(proc: Path = PROC) -> CpuTimes | None:
    """The CpuTimes by now (proc_stat(5)), None where they cannot be read."""
    try:
        with open(proc / "stat", encoding="ascii", errors="replace") as file:
            name, *words = file.readline().split()
        user, nice, system, idle, iowait, irq, softirq, steal = map(int, words[:8])
    except (OSError, ValueError):
        return None
    if name != "cpu":
        return None
    return CpuTimes(user + nice + system + irq + softirq, idle + iowait, steal)


def between(before: CpuTimes, after: CpuTimes) -> tuple[float, float] | None:
    """(busy, steal) as shares of the time between two samples; None where no tick has passed."""
    busy, idle, steal = after.busy - before.busy, after.idle - before.idle, after.steal - before.steal
    total = busy + idle + steal
    return None if total <= 0 else (max(0, busy) / total, max(0, steal) / total)


def measure_load(proc: Path = PROC, sample_s: float = SAMPLE_S, sleep: Callable[[float], None] = time.sleep) -> Load:
    """The Load over the next sample_s seconds; the caller should do nothing else meanwhile."""
    before = read_cpu_times(proc)
    sleep(sample_s)
    after = read_cpu_times(proc)
    shares = between(before, after) if before and after else None
    busy, steal = shares or (None, None)
    return Load(one_minute(proc), busy, steal)


def one_minute(proc: Path = PROC) -> float | None:
    """Processes that ran or wanted to, on average over a minute; None where the system does not tell."""
    try:
        return float((proc / "loadavg").read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return None


def load_fact(load: Load, cores: Cores) -> Fact:
    """Whether the cores are free for games."""
    average = "" if load.one_minute is None else f"{load.one_minute:.2f}"
    if load.busy is None or load.steal is None:
        return Fact(NAME, State.WARNING, NOT_TOLD_BUT_AVERAGE.format(average=average) if average else NOT_TOLD)
    busy_cores = load.busy * cores.online
    text = (BUSY_ON_AVERAGE if average else BUSY).format(
        busy=f"{busy_cores:.1f}", online=cores.online, average=average, steal=f"{load.steal:.1%}"
    )
    if load.steal > MOST_STEAL:
        return Fact(NAME, State.WARNING, STOLEN.format(load=text), MEASURE_LATER)
    free = int(max(0.0, cores.usable - busy_cores + TOLERATED_CORES))
    if free < cores.jobs:
        advice = END_OTHERS_OR_FEWER.format(jobs=free) if free else END_OTHERS
        return Fact(NAME, State.WARNING, SLOW.format(load=text), advice)
    return Fact(NAME, State.OK, text)
