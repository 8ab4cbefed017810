"""Reports this machine's hardware and load as Facts.

Each Fact says whether the machine suffices, and if not, what to do.
"""

import enum
import math
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from judge.control_groups import cpu_quota, memory_left
from judge.language import recorded
from judge.terminal import MEGABYTE

CORES_FACT = recorded("cores")
CORES = recorded("{online} online, {allowed} allowed, {quota}: --jobs {jobs} fits")
MEMINFO = Path("/proc/meminfo")
GIGABYTE = 10**9
GAME_BYTES = 2 * GIGABYTE  # two players at the platform's limit
JUDGE_BYTES = 2 * 10**8
MEMORY = recorded("memory")
CPUINFO = Path("/proc/cpuinfo")
# The levels of x86-64, best first, with Linux's flags for the features that each level adds; the same table as in
# bot/backends/native.py.
LEVELS = (
    ("x86-64-v3", "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"),
    ("x86-64-v2", "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3"),
    ("x86-64", "cmov cx8 fpu fxsr mmx sse sse2"),
)
X86_64 = ("x86_64", "AMD64", "amd64")
PROCESSOR = "CPU"
PROC = Path("/proc")
SAMPLE_S = 0.5
TOLERATED_CORES = 0.5  # load that does not count: that of a desktop, and the error of a short sample
MOST_STEAL = 0.02
IDLE, BUSY = "idle", "busy"  # values in records
LOAD = recorded("load")
FULL_BYTES = 50 * MEGABYTE  # too little for the engines of one version
LITTLE_BYTES = 1000 * MEGABYTE

FREE = recorded("{path}, {free} MB free")
FREE_OR_OTHER = recorded("free some, or {other}")
WIDE_ENOUGH = 80  # columns that the tables of match and check need
TRUE_COLOUR = ("truecolor", "24bit")
TERMINAL, CHARACTERS = recorded("terminal"), recorded("characters")
ALL = recorded("all colours")


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

    `advice` says what to do about a drawback or a missing thing; it is "" if nothing can be done or all is well.
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


def read_cores(
    online: int | None = None,
    affinity: Callable[[], int | None] | None = None,
    quota: Callable[[], float | None] = cpu_quota,
) -> Cores:
    """Return the Cores of this machine.

    affinity() returns the number of cores on which this process may run, None if that is unknown. quota() returns its
    CPU quota in cores, None for no quota. A None for `online` or `affinity` asks the system.
    """
    count = online or os.cpu_count() or 1
    return Cores(count, (affinity or _affinity)() or count, quota())


