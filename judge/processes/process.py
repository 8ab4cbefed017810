"""One bot as a process: started in its own session, fed and read without ever blocking, ended for good.

Pipes are never waited at. Of what a bot writes to stderr, and of what a strategy library prints, all is counted and the
beginning kept; reports on stderr are read.
"""

import collections
import contextlib
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import IO, TYPE_CHECKING, Any

from judge.language import recorded
from judge.processes import descendants, measure, watch
from judge.processes.bubblewrap import BotSandbox
from judge.processes.measure import MemoryMeter
from judge.processes.sandboxed import Gate, SandboxedProcess, end_of, with_high_number
from judge.processes.start import StartUp, own_environment, spawn
from protocol.records import json_lines
from protocol.strategy_library import PRINTS

if TYPE_CHECKING:
    import resource
import selectors
import socket
from collections.abc import Callable, Iterable

READ_BYTES = 64 * 1024  # one read per stream and wake-up, so that no flood holds up the other streams
KEPT_PRINTS_BYTES = 256
READ_PRINTS_BYTES = 64 * 1024
FRAME_BEGINS = b"\0"  # as its length is below 2 ** 24
# As JSON has it.
STDERR_IS_FOR_TEXT = recorded("stdout is for replies alone, other text belongs on stderr")
PRINTS_ARE_KEPT_APART = recorded(
    "harmless here, but built with the platform's main() and uploaded, that text lands between the replies"
)
READS = 16  # at most, running: no flood holds up the judge
KEPT_STDERR_BYTES = 32 * 1024  # at either end
PLATFORM_BYTES = 64 * 1024  # the platform's pipe; a bot that writes more blocks there
LONGEST_REPORT = 16 * 1024  # a longer line is no report
MOST_NESTED = 100  # brackets in a report: a record holds them too, see protocol/records/record.py
CANDIDATES = 16  # lines looked at for one turn's report, newest first
WAITING_READS = 16
GRACE_STEP_S = 0.005
TERM_GRACE_S = 0.25  # between SIGTERM and SIGKILL
IDLE_POLL_S = 0.02
POLLS_ASLEEP = 8  # running, all its processes without work: it waits for its input


def read_pipe(pipe: IO[bytes]) -> bytes | None:
    """The next bytes, b"" at the end, None when there is nothing yet."""
    if pipe.closed:
        return None
    try:
        return os.read(pipe.fileno(), READ_BYTES)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def close_pipe(pipe: IO[bytes]) -> None:
    """Close it, whatever is still in it."""
    with contextlib.suppress(OSError):
        pipe.close()


class Prints:
    """`total` counts the bytes, `first` keeps 256; `descriptor` is to be read, None while there is no pipe."""

    def __init__(self) -> None:
        self.total = 0
        self.first = b""
        self.descriptor: int | None = None

    @contextlib.contextmanager
    def pipe(self) -> Iterator[dict[str, str]]:
        """Make the pipe for a host that is started inside this context.

        Yields the variable that tells it the descriptor, which is to be passed on. Raises OSError where the system has
        no descriptor left.
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
        """Take what has come; at its end the pipe is closed."""
        for _ in range(READS):
            if self.descriptor is None:
                return
            data = b""
            try:
                data = os.read(self.descriptor, READ_PRINTS_BYTES)
            except BlockingIOError:
                return
            except OSError:
                pass  # as its end
            self.total += len(data)
            self.first += data[: KEPT_PRINTS_BYTES - len(self.first)]
            if not data:
                self.close()

    def close(self) -> None:
        """Stop reading."""
        if self.descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(self.descriptor)
            self.descriptor = None

    def text(self) -> str:
        """What was kept, as text."""
        return decoded(self.first)


def is_print(heard: bytes) -> bool:
    """Whether bytes that were no reply are something printed, rather than a reply that went wrong or was cut off."""
    return bool(heard) and not heard.startswith(FRAME_BEGINS)


def decoded(heard: bytes) -> str:
    """Bytes of a bot as text."""
    return heard.decode("utf-8", "backslashreplace")


class Recorder:
    """Is told of a bot's bytes as they pass, on players' clocks: whatever stands in its place has to be quick."""

    def sent(self, data: bytes) -> None:
        """These were meant for the bot's stdin."""

    def received(self, now: float, data: bytes) -> None:
        """These came from its stdout, and were read at this moment of time.monotonic()."""


