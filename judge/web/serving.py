"""The server as a process: its port, signals and priority, and the end of all that it started.

Beside its address the server prints one line to stderr for each failure, at most MOST_LINES.
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

import uvicorn

from judge.language import _
from judge.processes.descendants import end_since
from judge.runs.interruption import INTERRUPTED_STATUS, NOTHING_LEFT, SIGNALS
from judge.terminal import shortened
from judge.web.application import Server, application
from judge.web.inputs import LARGEST_MESSAGE
from judge.web.priority import lower, lower_session

MOST_LINES = 200
LONGEST_LINE = 400  # characters
STDERR = 2  # the descriptor
LOOPBACK = "127.0.0.1"
BACKLOG = 128  # connections that wait to be accepted
MOST_CONNECTIONS = 300  # or requests at a time: more are answered with 503
CLOSING_S = 2  # for open connections to close at the end
PING_S = 20.0  # between two pings of a page, and the limit for its answer


class BoundedLog(logging.Handler):
    """Prints warnings and errors of Starlette, uvicorn and asyncio, and our own lines; omits tracebacks."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._guard = threading.Lock()
        self._lines = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Print a log record."""
        error = record.exc_info[1] if record.exc_info else None
        reason = f" {type(error).__name__}: {error}" if error is not None else ""
        self.report(f"{record.name}: {record.getMessage()}{reason}")

    def report(self, text: str) -> None:
        """Print a line, if fewer than MOST_LINES were printed."""
        with self._guard:
            self._lines += 1
            number = self._lines
        with contextlib.suppress(OSError, ValueError):  # stderr is a broken pipe, or closed
            if number <= MOST_LINES:
                print(_("note: {text}").format(text=shortened(text, LONGEST_LINE)), file=sys.stderr, flush=True)
            if number == MOST_LINES:
                print(_("note: nothing more is told here"), file=sys.stderr, flush=True)


def listening(port: int) -> socket.socket:
    """Return a socket that listens on loopback; port 0 chooses a free port. Raises OSError."""
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
    """Serve until a signal ends it. began_s: when the command began, in seconds after boot as for end_since()."""
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


class _Uvicorn(uvicorn.Server):
    """uvicorn's server without its signal handling, which would raise signals again at its end."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _config(server: Server) -> uvicorn.Config:
    return uvicorn.Config(
        application(server),
        loop="asyncio",
        http="h11",
        ws="websockets-sansio",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # there is no proxy before loopback
        server_header=False,
        date_header=False,
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,  # it costs time for each page, and loopback is fast
        ws_ping_interval=PING_S,
        ws_ping_timeout=PING_S,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=CLOSING_S,
    )


@contextlib.contextmanager
def _ended_by_signals(running: uvicorn.Server, began_s: float) -> Iterator[None]:
    """End the server in order at the first signal; at a second one kill everything, this process included.

    The second raises nothing: an exception between the taking of a lock and its `with` would leave the lock taken, and
    the orderly end waiting for it.
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
    """Kill all that was started, and exit. Safe in a signal handler: takes no lock, and does not wait for stderr."""
    try:
        end_since(began_s)
        if select.select([], [STDERR], [], 0)[1]:
            os.write(STDERR, farewell)
    finally:
        os._exit(INTERRUPTED_STATUS)  # the watcher ends what a thread has started meanwhile


def _log_to(log: BoundedLog) -> None:
    """Send log records of all libraries and uncaught exceptions of threads and finalizers to our log."""
    logging.getLogger().addHandler(log)
    threading.excepthook = lambda died: log.report(f"{died.exc_type.__name__}: {died.exc_value}")
    sys.unraisablehook = lambda lost: log.report(f"{lost.exc_type.__name__}: {lost.exc_value}")
