"""What passes a bot's bytes between its pipes and a judger's connection, until one of the two ends.

A bot that has ended, or has closed its stdout, has its connection closed behind the last of its bytes: only then does
a judger know. Our half is closed first, and what still comes is read until the judger closes the other: a connection
closed over unread bytes is reset, which judgers take for a fault of their own.
"""

import contextlib
import enum
import selectors
import socket
import threading
import time

from judge.processes.process import BotProcess
from judge.processes.traffic import pump

POLL_S = 0.05  # how soon a stop is noticed, or an exit behind open pipes
READ_BYTES = 64 * 1024
FAREWELL_S = 2.0  # for the last bytes to leave, and for the judger to close


class End(enum.Enum):
    """What has ended a relay."""

    JUDGER = enum.auto()  # it has closed the connection
    BOT = enum.auto()  # it has ended, or has closed its stdout
    STOPPED = enum.auto()


class Relay:
    """Passes bytes on between the process and the connection; `stop` ends it."""

    def __init__(self, process: BotProcess, connection: socket.socket, stop: threading.Event) -> None:
        self._process, self._connection, self._stop = process, connection, stop
        self._unsent = b""
        connection.setblocking(False)

    def run(self) -> End:
        """Pass bytes on until something ends. The connection is closed then, the process is as it was."""
        try:
            end = self._pass_on()
            if end is End.BOT:
                self._say_goodbye()
        finally:
            self._connection.close()
        return end

    def _pass_on(self) -> End:
        while not self._stop.is_set():
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._unsent else 0)
            pump([self._process], POLL_S, [(self._connection, events)])
            self._take_replies()
            if not self._send() or not self._receive():
                return End.JUDGER
            if self._process.closed:
                return End.BOT
        return End.STOPPED

    def _take_replies(self) -> None:
        """Take what the bot has written where nothing waits already: until then no more of it is read."""
        if self._unsent:
            return
        self._unsent = b"".join(data for _, data in self._process.received)
        self._process.received.clear()

    def _send(self) -> bool:
        """Send what the connection takes; False where it is gone."""
        try:
            while self._unsent:
                self._unsent = self._unsent[self._connection.send(self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True

    def _receive(self) -> bool:
        """Pass on what has come; False where the connection has ended."""
        try:
            data = self._connection.recv(READ_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._process.send(data)
        return bool(data)

    def _say_goodbye(self) -> None:
        give_up = time.monotonic() + FAREWELL_S
        with contextlib.suppress(OSError):
            self._take_replies()
            while self._unsent and time.monotonic() < give_up:
                if not self._waited(selectors.EVENT_WRITE, give_up) or not self._send():
                    return
                self._process.read_stdout(time.monotonic())  # there was no room for all of it before
                self._take_replies()
            self._connection.shutdown(socket.SHUT_WR)
            while self._waited(selectors.EVENT_READ, give_up) and self._connection.recv(READ_BYTES):
                pass

    def _waited(self, event: int, give_up: float) -> bool:
        """Wait until the connection is ready for that; False if it is not at the moment `give_up`."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._connection, event)
            return bool(selector.select(max(0.0, give_up - time.monotonic())))
