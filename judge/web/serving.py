"""Runs the server: opens its port, handles signals, lowers its priority, and ends all processes that it started.

The server prints one line to stderr for each failure, and at most MOST_LINES lines in all.
"""

import asyncio
import contextlib
import logging
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from typing import NoReturn

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from judge.language import _
from judge.processes.descendants import end_since
from judge.runs.interruption import INTERRUPTED_STATUS, NOTHING_LEFT, SIGNALS
from judge.terminal import shortened
from judge.web.application import Server, application
from judge.web.inputs import LARGEST_MESSAGE
from judge.web.priority import lower, lower_session

MOST_LINES = 200
LONGEST_LINE = 400  # characters
STDERR = 2  # a file descriptor
LOOPBACK = "127.0.0.1"
BACKLOG = 128  # connections that wait to be accepted
MOST_CONNECTIONS = 300  # connections, or requests, at a time; any more are answered with the status 503
MOST_WAITING = 100  # connections without a complete request; if there are more, the oldest is closed
REQUEST_S = 10.0  # in this time a complete request has to arrive, or at least LEAST_PART further bytes of a request
LEAST_PART = 100_000
TAKE_S = 60.0  # in this time a page has to read a further part of an answer, about a megabyte
CLOSING_S = 2  # when the server ends, it waits so many seconds for open connections to close
PING_S = 20.0  # the interval between two pings to a page, and the limit for its answer


class BoundedLog(logging.Handler):
    """Prints warnings and errors of libraries such as Starlette, uvicorn and asyncio, and messages of this program.

    Tracebacks are not printed. After MOST_LINES lines nothing more is printed.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._guard = threading.Lock()
        self._lines = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Print a log record as one line."""
        error = record.exc_info[1] if record.exc_info else None
        reason = f" {type(error).__name__}: {error}" if error is not None else ""
        self.report(f"{record.name}: {record.getMessage()}{reason}")

    def report(self, text: str) -> None:
        """Print a line to stderr, unless MOST_LINES lines have been printed already."""
        with self._guard:
            self._lines += 1
            number = self._lines
        with contextlib.suppress(OSError, ValueError):  # if stderr is a broken pipe or closed
            if number <= MOST_LINES:
                print(_("note: {text}").format(text=shortened(text, LONGEST_LINE)), file=sys.stderr, flush=True)
            if number == MOST_LINES:
                print(_("note: nothing more is told here"), file=sys.stderr, flush=True)


def listening(port: int) -> socket.socket:
    """Return a socket that listens at TCP port `port` of this machine's loopback address. 0 stands for any free port.

    Raises OSError if the port is in use.
    """
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # allows a port whose last server has just ended
        found.bind((LOOPBACK, port))
        found.listen(BACKLOG)
    except OSError:
        found.close()
        raise
    return found


def serve(server: Server, listener: socket.socket, log: BoundedLog, began_s: float) -> None:
    """Serve until a signal ends the server. Then end all processes that were started since `began_s`.

    `began_s` is the time at which the command began, in seconds after boot; see end_since().
    """
    _log_to(log)
    lower_session()
    lower()
    running = _Uvicorn(_config(server))
    with _ended_by_signals(running, began_s):
        try:
            asyncio.run(running.serve(sockets=[listener]))
        finally:
            try:
                server.close()
            finally:
                end_since(began_s)  # such as a compiler of a table's player


class Connection(H11Protocol):
    """A connection that is closed if it waits too long, so that idle connections cannot keep others out.

    A connection waits while no complete request has arrived, and while nobody reads the answer. If more than
    MOST_WAITING connections wait, the connection that has waited longest is closed.
    """

    _timer: asyncio.TimerHandle | None = None
    _untaken = 0  # bytes of answers in the write buffer when the timer was set
    _arrived = 0  # bytes of requests that have arrived since the timer was set
    _waits_since = 0.0
    _is_closed = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begin_waiting()
        waiting = [each for each in self.connections if isinstance(each, Connection) and each.is_waiting]
        if len(waiting) > MOST_WAITING:
            min(waiting, key=lambda each: each._waits_since).abort()

    def data_received(self, data: bytes) -> None:
        self._arrived += len(data)
        super().data_received(data)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._begin_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._timer is not None:
            self._timer.cancel()

    @property
    def is_waiting(self) -> bool:
        """Whether the connection has no complete request to answer."""
        return not self._is_closed and self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def abort(self) -> None:
        """Close the connection at once."""
        self._is_closed = True
        self.transport.abort()

    def _begin_waiting(self) -> None:
        self._waits_since = self.loop.time()
        if self._timer is not None:
            self._timer.cancel()
        self._untaken, self._arrived = self.transport.get_write_buffer_size(), 0
        self._timer = self.loop.call_later(TAKE_S if self._untaken else REQUEST_S, self._look)

    def _look(self) -> None:
        """Close the connection if it still waits. This is called when the timer has run out.

        If a further part of the answer was read, or a further part of a large request has arrived, the timer is set
        again instead.
        """
        if self not in self.connections or not self.is_waiting:  # it may have become a WebSocket
            return
        if self._arrived >= LEAST_PART or self.transport.get_write_buffer_size() < self._untaken:
            self._begin_waiting()
        else:
            self.abort()


class _Uvicorn(uvicorn.Server):
    """uvicorn's server without its handling of signals, which would raise the signals again at the server's end."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _config(server: Server) -> uvicorn.Config:
    return uvicorn.Config(
        application(server),
        loop="asyncio",
        http=Connection,
        ws="websockets-sansio",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # there is no proxy before loopback
        server_header=False,
        date_header=False,
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,  # compression costs time for each page, and loopback is fast
        ws_ping_interval=PING_S,
        ws_ping_timeout=PING_S,
        limit_concurrency=MOST_CONNECTIONS,
        backlog=BACKLOG,
        timeout_graceful_shutdown=CLOSING_S,
    )


@contextlib.contextmanager
def _ended_by_signals(running: uvicorn.Server, began_s: float) -> Iterator[None]:
    """Inside the `with` block, let the first signal end the server in order, and the second kill everything at once.

    The second signal kills the processes started since `began_s` and ends this process. It raises no exception. An
    exception raised after a lock is taken, but before the `with` block of the lock is entered, would leave the lock
    taken, and the orderly end would wait for the lock forever.
    """

    farewell = (_(NOTHING_LEFT) + "\n").encode()

    def stop(_number: int, _frame: object) -> None:
        if running.should_exit:
            _end_at_once(began_s, farewell)
        running.should_exit = True

    heard = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_at_once(began_s: float, farewell: bytes) -> NoReturn:
    """Kill all processes started since `began_s`, print `farewell` if stderr is ready for it, and exit.

    This function may be called in a signal handler, because it takes no lock and does not wait for stderr.
    """
    try:
        end_since(began_s)
        if select.select([], [STDERR], [], 0)[1]:
            os.write(STDERR, farewell)
    finally:
        os._exit(INTERRUPTED_STATUS)  # a watcher process ends the processes that a thread has started meanwhile


def _log_to(log: BoundedLog) -> None:
    """Send to `log` the log records of all libraries, and the uncaught exceptions of threads and finalizers."""
    logging.getLogger().addHandler(log)
    threading.excepthook = lambda died: log.report(f"{died.exc_type.__name__}: {died.exc_value}")
    sys.unraisablehook = lambda lost: log.report(f"{lost.exc_type.__name__}: {lost.exc_value}")
