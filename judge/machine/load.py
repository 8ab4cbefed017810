"""How busy the machine is with other things, and how much of its cores another machine takes."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from judge.machine.cores import Cores
from judge.machine.fact import Fact, State

PROC = Path("/proc")
SAMPLE_S = 0.5
TOLERATED_CORES = 0.5  # in use beside the games: a desktop's own needs, and the error of a short sample
MOST_STEAL = 0.02


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
    return Load(_one_minute(proc), busy, steal)


def _one_minute(proc: Path) -> float | None:
    try:
        return float((proc / "loadavg").read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return None


def load_fact(load: Load, cores: Cores) -> Fact:
    """Whether the cores are free for games."""
    average = "" if load.one_minute is None else f", load average {load.one_minute:.2f}"
    if load.busy is None or load.steal is None:
        return Fact("load", State.WARNING, f"how busy the cores are is not told here{average}")
    busy_cores = load.busy * cores.online
    text = f"{busy_cores:.1f} of {cores.online} cores busy{average}, steal {load.steal:.1%}"
    if load.steal > MOST_STEAL:
        return Fact(
            "load", State.WARNING, f"{text}: the host takes time away from players", "measure when the host is quieter"
        )
    free = int(max(0.0, cores.usable - busy_cores + TOLERATED_CORES))
    if free < cores.jobs:
        end = "end what runs beside, or wait for it"
        advice = f"{end}; until then --jobs {free} fits" if free else end
        return Fact("load", State.WARNING, f"{text}: players' times will suffer", advice)
    return Fact("load", State.OK, text)