def _affinity() -> int | None:
    """Return the number of cores on which this process may run, None if the system has no call for it."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


def cores_fact(cores: Cores) -> Fact:
    """Return the Fact about the usable cores and the number of games at a time."""
    quota = (
        recorded("no quota")
        if cores.quota is None
        else recorded("a quota of {quota}").format(quota=f"{cores.quota:.2g}")
    )
    text = CORES.format(online=cores.online, allowed=cores.allowed, quota=quota, jobs=cores.jobs)
    if cores.usable < 1:
        return Fact(
            CORES_FACT,
            State.WARNING,
            recorded("{cores} badly, a player is stopped while it thinks").format(cores=text),
            recorded("give the container a core at least (docker run --cpus)"),
        )
    return Fact(CORES_FACT, State.OK, text)


@dataclass(frozen=True)
class Memory:
    """Memory in bytes; `available` is what can be allocated without swapping and within the limit of a container."""

    total: int
    available: int

    @property
    def jobs(self) -> int:
        """The number of games that fit at a time if every player takes all memory that the platform allows."""
        return max(0, self.available - JUDGE_BYTES) // GAME_BYTES


def read_memory(meminfo: Path = MEMINFO, left_in_group: Callable[[], int | None] = memory_left) -> Memory | None:
    """Return the Memory, read from a file in the format of proc_meminfo(5); None if the file cannot be read.

    left_in_group() returns the bytes that the control group may still allocate, None for no limit.
    """
    sizes: dict[str, int] = {}
    try:
        for line in meminfo.read_text("ascii", "replace").splitlines():
            name, _, rest = line.partition(":")
            words = rest.split()
            if words[1:] == ["kB"] and words[0].isdecimal():
                sizes[name] = int(words[0]) * 1024
    except OSError:
        return None
    available = sizes.get("MemAvailable", sizes.get("MemFree"))
    if "MemTotal" not in sizes or available is None:
        return None
    left = left_in_group()
    return Memory(sizes["MemTotal"], available if left is None else min(left, available))


def memory_fact(memory: Memory | None, jobs: int) -> Fact:
    """Return the Fact that says whether the memory suffices for `jobs` games at a time."""
    if memory is None:
        return Fact(MEMORY, State.WARNING, recorded("how much there is is not told here"))
    text = recorded("{available} of {total} GB available").format(
        available=f"{memory.available / GIGABYTE:.1f}", total=f"{memory.total / GIGABYTE:.1f}"
    )
    if memory.jobs >= jobs:
        return Fact(
            MEMORY,
            State.OK,
            recorded("{memory}; a game takes {size} GB at most").format(memory=text, size=f"{GAME_BYTES / GIGABYTE:g}"),
        )
    if memory.jobs:
        text = recorded(
            "{memory}, enough for --jobs {jobs} with players that take all that the platform allows them, 1 GB"
        ).format(memory=text, jobs=memory.jobs)
        return Fact(
            MEMORY, State.WARNING, text, recorded("free some, or play with --jobs {jobs}").format(jobs=memory.jobs)
        )
    return Fact(
        MEMORY,
        State.WARNING,
        recorded("{memory}; two players at the platform's limit of 1 GB do not fit").format(memory=text),
        recorded("end what takes it, or let players take less (bot --memory 300)"),
    )


@dataclass(frozen=True)
class Processor:
    """A CPU: its architecture as uname names it, its model name, and its x86-64 level.

    `model` is "" and `level` is None if unknown.
    """

    architecture: str
    model: str
    level: str | None


def read_processor(cpuinfo: Path = CPUINFO, architecture: str | None = None) -> Processor:
    """Return the Processor, read from a file in the format of /proc/cpuinfo.

    An `architecture` of None means the architecture of this machine.
    """
    architecture = architecture or platform.machine()
    try:
        with open(cpuinfo, encoding="utf-8", errors="replace") as file:
            first_cpu = file.read(16384).partition("\n\n")[0]
    except OSError:
        return Processor(architecture, "", None)
    facts = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in first_cpu.splitlines())}
    return Processor(architecture, facts.get("model name", ""), _level(set(facts.get("flags", "").split())))


def _level(flags: set[str]) -> str | None:
    """Return the highest of LEVELS that the CPU's flags support together with all lower levels.

    Return None if they do not support even the lowest level.
    """
    best = None
    for name, needed in reversed(LEVELS):
        if not flags.issuperset(needed.split()):
            break
        best = name
    return best


def processor_fact(processor: Processor) -> Fact:
    """Return the Fact that says whether native engines run on the CPU."""
    model = processor.model or recorded("model not told")
    if processor.architecture not in X86_64:
        return Fact(
            PROCESSOR,
            State.WARNING,
            recorded("{architecture}, {model}: no native engines, numba compiles the search").format(
                architecture=processor.architecture, model=model
            ),
        )
    if processor.level is None:
        return Fact(
            PROCESSOR,
            State.WARNING,
            recorded("{model}; its level is not told, so only x86-64 engines are tried").format(model=model),
        )
    model, level = processor.model, processor.level
    return Fact(
        PROCESSOR, State.OK, f"{level}, {model}" if model else recorded("{level}, model not told").format(level=level)
    )


@dataclass(frozen=True)
class CpuTimes:
    """Clock ticks of all cores since boot: busy, idle, and given to other machines by the host (steal)."""

    busy: int
    idle: int
    steal: int


@dataclass(frozen=True)
class Load:
    """The load of the machine. A value is None if the system does not report it.

    `one_minute` is the load average of the last minute. `busy` and `steal` are shares (0 to 1) of all cores' time
    during a sample: the time in which the cores worked, and the time that the host gave to other machines.
    """

    one_minute: float | None
    busy: float | None
    steal: float | None


def read_cpu_times(proc: Path = PROC) -> CpuTimes | None:
    """Return the present CpuTimes from /proc/stat; None if they cannot be read."""
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
    """Return (busy, steal) as shares (0 to 1) of the time between two samples; None if no tick has passed."""
    busy, idle, steal = after.busy - before.busy, after.idle - before.idle, after.steal - before.steal
    total = busy + idle + steal
    return None if total <= 0 else (max(0, busy) / total, max(0, steal) / total)


def measure_load(proc: Path = PROC, sample_s: float = SAMPLE_S, sleep: Callable[[float], None] = time.sleep) -> Load:
    """Measure the Load during `sample_s` seconds and return it. The process should do nothing else at the same time."""
    before = read_cpu_times(proc)
    sleep(sample_s)
    after = read_cpu_times(proc)
    shares = between(before, after) if before and after else None
    busy, steal = shares or (None, None)
    return Load(one_minute(proc), busy, steal)


def one_minute(proc: Path = PROC) -> float | None:
    """Return the load average of the last minute; None if the system does not report it."""
    try:
        return float((proc / "loadavg").read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return None


def load_fact(load: Load, cores: Cores, jobs: int | None = None) -> Fact:
    """Return the Fact that says whether the cores are free for `jobs` games at a time; None: one for each core."""
    average = "" if load.one_minute is None else f"{load.one_minute:.2f}"
    if load.busy is None or load.steal is None:
        return Fact(
            LOAD,
            State.WARNING,
            recorded("how busy the cores are is not told here, load average {average}").format(average=average)
            if average
            else recorded("how busy the cores are is not told here"),
        )
    busy_cores = load.busy * cores.online
    text = (
        recorded("{busy} of {online} cores busy, load average {average}, steal {steal}")
        if average
        else recorded("{busy} of {online} cores busy, steal {steal}")
    ).format(busy=f"{busy_cores:.1f}", online=cores.online, average=average, steal=f"{load.steal:.1%}")
    if load.steal > MOST_STEAL:
        return Fact(
            LOAD,
            State.WARNING,
            recorded("{load}: the host takes time away from players").format(load=text),
            recorded("measure when the host is quieter"),
        )
    free = int(max(0.0, cores.usable - busy_cores + TOLERATED_CORES))
    if free < min(jobs or cores.jobs, cores.jobs):
        advice = (
            recorded("end what runs beside, or wait for it; until then --jobs {jobs} fits").format(jobs=free)
            if free
            else recorded("end what runs beside, or wait for it")
        )
        return Fact(LOAD, State.WARNING, recorded("{load}: players' times will suffer").format(load=text), advice)
    return Fact(LOAD, State.OK, text)


@dataclass(frozen=True)
class Readiness:
    """The `facts` that say whether the machine is ready for `jobs` games at a time, and the figures of `load`."""

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
    cores, load = read_cores(), measure_load(sample_s=seconds, sleep=sleep)
    text = recorded("games at a time: {jobs}, cores to use: {cores}").format(jobs=jobs, cores=f"{cores.usable:g}")
    fits = Fact(CORES_FACT, State.OK, text)
    if jobs > cores.jobs:
        fits = Fact(CORES_FACT, State.WARNING, text, recorded("play fewer games at a time"))
    return Readiness(jobs, cores, load, [fits, load_fact(load, cores, jobs)])


@dataclass(frozen=True)
class Place:
    """A folder, which need not exist yet, and the free bytes of its file system (None: unknown).

    `refusal` says why the folder cannot be written, "" if it can be written.
    """

    path: Path
    free: int | None
    refusal: str


def free_bytes(path: Path) -> int:
    """Return the free bytes of a folder's file system. Raises OSError."""
    return shutil.disk_usage(path).free


