"""One bot as a process: passes bytes over non-blocking pipes, measures the bot, and ends it with all that it started.

Bytes on stderr and the text that a strategy library prints are counted, and only parts of them are stored. Reports on
stderr are parsed.
"""

import collections
import contextlib
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from typing import IO, Any

from judge.language import recorded
from judge.processes import usage
from judge.processes.bubblewrap import SHELL_ERROR_START, BotSandbox, passed_environment, start_in_sandbox
from judge.processes.keeper import children, descendants_of
from judge.processes.start import JudgeFailure, Launch, StartUp, own_environment, take_keeper
from judge.reasons import NO_PROCESS
from protocol.records.json_lines import RecordError
from protocol.records.values import decoded as decoded_json
from protocol.strategy_library import PRINTS

MARKER = "DROPFOUR_GAME"  # the environment variable that names a bot's game; its value is unique to one game
READ_BYTES = 64 * 1024  # one read per stream and wake-up, so that a flood does not delay the other streams
KEPT_PRINTS_BYTES = 256
FRAME_BEGINS = b"\0"  # the first byte of every frame: the highest byte of its length, which is below 2 ** 24
STDERR_IS_FOR_TEXT = recorded("stdout is for replies alone, other text belongs on stderr")
PRINTS_ARE_KEPT_APART = recorded(
    "the text is harmless here, but in an upload, which the platform's main() is part of, it lands between the replies"
)
KEPT_STDERR_BYTES = 32 * 1024  # the bytes that are stored of the beginning of stderr, and as many of its end
PLATFORM_BYTES = 64 * 1024  # the size of the platform's pipe; a bot that writes more blocks there
LONGEST_REPORT = 16 * 1024  # bytes; a longer line does not count as a report
MOST_NESTED = 100  # the most brackets in a report, as records contain reports: see protocol/records/record.py
WAITING_READS = 16  # stdout is not read while so many reads wait to be processed
TERM_GRACE_S = 0.25  # between SIGTERM and SIGKILL
PRINTS_DESCRIPTOR = 10  # the number of the bot's end of the pipe for prints
SIGNALLED = 128  # a shell's and bubblewrap's status for a process that was ended by signal N is 128 + N
POLLS_ASLEEP = 8  # polls in a row with all processes asleep, after which the bot counts as waiting for input


def read_pipe(pipe: IO[bytes]) -> bytes | None:
    """Return the next bytes in the pipe.

    Return b"" at the end of the pipe, None if nothing has arrived or this end of the pipe is closed.
    """
    if pipe.closed:
        return None
    try:
        return os.read(pipe.fileno(), READ_BYTES)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def close_pipe(pipe: IO[bytes]) -> None:
    """Close the pipe and ignore errors."""
    with contextlib.suppress(OSError):
        pipe.close()


class Prints:
    """The text that a bot prints into a separate pipe: `total` counts its bytes, `first` are KEPT_PRINTS_BYTES."""

    def __init__(self) -> None:
        self.total = 0
        self.first = b""

    def feed(self, data: bytes) -> None:
        """Add bytes in the order of their arrival."""
        self.total += len(data)
        self.first += data[: KEPT_PRINTS_BYTES - len(self.first)]

    def text(self) -> str:
        """Return the stored beginning as text."""
        return decoded(self.first)


def is_print(data: bytes) -> bool:
    """Return whether bytes that are not a valid reply are printed text rather than a wrong or truncated reply."""
    return bool(data) and not data.startswith(FRAME_BEGINS)


def decoded(data: bytes) -> str:
    """Return a bot's bytes as text, with backslash escapes for bytes that are not UTF-8."""
    return data.decode("utf-8", "backslashreplace")


class Recorder:
    """A listener to a bot's traffic. Its methods are called while players' clocks run, so they must be fast."""

    def sent(self, data: bytes) -> None:
        """Handle bytes that are sent to the bot's stdin."""

    def received(self, now: float, data: bytes) -> None:
        """Handle bytes that were read from the bot's stdout at the moment `now` of time.monotonic()."""


