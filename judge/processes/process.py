"""Runs one bot as a process in its own session: passes bytes over non-blocking pipes, measures the bot, and ends it.

Bytes on stderr and the text that a strategy library prints are counted, and only parts of them are stored. Reports on
stderr are parsed.
"""

import collections
import contextlib
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import IO, TYPE_CHECKING, Any

from judge.control_groups import MemoryGroup
from judge.language import recorded
from judge.processes import descendants, measure, watch
from judge.processes.bubblewrap import BotSandbox, passed_environment
from judge.processes.delays import Delay
from judge.processes.measure import CpuMeter, MemoryMeter
from judge.processes.sandboxed import SandboxedProcess, SandboxStart, end_of, with_high_number
from judge.processes.start import JudgeFailure, StartUp, own_environment, spawn
from judge.reasons import NO_PROCESS
from protocol.records.json_lines import RecordError
from protocol.records.values import decoded as decoded_json
from protocol.strategy_library import PRINTS

if TYPE_CHECKING:
    import resource
import selectors
import socket
from collections.abc import Callable, Iterable

READ_BYTES = 64 * 1024  # one read per stream and wake-up, so that a flood does not delay the other streams
KEPT_PRINTS_BYTES = 256
READ_PRINTS_BYTES = 64 * 1024
FRAME_BEGINS = b"\0"  # the first byte of every frame: the highest byte of its length, which is below 2 ** 24
STDERR_IS_FOR_TEXT = recorded("stdout is for replies alone, other text belongs on stderr")
PRINTS_ARE_KEPT_APART = recorded(
    "harmless here, but built with the platform's main() and uploaded, that text lands between the replies"
)
LEAST_KEPT_S = 0.001  # reading and writing take the kernel less; only a longer wait is the bot's doing
READS = 16  # the most reads in a row, so that a flood does not delay the judge
KEPT_STDERR_BYTES = 32 * 1024  # the bytes that are stored of the beginning of stderr, and as many of its end
PLATFORM_BYTES = 64 * 1024  # the size of the platform's pipe; a bot that writes more blocks there
LONGEST_REPORT = 16 * 1024  # bytes; a longer line does not count as a report
MOST_NESTED = 100  # the most brackets in a report, as records contain reports: see protocol/records/record.py
CANDIDATES = 16  # lines parsed for one turn's report, newest first
WAITING_READS = 16  # stdout is not read while so many reads wait to be processed
GRACE_STEP_S = 0.005
KILL_STEP_S = 0.05  # the longest wait for the end of a killed process before anything else is done
KILL_LIMIT_S = 2.0  # a killed process ends within milliseconds; a process that takes longer is unkillable
TERM_GRACE_S = 0.25  # between SIGTERM and SIGKILL
IDLE_POLL_S = 0.02
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
    """The text that a bot prints into a separate pipe: `total` counts its bytes.

    `first` holds the first KEPT_PRINTS_BYTES of them. `descriptor` is the reading end of the pipe, None if it is not
    open.
    """

    def __init__(self) -> None:
        self.total = 0
        self.first = b""
        self.descriptor: int | None = None

    @contextlib.contextmanager
    def pipe(self) -> Iterator[dict[str, str]]:
        """Make the pipe for a host program that is started inside this context.

        Yield {name: number}: an environment variable for the host program, whose value is the descriptor to pass on.
        Raises OSError if the system has no descriptor left.
        """
        self.descriptor, low = os.pipe()
        passed_on = with_high_number(low)
        os.set_blocking(self.descriptor, False)
        try:
            yield {PRINTS: str(passed_on)}
        except BaseException:
            self.close()
            raise
        finally:
            os.close(passed_on)

    def read(self) -> None:
        """Read the bytes that have arrived; close the pipe at its end."""
        for _ in range(READS):
            if self.descriptor is None:
                return
            data = b""
            try:
                data = os.read(self.descriptor, READ_PRINTS_BYTES)
            except BlockingIOError:
                return
            except OSError:
                pass  # handled as the end of the pipe
            self.total += len(data)
            self.first += data[: KEPT_PRINTS_BYTES - len(self.first)]
            if not data:
                self.close()

    def close(self) -> None:
        """Close the pipe."""
        if self.descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(self.descriptor)
            self.descriptor = None

    def text(self) -> str:
        """Return the stored beginning as text."""
        return decoded(self.first)


