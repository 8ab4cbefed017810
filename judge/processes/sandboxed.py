"""A bot in its sandbox: its process among bubblewrap's, when it began, and how it ended.

bubblewrap has two processes of its own. One stays outside, is started by the judge and ends as the bot does, but for a
signal N, which becomes a status of 128 + N. The other is the first of the bot's namespace: it starts the bot and reaps
what is left there; the namespace ends with it. The judge stops this one as soon as the bot runs, so that the bot's end
can be seen with what it has left behind, and with its true status (/proc/PID/stat, proc(5)).

Whether the system would execute a command is asked beforehand, as bubblewrap does not say why it cannot. Linux's
execve(2) is repeated as far as programs of players go: the search of PATH, permissions, ELF with its loader, and
scripts with their interpreter. What other formats the system has been taught (binfmt_misc) is let pass.
"""

import contextlib
import errno
import fcntl
import json
import os
import select
import signal
import stat
import struct
import termios
import time
from collections.abc import Mapping, Sequence

from judge.processes.bubblewrap import BotSandbox, Descriptors
from judge.processes.descendants import child_processes
from judge.processes.measure import stat_fields
from judge.processes.start import CannotStart, JudgeFailure
from judge.reasons import ENDS_WITH_STATUS, SANDBOX_FAILED, SANDBOX_TOO_SLOW, WRONG_COMMAND

LOWEST = 10  # a shell may use those below
HEADER_BYTES = 4096
ELF, SCRIPT = b"\x7fELF", b"#!"
MOST_INTERPRETERS = 4  # one script by another
PROGRAM_INTERPRETER = 3  # PT_INTERP, elf(5)
OTHER_FORMATS = "/proc/sys/fs/binfmt_misc"
FILES_WITHOUT_FORMATS = 2  # register and status
PATIENCE_S = 20.0  # for a sandbox; it takes a few milliseconds
LOOK_S = 0.0002
READ_BYTES = 4096
SIGNALLED = 128  # a shell's status for a process that was ended by signal N, less N
ZOMBIE, ASLEEP, STOPPED = "Z", "S", "T"


def with_high_number(descriptor: int) -> int:
    """The same, by another number; the one given is closed."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, LOWEST)
    finally:
        os.close(descriptor)


def why_not_executed(program: str, variables: Mapping[str, str], folder: str) -> int:
    """The errno with which starting the program would fail, as subprocess reports it; 0 where it would not."""
    if not os.path.isdir(folder):
        return errno.ENOTDIR if os.path.exists(folder) else errno.ENOENT
    if "/" in program:
        return _failure(os.path.join(folder, program))
    first = last = errno.ENOENT
    for place in os.get_exec_path(dict(variables)):
        last = _failure(os.path.join(folder, place, program))
        if not last:
            return 0
        if last not in (errno.ENOENT, errno.ENOTDIR) and first == errno.ENOENT:
            first = last
    return first if first != errno.ENOENT else last


def _failure(path: str, depth: int = 0) -> int:
    """The errno with which execve of this file would fail, 0 where it would not."""
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode) or not os.access(path, os.X_OK):
            return errno.EACCES
        header = _beginning(path)
    except OSError as error:
        return error.errno or errno.ENOENT
    if header is None:  # it may be executed without being read
        return 0
    if header.startswith(ELF):
        loader = _loader(header)
        return 0 if loader is None or os.path.exists(loader) else errno.ENOENT
    if header.startswith(SCRIPT):
        words = header[len(SCRIPT) :].partition(b"\n")[0].split()
        if not words:
            return errno.ENOEXEC
        return errno.ELOOP if depth >= MOST_INTERPRETERS else _failure(os.fsdecode(words[0]), depth + 1)
    return 0 if _has_other_formats() else errno.ENOEXEC


def _beginning(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read(HEADER_BYTES)
    except PermissionError:
        return None


def _loader(header: bytes) -> str | None:
    """The loader that an ELF file of this machine's kind names, None where it names none or that cannot be read."""
    try:
        is_wide, is_little = header[4] == 2, header[5] == 1
        order = "<" if is_little else ">"
        if is_wide:
            (table,), (size, number) = (
                struct.unpack_from(f"{order}Q", header, 32),
                struct.unpack_from(f"{order}HH", header, 54),
            )
        else:
            (table,), (size, number) = (
                struct.unpack_from(f"{order}I", header, 28),
                struct.unpack_from(f"{order}HH", header, 42),
            )
        for place in range(table, table + size * number, size):
            if struct.unpack_from(f"{order}I", header, place)[0] != PROGRAM_INTERPRETER:
                continue
            if is_wide:
                start, length = struct.unpack_from(f"{order}8xQ16xQ", header, place)
            else:
                start, length = struct.unpack_from(f"{order}4xI8xI", header, place)
            return os.fsdecode(header[start : start + length].rstrip(b"\0")) or None
    except (IndexError, struct.error):
        pass
    return None


