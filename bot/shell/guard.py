"""A turn's time, from its first byte to its one reply: when it began, when it must end, and who answers if it is late.

The platform charges a move from the arrival of its first byte; an Inbox notes that. A Budget makes a Deadline of it:
`soft`, when the search ends, and `hard`, when the Guard answers. Exactly one reply leaves for every turn, in time,
whatever the engine is doing: the main thread reads, searches and replies, and a second thread sleeps and acts only
when the first is late:

* an open turn reaches its hard deadline: it sends the turn's emergency reply; the main thread's own reply, if it
  still comes, is refused;
* the main thread is away (loading the engine, or stuck in a search whose turn is already answered) when bytes
  arrive: it notes their time, and if the main thread is not back by that turn's hard deadline it reads the
  message and answers it.

Times are seconds of the monotonic clock. Standard library only, Python 3.8 syntax; `_thread` alone, because importing
threading costs start-up time.
"""

from __future__ import annotations

import _thread
import os
import select
import time

from .. import FIRST_STATEMENT_S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from protocol.decoding import WireDecoder

    from ..games.interface import Position
    from .player import Log

STDIN, STDOUT = 0, 1
READ_BYTES = 65536

END = object()  # what `next_message` returns when the input has ended between messages
# How often the thread looks around while it listens for the main thread; it sleeps otherwise.
_LISTEN_S = 0.05
_RETRY_S = 0.01
# For the main thread to report its last turn after the input has ended; it takes that long where nobody reads stderr.
_LAST_WORDS_S = 2.0
# The share of the margin that is left to the platform after the hard deadline.
_HARD_SHARE = 0.5
LARGEST_MARGIN_SHARE = 0.25


class Budget:
    """What one turn may take from its start, in seconds: `soft` ends the search, at `hard` the guard answers."""

    __slots__ = ("soft", "hard")

    def __init__(self, limit: float, margin: float) -> None:
        """limit: the platform's limit; margin: what of it is left unused, at most a quarter of the limit."""
        if not limit > 0:
            raise ValueError(f"the limit must be a positive number of seconds, got {limit!r}")
        if not margin >= 0:
            raise ValueError(f"the margin must be zero or more seconds, got {margin!r}")
        margin = min(margin, limit * LARGEST_MARGIN_SHARE)
        self.soft = limit - margin
        self.hard = limit - margin * _HARD_SHARE

    def deadline(self, started: float) -> Deadline:
        """The Deadline of a turn that started at that monotonic time."""
        return Deadline(started, started + self.soft, started + self.hard)


class Deadline:
    """One turn's absolute times on the monotonic clock: started, soft, hard."""

    __slots__ = ("started", "soft", "hard")

    def __init__(self, started: float, soft: float, hard: float) -> None:
        self.started, self.soft, self.hard = started, soft, hard

    def remaining(self, now: float) -> float:
        """Seconds until the soft deadline, never negative."""
        return max(0.0, self.soft - now)