def is_print(heard: bytes) -> bool:
    """Return whether bytes that are not a valid reply are printed text rather than a wrong or truncated reply."""
    return bool(heard) and not heard.startswith(FRAME_BEGINS)


def decoded(heard: bytes) -> str:
    """Return a bot's bytes as text, with backslash escapes for bytes that are not UTF-8."""
    return heard.decode("utf-8", "backslashreplace")


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
        self._candidates: collections.deque[bytes] = collections.deque(maxlen=CANDIDATES)

    def feed(self, data: bytes) -> None:
        """Add bytes in the order of their arrival."""
        self.total += len(data)
        self.first += data[: KEPT_STDERR_BYTES - len(self.first)]
        self.last = (self.last + data)[-KEPT_STDERR_BYTES:]
        *complete, rest = (self._line + data).split(b"\n")
        self._candidates.extend(line for line in complete if line.lstrip().startswith(b"{"))
        self._line = rest[: LONGEST_REPORT + 1]

    def begin_turn(self) -> None:
        """Drop the lines of the previous turn; a report among them still sets `has_reported`."""
        self.report()
        self._candidates.clear()

    def report(self) -> dict[str, Any] | None:
        """Return the bot's report: the last line since begin_turn() that is a JSON object with the key "value", parsed.

        Return None if there is no such line.
        """
        for line in reversed(self._candidates):
            found = _report_in(line)
            if found is not None:
                self.has_reported = True
                return found
        return None

    def text(self) -> str:
        """Return the stored bytes as text. A line between beginning and end says how many bytes were left out."""
        left_out = self.total - len(self.first) - len(self.last)
        if left_out > 0:
            kept = self.first + b"\n[%d bytes left out]\n" % left_out + self.last
        else:
            kept = self.first + self.last[len(self.last) - (self.total - len(self.first)) :]
        return kept.decode("utf-8", "replace")


def _report_in(line: bytes) -> dict[str, Any] | None:
    if len(line) > LONGEST_REPORT or line.count(b"{") + line.count(b"[") > MOST_NESTED:
        return None
    try:
        found = decoded_json(line, dict[str, Any], MOST_NESTED)
    except RecordError:
        return None
    return found if "value" in found else None