def examine_folder(path: Path, free: Callable[[Path], int] = free_bytes) -> Place:
    """Return the Place for the folder `path`, after trying to write a temporary file.

    The file is written into the folder, or into its nearest parent that exists. free(folder) returns the free bytes.
    """
    nearest = next((place for place in (path, *path.absolute().parents) if place.exists()), Path("/"))
    try:
        with tempfile.TemporaryFile(dir=nearest):
            refusal = ""
    except OSError as error:
        refusal = error.strerror or str(error)
    try:
        return Place(path, free(nearest), refusal)
    except OSError:
        return Place(path, None, refusal)


def place_fact(name: str, place: Place, other: str, is_needed: bool) -> Fact:
    """Return the Fact that says whether a folder is writable and has space.

    `other` is a text that says how to choose another folder. `is_needed` says that a full or read-only folder is rated
    MISSING instead of WARNING.
    """
    broken = State.MISSING if is_needed else State.WARNING
    if place.refusal:
        return Fact(
            name, broken, recorded("{path} cannot be written: {why}").format(path=place.path, why=place.refusal), other
        )
    if place.free is None:
        return Fact(name, State.OK, str(place.path))
    text = FREE.format(path=place.path, free=f"{place.free / MEGABYTE:,.0f}")
    if place.free < FULL_BYTES:
        return Fact(
            name, broken, recorded("{place}: the disk is full").format(place=text), FREE_OR_OTHER.format(other=other)
        )
    if place.free < LITTLE_BYTES:
        return Fact(
            name,
            State.WARNING,
            recorded("{place}: little is left").format(place=text),
            FREE_OR_OTHER.format(other=other),
        )
    return Fact(name, State.OK, text)