class StderrLog:
    """Fed with the bytes of one bot's stderr; `total` counts them, `first` and `last` keep 32 KB each."""

    def __init__(self) -> None:
        self.total = 0
        self.first = b""
        self.last = b""
        self.has_reported = False
        self._line = b""
        self._candidates: collections.deque[bytes] = collections.deque(maxlen=CANDIDATES)

    def feed(self, data: bytes) -> None:
        """Take in bytes as they came."""
        self.total += len(data)
        self.first += data[: KEPT_STDERR_BYTES - len(self.first)]
        self.last = (self.last + data)[-KEPT_STDERR_BYTES:]
        *complete, rest = (self._line + data).split(b"\n")
        self._candidates.extend(line for line in complete if line.lstrip().startswith(b"{"))
        self._line = rest[: LONGEST_REPORT + 1]

    def begin_turn(self) -> None:
        """Forget the lines so far: they are not this turn's report, but a late one shows that the bot writes them."""
        self.report()
        self._candidates.clear()

    def report(self) -> dict[str, Any] | None:
        """The last JSON object with a "value" that came since begin_turn(), or None."""
        for line in reversed(self._candidates):
            found = _report_in(line)
            if found is not None:
                self.has_reported = True
                return found
        return None

    def text(self) -> str:
        """What was kept, as text; where bytes are left out a line says how many."""
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
        found = json_lines.without_surrogates(json_lines.loads(line, MOST_NESTED))
    except ValueError:
        return None
    return found if isinstance(found, dict) and "value" in found else None


