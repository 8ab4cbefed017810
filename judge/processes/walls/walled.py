"""A bot behind a wall: its process among bubblewrap's, when it began, and how it ended.

bubblewrap has two processes of its own. One stays outside, is started by the judge and ends as the bot does, but for
a signal N, which becomes a status of 128 + N. The other is the first of the bot's namespace: it starts the bot and
reaps what is left there; the namespace ends with it. The judge stops this one as soon as the bot runs, so that the
bot's end can be seen with what it has left behind, and with its true status (/proc/PID/stat, proc(5)).
"""

import contextlib
import fcntl
import json
import os
import select
import signal
import struct
import termios
import time
from collections.abc import Sequence

from judge.language import recorded
from judge.processes.descendants import child_processes
from judge.processes.start import NOT_EXECUTED, CannotStart, JudgeFailure
from judge.processes.walls.bubblewrap import SAID_NOTHING, Descriptors, Wall
from judge.processes.walls.descriptors import with_high_number
from judge.processes.walls.executable import why_not_executed

PATIENCE_S = 20.0  # for a wall; it takes a few milliseconds
LOOK_S = 0.0002
READ_BYTES = 4096
SIGNALLED = 128  # a shell's status for a process that was ended by signal N, less N
ZOMBIE, ASLEEP, STOPPED = "Z", "S", "T"
NO_WALL = recorded("bubblewrap failed: {words}")
TOO_SLOW = recorded("it takes over {limit} s")


class Gate:
    """The way of a bot through its wall: start its command(), then wait with opened()."""

    def __init__(self, wall: Wall) -> None:
        self._wall = wall
        with contextlib.ExitStack() as opened:  # so that none stays open where the descriptors run out
            self._info, info = _pipe(opened)
            block, self._block = _pipe(opened)
            self._words = _kept(os.memfd_create("bubblewrap", os.MFD_CLOEXEC), opened)
            os.write(self._block, b"\n")  # it need not wait; that this was read says that the wall stands
            opened.pop_all()
        self._passed = Descriptors(info, block, self._words)

    @property
    def passed(self) -> tuple[int, ...]:
        """The descriptors that the command needs."""
        return self._passed.info, self._passed.block, self._passed.words_of_bubblewrap

    def command(
        self, argv: Sequence[str], variables: dict[str, str], folder: str | None
    ) -> tuple[list[str], dict[str, str]]:
        """(words, variables) to start in place of the command. Raises CannotStart where that cannot be executed."""
        place = os.path.abspath(folder or os.curdir)
        try:
            failure = why_not_executed(argv[0], variables, place)
            if not failure:
                return self._wall.command(argv, variables, place, self._passed)
        except ValueError as error:  # a character that the system knows no bytes for
            raise CannotStart(NOT_EXECUTED.format(command=repr(argv[0]), error=error)) from error
        raise CannotStart(NOT_EXECUTED.format(command=argv[0], error=os.strerror(failure)))

    def opened(self, outer: int) -> tuple["Walled", float]:
        """(the Walled, the moment in which it began) of bubblewrap's outer process, once the wall stands.

        Raises JudgeFailure where it does not.
        """
        for descriptor in (self._passed.info, self._passed.block):
            os.close(descriptor)
        self._passed = Descriptors(-1, -1, self._words)
        give_up = time.monotonic() + PATIENCE_S
        first = self._first_process(give_up)
        if first is None or not self._stands(give_up):
            raise JudgeFailure(NO_WALL.format(words=self._said(give_up)))
        began = time.monotonic()
        bot = _child_of(first, give_up)
        return Walled(outer, first, bot), began

    def close(self) -> None:
        """Give the descriptors back."""
        passed = [descriptor for descriptor in self.passed if descriptor != self._words]
        for descriptor in (self._info, self._block, self._words, *passed):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _first_process(self, give_up: float) -> int | None:
        """The id of the first process in the namespace, None if bubblewrap gave up before it had one."""
        said = b""
        while select.select([self._info], [], [], max(0.0, give_up - time.monotonic()))[0]:
            data = os.read(self._info, READ_BYTES)
            if not data:
                break
            said += data
        try:
            return int(json.loads(said)["child-pid"])
        except (ValueError, KeyError, TypeError):
            return None

    def _stands(self, give_up: float) -> bool:
        """Wait until bubblewrap has let go of what it waits at; whether it had come so far as to wait there."""
        poll = select.poll()
        poll.register(self._block, 0)  # the other end is closed: POLLERR
        if not poll.poll(max(0.0, give_up - time.monotonic()) * 1000):
            return False
        return struct.unpack("i", fcntl.ioctl(self._block, termios.FIONREAD, bytes(4)))[0] == 0

    def _said(self, give_up: float) -> str:
        words = os.pread(self._words, READ_BYTES, 0).decode("utf-8", "backslashreplace")
        if not words and time.monotonic() > give_up:
            return TOO_SLOW.format(limit=f"{PATIENCE_S:g}")
        return " ".join(words.split()) or SAID_NOTHING.format(status=1)


