"""The keeper of a bot: it starts the bot, reports its end and ends all that it leaves. Standard library only.

    python -I -S keeper.py

start.py starts this program with a socket to the judge as its stdin. The judge sends requests, each a REQUEST of a kind
and the length of what follows:

* START, with descriptors and a marshalled (argv, environment, folder, numbers): starts a bot in the folder. The first
  descriptor becomes the bot's descriptor `numbers[0]` and so on. Answer: STARTED with the process id, or FAILED with an
  errno.
* HOLD: keeps what this bot leaves at its end, until END, so that the judge can look at it. No answer.
* END: kills every process below. Answer: ALL_ENDED with the number of those that do not end.

When the bot's own process ends, the keeper sends ENDED with its status (see wait(2)), and kills what the bot has left,
unless it is held. A REPLY also has a number of seconds: of STARTED the moment of time.monotonic() just before the
start, of the others the CPU time of all processes below that have ended.

The keeper is the "subreaper" of everything below: a process that loses its parent becomes the keeper's own child, so
none can leave. If the judge ends, however it does, the kernel closes the socket, and the keeper kills all of them.
"""

import contextlib
import ctypes
import marshal
import os
import resource
import select
import signal
import socket
import struct
import sys
import time

REQUEST = struct.Struct("=cI")
REPLY = struct.Struct("=cqd")
START, HOLD, END = b"s", b"h", b"e"
STARTED, FAILED, ENDED, ALL_ENDED = b"S", b"F", b"X", b"E"
PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>
KILL_LIMIT_S = 10.0  # a killed process ends as soon as it gets a core; one that takes longer is unkillable
HAS_CHILD_LISTS = os.path.exists(f"/proc/self/task/{os.getpid()}/children")
# Signals that the keeper ignores or handles, and that Python ignores. Bots get them as they are by default.
OWN_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FOR_BOTS = (*OWN_SIGNALS, signal.SIGQUIT, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ)


# The stack of a bot's first thread, whatever `ulimit -s` says: otherwise the same game could end differently in another
# shell or on another machine. This is Linux's default; the platform's size is not published.
STACK_BYTES = 8 << 20


def stack_bytes() -> int:
    """Return the size of a bot's stack: STACK_BYTES, or the hard limit of this process if that is less."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    return STACK_BYTES if hard == resource.RLIM_INFINITY else min(STACK_BYTES, hard)


def children(pid: int) -> "list[int]":
    """Return the ids of the direct children of a process; [] if it has ended.

    Where the kernel keeps no lists of children, all processes are looked at.
    """
    if not HAS_CHILD_LISTS:
        return [int(name) for name in os.listdir("/proc") if name.isdecimal() and _parent_of(name) == pid]
    pids: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                pids += map(int, file.read().split())
    return pids


def _parent_of(pid: str) -> int:
    """Return the id of a process's parent, 0 if the process has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        return int(file.read().rpartition(b")")[2].split()[1])
    return 0


def descendants_of(pid: int) -> "list[int]":
    """Return the ids of all descendants of a process, parents first."""
    pids = children(pid)
    known = set(pids)  # an orphan gets another parent, and would be listed twice
    for parent in pids:  # the list grows while it is walked
        unknown = [child for child in children(parent) if child not in known]
        known.update(unknown)
        pids += unknown
    return pids


class BotParent:
    """The parent of one bot at a time, which answers the judge's requests; `judge` is the socket to the judge."""

    def __init__(self, judge: socket.socket) -> None:
        self._judge = judge
        self._bot = 0  # the id of the bot's own process, 0 if there is none
        self._used_s = 0.0
        self._is_held = False

    def start(self, length: int, descriptors: "list[int]") -> None:
        """Start the bot that the next `length` bytes of the socket describe, and answer STARTED or FAILED.

        The bot gets the `descriptors`, which came with the request; they are closed here.
        """
        high: list[int] = []
        for descriptor in descriptors:
            # Moved up, so that none has a number that another one gets in the bot.
            high.append(os.dup2(descriptor, 32 + len(high), inheritable=False))
            os.close(descriptor)
        argv, environment, folder, numbers = marshal.loads(self._judge.recv(length, socket.MSG_WAITALL))
        self._used_s, self._is_held = 0.0, False
        try:
            os.chdir(folder)
            os.environb[b"PATH"] = environment.get(b"PATH", os.fsencode(os.defpath))
            began = time.monotonic()
            self._bot = os.posix_spawnp(
                argv[0],
                argv,
                environment,
                file_actions=[(os.POSIX_SPAWN_DUP2, *pair) for pair in zip(high, numbers, strict=True)],
                setsid=True,
                setsigmask=[],
                setsigdef=FOR_BOTS,
            )
            self._reply(STARTED, self._bot, began)
        except OSError as error:
            self._reply(FAILED, error.errno or 0, 0.0)
        finally:
            os.chdir("/")
            for descriptor in high:
                os.close(descriptor)

    def reap(self) -> bool:
        """Reap all children that have ended, and report the end of the bot's own process with ENDED.

        Its end ends all other processes below, unless they are held. Return whether any child is left.
        """
        while True:
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            self._used_s += used.ru_utime + used.ru_stime
            if pid == self._bot:
                self._bot = 0
                self._reply(ENDED, status, self._used_s)
                if not self._is_held:
                    self.end()

    def end(self) -> int:
        """Kill all processes below until none is left or KILL_LIMIT_S have passed. Return the number of those left."""
        deadline = time.monotonic() + KILL_LIMIT_S
        while self.reap():
            living = descendants_of(os.getpid())
            if time.monotonic() > deadline:
                return len(living)
            for pid in living:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.001)
        return 0

    def serve(self) -> bool:
        """Read one request of the judge and carry it out. Return False if the judge has ended."""
        header, descriptors, _, _ = socket.recv_fds(self._judge, REQUEST.size, 16)
        if len(header) < REQUEST.size:
            return False
        kind, length = REQUEST.unpack(header)
        if kind == START:
            self.start(length, descriptors)
        elif kind == HOLD:
            self._is_held = True
        else:
            self._reply(ALL_ENDED, self.end(), self._used_s)
        return True

    def _reply(self, kind: bytes, number: int, seconds: float) -> None:
        """Send the judge a REPLY with a process id, status or errno, and the seconds that the module describes."""
        with contextlib.suppress(OSError):  # the judge has ended
            self._judge.sendall(REPLY.pack(kind, number, seconds))


def main() -> None:
    """Serve the judge until it ends, then end everything below. Never returns."""
    for number in OWN_SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # these are for the judge, whose end shows anyway
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_STACK, (stack_bytes(), resource.getrlimit(resource.RLIMIT_STACK)[1]))
    waking, woken = os.pipe()
    os.set_blocking(waking, False)
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    judge = socket.socket(fileno=sys.stdin.fileno())
    keeper = BotParent(judge)
    poll = select.poll()
    poll.register(judge, select.POLLIN)
    poll.register(waking, select.POLLIN)
    is_served = True
    while is_served:
        ready = [descriptor for descriptor, _ in poll.poll()]
        with contextlib.suppress(BlockingIOError):
            os.read(waking, 4096)
        keeper.reap()
        if judge.fileno() in ready:
            is_served = keeper.serve()
    keeper.end()
    os._exit(0)


if __name__ == "__main__":
    main()