@dataclass(frozen=True)
class Terminal:
    """A terminal, as it may matter for the display of boards and tables.

    `size` is (columns, rows), None if the stream is no terminal. `kind` is the value of TERM. `colours` is a recorded()
    message about the terminal's colours. `encoding` is the encoding of the stream.
    """

    size: tuple[int, int] | None
    kind: str
    colours: str
    encoding: str


def read_terminal(stream: TextIO | None = None, environment: Mapping[str, str] = os.environ) -> Terminal:
    """Return the Terminal of a stream; None means stdout."""
    stream = stream or sys.stdout
    kind = environment.get("TERM", "")
    try:
        size = tuple(os.get_terminal_size(stream.fileno()))
    except (OSError, ValueError, AttributeError):
        size = None
    return Terminal(size, kind, _colours(kind, environment), stream.encoding or "unknown")  # type: ignore[arg-type]


def _colours(kind: str, environment: Mapping[str, str]) -> str:
    """Return the message about a terminal's colours, which follows from NO_COLOR, COLORTERM, and TERM (`kind`)."""
    if environment.get("NO_COLOR"):
        return recorded("no colours (NO_COLOR is set)")
    if kind in ("", "dumb", "unknown"):
        return recorded("no colours")
    if environment.get("COLORTERM", "").lower() in TRUE_COLOUR:
        return ALL
    return recorded("256 colours") if "256color" in kind else recorded("16 colours")


def terminal_facts(terminal: Terminal) -> list[Fact]:
    """Return the Facts that say whether boards and tables are displayed well: one on the size, one on the encoding."""
    return [_shape(terminal), _encoding(terminal)]


def _shape(terminal: Terminal) -> Fact:
    if terminal.size is None:
        return Fact(TERMINAL, State.OK, recorded("output goes to a file or a pipe, without colours"))
    columns, rows = terminal.size
    text = recorded("{columns} x {rows}, {colours}, TERM={kind}").format(
        columns=columns, rows=rows, colours=terminal.colours, kind=terminal.kind
    )
    if terminal.kind in ("", "dumb", "unknown"):
        return Fact(
            TERMINAL,
            State.WARNING,
            recorded("{terminal}: lines cannot be redrawn, so progress is not shown").format(terminal=text),
            recorded("use another one, or say which it is: export TERM=xterm-256color"),
        )
    if 0 < columns < WIDE_ENOUGH:
        return Fact(
            TERMINAL,
            State.WARNING,
            recorded("{terminal}: tables break").format(terminal=text),
            recorded("make it {columns} columns wide").format(columns=WIDE_ENOUGH),
        )
    return Fact(TERMINAL, State.OK, text)


def _encoding(terminal: Terminal) -> Fact:
    if terminal.encoding.lower().replace("-", "") == "utf8":
        return Fact(CHARACTERS, State.OK, "UTF-8")
    return Fact(
        CHARACTERS,
        State.WARNING,
        recorded("{encoding}: names in other scripts cannot be shown").format(encoding=terminal.encoding),
        recorded("export LC_ALL=C.UTF-8 (or PYTHONUTF8=1)"),
    )
