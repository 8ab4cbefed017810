"""Chooses which search answers a turn: the compiled engine if it is loaded in time, else the plain search.

The module also has the log. Standard library only, Python 3.8 syntax. All that depends on the game is in `adapter`, the
game's adapter.py.
"""

from __future__ import annotations

import os
import time

from ..backends.compiled import KernelsUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ..backends.compiled import Kernels
    from ..games.interface import Adapter, Engine, LoadedKernels, Position, Settings
    from ..search.engine import Decision
    from .guard import Deadline

    Result = TypeVar("Result")

STDERR = 2
# The platform keeps 64 KB of stderr, and a pipe that nobody reads blocks when it holds about as much. A bot that writes
# more can block in the write and lose on time.
INFO_BYTES = 48 * 1024
MESSAGE_BYTES = 8 * 1024
# After so many failures in one game the engine is not tried again.
_PATIENCE = 2


class Log:
    """Writes lines to stderr. It never raises.

    `info` writes one line for each move, and `report` writes diagnostic lines. Each of the two methods has its own
    budget of bytes.
    """

    def __init__(self, descriptor: int = STDERR) -> None:
        self._descriptor = descriptor
        self._info_left, self._messages_left = INFO_BYTES, MESSAGE_BYTES

    def info(self, text: str) -> None:
        """Write one line, or nothing if the line is longer than what is left of the budget for info lines."""
        line = text.encode("utf-8", "replace") + b"\n"
        if len(line) <= self._info_left:
            self._info_left -= len(line)
            self._write(line)

    def report(self, text: str) -> None:
        """Write one diagnostic line with the program's name.

        Writes nothing if the line is longer than what is left of the budget for diagnostic lines. Line ends in `text`
        are replaced.
        """
        text = text.replace("\n", " | ")[:1000]
        line = f"dropfour: {text}\n".encode("utf-8", "replace")
        if len(line) <= self._messages_left:
            self._messages_left -= len(line)
            self._write(line)

    def _write(self, line: bytes) -> None:
        try:
            os.write(self._descriptor, line)
        except OSError:
            pass  # a closed stderr must not cost the game


class EngineUnavailable(RuntimeError):
    """There is no compiled engine, but the caller needs one. str() says why."""