class StderrLog:
    """A log of one bot's stderr: `total` counts the bytes.

    `first` and `last` store the first and the last KEPT_STDERR_BYTES. `has_reported` is True once report() has found a
    report.
    """

    def __init__(self) -> None:
        self.total = 0
        self.first = b""
        self.last = b""
        self.has_reported = False
        self._line = b""
        self._candidates: collections.deque[bytes] = collections.deque(maxlen=16)

    def feed(self, data: bytes) -> None:
        """Add bytes in the order of their arrival."""
        self.total += len(data)
        self.first += data[: KEPT_STDERR_BYTES - len(self.first)]
        self.last = (self.last + data)[-KEPT_STDERR_BYTES:]
        *complete, unfinished = (self._line + data).split(b"\n")
        self._candidates.extend(line for line in complete if line.lstrip().startswith(b"{"))
        self._line = unfinished[: LONGEST_REPORT + 1]

    def begin_turn(self) -> None:
        """Drop the lines of the previous turn; a report among them still sets `has_reported`."""
        self.report()
        self._candidates.clear()

    def report(self) -> dict[str, Any] | None:
        """Return the bot's report: the last line since begin_turn() that is a JSON object with the key "value", parsed.

        Return None if there is no such line.
        """
        for line in reversed(self._candidates):
            report = _report_in(line)
            if report is not None:
                self.has_reported = True
                return report
        return None

    def text(self) -> str:
        """Return the stored bytes as text. A line between beginning and end says how many bytes were left out."""
        left_out = self.total - len(self.first) - len(self.last)
        if left_out > 0:
            stored = self.first + b"\n[%d bytes left out]\n" % left_out + self.last
        else:  # `first` and `last` overlap, or `first` is all
            stored = self.first + self.last[len(self.last) - (self.total - len(self.first)) :]
        return stored.decode("utf-8", "replace")


def _report_in(line: bytes) -> dict[str, Any] | None:
    """Return the JSON object in a line of stderr, None if the line is no report."""
    if len(line) > LONGEST_REPORT or line.count(b"{") + line.count(b"[") > MOST_NESTED:
        return None
    try:
        report = decoded_json(line, dict[str, Any], MOST_NESTED)
    except RecordError:
        return None
    return report if "value" in report else None


