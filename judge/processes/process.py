"""One bot as a process: started in its own session, fed and read without ever blocking, ended for good."""

import contextlib
import os
import signal
import time
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING

from judge.processes import descendants, usage, watch
from judge.processes.memory import MemoryMeter
from judge.processes.prints import Prints
from judge.processes.recorder import Recorder
from judge.processes.spawn import own_environment, spawn
from judge.processes.start_up import StartUp
from judge.processes.stderr_log import StderrLog

if TYPE_CHECKING:
    import resource

READ_BYTES = 64 * 1024  # one read per stream and wake-up, so that no flood holds up the other streams
WAITING_READS = 16
GRACE_STEP_S = 0.005


class BotProcess:
    """A running bot. Times are seconds of time.monotonic().

    argv is the command, environment holds variables to add, marker names the game. `spawned` is the
    moment just before the start. Without `drain_stderr` the bot's stderr is not read before its end. With
    `keeps_prints_apart` it has a pipe for what it prints beside its replies; `prints` is what came there. `recorder` is
    told of every byte that is sent and received, `start_up` knows how long it took to start.
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
    ) -> None:
        self.stderr_log = StderrLog()
        self.prints = Prints()
        self.received: list[tuple[float, bytes]] = []  # (arrival, bytes) of stdout, not yet taken
        self.closed = False  # stdout has ended: nothing more can be received
        self.exit_status: int | None = None  # as subprocess reports it: negative for a signal
        self.peak_rss_bytes = 0  # the most memory that its tree was found to hold: memory.py says what counts
        self.cpu_s = 0.0
        self.drains_stderr = drain_stderr
        self.recorder = Recorder()
        self.seen: set[int] = set()  # every process id ever noticed in the bot's tree
        self._meter = MemoryMeter()
        self._memory_limit_bytes: float | None = None  # as memory() was last told
        self._unsent = b""
        self._final_rusage: resource.struct_rusage | None = None
        watch.begin_and_wait()
        variables = {**own_environment(), **environment, descendants.MARKER: marker}
        with descendants.registering(marker) as register:
            self.spawned = time.monotonic()
            prints_pipe = self.prints.pipe() if keeps_prints_apart else contextlib.nullcontext(dict[str, str]())
            self._popen = spawn(argv, variables, cwd, prints_pipe)
            self.pid = self._popen.pid
            register(self.pid)
        stdin, stdout, stderr = self._popen.stdin, self._popen.stdout, self._popen.stderr
        assert stdin is not None and stdout is not None and stderr is not None  # spawn makes pipes of them
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        for pipe in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(pipe.fileno(), False)
        self.start_up = StartUp(self.spawned)

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
            self._close(self.stdin)

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
        data = _read(self.stdout) if self.wants_to_read() else None
        if data:
            self.recorder.received(now, data)
            self.received.append((now, data))
        elif data == b"":
            self._close(self.stdout)
            self.closed = True

    def wants_stderr(self) -> bool:
        """True while stderr is open and meant to be read."""
        return self.drains_stderr and not self.stderr.closed

    def read_stderr(self) -> None:
        """Pass what has arrived to the log."""
        data = _read(self.stderr)
        if data:
            self.stderr_log.feed(data)
        elif data == b"":
            self._close(self.stderr)

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
            tree = descendants.process_tree(self.pid)
            self.seen.update(tree)
            self.cpu_s = max(self.cpu_s, sum(map(usage.cpu_seconds, tree)))
            self._look_at_memory()
        return self.cpu_s

    def memory(self, limit_bytes: float | None = None) -> int:
        """The bytes of memory its tree is known to have held at once, 0 after its end. Best effort.

        It is measured the more exactly where it may exceed the limit.
        """
        self._memory_limit_bytes = limit_bytes
        return 0 if self.exit_status is not None else self._look_at_memory()

    def _look_at_memory(self) -> int:
        tree = descendants.process_tree(self.pid)
        for pid in set(tree) - self.seen:
            watch.tell(pid)
        self.seen.update(tree)
        held = self._meter.look([*tree, *descendants.adopted(self.seen)], self._memory_limit_bytes)
        self.peak_rss_bytes = self._meter.peak_bytes
        return held

    def request_end(self) -> None:
        """Close the bot's stdin, wake it if it is stopped and ask it to end."""
        self.sample()
        self._close(self.stdin)
        if self.exit_status is None:
            self._signal_group(signal.SIGCONT)
            self._signal_group(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the process and its group, and reap it. Afterwards exit_status is set."""
        if self.exit_status is None:
            self.seen.update(descendants.process_tree(self.pid))
            self._signal_group(signal.SIGKILL)
        while self.exit_status is None and not self._reap():
            time.sleep(GRACE_STEP_S)

    def close(self) -> None:
        """Read what is left in the pipes, add the final measurements and close everything."""
        self.read_stderr()  # one read holds as much as the pipe does
        self.prints.read()
        self.prints.close()
        for pipe in (self.stdin, self.stdout, self.stderr):
            self._close(pipe)
        used = self._final_rusage
        assert used is not None  # kill() comes first
        self.cpu_s = max(self.cpu_s, used.ru_utime + used.ru_stime)
        if not self.peak_rss_bytes:  # it ended before it could be measured; this may include the judge's size
            self.peak_rss_bytes = used.ru_maxrss * 1024

    def _reap(self) -> bool:
        with descendants.process_table:
            pid, status, rusage = os.wait4(self.pid, os.WNOHANG)
            if pid == 0:
                return False
            del descendants.registered_bots[self.pid]
            self._signal_group(signal.SIGKILL)  # at once: later the number may belong to somebody else
        self._final_rusage = rusage
        self.exit_status = os.waitstatus_to_exitcode(status)
        self._popen.returncode = self.exit_status
        return True

    def _signal_group(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    @staticmethod
    def _close(pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError):
            pipe.close()


def _read(pipe: IO[bytes]) -> bytes | None:
    """The next bytes, b"" at the end, None when there is nothing yet."""
    if pipe.closed:
        return None
    try:
        return os.read(pipe.fileno(), READ_BYTES)
    except BlockingIOError:
        return None
    except OSError:
        return b""