class BotProcess:
    """A running bot. Moments are seconds of time.monotonic().

    `argv` is the command, `environment` holds variables to add, `marker` names the game, and `cwd` is the folder in
    which the bot runs. `spawned` is the moment just before the start, or with a `sandbox` the moment when the sandbox
    was ready; `sent_at` is the moment just after the last send(), less the time that the bot kept the judge waiting in
    it. `kept_s` are the seconds that the bot kept the judge waiting at its pipes in the last pump() (delays.py).
    Without `drain_stderr` the bot's stderr is not read before its end. With `keeps_prints_apart` the bot has a separate
    pipe for the text that it prints, and `prints` stores that text. `recorder` gets every byte that is sent and
    received; `start_up` measures the time to start. `pid` is the id of the bot's own process; bot_pids() returns the
    ids of all processes of the bot, without bubblewrap's.
    `memory_limit_bytes` is the limit for memory(), None for no limit; in a sandbox the kernel enforces it too if the
    judge may make control groups (control_groups.py). Raises CannotStart if the command cannot be executed,
    JudgeFailure if the system has no process, memory or descriptor left.
    """

    def __init__(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        marker: str,
        cwd: str | None = None,
        drain_stderr: bool = True,
        keeps_prints_apart: bool = False,
        sandbox: BotSandbox | None = None,
        memory_limit_bytes: int | None = None,
    ) -> None:
        self.stderr_log = StderrLog()
        self.prints = Prints()
        self.received: list[tuple[float, bytes]] = []  # (arrival, bytes) of stdout, not yet processed by the caller
        self.closed = False  # stdout has ended: nothing more can be received
        self.exit_status: int | None = None  # as subprocess reports it: negative for a signal
        self.peak_rss_bytes = 0  # the largest measured memory of its tree: measure.py says what counts
        self.cpu_s = 0.0
        self.kept_s = 0.0
        self.drains_stderr = drain_stderr
        self.recorder = Recorder()
        self.seen: set[int] = set()  # every process id ever found in the bot's tree
        self.cpu_meter = CpuMeter()
        self._meter = MemoryMeter()
        self.memory_limit_bytes = memory_limit_bytes
        self._group: MemoryGroup | None = None
        self._unsent = b""
        self._final_rusage: resource.struct_rusage | None = None
        self._end_in_sandbox: int | None = None  # the exit status, known before bubblewrap is killed and reaped
        self._marker = marker
        self._sandboxed: SandboxedProcess | None = None
        watch.begin_and_wait()
        outside = own_environment()
        passed = outside if sandbox is None else passed_environment(outside)
        variables = {**passed, **environment, descendants.MARKER: marker}
        prints_pipe = self.prints.pipe() if keeps_prints_apart else contextlib.nullcontext(dict[str, str]())
        if sandbox is None:
            self._start(argv, variables, cwd, prints_pipe)
        else:
            with contextlib.suppress(OSError):
                self._group = None if memory_limit_bytes is None else MemoryGroup(memory_limit_bytes)
            try:
                self._start_behind(sandbox, argv, variables, cwd, prints_pipe)
            except BaseException as error:
                self._remove_group()
                if isinstance(error, OSError):  # no descriptor is left
                    raise JudgeFailure(NO_PROCESS.format(error=error.strerror)) from error
                raise
            for filling in sandbox.filled.values():
                self._meter.given[filling.device, measure.WHOLE] = filling.given_bytes
        self.start_up = StartUp(self.spawned)
        self.sent_at = self.spawned

    def _start(
        self,
        argv: Sequence[str],
        variables: Mapping[str, str],
        cwd: str | None,
        prints_pipe: AbstractContextManager[dict[str, str]],
        passed: Sequence[int] = (),
    ) -> None:
        with descendants.registering(self._marker) as register:
            self.spawned = time.monotonic()
            self._popen = spawn(argv, variables, cwd, prints_pipe, passed)
            self.pid = self._popen.pid
            register(self.pid)
        stdin, stdout, stderr = self._popen.stdin, self._popen.stdout, self._popen.stderr
        assert stdin is not None and stdout is not None and stderr is not None  # spawn makes pipes of them
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        for pipe in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(pipe.fileno(), False)

    def _start_behind(
        self,
        sandbox: BotSandbox,
        argv: Sequence[str],
        variables: dict[str, str],
        cwd: str | None,
        prints_pipe: AbstractContextManager[dict[str, str]],
    ) -> None:
        with contextlib.closing(SandboxStart(sandbox)) as sandbox_start:
            words, variables = sandbox_start.command(argv, variables, cwd)
            self._start(words, variables, None, prints_pipe, sandbox_start.passed_descriptors)
            try:
                self._sandboxed, self.spawned = sandbox_start.wait_until_ready(self.pid, self._group)
            except BaseException:
                self.kill()
                self.await_end()
                self.close()
                raise
        with descendants.registering(self._marker) as register:
            register(self._sandboxed.first)
        self.pid = self._sandboxed.bot or self._sandboxed.outer
        descendants.namespaces[self.pid] = self._sandboxed.first

    @property
    def is_sandboxed(self) -> bool:
        """True if the bot runs in a sandbox."""
        return self._sandboxed is not None

    @property
    def first(self) -> int | None:
        """The id of the first process of the bot's sandbox, which the judge has stopped; None without a sandbox."""
        return None if self._sandboxed is None or self._sandboxed.bot is None else self._sandboxed.first

    def bot_pids(self) -> list[int]:
        """Return the ids of the bot's processes, parents first.

        Orphans in the bot's sandbox are included, bubblewrap's processes are not.
        """
        return descendants.process_tree(self.pid)

    def has_ended(self) -> bool:
        """Return whether the bot's own process has ended. This neither reaps it nor ends its descendants."""
        if self.exit_status is not None or (self._sandboxed is not None and self._sandboxed.end() is not None):
            return True
        return os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def send(self, data: bytes) -> None:
        """Write bytes to the bot's stdin. Bytes that do not fit into the pipe now are written later, by pump()."""
        self.recorder.sent(data)
        self._unsent += data
        delay = Delay()
        self.write_pending()
        self.sent_at = time.monotonic() - delay.blocked_s()

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

    def wants_to_write(self) -> bool:
        """Return True while bytes wait for space in the stdin pipe."""
        return bool(self._unsent) and not self.stdin.closed

    def wants_to_read(self) -> bool:
        """Return True while stdout is open and `received` has less than WAITING_READS entries."""
        return not self.stdout.closed and len(self.received) < WAITING_READS

    def read_stdout(self, now: float) -> None:
        """Append the bytes that have arrived to `received`, stamped with `now`; set `closed` at the end of stdout.

        While `received` has WAITING_READS entries nothing is read, so that a flood does not fill the memory.
        """
        data = read_pipe(self.stdout) if self.wants_to_read() else None
        if data:
            self.recorder.received(now, data)
            self.received.append((now, data))
        elif data == b"":
            close_pipe(self.stdout)
            self.closed = True

    def wants_stderr(self) -> bool:
        """Return True while stderr is open and is drained during the game."""
        return self.drains_stderr and not self.stderr.closed

    def read_stderr(self) -> None:
        """Add the bytes that have arrived on stderr to the log."""
        data = read_pipe(self.stderr)
        if data:
            self.stderr_log.feed(data)
        elif data == b"":
            close_pipe(self.stderr)

    def notice_exit(self, now: float) -> None:
        """If the process has ended, read its last output and set `exit_status` and `closed`.

        This is done even if a child of the process still holds the pipes.
        """
        if self.exit_status is not None or not self._reap():
            return
        with self.being_kept():
            self.read_stdout(now)  # one read empties the pipe
        self.closed = True

    @contextlib.contextmanager
    def being_kept(self) -> Iterator[None]:
        """Add to `kept_s` the time that the bot keeps the judge waiting inside the context."""
        delay = Delay()
        yield
        if delay.wall_s() >= LEAST_KEPT_S:
            self.kept_s += delay.blocked_s()

    def sample(self) -> float:
        """Measure CPU time and memory of all the bot's processes, and return their CPU seconds so far.

        Processes that end between two measurements may be missed.
        """
        if self.exit_status is None:
            pids = self.all_pids()
            self.look_at_cpu(pids)
            self._measure_memory(pids)
        return self.cpu_s

    def look_at_cpu(self, pids: Sequence[int]) -> float:
        """Measure and return the CPU seconds so far of all the bot's processes, including processes that have ended.

        `pids` is the result of an all_pids() call just before.
        """
        if self.exit_status is None:
            self.cpu_s = max(self.cpu_s, self.cpu_meter.measure(pids, self.first))
        return self.cpu_s

    def memory(self) -> int:
        """Return the most bytes of memory that the bot's processes have held at once; 0 after the bot's end.

        The result is exact only if it may exceed `memory_limit_bytes`. Memory that is held only between two
        measurements may be missed. If the kernel has killed one of the processes because their control group had
        reached its limit, the result is that limit, also after the bot's end.
        """
        if self._group is not None and self._group.has_killed():
            self.peak_rss_bytes = max(self.peak_rss_bytes, self._group.limit_bytes)
            return self._group.limit_bytes
        return 0 if self.exit_status is not None else self._measure_memory(self.all_pids())

    def _measure_memory(self, pids: Sequence[int]) -> int:
        held = self._meter.measure(pids, self.memory_limit_bytes)
        self.peak_rss_bytes = max(self.peak_rss_bytes, self._meter.peak_bytes)
        return held

    def roots(self) -> set[int]:
        """Return the ids of the processes from which all other processes of this bot descend.

        Only the orphans of a bot without a sandbox do not descend from them.
        """
        return {self._popen.pid, self.pid} | ({self._sandboxed.first} if self._sandboxed is not None else set())

    def all_pids(self) -> list[int]:
        """Return the ids of all the bot's processes, parents first.

        These are the bot's process tree, and the trees of orphans that were seen in it earlier. New ids are reported to
        the watcher.
        """
        tree = self.bot_pids()
        for pid in set(tree) - self.seen:
            watch.register(pid)
        self.seen.update(tree)
        return list(dict.fromkeys([*tree, *descendants.seen_orphans(self.seen)]))

    def request_end(self) -> None:
        """Close the bot's stdin, and send SIGCONT and SIGTERM to its process group."""
        with contextlib.suppress(OSError):  # no descriptor is left to look at its processes
            self.sample()
        close_pipe(self.stdin)
        if self.exit_status is None:
            self._signal_group(signal.SIGCONT)
            self._signal_group(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the bot's process and its group, and all processes in its sandbox. Do not wait for their end."""
        if self.exit_status is None:
            with contextlib.suppress(OSError):  # no descriptor is left to look at its processes
                self.seen.update(self.bot_pids())
            self._signal_group(signal.SIGKILL)

    def await_end(self) -> None:
        """Reap the process that kill() has killed, and set `exit_status`.

        If a tracer holds the process, the tracer is killed too. After KILL_LIMIT_S the process is given up as
        unkillable.
        """
        give_up = time.monotonic() + KILL_LIMIT_S
        while not self._is_reaped():
            if time.monotonic() > give_up:
                self._abandon()
                return
            for pid in self._own_children():
                descendants.kill(pid)
                descendants.await_end(pid, GRACE_STEP_S)

    def _own_children(self) -> list[int]:
        """Return the ids of the judge's children that are to be reaped for this bot."""
        pids = [self._popen.pid] if self._sandboxed is None else [self._sandboxed.first, self._sandboxed.outer]
        return [pid for pid in pids if pid in descendants.registered_bots]

    def _is_reaped(self) -> bool:
        if self.exit_status is None and not self._reap():
            return False
        return self._sandboxed is None or self._reap_first(self._sandboxed.first)

    def _abandon(self) -> None:
        with descendants.process_table:
            for pid in self._own_children():
                del descendants.registered_bots[pid]
                descendants.unkillable.add(pid)
            descendants.namespaces.pop(self.pid, None)
        if self.exit_status is None:
            self._popen.returncode = self.exit_status = -signal.SIGKILL

    def close(self) -> None:
        """Read the rest of stderr and prints, add the final measurements, and close all pipes."""
        self.read_stderr()  # one read empties the pipe
        self.prints.read()
        self.prints.close()
        for pipe in (self.stdin, self.stdout, self.stderr):
            close_pipe(pipe)
        self._remove_group()
        used = self._final_rusage
        if used is not None:
            self.cpu_s = max(self.cpu_s, used.ru_utime + used.ru_stime)
        if used is not None and not self.peak_rss_bytes:  # the bot ended before it could be measured
            self.peak_rss_bytes = used.ru_maxrss * 1024  # may include the judge's size

    def _remove_group(self) -> None:
        if self._group is not None:
            self._group.remove()
            self._group = None

    def _reap(self) -> bool:
        if self._sandboxed is not None and self._end_in_sandbox is None:
            self._end_in_sandbox = self._sandboxed.end()
        if self._sandboxed is not None and self._end_in_sandbox is not None:
            self._sandboxed.tear_down()
            descendants.await_end(self._popen.pid, KILL_STEP_S)
        with descendants.process_table:
            pid, status, rusage = os.wait4(self._popen.pid, os.WNOHANG)
            if pid == 0:
                return False
            del descendants.registered_bots[pid]
            self._signal_group(signal.SIGKILL)  # under the lock: later the id may belong to another process
        self._final_rusage = rusage
        outer_end = os.waitstatus_to_exitcode(status)
        if self._sandboxed is None:
            self.exit_status = outer_end
        else:
            self.exit_status = end_of(outer_end) if self._end_in_sandbox is None else self._end_in_sandbox
        self._popen.returncode = outer_end
        return True

    def _reap_first(self, first: int) -> bool:
        """Reap the first process of the sandbox if it has ended, and with it the whole sandbox.

        Return whether it is reaped.
        """
        with descendants.process_table:
            if first not in descendants.registered_bots:
                return True
            try:
                pid, _, rusage = os.wait4(first, os.WNOHANG)  # the judge has adopted it
            except ChildProcessError:
                pid, rusage = first, None
            if pid == 0:
                return False
            del descendants.registered_bots[first]
            descendants.namespaces.pop(self.pid, None)
        self._final_rusage = rusage or self._final_rusage
        return True

    def _signal_group(self, number: int) -> None:
        """Send a signal to the bot's process group; SIGKILL also ends all processes in its sandbox."""
        if self._sandboxed is not None and number == signal.SIGKILL:
            self._sandboxed.tear_down()
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            # A bot in a sandbox leads no group before its program runs, nor where there is no setsid.
            leads = self._sandboxed is None or os.getpgid(self.pid) == self.pid
            (os.killpg if leads else os.kill)(self.pid, number)


def pump(processes: Sequence[BotProcess], timeout_s: float, others: Iterable[tuple[socket.socket, int]] = ()) -> float:
    """Wait at most `timeout_s` for traffic of any of the processes; then read, write, and notice ended processes.

    Return the moment of waking up, in seconds of time.monotonic(). All bytes that are read are stamped with it.
    `others` are pairs of a socket and selectors' EVENT_READ, EVENT_WRITE or both. These events end the wait too, but
    the sockets are neither read nor written.
    """
    with selectors.DefaultSelector() as selector:
        for connection, events in others:
            selector.register(connection, events)
        for process in processes:
            if process.wants_to_read():
                selector.register(process.stdout, selectors.EVENT_READ)
            if process.wants_stderr():
                selector.register(process.stderr, selectors.EVENT_READ)
            if process.prints.descriptor is not None:
                selector.register(process.prints.descriptor, selectors.EVENT_READ)
            if process.wants_to_write():
                selector.register(process.stdin, selectors.EVENT_WRITE)
        selector.select(max(0.0, timeout_s))
    now = time.monotonic()
    for process in processes:
        process.kept_s = 0.0
        with process.being_kept():
            process.read_stdout(now)
            if process.wants_stderr():
                process.read_stderr()
            process.prints.read()
            process.write_pending()
            process.start_up.check(process.stdin, now)
        process.notice_exit(now)
    return now


def pump_until_idle(process: BotProcess, is_enough: Callable[[], bool], patience_s: float) -> None:
    """Call pump() for a process until it waits for input or ends, is_enough() is true, or `patience_s` have passed.

    A process that is ready to run but gets no core on a busy machine does not count as waiting.
    """
    give_up = time.monotonic() + patience_s
    asleep, ticks = 0, 0
    while process.exit_status is None and asleep < POLLS_ASLEEP and not is_enough():
        now = pump([process], IDLE_POLL_S)
        before, ticks = ticks, int(process.sample() / measure.TICK_S)
        if now > give_up:
            return
        is_idle = ticks == before and all(map(measure.is_asleep, process.bot_pids()))
        asleep = asleep + 1 if is_idle else 0


def end_all(processes: Sequence[BotProcess], marker: str) -> int:
    """End the game's processes and all processes that they have started. Return how many orphans were killed."""
    for process in processes:
        process.request_end()
    give_up = time.monotonic() + TERM_GRACE_S
    while time.monotonic() < give_up and any(process.exit_status is None for process in processes):
        time.sleep(GRACE_STEP_S)
        for process in processes:
            process.notice_exit(time.monotonic())
    for process in processes:
        process.kill()
    for process in processes:
        process.await_end()
    killed = 0
    try:
        # A game is unswept although it has no processes if its sandbox failed.
        if processes or marker in descendants.unswept_games:
            known = set[int]().union(*(process.seen for process in processes))
            killed = descendants.sweep(marker, known)
    finally:
        for process in processes:
            process.close()
    return killed