class BotProcess:
    """A running bot. Moments are seconds of time.monotonic().

    `launch` says what to start, `marker` names the game. `spawned` is the moment just before the start, or with a
    `sandbox` the moment when the sandbox was ready; `sent_at` is the moment just before the last send(). Without
    `drain_stderr` the bot's stderr is not read before its end. `prints` stores what the bot prints into a pipe of its
    own, if the launch says that it has one. `recorder` gets every byte that is sent and received; `start_up` measures
    the time to start. `exit_status` is the status of the bot's own process as subprocess has it, None while it runs; a
    shell's status for a signal counts as the signal. `memory_limit_bytes` is the limit for memory(), None for no limit.
    Raises CannotStart if the command cannot be executed, JudgeFailure if the system has no process, memory or
    descriptor left.
    """

    def __init__(
        self,
        launch: Launch,
        marker: str,
        sandbox: BotSandbox | None = None,
        drain_stderr: bool = True,
        memory_limit_bytes: int | None = None,
    ) -> None:
        self.stderr_log = StderrLog()
        self.prints = Prints()
        self.received: list[tuple[float, bytes]] = []  # (arrival, bytes) of stdout, not yet processed by the caller
        self.closed = False  # stdout has ended: nothing more can be received
        self.exit_status: int | None = None
        self.peak_rss_bytes = 0  # the largest measured memory of its processes: usage.py says what counts
        self.cpu_s = 0.0
        self.drains_stderr = drain_stderr
        self.recorder = Recorder()
        self.memory_limit_bytes = memory_limit_bytes
        self._unsent = b""
        self._pipes: list[IO[bytes]] = []
        self._keeper, self._is_over = take_keeper(), False
        self._first: int | None = None  # the first process in the sandbox, None without a sandbox
        self._held: int | None = None  # the bot's process while hold_end() is in force
        # CPU seconds that are not the bot's: the keeper's own and those of its earlier bots; those of bubblewrap.
        self._before_s, self._of_sandbox_s = usage.cpu_s(self._keeper.pid, ()), 0.0
        try:
            self._start(launch, marker, sandbox)
        except BaseException as error:
            self._end_processes()
            self.close()
            if isinstance(error, OSError):  # no descriptor is left, or the current folder is gone
                raise JudgeFailure(NO_PROCESS.format(error=error.strerror)) from error
            raise
        self.start_up = StartUp(self.spawned)
        self.sent_at = self.spawned

    def _start(self, launch: Launch, marker: str, sandbox: BotSandbox | None) -> None:
        """Make the pipes, start the bot, and set the attributes of its process. For errors see the class."""
        passed = own_environment() if sandbox is None else passed_environment(own_environment())
        variables = {**passed, **launch.environment, MARKER: marker}
        folder = os.path.abspath(launch.folder or os.curdir)
        with contextlib.ExitStack() as bots_ends:  # the bot's ends of the pipes are closed here once the bot has them
            ends: dict[int, int] = {}

            def pipe(number: int) -> IO[bytes]:
                """Make a pipe whose other end is the bot's descriptor `number`, and return the judge's end."""
                reading, writing = os.pipe()
                own, ends[number] = (writing, reading) if number == 0 else (reading, writing)
                bots_ends.callback(os.close, ends[number])
                os.set_blocking(own, False)
                self._pipes.append(open(own, "wb" if number == 0 else "rb", buffering=0))  # noqa: SIM115
                return self._pipes[-1]

            self.stdin, self.stdout, self.stderr = map(pipe, range(3))
            self._printed: IO[bytes] | None = None
            if launch.keeps_prints_apart:
                self._printed = pipe(PRINTS_DESCRIPTOR)
                variables[PRINTS] = str(PRINTS_DESCRIPTOR)
            if sandbox is None:
                self._started, self.spawned = self._keeper.start(launch.argv, variables, folder, ends)
            else:
                self._started, self._first, self.spawned = start_in_sandbox(
                    self._keeper, sandbox, launch.argv, variables, folder, ends
                )
                self._of_sandbox_s = usage.cpu_s(self._keeper.pid, (self._started, self._first)) - self._before_s
                self._before_s = 0.0

    @property
    def is_sandboxed(self) -> bool:
        """True if the bot runs in a sandbox."""
        return self._first is not None

    @property
    def root(self) -> int:
        """The id of the process below which all processes of the bot are, also those that have lost their parents.

        It is the keeper, or in a sandbox the first process of bubblewrap there.
        """
        return self._keeper.pid if self._first is None else self._first

    @property
    def pid(self) -> int:
        """The id of the bot's own process; after its end in a sandbox that of bubblewrap."""
        return self._started if self._first is None else next(iter(children(self._first)), self._started)

    def bot_pids(self) -> list[int]:
        """Return the ids of the bot's processes, parents first. Bubblewrap's processes are not among them."""
        return [] if self._is_over else descendants_of(self.root)

    def has_ended(self) -> bool:
        """Return whether the bot's own process has ended. Raises JudgeFailure if the keeper is gone."""
        if self._held is None or self.exit_status is not None:
            return self.exit_status is not None or self._keeper.has_ended()
        fields = usage.stat_fields(self._held)
        return not fields or (fields[0] == "Z" and int(fields[17]) <= 1)  # a zombie whose threads have all ended

    def hold_end(self) -> None:
        """Let processes that outlive the bot's own process live until let_end(), so that the judge can find them."""
        if self.exit_status is None:
            self._held = self.pid
            if self._first is None:
                self._keeper.hold()
            else:  # the kernel ends a sandbox with its first process, which ends after the bot
                os.kill(self._first, signal.SIGSTOP)

    def let_end(self) -> None:
        """Undo hold_end(): let the keeper or the sandbox end such processes."""
        if self._held is not None and self._first is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._first, signal.SIGCONT)
        self._held = None

    def send(self, data: bytes) -> None:
        """Write bytes to the bot's stdin. Bytes that do not fit into the pipe now are written later, by pump()."""
        self.recorder.sent(data)
        self._unsent += data
        self.sent_at = time.monotonic()  # before the bot can read it: the judge may lose its core behind the write
        self.write_pending()

    @property
    def unsent_bytes(self) -> int:
        """The number of bytes that wait for space in the stdin pipe."""
        return len(self._unsent)

    def write_pending(self) -> None:
        """Write as many unsent bytes as the pipe takes; drop them if the bot has closed its stdin."""
        if not self._unsent or self.stdin.closed:
            return
        try:
            written = os.write(self.stdin.fileno(), self._unsent)
            self.start_up.written += written
            self._unsent = self._unsent[written:]
        except BlockingIOError:
            pass
        except OSError:
            self._unsent = b""
            close_pipe(self.stdin)

    def register_with(self, selector: selectors.BaseSelector) -> None:
        """Let the selector wait for the bot's output, for space for unsent bytes, and for the bot's end."""
        if not self.stdout.closed and len(self.received) < WAITING_READS:
            selector.register(self.stdout, selectors.EVENT_READ)
        if self.drains_stderr and not self.stderr.closed:
            selector.register(self.stderr, selectors.EVENT_READ)
        if self._printed is not None and not self._printed.closed:
            selector.register(self._printed, selectors.EVENT_READ)
        if self._unsent and not self.stdin.closed:
            selector.register(self.stdin, selectors.EVENT_WRITE)
        if self.exit_status is None:
            selector.register(self._keeper, selectors.EVENT_READ)

    def exchange(self, now: float) -> None:
        """Read and write what is ready, and notice the bot's end. All bytes that are read are stamped with `now`."""
        self.read_stdout(now)
        if self.drains_stderr:
            self.read_stderr()
        self.read_prints()
        self.write_pending()
        self.start_up.check(self.stdin, now)
        self.notice_exit(now)

    def read_stdout(self, now: float) -> None:
        """Append the bytes that have arrived to `received`, stamped with `now`; set `closed` at the end of stdout.

        While `received` has WAITING_READS entries nothing is read, so that a flood does not fill the memory.
        """
        data = read_pipe(self.stdout) if len(self.received) < WAITING_READS else None
        if data:
            self.recorder.received(now, data)
            self.received.append((now, data))
        elif data == b"":
            close_pipe(self.stdout)
            self.closed = True

    def read_stderr(self) -> None:
        """Add the bytes that have arrived on stderr to the log."""
        _read_into(self.stderr_log, self.stderr)

    def read_prints(self) -> None:
        """Add the bytes that have arrived in the pipe for prints to `prints`."""
        if self._printed is not None:
            _read_into(self.prints, self._printed)

    def notice_exit(self, now: float) -> None:
        """If the process has ended, read its last output and set `exit_status` and `closed`.

        This is done even if a child of the process still holds the pipes.
        """
        if self.exit_status is not None or self._held is not None or not self._keeper.has_ended():
            return
        self._set_exit_status()
        self.read_stdout(now)  # one read empties the pipe
        self.closed = True

    def _set_exit_status(self) -> None:
        """Set `exit_status` from the keeper's status: SIGKILL if the keeper has none, or the signal behind 128 + N."""
        status = -signal.SIGKILL if self._keeper.status is None else self._keeper.status
        is_signal = self.is_sandboxed and SIGNALLED < status < SIGNALLED + signal.NSIG
        self.exit_status = SIGNALLED - status if is_signal else status

    @property
    def why_not_started(self) -> str:
        """Why the program could not be executed in its sandbox: the message of the shell there, "" if it started."""
        stderr = self.stderr_log.first
        if not self.is_sandboxed or self.exit_status not in (126, 127) or not stderr.startswith(SHELL_ERROR_START):
            return ""
        return decoded(stderr).splitlines()[0].rpartition(": exec: ")[2]

    def sample(self) -> float:
        """Measure CPU time and memory of all the bot's processes, and return their CPU seconds so far."""
        if self.exit_status is None:
            pids = self.bot_pids()
            self.measure_cpu(pids)
            self._measure_memory(pids)
        return self.cpu_s

    def measure_cpu(self, pids: Sequence[int]) -> float:
        """Measure and return the CPU seconds so far of all the bot's processes, including processes that have ended.

        `pids` is the result of a bot_pids() call just before.
        """
        if self.exit_status is None:
            self.cpu_s = max(self.cpu_s, usage.cpu_s(self.root, pids) - self._before_s)
        return self.cpu_s

    def memory(self) -> int:
        """Return the most bytes of memory that the bot's processes have held at once; 0 after the bot's end.

        The result is exact if it exceeds `memory_limit_bytes`.
        """
        return 0 if self.exit_status is not None else self._measure_memory(self.bot_pids())

    def _measure_memory(self, pids: Sequence[int]) -> int:
        """Return the bytes that these processes hold, see memory(), and update `peak_rss_bytes`."""
        held_bytes = usage.held_bytes(pids, self.memory_limit_bytes)
        self.peak_rss_bytes = max(self.peak_rss_bytes, held_bytes)
        return held_bytes

    def request_end(self) -> None:
        """Close the bot's stdin, and send SIGCONT and SIGTERM to all its processes."""
        self.let_end()
        close_pipe(self.stdin)
        with contextlib.suppress(OSError):  # no descriptor is left to look at its processes
            self.sample()
            for pid in self.bot_pids():
                for number in (signal.SIGCONT, signal.SIGTERM):
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, number)

    def end(self) -> None:
        """Kill all processes of the bot, wait for their end, read the rest of its output and close all pipes."""
        self._end_processes()
        self._set_exit_status()
        self.cpu_s = max(self.cpu_s, self._keeper.used_s - self._of_sandbox_s)
        self.read_stdout(time.monotonic())  # one read empties a pipe
        self.read_stderr()
        self.read_prints()
        self.close()

    def _end_processes(self) -> None:
        """Kill all processes of the bot and give its keeper back; do nothing in later calls."""
        if not self._is_over:
            self.let_end()
            self._is_over = True
            self._keeper.end()

    def close(self) -> None:
        """Close all pipes."""
        for pipe in self._pipes:
            close_pipe(pipe)


