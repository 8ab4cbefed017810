"""What the bot would play with here. The judge imports no bot: a process of the bot's own says it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from judge.language import recorded
from judge.machine.fact import Fact, State
from judge.machine.processor import Processor

MODULE = "bot.backends.status"
PATIENCE_S = 60.0
# What is said, as JSON has it.
ENGINE, WEIGHTS = recorded("{game} engine"), recorded("{game} weights")
BUILDS_IT = recorded("{command} builds it")
FILLS_CACHE = recorded("{command} fills numba's cache; {why}")
NO_NATIVE = recorded("no native engine can be built: {why}")
NATIVE = recorded("native, for {level}")
SLOWER = recorded("native, for {level}, and this CPU takes {best}, which is faster ({why})")
BY_NUMBA = recorded("no native one, numba's cache is filled: the bot starts half a second later")
NOTHING = recorded("none, and nothing to compile one with: the bot plays by a small search")
INSTALL_NUMBA = recorded("install numba, see above")
NOT_YET = recorded("none: the bot compiles while it plays, and plays by a small search until then")
WHOLE = recorded("there and whole")
UNLEARNT = recorded("{why}: the bot would play {game} without what it has learnt")
STATUS, UNREADABLE = recorded("status {number}"), recorded("its answer cannot be read: {error}")
OF_THE_BOT = (
    recorded("native engines are for Linux on x86-64"),
    recorded("numba is not installed (pip install 'dropfour[compile]' has it)"),
    recorded("no C compiler (cc, gcc or clang) to link with"),
    recorded("no nm (binutils) to check the result with"),
    recorded("git restores the file, scripts/train_reversi learns it anew"),
)


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
        raise NoStatus((done.stderr.strip().splitlines() or [STATUS.format(number=done.returncode)])[-1])
    try:
        return [Engine(**json.loads(line)) for line in done.stdout.splitlines()]
    except (ValueError, TypeError) as error:
        raise NoStatus(UNREADABLE.format(error=error)) from error


def engine_facts(engines: list[Engine], processor: Processor, compile_command: str) -> list[Fact]:
    """Facts on each game. compile_command: what gets a game's best kernels ready, with the game's name after it."""
    facts = []
    for engine in engines:
        facts.append(_kernels(engine, processor, f"{compile_command} {engine.game}"))
        if engine.data_fault is not None:
            facts.append(_data(engine.game, engine.data_fault))
    return facts


def _kernels(engine: Engine, processor: Processor, command: str) -> Fact:
    name, advice = ENGINE.format(game=engine.game), BUILDS_IT.format(command=command)
    no_native = NO_NATIVE.format(why=engine.impossible)
    if engine.kernels == "native":
        if processor.level in (None, engine.engine):
            return Fact(name, State.OK, NATIVE.format(level=engine.engine))
        text = SLOWER.format(level=engine.engine, best=processor.level, why=engine.reason)
        return Fact(name, State.WARNING, text, advice if engine.impossible is None else no_native)
    if engine.kernels == "numba":
        return Fact(name, State.WARNING, BY_NUMBA, advice if engine.impossible is None else no_native)
    if not engine.numba:
        return Fact(name, State.WARNING, NOTHING, INSTALL_NUMBA)
    if engine.impossible is not None:
        advice = FILLS_CACHE.format(command=command, why=no_native)
    return Fact(name, State.WARNING, NOT_YET, advice)


def _data(game: str, fault: str) -> Fact:
    name = WEIGHTS.format(game=game)
    if not fault:
        return Fact(name, State.OK, WHOLE)
    reason, _, advice = fault.partition("; ")
    return Fact(name, State.MISSING, UNLEARNT.format(why=reason, game=game), advice)
