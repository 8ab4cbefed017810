"""Starts a bot in its sandbox: finds its process among bubblewrap's, the moment when it began, and how it ended.

bubblewrap has two processes of its own. The judge starts the outer one, which ends with the bot's exit status, or with
128 + N if signal N ended the bot. The other one is the first process of the bot's namespace. It starts the bot and
reaps orphans there; the namespace ends with it. The judge stops this process as soon as the bot runs. So the bot is not
reaped after its end: its true status can be read (/proc/PID/stat, proc(5)), and its descendants still exist.

The judge checks beforehand whether the system can execute a command, because bubblewrap does not report the reason of a
failure. The check covers the parts of Linux's execve(2) that players' programs need: the search of PATH, permissions,
ELF with its loader, scripts with their interpreter. If other formats are registered (binfmt_misc), files of an unknown
format pass.
"""

import contextlib
import errno
import fcntl
import json
import os
import re
import resource
import select
import signal
import stat
import struct
import termios
import time
from collections.abc import Mapping, Sequence

from judge.control_groups import MemoryGroup
from judge.processes import seccomp
from judge.processes.bubblewrap import MARK, BotSandbox, Descriptors
from judge.processes.descendants import child_processes
from judge.processes.measure import stat_fields
from judge.processes.start import CannotStart, JudgeFailure
from judge.processes.watch import await_input
from judge.reasons import ENDS_WITH_STATUS, SANDBOX_FAILED, SANDBOX_TOO_SLOW, WRONG_COMMAND

NO_CORE = 1  # byte: too small for a core file; with 0 the kernel would still start a program named by core_pattern
FILE_BYTES = 10**9  # the largest file that a bot may write
DESCRIPTORS = 4096
SIGNALS = 1024  # timers (timer_create(2)) and pending signals; the kernel counts them over all programs of a user
QUEUES_BYTES = 0  # size of all message queues, which the kernel counts likewise
THREADS = 512  # of all processes of a bot together
# The version of Linux from which on the limit counts the threads in the sandbox; before, all threads of the user count.
COUNTS_THREADS_BY_NAMESPACE = (5, 14)
LOWEST = 10  # a shell may use the descriptors below this number
HEADER_BYTES = 4096
ELF, SCRIPT = b"\x7fELF", b"#!"
MOST_INTERPRETERS = 4  # a chain of scripts that interpret each other
PROGRAM_INTERPRETER = 3  # PT_INTERP, elf(5)
OTHER_FORMATS = "/proc/sys/fs/binfmt_misc"
FILES_WITHOUT_FORMATS = 2  # register and status
PATIENCE_S = 20.0  # to set up a sandbox, which takes a few milliseconds
STOP_LIMIT_S = 1.0  # for a process to obey SIGSTOP
LOOK_S = 0.0002
READ_BYTES = 4096
SIGNALLED = 128  # a shell's status for a process that was ended by signal N is 128 + N
ZOMBIE, ASLEEP, STOPPED = "Z", "S", "T"


def limits() -> dict[int, int]:
    """Return {resource of setrlimit(2): limit} for a bot in a sandbox."""
    found = {
        resource.RLIMIT_CORE: NO_CORE,
        resource.RLIMIT_FSIZE: FILE_BYTES,
        resource.RLIMIT_NOFILE: DESCRIPTORS,
        resource.RLIMIT_SIGPENDING: SIGNALS,
        resource.RLIMIT_MSGQUEUE: QUEUES_BYTES,
    }
    version = tuple(int(number) for number in re.findall(r"\d+", os.uname().release)[:2])
    if version >= COUNTS_THREADS_BY_NAMESPACE:
        found[resource.RLIMIT_NPROC] = THREADS
    return found


