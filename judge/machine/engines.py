"""What the bot would play with here. The judge imports no bot: a process of the bot's own says it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from judge.machine.fact import Fact, State
from judge.machine.processor import Processor

MODULE = "bot.backends.status"
PATIENCE_S = 60.0


class NoStatus(Exception):
    """The bot does not say what it has; str() says why."""


@dataclass(frozen=True)
class Engine:
    """A line of `python -m bot.backends.status`, which says what the fields mean."""

    game: str
    kernels: str
    engine: str | None
    reason: str
    impossible: str | None
    numba: bool
    cache: str
    data_fault: str | None


def ask_bot(checkout: Path, python: str = sys.executable, environment: Mapping[str, str] = os.environ) -> list[Engine]:
    """An Engine for each game of the bot in a checkout. Raises NoStatus."""
    paths = [str(checkout), *filter(None, [environment.get("PYTHONPATH")])]
    try:
        done = subprocess.run(
            [python, "-m", MODULE],
            cwd=checkout,
            env={**environment, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoStatus(str(error)) from error
    if done.returncode:
        raise NoStatus((done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1])
    try:
        return [Engine(**json.loads(line)) for line in done.stdout.splitlines()]
    except (ValueError, TypeError) as error:
        raise NoStatus(f"its answer cannot be read: {error}") from error


def engine_facts(engines: list[Engine], processor: Processor, compile_command: str) -> list[Fact]:
    """Facts on each game. compile_command: what gets a game's best kernels ready, with the game's name after it."""
    facts = []
    for engine in engines:
        facts.append(_kernels(engine, processor, f"{compile_command} {engine.game}"))
        if engine.data_fault is not None:
            facts.append(_data(engine.game, engine.data_fault))
    return facts


def _kernels(engine: Engine, processor: Processor, command: str) -> Fact:
    name, advice = f"{engine.game} engine", f"{command} builds it"
    no_native = f"no native engine can be built: {engine.impossible}"
    if engine.kernels == "native":
        if processor.level in (None, engine.engine):
            return Fact(name, State.OK, f"native, for {engine.engine}")
        text = f"native, for {engine.engine}, and this CPU takes {processor.level}, which is faster ({engine.reason})"
        return Fact(name, State.WARNING, text, advice if engine.impossible is None else no_native)
    if engine.kernels == "numba":
        text = "no native one, numba's cache is filled: the bot starts half a second later"
        return Fact(name, State.WARNING, text, advice if engine.impossible is None else no_native)
    if not engine.numba:
        text = "none, and nothing to compile one with: the bot plays by a small search"
        return Fact(name, State.WARNING, text, "install numba, see above")
    if engine.impossible is not None:
        advice = f"{command} fills numba's cache; {no_native}"
    text = "none: the bot compiles while it plays, and plays by a small search until then"
    return Fact(name, State.WARNING, text, advice)


def _data(game: str, fault: str) -> Fact:
    name = f"{game} weights"
    if not fault:
        return Fact(name, State.OK, "there and whole")
    reason, _, advice = fault.partition("; ")
    return Fact(name, State.MISSING, f"{reason}: the bot would play {game} without what it has learnt", advice)
