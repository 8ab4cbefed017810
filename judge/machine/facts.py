"""Reports this machine's hardware and load as Facts.

Each Fact says whether the machine suffices, and if not, what to do. psutil, which may be missing, is imported where it
is used.
"""

import enum
import math
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.control_groups import available_memory, cpu_quota
from judge.language import recorded
from judge.terminal import MEGABYTE

CORES_FACT = recorded("cores")
GIGABYTE = 10**9
GAME_BYTES = 2 * GIGABYTE  # two players at the platform's limit
# The levels of x86-64, best first, with Linux's flags for the features that each level adds; the same table as in
# bot/backends/native.py.
LEVELS = (
    ("x86-64-v3", "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"),
    ("x86-64-v2", "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3"),
    ("x86-64", "cmov cx8 fpu fxsr mmx sse sse2"),
)
SAMPLE_S = 0.5  # how long the load is measured
IDLE, BUSY = "idle", "busy"  # states of the machine in records


class State(enum.Enum):
    """The rating of a fact. OK: all is well. WARNING: there is a drawback, which the fact's text names.

    MISSING: something that is needed is missing.
    """

    OK = "ok"
    WARNING = "warning"
    MISSING = "missing"


@dataclass(frozen=True)
class Fact:
    """One line about the machine.

    `advice` says what to do about a drawback or a missing thing. It is "" if all is well or nothing can be done.
    """

    name: str
    state: State
    text: str
    advice: str = ""


@dataclass(frozen=True)
class Cores:
    """The CPU cores of this machine.

    `online` cores exist, and this process may run on `allowed` of them. `quota` is its CPU quota in cores, None if it
    has no quota.
    """

    online: int
    allowed: int
    quota: float | None

    @property
    def usable(self) -> float:
        """The CPU time that this process can use, in cores."""
        return self.allowed if self.quota is None else min(self.allowed, self.quota)

    @property
    def jobs(self) -> int:
        """The number of games that can be played at a time: one for each core.

        Only one player of a game thinks at a time.
        """
        return max(1, math.floor(self.usable))


def read_cores() -> Cores:
    """Return the Cores of this machine."""
    online = os.cpu_count() or 1
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else online  # macOS has no such call
    return Cores(online, allowed, cpu_quota())


def cores_fact(cores: Cores) -> Fact:
    """Return the Fact about the usable cores and the number of games at a time."""
    quota = (
        recorded("no CPU quota")
        if cores.quota is None
        else recorded("a CPU quota of {quota}").format(quota=f"{cores.quota:.2g}")
    )
    text = recorded(
        "CPU cores: {online} in the machine, {allowed} for this program, {quota}; play with at most --jobs {jobs}"
    ).format(online=cores.online, allowed=cores.allowed, quota=quota, jobs=cores.jobs)
    if cores.usable < 1:
        return Fact(
            CORES_FACT,
            State.WARNING,
            recorded("{cores}; the quota is less than one core, so the system stops players while they think").format(
                cores=text
            ),
            recorded("give the container at least one core (docker run --cpus)"),
        )
    return Fact(CORES_FACT, State.OK, text)


def read_memory() -> int:
    """Return the bytes that can be allocated without swapping and within the limit of a container."""
    import psutil

    in_machine: int = psutil.virtual_memory().available
    in_container = available_memory()
    return in_machine if in_container is None else min(in_container, in_machine)


def count_fitting_games(available: int) -> int:
    """Return how many games fit into `available` bytes if every player takes all memory that the platform allows."""
    judge_bytes = 2 * 10**8
    return max(0, available - judge_bytes) // GAME_BYTES


def memory_fact(available: int, jobs: int) -> Fact:
    """Return the Fact that says whether `available` bytes of memory suffice for `jobs` games at a time."""
    name, fitting = recorded("memory"), count_fitting_games(available)
    text = recorded("{available} GB of memory are available; a game takes at most {size} GB").format(
        available=f"{available / GIGABYTE:.1f}", size=f"{GAME_BYTES / GIGABYTE:g}"
    )
    if fitting >= jobs:
        return Fact(name, State.OK, text)
    advice = recorded("end programs that take much memory, or limit the players' memory (bot --memory 300)")
    if fitting:
        advice = recorded("end programs that take much memory, or play with --jobs {jobs}").format(jobs=fitting)
    return Fact(name, State.WARNING, text, advice)


def cpu_level(cpuinfo: Path = Path("/proc/cpuinfo")) -> str | None:
    """Return the highest x86-64 level that the CPU supports together with all lower ones, or None if it is unknown.

    The CPU's flags are read from a file in the format of /proc/cpuinfo.
    """
    try:
        text = cpuinfo.read_text("utf-8", "replace")
    except OSError:
        return None
    flags = re.search(r"^flags\s*:(.*)", text, re.MULTILINE)
    best = None
    for name, needed in reversed(LEVELS):
        if flags is None or not set(flags[1].split()).issuperset(needed.split()):
            break
        best = name
    return best


@dataclass(frozen=True)
class Load:
    """The load of the machine.

    `one_minute` is the load average of the last minute. `busy` and `steal` are shares (0 to 1) of all cores' time
    during a sample: the time in which the cores worked, and the time that the host gave to other machines.
    """

    one_minute: float
    busy: float
    steal: float


def measure_load(sample_s: float = SAMPLE_S, sleep: Callable[[float], None] = time.sleep) -> Load:
    """Measure the Load during `sample_s` seconds and return it. The process should do nothing else at the same time."""
    import psutil

    psutil.cpu_times_percent()  # the next call returns the shares since this one
    sleep(sample_s)
    percent = psutil.cpu_times_percent()._asdict()
    busy = sum(percent.get(kind, 0.0) for kind in ("user", "nice", "system", "irq", "softirq"))
    return Load(os.getloadavg()[0], busy / 100, percent.get("steal", 0.0) / 100)