class Player:
    """Owns the searches of one game and decides which of them answers a turn.

    `kernels` is a compiled.Kernels, or None to play with the plain search alone. Nothing is loaded before `prepare` is
    called. If `patient` is true, numba is neither loaded nor started before the first turn is answered.
    Whenever another engine begins to play, one line of the log names it and says why.
    """

    def __init__(
        self,
        adapter: Adapter,
        settings: Settings,
        kernels: Kernels | None,
        memory_mb: int,
        seed: int,
        log: Log,
        patient: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._adapter, self._settings, self._kernels = adapter, settings, kernels
        self._memory_mb, self._seed, self._log, self._clock = memory_mb, seed, log, clock
        self._plain = adapter.PlainSearch(seed)
        self._engine: Engine | None = None
        self._loaded: LoadedKernels | None = None
        self._failures = 0
        self._waits_for_first_turn = patient
        self._announced: str | None = None
        self._refusal = ""

    def prepare(self, compile_here: bool = False, deadline: Deadline | None = None) -> None:
        """Load the engine if that needs no compiling; otherwise start compiling it in a process beside the game.

        `deadline` is the Deadline of the running turn, or None between turns. A step that would take too much of the
        turn is left for later. With `compile_here` the method waits until the engine is compiled, and raises
        EngineUnavailable if there can be none. That is for callers without a clock that cannot use the plain search.
        """
        if self._engine is not None or self._failures >= _PATIENCE:
            return
        self._refusal = "asked for" if self._kernels is None else ""
        if compile_here:
            if self._kernels is None:
                raise EngineUnavailable("the engine cannot be had: no kernels were asked for")
            try:
                self._load(self._kernels.obtain())
            except Exception as error:
                raise EngineUnavailable(f"the engine cannot be had: {type(error).__name__}: {error}") from error
            return
        kernels = self._kernels
        if kernels is not None:
            if kernels.may_be_native() and self._has_time(kernels, deadline):
                self._attempt(self._load_kernels, kernels)
            if self._engine is None and not kernels.may_be_native() and not self._waits_for_first_turn:
                self._attempt(self._prepare_numba, kernels, deadline)
        if self._engine is None and self._refusal:
            self._announce("python", self._refusal)

    def _has_time(self, kernels: Kernels, deadline: Deadline | None) -> bool:
        return deadline is None or deadline.remaining(self._clock()) > 1.5 * kernels.load_s()

    def _prepare_numba(self, kernels: Kernels, deadline: Deadline | None) -> None:
        """Load numba's kernels if they are compiled; otherwise start compiling them.

        Does neither if the turn has too little time left.
        """
        if not self._has_time(kernels, deadline):
            return
        if kernels.ready():
            self._load_kernels(kernels)
        elif kernels.has_failed_to_compile():
            self._failures = _PATIENCE
            self._log.report(
                "the kernels could not be compiled: see `python -m bot.backends.jit`; the plain search plays"
            )
        elif kernels.available():
            kernels.start_compiling()
            self._refusal = "; ".join(filter(None, (self._refusal, "numba compiles the kernels beside the game")))

    def _load_kernels(self, kernels: Kernels) -> None:
        self._load(kernels.load())

    def _load(self, module: LoadedKernels) -> None:
        self._loaded = module
        self._engine = self._adapter.make_engine(module, self._settings, self._memory_mb, self._seed)
        self._announce(module.name, module.reason)
        if self._engine.warning:
            self._log.report(self._engine.warning)

    def _announce(self, name: str, reason: str) -> None:
        if name != self._announced:
            self._announced = name
            self._log.report(f"engine {name} ({reason})")

    def think(self, position: Position, deadline: Deadline) -> Decision:
        """Returns the Decision for a turn by its soft deadline: the engine's if `prepare` has loaded one.

        The position must have a legal move. The Decision's move is legal.
        """
        self._waits_for_first_turn = False
        decision = None
        if self._engine is not None:
            decision = self._attempt(self._ask_engine, position, deadline.remaining(self._clock()))
            if decision is not None and not position.allows(decision.move):
                self._give_up_engine(f"the engine chose {decision.move!r}, which is no legal move")
                decision = None
        return self._plain.think(position, deadline.soft, self._clock) if decision is None else decision

    def think_counted(self, position: Position, iterations: int) -> Decision:
        """Returns the Decision after `iterations` iterations, without a clock.

        Errors of the engine are raised to the caller.
        """
        return self._ask_engine(position, None, iterations)

    def _ask_engine(self, position: Position, budget_s: float | None, iterations: int | None = None) -> Decision:
        """Returns the engine's Decision. Raises EngineUnavailable if no engine has been prepared.

        The engine may have been made before the board was known. If it cannot play on the position's board, another one
        is made first.
        """
        if self._engine is None or self._loaded is None:
            raise EngineUnavailable("the engine has not been prepared")
        if not self._engine.knows(position):
            self._engine = self._adapter.make_engine(
                self._loaded, self._settings, self._memory_mb, self._seed, position
            )
        return self._engine.think(position, budget_s, iterations)

    def move_now(self, position: Position) -> int:
        """Returns a legal move at once, from any thread: the running search's best move, or a tactically safe one."""
        engine = self._engine
        try:
            move = engine.best_so_far() if engine is not None else None
        except Exception as error:  # whatever state the engine is in, the guard answers
            self._log.report(f"engine error while the guard asked: {type(error).__name__}: {error}")
            move = None
        return move if move is not None and position.allows(move) else self._adapter.safe_move(position)

    def close(self) -> None:
        """Called at the end of the game. Stops the compiling that `prepare` may have started."""
        if self._kernels is not None:
            self._kernels.stop_compiling()

    def _attempt(self, action: Callable[..., Result], *arguments: object) -> Result | None:
        """Returns action(*arguments), or None if that raises an error.

        KernelsUnavailable only says why no engine plays yet. After any other error the engine is given up.
        """
        try:
            return action(*arguments)
        except KernelsUnavailable as error:
            self._refusal = str(error)
            return None
        except Exception as error:  # whatever an engine does must not cost the game
            self._give_up_engine(f"engine error: {type(error).__name__}: {error}")
            return None

    def _give_up_engine(self, reason: str) -> None:
        self._engine = None
        self._failures += 1
        self._refusal = reason
        self._log.report(reason)
        if self._failures >= _PATIENCE:
            self._announce("python", "the engine has failed")