def with_high_number(descriptor: int) -> int:
    """Return a duplicate of `descriptor` with a number of at least LOWEST, and close `descriptor`."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, LOWEST)
    finally:
        os.close(descriptor)


def why_not_executed(program: str, variables: Mapping[str, str], folder: str) -> int:
    """Return the errno with which subprocess would fail to start the program; 0 if it would start."""
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
    """Return the errno with which execve of the file `path` would fail; 0 if it would succeed.

    `depth` is the number of scripts that have led to this file as their interpreter.
    """
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode) or not os.access(path, os.X_OK):
            return errno.EACCES
        header = _beginning(path)
    except OSError as error:
        return error.errno or errno.ENOENT
    if header is None:  # the file is executable but not readable
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
    """Return the path of the loader that an ELF header names.

    Return None if the header names no loader or cannot be parsed.
    """
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


class SandboxStart:
    """The start of a bot in a sandbox.

    The caller runs the command line that command() returns, and then calls wait_until_ready().
    """

    def __init__(self, sandbox: BotSandbox) -> None:
        self._sandbox = sandbox
        with contextlib.ExitStack() as open_descriptors:  # closes those that are open if the descriptors run out
            self._info, info = _pipe(open_descriptors)
            block, self._block = _pipe(open_descriptors)
            # For error messages a pipe, not a file: the bot can write there through a descriptor of the first process,
            # and a file could grow.
            self._heard, words = _pipe(open_descriptors)
            refused = _filter(open_descriptors)
            open_descriptors.pop_all()
        os.set_blocking(self._heard, False)
        self._passed = Descriptors(info, block, refused, words)

    @property
    def passed_descriptors(self) -> list[int]:
        """The descriptors that the caller passes to the command line."""
        passed = self._passed
        return [passed.info, passed.block, passed.words_of_bubblewrap, *filter(None, [passed.filter])]

    def command(
        self, argv: Sequence[str], variables: dict[str, str], folder: str | None
    ) -> tuple[list[str], dict[str, str]]:
        """Return (the command line that runs `argv` in the sandbox, its environment).

        In the sandbox `argv` gets the environment variables `variables`, and runs in `folder` (None: the judge's
        current folder). Raises CannotStart if the program cannot be executed.
        """
        place = os.path.abspath(folder or os.curdir)
        try:
            failure = why_not_executed(argv[0], variables, place)
            if not failure:
                return self._sandbox.command(argv, variables, place, self._passed)
        except ValueError as error:  # a null byte, or a character that cannot be encoded
            raise CannotStart(WRONG_COMMAND.format(command=repr(argv[0]), error=error)) from error
        raise CannotStart(WRONG_COMMAND.format(command=argv[0], error=os.strerror(failure)))

    def wait_until_ready(self, outer: int, group: MemoryGroup | None = None) -> tuple["SandboxedProcess", float]:
        """Wait until the sandbox is ready. Return (the SandboxedProcess, the moment at which the sandbox was ready).

        `outer` is the id of bubblewrap's outer process. The bot's processes are put into `group`. The moment is in
        seconds of time.monotonic(). Raises JudgeFailure if the sandbox fails or takes too long.
        """
        for descriptor in self.passed_descriptors:
            os.close(descriptor)
        self._passed = Descriptors(-1, -1, None, -1)
        give_up = time.monotonic() + PATIENCE_S
        first = self._first_process(give_up)
        if first is not None and group is not None:
            with contextlib.suppress(OSError):  # the process has ended, or the group is not there any more
                group.add(first)
        if first is None or not self._limit(first) or not self._fill(first, give_up) or not self._is_ready(give_up):
            raise JudgeFailure(SANDBOX_FAILED.format(words=self._error_text(give_up)))
        began = time.monotonic()
        bot = _child_of(first, give_up)
        return SandboxedProcess(outer, first, bot), began

    def close(self) -> None:
        """Close all descriptors."""
        for descriptor in (self._info, self._block, self._heard, *self.passed_descriptors):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _first_process(self, give_up: float) -> int | None:
        """Return the id of the first process in the namespace, None if bubblewrap failed before it made one."""
        said = b""
        while await_input(self._info, max(0.0, give_up - time.monotonic())):
            data = os.read(self._info, READ_BYTES)
            if not data:
                break
            said += data
        try:
            return int(json.loads(said)["child-pid"])
        except (ValueError, KeyError, TypeError):
            return None

    def _limit(self, first: int) -> bool:
        """Set limits() for the sandbox's first process, from which all others inherit them.

        Return False if it has ended.
        """
        try:
            for resource_, most in limits().items():
                _, hard = resource.prlimit(first, resource_)
                most = most if hard == resource.RLIM_INFINITY else min(most, hard)
                resource.prlimit(first, resource_, (most, most))
        except ProcessLookupError:
            return False
        return True

    def _fill(self, first: int, give_up: float) -> bool:
        """Wait until the sandbox is set up, fill the folders in `filled` if there are any, then let bubblewrap go on.

        Return False if bubblewrap has failed or takes too long. Raises JudgeFailure if the folders cannot be filled.
        """
        root = f"/proc/{first}/root"
        while self._sandbox.filled and not os.path.isdir(root + MARK):
            fields = stat_fields(first)
            if not fields or fields[0] == ZOMBIE or time.monotonic() > give_up:
                return False
            time.sleep(LOOK_S)
        try:
            for place, filling in self._sandbox.filled.items():
                filling.fill(root + place)
        except OSError as error:
            raise JudgeFailure(SANDBOX_FAILED.format(words=str(error))) from error
        try:
            os.write(self._block, b"\n")
        except BrokenPipeError:
            return False
        return True

    def _is_ready(self, give_up: float) -> bool:
        """Wait until bubblewrap has closed the block pipe. Return whether it has read the byte that _fill() wrote."""
        poll = select.poll()
        poll.register(self._block, 0)  # the other end is closed: POLLERR
        if not poll.poll(max(0.0, give_up - time.monotonic()) * 1000):
            return False
        return struct.unpack("i", fcntl.ioctl(self._block, termios.FIONREAD, bytes(4)))[0] == 0

    def _error_text(self, give_up: float) -> str:
        words = b""
        with contextlib.suppress(BlockingIOError):
            words = os.read(self._heard, READ_BYTES)
        if not words and time.monotonic() > give_up:
            return SANDBOX_TOO_SLOW.format(limit=f"{PATIENCE_S:g}")
        return " ".join(words.decode("utf-8", "backslashreplace").split()) or ENDS_WITH_STATUS.format(status=1)


class SandboxedProcess:
    """The process ids of a bot in its sandbox.

    `outer` and `first` are bubblewrap's two processes. `bot` is the bot's own, None if the bot ended before it was
    found.
    """

    def __init__(self, outer: int, first: int, bot: int | None) -> None:
        self.outer, self.first, self.bot = outer, first, bot

    def end(self) -> int | None:
        """Return the bot's exit status as subprocess reports it.

        Return None while the bot runs, or if the status is unknown.
        """
        fields = [] if self.bot is None or not _is_child(self.bot, self.first) else stat_fields(self.bot)
        # A process whose first thread has ended while others run is shown as a zombie with several threads.
        if not fields or fields[0] != ZOMBIE or int(fields[17]) > 1:
            return None
        return os.waitstatus_to_exitcode(int(fields[49]))

    def tear_down(self) -> None:
        """Kill both of bubblewrap's processes. All other processes in the sandbox end with the first of them."""
        for pid in (self.first, self.outer):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def end_of(outer_status: int) -> int:
    """Return the bot's exit status, as subprocess reports it.

    `outer_status` is the status of bubblewrap's outer process.
    """
    if SIGNALLED < outer_status < SIGNALLED + signal.NSIG:
        return SIGNALLED - outer_status
    return outer_status