def load_fact(load: Load, cores: Cores, jobs: int | None = None) -> Fact:
    """Return the Fact that says whether the cores are free for `jobs` games at a time.

    If `jobs` is None, the number is one game for each core.
    """
    name, busy_cores = recorded("load"), load.busy * cores.online
    text = recorded(
        "{busy} of {online} cores are busy, the load average is {average}, the host takes {steal} of the "
        "CPU time for other machines"
    ).format(busy=f"{busy_cores:.1f}", online=cores.online, average=f"{load.one_minute:.2f}", steal=f"{load.steal:.1%}")
    if load.steal > 0.02:  # a share at which a player loses a noticeable part of its time
        text = recorded("{load}: the host takes time away from players").format(load=text)
        return Fact(name, State.WARNING, text, recorded("play when the host is less busy"))
    # Half a core does not count: a desktop takes as much, and a short sample errs by it.
    free_cores = int(max(0.0, cores.usable - busy_cores + 0.5))
    if free_cores < min(jobs or cores.jobs, cores.jobs):
        advice = recorded("end other programs, or wait until they end")
        if free_cores:
            advice = recorded("end other programs, or wait until they end; until then play with --jobs {jobs}").format(
                jobs=free_cores
            )
        return Fact(
            name, State.WARNING, recorded("{load}: players will have less time to think").format(load=text), advice
        )
    return Fact(name, State.OK, text)


@dataclass(frozen=True)
class Readiness:
    """Whether the machine is ready for `jobs` games at a time: the `facts` about it, its `cores` and its `load`."""

    jobs: int
    cores: Cores
    load: Load
    facts: list[Fact]

    @property
    def state(self) -> str:
        """IDLE if no fact is a warning, else BUSY."""
        return IDLE if all(fact.state is State.OK for fact in self.facts) else BUSY

    def as_json(self) -> dict[str, Any]:
        """Return the figures for records and JSON output. Shares are from 0 to 1."""
        figures = {"load": self.load.one_minute, "busy": self.load.busy, "steal": self.load.steal}
        return {"state": self.state, "jobs": self.jobs, "cores": self.cores.usable, **figures}


def measure(jobs: int, seconds: float = SAMPLE_S, sleep: Callable[[float], None] = time.sleep) -> Readiness:
    """Measure for `seconds` seconds and return the Readiness of this machine for `jobs` games at a time."""
    cores, load = read_cores(), measure_load(seconds, sleep)
    text = recorded("games at a time: {jobs}, cores to use: {cores}").format(jobs=jobs, cores=f"{cores.usable:g}")
    jobs_fact = Fact(CORES_FACT, State.OK, text)
    if jobs > cores.jobs:
        jobs_fact = Fact(CORES_FACT, State.WARNING, text, recorded("play fewer games at a time (--jobs)"))
    return Readiness(jobs, cores, load, [jobs_fact, load_fact(load, cores, jobs)])


def folder_fact(name: str, path: Path, alternative: str, broken: State) -> Fact:
    """Return the Fact that says whether files can be written into a folder, and whether its disk has space.

    For a folder that does not exist yet, the nearest existing parent is checked. `alternative` is a text that says how
    to choose another folder. `broken` is the rating of a folder that is full or refuses files.
    """
    nearest = next((place for place in (path, *path.absolute().parents) if place.exists()), Path("/"))
    try:
        tempfile.TemporaryFile(dir=nearest).close()
        free_bytes = shutil.disk_usage(nearest).free
    except OSError as error:
        text = recorded("{path} cannot be written: {why}").format(path=path, why=error.strerror or error)
        return Fact(name, broken, text, alternative)
    text = recorded("{path}, a folder on a disk with {free} MB free").format(
        path=path, free=f"{free_bytes / MEGABYTE:,.0f}"
    )
    if free_bytes >= 1000 * MEGABYTE:
        return Fact(name, State.OK, text)
    advice = recorded("free disk space, or {other}").format(other=alternative)
    if free_bytes < 50 * MEGABYTE:  # too little for the engines of one version
        return Fact(name, broken, recorded("{place}: the disk is full").format(place=text), advice)
    return Fact(name, State.WARNING, recorded("{place}: there is little space left").format(place=text), advice)


def clock_fact(counts_waiting: bool) -> Fact:
    """Return the Fact that says whether a player's clock leaves out the time in which it waits for a core.

    `counts_waiting` says whether the kernel counts how long a thread waits for a core.
    """
    name = recorded("clock")
    if counts_waiting:
        return Fact(
            name, State.OK, recorded("a player's clock leaves out the time in which the player waits for a core")
        )
    text = recorded(
        "this kernel does not report how long a player waits for a core, so a sound bot may lose "
        "on time on a busy machine"
    )
    return Fact(name, State.WARNING, text, recorded("play while nothing else runs, with --jobs 1"))


def encoding_fact(encoding: str) -> Fact:
    """Return the Fact that says whether an output with this encoding shows all characters."""
    name = recorded("characters")
    if encoding.lower().replace("-", "") == "utf8":
        return Fact(name, State.OK, "UTF-8")
    text = recorded("this output's encoding, {encoding}, cannot show names in other scripts").format(encoding=encoding)
    return Fact(name, State.WARNING, text, recorded("change the encoding with export LC_ALL=C.UTF-8 (or PYTHONUTF8=1)"))
