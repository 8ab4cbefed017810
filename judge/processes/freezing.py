"""Stopping a bot while the other side is to move (--freeze), with all that it has started, and waking it again."""

import contextlib
import os
import signal
import time

from judge.processes import descendants, measure, watch
from judge.processes.process import BotProcess

FREEZE_LIMIT_S = 1.0  # in no side's turn; a process that waits for a core stops only when it gets one
UNINTERRUPTIBLE_LIMIT_S = 0.05  # of this one that waits for something else
PASS_PAUSE_S = 0.0005
AT_REST = "TtZX"  # states of proc(5): stopped, traced, dead
UNINTERRUPTIBLE = "D"  # as who waits for a child that has not begun its program, and is stopped before


def own_pids(process: BotProcess) -> list[int]:
    """The bot's processes: those that descend from it, and those whose parents have died and that were seen before."""
    orphans = [pid for pid in descendants.strays() if pid in process.seen]
    return list(dict.fromkeys(pid for root in (process.pid, *orphans) for pid in descendants.process_tree(root)))


class Freezer:
    """Stops and wakes one bot."""

    def __init__(self, process: BotProcess) -> None:
        self._process = process
        self._stopped: set[int] = set()
        self._since: float | None = None

    def freeze(self) -> None:
        """Stop every process of the bot, those too that others of them are just starting.

        Looks again until nothing is new and all have stopped, for a second at most: a signal is sent in a moment, but
        obeyed when the process runs next, which may be the end of its fork().
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
                watch.tell(pid)
            self._stopped.update(new)
            process.seen.update(new)
            if (not new and all(_state(pid) in at_rest for pid in found)) or waited_s > FREEZE_LIMIT_S:
                return
            time.sleep(PASS_PAUSE_S)

    def thaw(self) -> None:
        """Wake what freeze() has stopped, the children first: their parents may look for them."""
        if self._since is None:
            return
        if self._process.exit_status is None:
            own = own_pids(self._process)
            # Whoever is in the tree now was stopped with it; a number that is not may be somebody else's by now.
            for pid in reversed(own):
                _signal(pid, signal.SIGCONT)
        self._process.start_up.stopped_s += time.monotonic() - self._since
        self._since = None
        self._stopped.clear()


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _state(pid: int) -> str:
    """The process's state as in proc(5), "" if it is gone."""
    return "".join(measure.stat_fields(pid)[:1])
