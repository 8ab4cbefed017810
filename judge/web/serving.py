"""Runs the server: opens its port, handles signals, and ends all processes that it started.

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

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from judge.language import _
from judge.processes.descendants import end_processes_since
from judge.runs.interruption import INTERRUPTED_STATUS, NOTHING_IS_RUNNING, SIGNALS
from judge.terminal import shortened
from judge.web.application import Server, application
from judge.web.inputs import LARGEST_MESSAGE

MOST_LINES = 200
LONGEST_LINE = 400  # characters
STDERR = 2  # a file descriptor
LOOPBACK = "127.0.0.1"
CLOSING_S = 2  # when the server ends, it waits so many seconds for open connections to close


class BoundedLog(logging.Handler):
    """Prints warnings and errors of libraries such as Starlette, uvicorn and asyncio, and messages of this program.

    Tracebacks are not printed. After MOST_LINES lines nothing more is printed.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._lines = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Print a log record as one line to stderr, unless MOST_LINES lines have been printed already."""
        error = record.exc_info[1] if record.exc_info else None
        reason = f" {type(error).__name__}: {error}" if error is not None else ""
        text = shortened(f"{record.name}: {record.getMessage()}{reason}", LONGEST_LINE)
        self._lines += 1
        with contextlib.suppress(OSError, ValueError):  # if stderr is a broken pipe or closed
            if self._lines <= MOST_LINES:
                print(_("note: {text}").format(text=text), file=sys.stderr, flush=True)
            if self._lines == MOST_LINES:
                last = _("note: the server prints no more notes, because it has already printed {number} of them")
                print(last.format(number=MOST_LINES), file=sys.stderr, flush=True)


def serve(server: Server, listener: socket.socket, began_s: float) -> None:
    """Serve until a signal ends the server. Then end all processes that were started since `began_s`.

    `began_s` is the time at which the command began, in seconds after boot; see end_processes_since().
    """
    _log_to(BoundedLog())
    running = _Uvicorn(_config(application(server, listener.getsockname()[1])))
    with _ended_by_signals(running, began_s):
        try:
            asyncio.run(running.serve(sockets=[listener]))
        finally:
            end_processes_since(began_s)  # such as a compiler of a table's player


class _Uvicorn(uvicorn.Server):
    """uvicorn's server without its handling of signals, which would raise the signals again at the server's end."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _WebSocket(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket, which is also closed if its request cannot be read, such as one with a very long line."""

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.handshake_exc is not None:
            self.transport.close()


def _config(application: ASGIApp) -> uvicorn.Config:
    """Return uvicorn's settings for the server."""
    return uvicorn.Config(
        application,
        loop="asyncio",
        http="h11",
        ws=_WebSocket,
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # there is no proxy before loopback
        server_header=False,
        date_header=False,
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,  # compression costs time for each page, and loopback is fast
        backlog=128,  # connections that wait to be accepted
        timeout_graceful_shutdown=CLOSING_S,
    )


@contextlib.contextmanager
def _ended_by_signals(running: uvicorn.Server, began_s: float) -> Iterator[None]:
    """Inside the `with` block, let the first signal end the server in order, and the second kill everything at once.

    The second signal kills the processes started since `began_s` and ends this process. It raises no exception, because
    an exception between the taking of a lock and the beginning of its `with` block would leave the lock taken, and the
    orderly end would wait for the lock forever.
    """
    farewell = (_(NOTHING_IS_RUNNING) + "\n").encode()

    def stop(_number: int, _frame: object) -> None:
        if running.should_exit:
            _end_at_once(began_s, farewell)
        running.should_exit = True

    handled = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in handled}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_at_once(began_s: float, farewell: bytes) -> NoReturn:
    """Kill all processes started since `began_s`, print `farewell` if stderr is ready for it, and end this process.

    A signal handler may call this function, because it takes no lock and does not wait for stderr.
    """
    try:
        end_processes_since(began_s)
        if select.select([], [STDERR], [], 0)[1]:
            os.write(STDERR, farewell)
    finally:
        os._exit(INTERRUPTED_STATUS)  # a watcher process ends the processes that a thread has started meanwhile


def _log_to(log: logging.Handler) -> None:
    """Send to `log` the log records of all libraries, and the uncaught exceptions of threads and finalizers."""
    logging.getLogger().addHandler(log)
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # it warns of texts to pages that have gone
    threading.excepthook = lambda failure: logging.error("%s: %s", failure.exc_type.__name__, failure.exc_value)
    sys.unraisablehook = lambda failure: logging.error("%s: %s", failure.exc_type.__name__, failure.exc_value)