def _has_other_formats() -> bool:
    try:
        return len(os.listdir(OTHER_FORMATS)) > FILES_WITHOUT_FORMATS
    except OSError:
        return False


class Gate:
    """The way of a bot through its sandbox: start its command(), then wait with opened()."""

    def __init__(self, sandbox: BotSandbox) -> None:
        self._sandbox = sandbox
        with contextlib.ExitStack() as opened:  # so that none stays open where the descriptors run out
            self._info, info = _pipe(opened)
            block, self._block = _pipe(opened)
            self._words = _kept(os.memfd_create("bubblewrap", os.MFD_CLOEXEC), opened)
            os.write(self._block, b"\n")  # it need not wait; that this was read says that the sandbox stands
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
                return self._sandbox.command(argv, variables, place, self._passed)
        except ValueError as error:  # a character that the system knows no bytes for
            raise CannotStart(WRONG_COMMAND.format(command=repr(argv[0]), error=error)) from error
        raise CannotStart(WRONG_COMMAND.format(command=argv[0], error=os.strerror(failure)))

    def opened(self, outer: int) -> tuple["SandboxedProcess", float]:
        """(the SandboxedProcess, the moment in which it began) of bubblewrap's outer process, once the sandbox stands.

        Raises JudgeFailure where it does not.
        """
        for descriptor in (self._passed.info, self._passed.block):
            os.close(descriptor)
        self._passed = Descriptors(-1, -1, self._words)
        give_up = time.monotonic() + PATIENCE_S
        first = self._first_process(give_up)
        if first is None or not self._stands(give_up):
            raise JudgeFailure(SANDBOX_FAILED.format(words=self._said(give_up)))
        began = time.monotonic()
        bot = _child_of(first, give_up)
        return SandboxedProcess(outer, first, bot), began

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
            return SANDBOX_TOO_SLOW.format(limit=f"{PATIENCE_S:g}")
        return " ".join(words.split()) or ENDS_WITH_STATUS.format(status=1)


class SandboxedProcess:
    """A bot in its sandbox: `outer` and `first` are bubblewrap's processes, `bot` is its own; None if it had ended
    before it could be looked at.
    """

    def __init__(self, outer: int, first: int, bot: int | None) -> None:
        self.outer, self.first, self.bot = outer, first, bot

    def end(self) -> int | None:
        """How the bot itself has ended, as subprocess reports it; None while it runs, or where that is not known."""
        fields = [] if self.bot is None else stat_fields(self.bot)
        # A process that goes on after its first thread's end looks like a dead one with threads.
        if not fields or fields[0] != ZOMBIE or int(fields[17]) > 1:
            return None
        return os.waitstatus_to_exitcode(int(fields[49]))

    def tear_down(self) -> None:
        """Kill all that is in the sandbox, and bubblewrap."""
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
        children, fields = child_processes(first), stat_fields(first)
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
        fields = stat_fields(pid)
        if not fields or fields[0] in (STOPPED, ZOMBIE):
            return
        time.sleep(LOOK_S)


def _is_child(pid: int, parent: int) -> bool:
    fields = stat_fields(pid)
    return bool(fields) and int(fields[1]) == parent


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