def _read_into(log: Prints | StderrLog, pipe: IO[bytes]) -> None:
    """Add the bytes that have arrived in the pipe to the log, and close the pipe at its end."""
    data = read_pipe(pipe)
    if data:
        log.feed(data)
    elif data == b"":
        close_pipe(pipe)


def pump(processes: Sequence[BotProcess], timeout_s: float, others: Iterable[tuple[socket.socket, int]] = ()) -> float:
    """Wait at most `timeout_s` for traffic of any of the processes; then read, write, and notice ended processes.

    Return the moment of waking up, in seconds of time.monotonic(). All bytes that are read are stamped with that
    moment. `others` are pairs of a socket and selectors' EVENT_READ, EVENT_WRITE or both. These events end the wait
    too, but the sockets are neither read nor written. Raises JudgeFailure if a keeper is gone.
    """
    with selectors.DefaultSelector() as selector:
        for connection, events in others:
            selector.register(connection, events)
        for process in processes:
            process.register_with(selector)
        selector.select(max(0.0, timeout_s))
    now = time.monotonic()
    for process in processes:
        process.exchange(now)
    return now


def pump_until_idle(process: BotProcess, is_enough: Callable[[], bool], limit_s: float) -> None:
    """Call pump() until the process waits for input or ends, is_enough() is true, or `limit_s` seconds have passed.

    A process that is ready to run but gets no core on a busy machine does not count as waiting. Raises what is_enough()
    raises, and JudgeFailure if the keeper is gone.
    """
    deadline = time.monotonic() + limit_s
    asleep, ticks = 0, 0
    while process.exit_status is None and asleep < POLLS_ASLEEP and not is_enough():
        now = pump([process], 0.02)
        before, ticks = ticks, int(process.sample() / usage.TICK_S)
        if now > deadline:
            return
        is_idle = ticks == before and all(map(usage.is_asleep, process.bot_pids()))
        asleep = asleep + 1 if is_idle else 0


def end_all(processes: Sequence[BotProcess]) -> None:
    """End these bots and all processes that they have started.

    All are asked to end, and killed after TERM_GRACE_S, or as soon as the bots' own processes have ended.
    """
    for process in processes:
        process.request_end()
    deadline = time.monotonic() + TERM_GRACE_S
    with contextlib.suppress(JudgeFailure):
        while time.monotonic() < deadline and not all(process.has_ended() for process in processes):
            time.sleep(0.005)
    for process in processes:
        process.end()