class BotProcess:
    """A running bot. Times are seconds of time.monotonic().

    argv is the command, environment holds variables to add, marker names the game. `spawned` is the
    moment just before the start. Without `drain_stderr` the bot's stderr is not read before its end. With
    `keeps_prints_apart` it has a pipe for what it prints beside its replies; `prints` is what came there. `recorder` is
    told of every byte that is sent and received, `start_up` knows how long it took to start. With a `sandbox` it runs
    in that, and `spawned` is the moment in which that stood.
    `pid` is the bot's own process, never one of bubblewrap's; bot_pids() are all of the bot's.
    Raises CannotStart, or JudgeFailure where the system has no process, memory or descriptor left.
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
    ) -> None:
        self.stderr_log = StderrLog()
        self.prints = Prints()
        self.received: list[tuple[float, bytes]] = []  # (arrival, bytes) of stdout, not yet taken
        self.closed = False  # stdout has ended: nothing more can be received
        self.exit_status: int | None = None  # as subprocess reports it: negative for a signal
        self.peak_rss_bytes = 0  # the most memory that its tree was found to hold: measure.py says what counts
        self.cpu_s = 0.0
        self.drains_stderr = drain_stderr
        self.recorder = Recorder()
        self.seen: set[int] = set()  # every process id ever noticed in the bot's tree
        self._meter = MemoryMeter()
        self._memory_limit_bytes: float | None = None  # as memory() was last told
        self._unsent = b""
        self._final_rusage: resource.struct_rusage | None = None
        self._marker = marker
        self._sandboxed: SandboxedProcess | None = None
        watch.begin_and_wait()
        variables = {**own_environment(), **environment, descendants.MARKER: marker}
        prints_pipe = self.prints.pipe() if keeps_prints_apart else contextlib.nullcontext(dict[str, str]())
        if sandbox is None:
            self._start(argv, variables, cwd, prints_pipe)
        else:
            self._start_behind(sandbox, argv, variables, cwd, prints_pipe)
        self.start_up = StartUp(self.spawned)

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
        with contextlib.closing(Gate(sandbox)) as gate:
            words, variables = gate.command(argv, variables, cwd)
            self._start(words, variables, None, prints_pipe, gate.passed)
            try:
                self._sandboxed, self.spawned = gate.opened(self.pid)
            except BaseException:
                self.kill()
                self.close()
                raise
        with descendants.registering(self._marker) as register:
            register(self._sandboxed.first)
        self.pid = self._sandboxed.bot or self._sandboxed.outer
        descendants.namespaces[self.pid] = self._sandboxed.first

    @property
    def is_sandboxed(self) -> bool:
        """Whether it runs in a sandbox."""
        return self._sandboxed is not None

    def bot_pids(self) -> list[int]:
        """The bot's own processes, parents first: without bubblewrap's, with what was orphaned in a sandbox."""
        return descendants.process_tree(self.pid)

    def has_ended(self) -> bool:
        """Whether the bot's own process has ended, which this leaves as it is: what it has left behind still runs."""
        if self.exit_status is not None or (self._sandboxed is not None and self._sandboxed.end() is not None):
            return True
        return os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def send(self, data: bytes) -> None:
        """Pass bytes to the bot's stdin; what does not fit into the pipe now is written by pump()."""
        self.recorder.sent(data)
        self._unsent += data
        self.write_pending()

    def write_pending(self) -> None:
        """Write what the pipe takes. A bot that closed its stdin loses what was meant for it."""
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
        """True while bytes wait for room in the stdin pipe."""
        return bool(self._unsent) and not self.stdin.closed

    def wants_to_read(self) -> bool:
        """True while stdout is open and not too much of it waits to be taken."""
        return not self.stdout.closed and len(self.received) < WAITING_READS

    def read_stdout(self, now: float) -> None:
        """Take what has arrived into `received`, stamped with now; at its end set `closed`.

        While too much waits to be taken the rest stays in the pipe, so that no flood fills the memory.
        """
        data = read_pipe(self.stdout) if self.wants_to_read() else None
        if data:
            self.recorder.received(now, data)
            self.received.append((now, data))
        elif data == b"":
            close_pipe(self.stdout)
            self.closed = True

    def wants_stderr(self) -> bool:
        """True while stderr is open and meant to be read."""
        return self.drains_stderr and not self.stderr.closed

    def read_stderr(self) -> None:
        """Pass what has arrived to the log."""
        data = read_pipe(self.stderr)
        if data:
            self.stderr_log.feed(data)
        elif data == b"":
            close_pipe(self.stderr)

    def notice_exit(self, now: float) -> None:
        """If the process itself has ended, take the last of its output and set exit_status and `closed`.

        Its own end counts even where a child of it still holds the pipes.
        """
        if self.exit_status is not None or not self._reap():
            return
        self.read_stdout(now)  # one read holds as much as the pipe does
        self.closed = True

    def sample(self) -> float:
        """Measure the whole tree now; returns its CPU seconds so far. Best effort."""
        if self.exit_status is None:
            tree = self.bot_pids()
            self.cpu_s = max(self.cpu_s, sum(map(measure.cpu_seconds, tree)))
            self._look_at_memory()
        return self.cpu_s

    def memory(self, limit_bytes: float | None = None) -> int:
        """The bytes of memory its tree is known to have held at once, 0 after its end. Best effort.

        It is measured the more exactly where it may exceed the limit.
        """
        self._memory_limit_bytes = limit_bytes
        return 0 if self.exit_status is not None else self._look_at_memory()

    def _look_at_memory(self) -> int:
        tree = self.bot_pids()
        for pid in set(tree) - self.seen:
            watch.tell(pid)
        self.seen.update(tree)
        held = self._meter.look([*tree, *descendants.adopted(self.seen)], self._memory_limit_bytes)
        self.peak_rss_bytes = self._meter.peak_bytes
        return held

    def request_end(self) -> None:
        """Close the bot's stdin, wake it if it is stopped and ask it to end."""
        self.sample()
        close_pipe(self.stdin)
        if self.exit_status is None:
            self._signal_group(signal.SIGCONT)
            self._signal_group(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the process and its group, and reap it. Afterwards exit_status is set."""
        if self.exit_status is None:
            self.seen.update(self.bot_pids())
            self._signal_group(signal.SIGKILL)
        while self.exit_status is None and not self._reap():
            time.sleep(GRACE_STEP_S)
        while self._sandboxed is not None and not self._reap_first(self._sandboxed.first):
            time.sleep(GRACE_STEP_S)

    def close(self) -> None:
        """Read what is left in the pipes, add the final measurements and close everything."""
        self.read_stderr()  # one read holds as much as the pipe does
        self.prints.read()
        self.prints.close()
        for pipe in (self.stdin, self.stdout, self.stderr):
            close_pipe(pipe)
        used = self._final_rusage
        assert used is not None  # kill() comes first
        self.cpu_s = max(self.cpu_s, used.ru_utime + used.ru_stime)
        if not self.peak_rss_bytes:  # it ended before it could be measured; this may include the judge's size
            self.peak_rss_bytes = used.ru_maxrss * 1024

    def _reap(self) -> bool:
        ended = None if self._sandboxed is None else self._sandboxed.end()
        if self._sandboxed is not None and ended is not None:
            self._sandboxed.tear_down()
        with descendants.process_table:
            pid, status, rusage = os.wait4(self._popen.pid, 0 if ended is not None else os.WNOHANG)
            if pid == 0:
                return False
            del descendants.registered_bots[pid]
            self._signal_group(signal.SIGKILL)  # at once: later the number may belong to somebody else
        self._final_rusage = rusage
        outer_end = os.waitstatus_to_exitcode(status)
        self.exit_status = ended if ended is not None else outer_end if self._sandboxed is None else end_of(outer_end)
        self._popen.returncode = outer_end
        return True

    def _reap_first(self, first: int) -> bool:
        """True if the first process of its namespace, and with it all that was in the sandbox, is gone."""
        with descendants.process_table:
            if first not in descendants.registered_bots:
                return True
            try:
                pid, _, rusage = os.wait4(first, os.WNOHANG)  # of an orphan, which the judge has adopted
            except ChildProcessError:
                pid, rusage = first, None
            if pid == 0:
                return False
            del descendants.registered_bots[first]
            descendants.namespaces.pop(self.pid, None)
        self._final_rusage = rusage or self._final_rusage
        return True

    def _signal_group(self, number: int) -> None:
        """Send a signal to the bot's group; SIGKILL to all that is in its sandbox."""
        if self._sandboxed is not None and number == signal.SIGKILL:
            self._sandboxed.tear_down()
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._popen.pid if self._sandboxed is None else self._sandboxed.first, number)