def process_start(monotonic: Callable[[], float] = time.monotonic) -> float:
    """When this process began, on the monotonic clock.

    From field 22 of /proc/self/stat (proc(5), ticks after boot, usually 10 ms each), which counts the
    interpreter's own start-up too; elsewhere, the first statement of this package.
    """
    try:
        with open("/proc/self/stat", "rb") as stat:
            ticks = int(stat.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return FIRST_STATEMENT_S
    started = monotonic() - age
    # A container or a suspended machine may show another clock's ticks: believe only what is possible.
    return started if 0 <= FIRST_STATEMENT_S - started < 60 else FIRST_STATEMENT_S


class Inbox:
    """stdin as messages with their arrival times. decoder: feed(bytes), next_message(), end(), partial; see protocol.

    A message's clock runs from its first byte. When the bot is busy as that byte comes, the guard's thread sees it
    and calls `note_arrival`; otherwise the read that brings it takes the time.
    """

    def __init__(
        self, decoder: WireDecoder, descriptor: int = STDIN, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._decoder, self._descriptor, self._clock = decoder, descriptor, clock
        self._arrived: float | None = None
        self._last_read: float | None = None
        self._ended = False
        self._has_read = False
        # When the first bytes were read, if they had been waiting: nobody knows for how long.
        self.first_read: float | None = None

    def next_message(self) -> tuple[object, float]:
        """(message, arrived): waits for it; END in place of the message at the end of input.

        Raises what the decoder raises for malformed input and for an end inside a message.
        """
        while True:
            message = self._take()
            if message is not None:
                return message
            self._read()

    def next_message_at_hand(self) -> tuple[object, float] | None:
        """Like `next_message`, but None when no whole message can be had without waiting."""
        while True:
            message = self._take()
            if message is not None or not self.has_bytes(0):
                return message
            self._read()

    def has_bytes(self, timeout_s: float) -> bool:
        """Whether bytes or the end of input wait to be read, within so many seconds."""
        return bool(select.select([self._descriptor], [], [], timeout_s)[0])

    def has_ended(self) -> bool:
        """Whether the end of input is all that is left to read, where the system can tell (pipes)."""
        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        found = poll.poll(0)
        return bool(found) and found[0][1] & (select.POLLIN | select.POLLHUP) == select.POLLHUP

    def has_started_message(self) -> bool:
        """Whether part of a message, or more, is already here or waiting."""
        return self._decoder.partial or self.has_bytes(0)

    def note_arrival(self) -> None:
        """Bytes wait that nobody has read yet: their clock starts now, unless it is running already."""
        if self._arrived is None:
            self._arrived = self._clock()

    def arrival(self) -> float | None:
        """When the next message's first byte arrived, None if none has been noticed."""
        return self._arrived

    def _take(self) -> tuple[object, float] | None:
        """(message, arrived) if the decoder has a whole one or the input has ended, else None."""
        message = self._decoder.next_message()
        if message is None and not self._ended:
            return None
        arrived: Any = self._arrived  # None with END alone, whose time nobody asks for
        # What is left in the decoder came with the latest read.
        self._arrived = self._last_read if self._decoder.partial else None
        return END if message is None else message, arrived

    def _read(self) -> None:
        """Wait for bytes, or the end, and feed them to the decoder."""
        were_waiting = not self._has_read and self.has_bytes(0)
        data = os.read(self._descriptor, READ_BYTES)
        self._last_read, self._has_read = self._clock(), True
        if were_waiting:
            self.first_read = self._last_read
        if not data:
            self._decoder.end()
            self._ended = True
            return
        if self._arrived is None:
            self._arrived = self._last_read
        self._decoder.feed(data)
        if not self._decoder.partial:
            self._arrived = None  # blanks only


class OpenTurn:
    """A turn to be answered once: its number, its position, its Deadline.

    safe_move() returns a legal move, from any thread, at once; encode(move), the bytes of the reply with it.
    sent(move) is called by whoever has sent it, before the next turn can be read; guarded(move), after that if it
    was the watchdog. answered_at: when it was by the main thread, which reports it then.
    """

    __slots__ = ("number", "position", "deadline", "safe_move", "encode", "sent", "guarded", "answered", "answered_at")

    def __init__(
        self,
        number: int,
        position: Position,
        deadline: Deadline,
        safe_move: Callable[[], int],
        encode: Callable[[int], bytes],
        sent: Callable[[int], None],
        guarded: Callable[[int], None],
    ) -> None:
        self.number, self.position, self.deadline = number, position, deadline
        self.safe_move, self.encode, self.sent, self.guarded = safe_move, encode, sent, guarded
        self.answered = False
        self.answered_at: float | None = None


class Guard:
    """One per process.

    inbox: the Inbox, for listening while the main thread is away.
    budget: returns the Budget of the turn to come.
    stand_in(): takes the message at hand from the inbox in the main thread's place; returns the OpenTurn that it asks
        for, None where it asks for none, and exits the process for what ends the game.
    """

    def __init__(
        self,
        inbox: Inbox,
        budget: Callable[[], Budget],
        stand_in: Callable[[], OpenTurn | None],
        log: Log,
        descriptor: int = STDOUT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inbox, self._budget, self._stand_in, self._log = inbox, budget, stand_in, log
        self._descriptor, self._clock = descriptor, clock
        self._lock = _thread.allocate_lock()
        self._wake = _thread.allocate_lock()
        self._wake.acquire()
        self._turn: OpenTurn | None = None
        self._away = False

    def start(self) -> bool:
        """Start the watchdog thread; False where no thread may be started (then the engine's own clock must do)."""
        try:
            _thread.start_new_thread(self._watch, ())
        except RuntimeError:
            return False
        return True

    def leave(self) -> None:
        """The main thread is about to do something outside any turn that may take long."""
        with self._lock:
            self._away = True
        self._signal()

    def come_back(self) -> None:
        """The main thread is about to read again; waits out a stand-in that is under way."""
        with self._lock:
            self._away = False
            self._turn = None

    def open(self, turn: OpenTurn) -> None:
        """A turn's clock is running: answer it by its hard deadline if the main thread does not."""
        with self._lock:
            self._turn = turn
            self._away = True
        self._signal()

    def reply(self, turn: OpenTurn, move: int) -> bool:
        """Send the main thread's reply unless the turn has one; whether this call sent it. OSError: stdout is gone."""
        with self._lock:
            if turn.answered:
                return False
            self._answer(turn, move)
            turn.answered_at = self._clock()
            return True

    def _answer(self, turn: OpenTurn, move: int) -> None:
        """Send the one reply to a turn; the lock is held."""
        turn.answered = True
        self.send(turn.encode(move))
        turn.sent(move)

    def _answer_safely(self, turn: OpenTurn) -> None:
        """The same in the main thread's place: it, and with it the process, must not end before `guarded` has."""
        move = turn.safe_move()
        self._answer(turn, move)
        turn.guarded(move)

    def send(self, payload: bytes) -> None:
        """Write all bytes to stdout."""
        while payload:
            payload = payload[os.write(self._descriptor, payload) :]

    def _signal(self) -> None:
        try:
            self._wake.release()
        except RuntimeError:
            pass  # the thread has not yet noticed the last signal; one is enough

    def _watch(self) -> None:
        while True:
            try:
                self._wake.acquire(True, self._act())
            except OSError:
                os._exit(0)  # nobody reads stdout any more: the game is over

    def _act(self) -> float:
        """Do what is due; seconds to sleep, -1 for until something changes."""
        with self._lock:
            turn, away = self._turn, self._away
        if turn is not None and not turn.answered:
            left = turn.deadline.hard - self._clock()
            if left > 0:
                return left
            with self._lock:
                if not turn.answered:
                    self._answer_safely(turn)
            return 0
        return self._listen() if away else -1

    def _listen(self) -> float:
        """The main thread is away and owes no reply: watch stdin for it."""
        arrived = self._inbox.arrival()
        if arrived is None:
            if self._inbox.has_bytes(_LISTEN_S):
                with self._lock:
                    # Looked at again: the main thread may have come back, read those bytes and left with their turn.
                    if self._is_listening() and self._inbox.has_bytes(0):
                        if self._inbox.has_ended():
                            if self._is_reporting():
                                return _RETRY_S
                            os._exit(0)  # between messages, and the main thread may be stuck for ever
                        self._inbox.note_arrival()
            return 0
        left = arrived + self._budget().hard - self._clock()
        if left > 0:
            return left
        with self._lock:
            turn = self._stand_in() if self._is_listening() else None
            if turn is not None:
                self._answer_safely(turn)
        return _RETRY_S

    def _is_reporting(self) -> bool:
        """Whether the main thread has just answered, and will come back by itself."""
        answered_at = None if self._turn is None else self._turn.answered_at
        return answered_at is not None and self._clock() - answered_at < _LAST_WORDS_S

    def _is_listening(self) -> bool:
        """Whether the main thread is away and owes no reply; it cannot change while the lock is held."""
        return self._away and (self._turn is None or self._turn.answered)
