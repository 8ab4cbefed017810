"""Stops a bot and its descendants while the other side is to move (--freeze), and resumes them."""

import contextlib
import os
import signal
import time

from judge.processes import usage
from judge.processes.process import BotProcess

FREEZE_LIMIT_S = 1.0  # no clock runs meanwhile; a process that waits for a core stops only when it gets a core


class Freezer:
    """Stops and resumes all processes of one bot. The methods do nothing after the bot's end."""

    def __init__(self, process: BotProcess) -> None:
        self._process = process
        self._stopped: set[int] = set()
        self._frozen_since: float | None = None

    def freeze(self) -> None:
        """Stop every process of the bot, including processes that are just being started, unless they are stopped.

        SIGSTOP is sent until all processes have stopped and no new process is found, but for at most FREEZE_LIMIT_S. A
        process obeys the signal only when it runs next, which may be at the end of its fork().
        """
        if self._process.exit_status is not None or self._frozen_since is not None:
            return
        self._frozen_since = time.monotonic()
        while not self._stop() and time.monotonic() - self._frozen_since < FREEZE_LIMIT_S:
            time.sleep(0.0005)

    def _stop(self) -> bool:
        """Send SIGSTOP to every process of the bot that still runs.

        Return True if no process was running and no new process has appeared since the last call.
        """
        assert self._frozen_since is not None
        stopped_states = set("TtZX")  # of proc(5): stopped, traced, dead
        if time.monotonic() - self._frozen_since > 0.05:
            stopped_states.add("D")  # uninterruptible sleep: so waits a parent in vfork() whose child was stopped
        pids = set(self._process.bot_pids())
        running = [pid for pid in pids if not stopped_states.issuperset(_states(pid))]
        for pid in running:
            _signal(pid, signal.SIGSTOP)
        has_new = not pids <= self._stopped
        self._stopped |= pids
        return not running and not has_new

    def thaw(self) -> None:
        """Resume the processes that freeze() has stopped, children first because their parents may wait for them."""
        if self._frozen_since is None:
            return
        if self._process.exit_status is None:
            # Only processes that exist now are resumed: other ids in _stopped may belong to new processes.
            for pid in reversed(self._process.bot_pids()):
                _signal(pid, signal.SIGCONT)
        self._process.start_up.stopped_s += time.monotonic() - self._frozen_since
        self._frozen_since = None
        self._stopped.clear()


def _signal(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process. Nothing happens if it has ended or belongs to another user."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _states(pid: int) -> set[str]:
    """Return the state letters of a process's threads (see proc(5)); an empty set if there is no such process."""
    with contextlib.suppress(OSError):
        return {state for thread in os.listdir(f"/proc/{pid}/task") for state in usage.stat_fields(int(thread))[:1]}
    return set()
