"""The CPU: what it is called, and which of the x86-64 psABI's levels it has."""

import platform
from dataclasses import dataclass
from pathlib import Path

from judge.language import recorded
from judge.machine.fact import Fact, State

CPUINFO = Path("/proc/cpuinfo")
# Best first, with the flags that Linux shows for what each adds; as the bot has them (bot/backends/native.py).
LEVELS = (
    ("x86-64-v3", "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"),
    ("x86-64-v2", "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3"),
    ("x86-64", "cmov cx8 fpu fxsr mmx sse sse2"),
)
X86_64 = ("x86_64", "AMD64", "amd64")
# What is said, as JSON has it.
NAME = "CPU"
NO_MODEL = recorded("model not told")
NO_NATIVE = recorded("{architecture}, {model}: no native engines, numba compiles the search")
NO_MODEL_BUT_LEVEL = recorded("{level}, model not told")
NO_LEVEL = recorded("{model}; its level is not told, so only x86-64 engines are tried")


@dataclass(frozen=True)
class Processor:
    """architecture as uname has it; model "" and level None where the system does not tell."""

    architecture: str
    model: str
    level: str | None


def read_processor(cpuinfo: Path = CPUINFO, architecture: str | None = None) -> Processor:
    """The Processor that this file describes; architecture: None for this machine's."""
    architecture = architecture or platform.machine()
    try:
        with open(cpuinfo, encoding="utf-8", errors="replace") as file:
            first_cpu = file.read(16384).partition("\n\n")[0]
    except OSError:
        return Processor(architecture, "", None)
    facts = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in first_cpu.splitlines())}
    return Processor(architecture, facts.get("model name", ""), _level(set(facts.get("flags", "").split())))


def _level(flags: set[str]) -> str | None:
    """The best level of which, and of those below, all flags are there."""
    best = None
    for name, needed in reversed(LEVELS):
        if not flags.issuperset(needed.split()):
            break
        best = name
    return best


def processor_fact(processor: Processor) -> Fact:
    """Whether native engines run on it."""
    model = processor.model or NO_MODEL
    if processor.architecture not in X86_64:
        return Fact(NAME, State.WARNING, NO_NATIVE.format(architecture=processor.architecture, model=model))
    if processor.level is None:
        return Fact(NAME, State.WARNING, NO_LEVEL.format(model=model))
    model, level = processor.model, processor.level
    return Fact(NAME, State.OK, f"{level}, {model}" if model else NO_MODEL_BUT_LEVEL.format(level=level))
