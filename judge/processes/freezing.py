"""Stops a bot and its descendants while the other side is to move (--freeze), and resumes them."""

import contextlib
import os
import signal
import time

from judge.processes import measure
from judge.processes.process import BotProcess

FREEZE_LIMIT_S = 1.0  # on neither side's clock; a process that waits for a core stops only when it gets one
UNINTERRUPTIBLE_LIMIT_S = 0.05  # after this time a process in uninterruptible sleep counts as stopped
PASS_PAUSE_S = 0.0005
AT_REST = frozenset("TtZX")  # states of proc(5): stopped, traced, dead
UNINTERRUPTIBLE = "D"  # such as a parent in vfork() whose child was stopped before its exec()


class Freezer:
    """Stops and resumes one bot."""

    def __init__(self, process: BotProcess) -> None:
        self._process = process
        self._stopped: set[int] = set()
        self._since: float | None = None

    def freeze(self) -> None:
        """Stop every process of the bot, including those that are being started meanwhile.

        SIGSTOP is sent until all processes have stopped and no new one is found, but for at most FREEZE_LIMIT_S: a
        process obeys the signal only when it runs next, which may be at the end of its fork(), and a tracer can keep
        the signal from it.
        """
        if self._process.exit_status is not None or self._since is not None:
            return
        self._since = time.monotonic()
        while not self._stop() and time.monotonic() - self._since < FREEZE_LIMIT_S:
            time.sleep(PASS_PAUSE_S)

    def check(self) -> None:
        """Stop again every process that has resumed since freeze(): it may have set a timer that sends SIGCONT."""
        if self._since is not None and self._process.exit_status is None:
            self._stop()

    def _stop(self) -> bool:
        """Send SIGSTOP to every process that still runs.

        Return True if no process was running, and none has appeared since the last call.
        """
        assert self._since is not None
        process = self._process
        is_long = time.monotonic() - self._since > UNINTERRUPTIBLE_LIMIT_S
        at_rest = AT_REST | {UNINTERRUPTIBLE} if is_long else AT_REST
        found = set(process.all_pids())
        running = [pid for pid in found if not at_rest.issuperset(_states(pid))]
        if process.first is not None and not AT_REST.issuperset(_states(process.first)):
            running.append(process.first)  # it is stopped from the start, but the bot may have woken it up
        for pid in running:
            _signal(pid, signal.SIGSTOP)
        has_grown = not found <= self._stopped
        self._stopped |= found
        return not running and not has_grown

    def thaw(self) -> None:
        """Resume the processes that freeze() has stopped, children first because their parents may wait for them."""
        if self._since is None:
            return
        if self._process.exit_status is None:
            # Only processes that are there now: other ids of _stopped may belong to new processes.
            for pid in reversed(self._process.all_pids()):
                _signal(pid, signal.SIGCONT)
        self._process.start_up.stopped_s += time.monotonic() - self._since
        self._since = None
        self._stopped.clear()


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _states(pid: int) -> set[str]:
    """Return the state letters, as in proc(5), of a process; of all its threads if its first thread has ended.

    Return an empty set if there is no such process.
    """
    states = set(measure.stat_fields(pid)[:1])
    if states == {"Z"}:
        with contextlib.suppress(OSError):
            threads = os.listdir(f"/proc/{pid}/task")
            states |= {state for thread in threads for state in measure.stat_fields(int(thread))[:1]}
    return states
