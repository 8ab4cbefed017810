"""The memory that players can have."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from judge.language import recorded
from judge.machine.cgroups import memory_left
from judge.machine.fact import Fact, State

MEMINFO = Path("/proc/meminfo")
GIGABYTE = 10**9
A_GAME = 2 * GIGABYTE  # two players at the platform's limit
JUDGE = 2 * 10**8
# What is said, as JSON has it.
NAME = recorded("memory")
NOT_TOLD = recorded("how much there is is not told here")
AVAILABLE = recorded("{available} of {total} GB available")
ENOUGH = recorded("{memory}; a game takes {size} GB at most")
FEWER = recorded("{memory}, enough for --jobs {jobs} with players that take all that the platform allows them, 1 GB")
FREE_OR_FEWER = recorded("free some, or play with --jobs {jobs}")
TOO_LITTLE = recorded("{memory}; two players at the platform's limit of 1 GB do not fit")
END_OR_LESS = recorded("end what takes it, or let players take less (bot --memory 300)")


@dataclass(frozen=True)
class Memory:
    """Bytes of this machine; available: without pushing others out, and within the limit of a container."""

    total: int
    available: int

    @property
    def jobs(self) -> int:
        """Games at a time whose players may take all that the platform allows them."""
        return max(0, self.available - JUDGE) // A_GAME


def read_memory(meminfo: Path = MEMINFO, left_in_group: Callable[[], int | None] = memory_left) -> Memory | None:
    """The Memory that this file describes (proc_meminfo(5)); None where it cannot be read."""
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
    """Whether there is enough for so many games at a time."""
    if memory is None:
        return Fact(NAME, State.WARNING, NOT_TOLD)
    text = AVAILABLE.format(available=f"{memory.available / GIGABYTE:.1f}", total=f"{memory.total / GIGABYTE:.1f}")
    if memory.jobs >= jobs:
        return Fact(NAME, State.OK, ENOUGH.format(memory=text, size=f"{A_GAME / GIGABYTE:g}"))
    if memory.jobs:
        text = FEWER.format(memory=text, jobs=memory.jobs)
        return Fact(NAME, State.WARNING, text, FREE_OR_FEWER.format(jobs=memory.jobs))
    return Fact(NAME, State.WARNING, TOO_LITTLE.format(memory=text), END_OR_LESS)
