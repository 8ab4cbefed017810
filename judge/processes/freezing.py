"""Stop a bot and its descendants while the other side is to move (--freeze), and resume them."""

import contextlib
import os
import signal
import time

from judge.processes import descendants, measure, watch
from judge.processes.process import BotProcess

FREEZE_LIMIT_S = 1.0  # counts for neither side's clock; a process that waits for a core stops only when it gets one
UNINTERRUPTIBLE_LIMIT_S = 0.05  # after this time a process in uninterruptible sleep counts as stopped
PASS_PAUSE_S = 0.0005
AT_REST = "TtZX"  # states of proc(5): stopped, traced, dead
UNINTERRUPTIBLE = "D"  # such as a parent in vfork() whose child was stopped before its exec()


def own_pids(process: BotProcess) -> list[int]:
    """Return the ids of the bot's processes: its tree, and the trees of its orphans that were seen earlier."""
    orphans = [pid for pid in descendants.adopted_orphans() if pid in process.seen]
    return list(dict.fromkeys(pid for root in (process.pid, *orphans) for pid in descendants.process_tree(root)))


class Freezer:
    """Stops and resumes one bot."""

    def __init__(self, process: BotProcess) -> None:
        self._process = process
        self._stopped: set[int] = set()
        self._since: float | None = None

    def freeze(self) -> None:
        """Stop every process of the bot, including those that are being started meanwhile.

        Repeat until there is no new process and all have stopped, for at most a second: a process obeys the signal only
        when it runs next, which may be at the end of its fork().
        """
        process = self._process
        if process.exit_status is not None or self._since is not None:
            return
        self._since = time.monotonic()
        while True:
            waited_s = time.monotonic() - self._since
            at_rest = AT_REST + (UNINTERRUPTIBLE if waited_s > UNINTERRUPTIBLE_LIMIT_S else "")
            found = own_pids(process)
            new = [pid for pid in found if pid not in self._stopped]
            for pid in new:
                _signal(pid, signal.SIGSTOP)
                watch.register(pid)
            self._stopped.update(new)
            process.seen.update(new)
            if (not new and all(_state(pid) in at_rest for pid in found)) or waited_s > FREEZE_LIMIT_S:
                return
            time.sleep(PASS_PAUSE_S)

    def thaw(self) -> None:
        """Resume what freeze() has stopped, children first because their parents may wait for them."""
        if self._since is None:
            return
        if self._process.exit_status is None:
            own = own_pids(self._process)
            # Only processes that are in the tree now: other ids of _stopped may belong to new processes.
            for pid in reversed(own):
                _signal(pid, signal.SIGCONT)
        self._process.start_up.stopped_s += time.monotonic() - self._since
        self._since = None
        self._stopped.clear()


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _state(pid: int) -> str:
    """Return the process's state letter of proc(5), "" if it has ended."""
    return "".join(measure.stat_fields(pid)[:1])