def pump(processes: Sequence[BotProcess], timeout_s: float, others: Iterable[tuple[socket.socket, int]] = ()) -> float:
    """Wait for traffic with any of the processes, at most timeout_s, and move all bytes that can move.

    Returns the moment of waking up, with which everything read is stamped. An ended process is noticed here. It wakes
    up for `others` too, sockets each with the selectors' EVENT_READ, EVENT_WRITE or both, and leaves them as they are.
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
        process.read_stdout(now)
        if process.wants_stderr():
            process.read_stderr()
        process.prints.read()
        process.write_pending()
        process.start_up.look(process.stdin, now)
        process.notice_exit(now)
    return now


def pump_until_idle(process: BotProcess, is_enough: Callable[[], bool], patience_s: float) -> None:
    """Move the bytes of a process until is_enough(), or it has ended, or waits for its input, or patience is out.

    A busy machine may keep it from running for long: then it does not wait, and is waited for.
    """
    give_up = time.monotonic() + patience_s
    asleep, cpu_s = 0, 0.0
    while process.exit_status is None and asleep < POLLS_ASLEEP and not is_enough():
        now = pump([process], IDLE_POLL_S)
        before, cpu_s = cpu_s, process.sample()
        if now > give_up:
            return
        is_idle = cpu_s == before and all(map(measure.is_asleep, process.bot_pids()))
        asleep = asleep + 1 if is_idle else 0


def end_all(processes: Sequence[BotProcess], marker: str) -> int:
    """End the game's processes and everything they started; returns how many strays had to be killed."""
    for process in processes:
        process.request_end()
    give_up = time.monotonic() + TERM_GRACE_S
    while time.monotonic() < give_up and any(process.exit_status is None for process in processes):
        time.sleep(GRACE_STEP_S)
        for process in processes:
            process.notice_exit(time.monotonic())
    for process in processes:
        process.kill()
    killed = 0
    if processes or marker in descendants.unswept_games:  # also where a sandbox failed, and there is no bot
        known = set[int]().union(*(process.seen for process in processes))
        killed = descendants.sweep(marker, known)
    for process in processes:
        process.close()
    return killed