class Walled:
    """A bot behind its wall: `outer` and `first` are bubblewrap's processes, `bot` is its own; None if it had ended
    before it could be looked at.
    """

    def __init__(self, outer: int, first: int, bot: int | None) -> None:
        self.outer, self.first, self.bot = outer, first, bot

    def end(self) -> int | None:
        """How the bot itself has ended, as subprocess reports it; None while it runs, or where that is not known."""
        fields = [] if self.bot is None else _stat(self.bot)
        # A process that goes on after its first thread's end looks like a dead one with threads.
        if not fields or fields[0] != ZOMBIE or int(fields[17]) > 1:
            return None
        return os.waitstatus_to_exitcode(int(fields[49]))

    def tear_down(self) -> None:
        """Kill all that is behind the wall, and bubblewrap."""
        for pid in (self.first, self.outer):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def end_of(outer_status: int) -> int:
    """What a bot's end was, as subprocess reports it, from how bubblewrap's outer process ended."""
    if SIGNALLED < outer_status < SIGNALLED + signal.NSIG:
        return SIGNALLED - outer_status
    return outer_status


def _child_of(first: int, give_up: float) -> int | None:
    """The bot, as the only child of the namespace's first process, which is stopped; None if it has ended already."""
    while time.monotonic() < give_up:
        children, fields = child_processes(first), _stat(first)
        if not fields or fields[0] == ZOMBIE:
            return None
        if children and fields[0] == ASLEEP:  # it waits for the bot: what it had to close is closed
            with contextlib.suppress(ProcessLookupError):
                os.kill(first, signal.SIGSTOP)
                _await_stop(first, give_up)
                if _is_child(children[0], first):
                    return children[0]
                os.kill(first, signal.SIGCONT)  # it has seen the bot's end before it was stopped: it is to end, too
        time.sleep(LOOK_S)
    return None


def _await_stop(pid: int, give_up: float) -> None:
    """Wait until a process that was sent SIGSTOP does nothing more, or is dead."""
    while time.monotonic() < give_up:
        fields = _stat(pid)
        if not fields or fields[0] in (STOPPED, ZOMBIE):
            return
        time.sleep(LOOK_S)


def _is_child(pid: int, parent: int) -> bool:
    fields = _stat(pid)
    return bool(fields) and int(fields[1]) == parent


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the process's state on, [] if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


def _pipe(opened: contextlib.ExitStack) -> tuple[int, int]:
    reading, writing = os.pipe()
    try:
        high = _kept(reading, opened)
    except OSError:
        os.close(writing)
        raise
    return high, _kept(writing, opened)


def _kept(descriptor: int, opened: contextlib.ExitStack) -> int:
    """The descriptor by a high number, which `opened` closes."""
    high = with_high_number(descriptor)
    opened.callback(os.close, high)
    return high