def _child_of(first: int, give_up: float) -> int | None:
    """Stop the namespace's first process, and return the id of its child, which is the bot.

    Return None if the bot has ended, or was not found before the moment `give_up`.
    """
    while time.monotonic() < give_up:
        children, fields = child_processes(first), stat_fields(first)
        if not fields or fields[0] == ZOMBIE:
            return None
        # A first process that sleeps waits for the bot, and has closed its copies of the descriptors.
        if children and fields[0] == ASLEEP:
            with contextlib.suppress(ProcessLookupError):
                os.kill(first, signal.SIGSTOP)
                _await_stop(first, time.monotonic() + STOP_LIMIT_S)
                if _is_child(children[0], first):
                    return children[0]
                os.kill(first, signal.SIGCONT)  # it had reaped the bot before it was stopped, so it must end too
        time.sleep(LOOK_S)
    return None


def _await_stop(pid: int, give_up: float) -> None:
    """Wait until a process that was sent SIGSTOP has stopped or ended, or until the moment `give_up`."""
    while time.monotonic() < give_up:
        fields = stat_fields(pid)
        if not fields or fields[0] in (STOPPED, ZOMBIE):
            return
        time.sleep(LOOK_S)


def _is_child(pid: int, parent: int) -> bool:
    fields = stat_fields(pid)
    return bool(fields) and int(fields[1]) == parent


def _pipe(open_descriptors: contextlib.ExitStack) -> tuple[int, int]:
    reading, writing = os.pipe()
    try:
        high = _kept(reading, open_descriptors)
    except OSError:
        os.close(writing)
        raise
    return high, _kept(writing, open_descriptors)


def _filter(open_descriptors: contextlib.ExitStack) -> int | None:
    """Return a descriptor from which seccomp.program() can be read; None if there is no program for this machine."""
    refused = seccomp.descriptor()
    return None if refused is None else _kept(refused, open_descriptors)


def _kept(descriptor: int, open_descriptors: contextlib.ExitStack) -> int:
    """Return a duplicate of `descriptor` with a high number, and close `descriptor`.

    `open_descriptors` closes the duplicate at its exit.
    """
    high = with_high_number(descriptor)
    open_descriptors.callback(os.close, high)
    return high
