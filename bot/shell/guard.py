"""The time of one turn: notes when it began, computes when it must end, and replies if the search is late.

The platform charges a move from the arrival of its first byte. An Inbox notes that moment, and a Budget turns it into a
Deadline with two times: the search ends at `soft`, and the Guard replies at `hard`. Every turn gets exactly one reply,
in time, whatever the engine is doing. The main thread reads, searches and replies. A second thread, the watchdog,
sleeps and acts only when the main thread is late:

* When an open turn reaches its hard deadline, the watchdog sends the turn's emergency reply. If the main thread replies
  after that, its reply is refused.
* The main thread may be away when bytes arrive: it is loading the engine, or is stuck in the search for a turn that is
  already answered. Then the watchdog notes the arrival time. If the main thread is not back by the hard deadline of the
  turn that arrived, the watchdog reads the message and answers it.

Times are seconds of the monotonic clock. Standard library only, Python 3.8 syntax. The module uses `_thread`, because
importing `threading` costs start-up time.
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
# While the watchdog listens in the main thread's place, it waits this long for bytes before it looks at the state
# again.
_LISTEN_S = 0.05
_RETRY_S = 0.01
# How long the main thread may take to report its last turn after the input has ended: writing the report can block
# where nobody reads stderr.
_LAST_WORDS_S = 2.0
# The share of a Budget's margin that lies after the hard deadline, for the platform to receive the reply.
_HARD_SHARE = 0.5
LARGEST_MARGIN_SHARE = 0.25


class Budget:
    """The time that one turn may take, in seconds from its start.

    The search ends at `soft`; the guard replies at `hard`.
    """

    __slots__ = ("soft", "hard")

    def __init__(self, limit: float, margin: float) -> None:
        """`limit` is the platform's time limit and `margin` the part of it to leave unused, both in seconds.

        The margin is capped at LARGEST_MARGIN_SHARE of the limit. Raises ValueError for a limit that is not positive or
        a negative margin.
        """
        if not limit > 0:
            raise ValueError(f"the limit must be a positive number of seconds, got {limit!r}")
        if not margin >= 0:
            raise ValueError(f"the margin must be zero or more seconds, got {margin!r}")
        margin = min(margin, limit * LARGEST_MARGIN_SHARE)
        self.soft = limit - margin
        self.hard = limit - margin * _HARD_SHARE

    def deadline(self, started: float) -> Deadline:
        """Returns the Deadline of a turn that started at `started` (monotonic clock)."""
        return Deadline(started, started + self.soft, started + self.hard)


class Deadline:
    """The absolute times of one turn on the monotonic clock, in seconds: started, soft, hard."""

    __slots__ = ("started", "soft", "hard")

    def __init__(self, started: float, soft: float, hard: float) -> None:
        self.started, self.soft, self.hard = started, soft, hard

    def remaining(self, now: float) -> float:
        """Returns the seconds until the soft deadline, never less than 0."""
        return max(0.0, self.soft - now)


def process_start(monotonic: Callable[[], float] = time.monotonic) -> float:
    """Returns when this process began, on the monotonic clock.

    The start is read from field 22 of /proc/self/stat (proc(5): ticks after boot, usually 10 ms each), so it includes
    the interpreter's own start-up. If that file cannot be read, returns the time of this package's first statement.
    """
    try:
        with open("/proc/self/stat", "rb") as stat:
            ticks = int(stat.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return FIRST_STATEMENT_S
    started = monotonic() - age
    # In a container or after a suspend, the ticks may belong to another clock. So a result is used only if it is less
    # than a minute before the first statement.
    return started if 0 <= FIRST_STATEMENT_S - started < 60 else FIRST_STATEMENT_S


class Inbox:
    """Reads messages from stdin and notes when each one arrived. `decoder` is a protocol.decoding.WireDecoder.

    A message arrives when its first byte arrives. If the main thread is busy then, the guard's thread sees the byte and
    calls `note_arrival`. Otherwise the message's arrival time is the time of the read that returns the byte.
    """

    def __init__(
        self, decoder: WireDecoder, descriptor: int = STDIN, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._decoder, self._descriptor, self._clock = decoder, descriptor, clock
        self._arrived: float | None = None
        self._last_read: float | None = None
        self._ended = False
        self._has_read = False
        # The time of the first read, if bytes were already waiting for it; else None. How long they had waited is
        # unknown.
        self.first_read: float | None = None

    def next_message(self) -> tuple[object, float]:
        """Wait for the next message. Returns (message, arrival time). The message is END once the input has ended.

        Raises the decoder's error if the input is malformed or ends inside a message.
        """
        while True:
            message = self._take()
            if message is not None:
                return message
            self._read()

    def next_message_at_hand(self) -> tuple[object, float] | None:
        """Do what `next_message` does, but return None instead of waiting if no whole message has arrived."""
        while True:
            message = self._take()
            if message is not None or not self.has_bytes(0):
                return message
            self._read()

    def has_bytes(self, timeout_s: float | None) -> bool:
        """Returns whether bytes, or the end of input, can be read within `timeout_s` seconds; None waits for them."""
        return bool(select.select([self._descriptor], [], [], timeout_s)[0])

    def has_ended(self) -> bool:
        """Returns whether the input has ended and no bytes are left to read.

        Returns False if the system cannot tell. For pipes it can.
        """
        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        found = poll.poll(0)
        return bool(found) and found[0][1] & (select.POLLIN | select.POLLHUP) == select.POLLHUP

    def has_started_message(self) -> bool:
        """Returns whether a part of the next message, or all of it, is in the decoder or can be read."""
        return self._decoder.partial or self.has_bytes(0)

    def note_arrival(self) -> None:
        """Note that the next message arrives now, unless its arrival is noted already.

        The caller has seen unread bytes.
        """
        if self._arrived is None:
            self._arrived = self._clock()

    def arrival(self) -> float | None:
        """Returns when the next message's first byte arrived, or None if no byte has been noticed."""
        return self._arrived

    def _take(self) -> tuple[object, float] | None:
        """Returns (message, arrival time) if the decoder has a whole message or the input has ended, else None."""
        message = self._decoder.next_message()
        if message is None and not self._ended:
            return None
        arrived: Any = self._arrived  # None only with END, whose time nobody uses
        # The bytes that are left in the decoder came with the latest read.
        self._arrived = self._last_read if self._decoder.partial else None
        return END if message is None else message, arrived

    def _read(self) -> None:
        """Wait for bytes or the end of input, and pass them to the decoder."""
        were_waiting = not self._has_read and self.has_bytes(0)
        self.has_bytes(None)  # whoever started the bot may have set stdin so that reading does not wait
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
            self._arrived = None  # there were only blanks, which begin no message


class OpenTurn:
    """A turn that must be answered exactly once: `number`, `position`, and its Deadline `deadline`.

    * safe_move() returns a legal move at once, from any thread.
    * encode(move) returns the bytes of the reply with that move.
    * sent(move) is called by the thread that has sent the reply, before the next turn can be read.
    * guarded(move) is called after sent(move) if the watchdog sent the reply.
    * answered says whether a reply was sent. answered_at is the time at which the main thread sent it, or None
      if the main thread has not sent a reply.
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
    """Makes sure that every turn gets exactly one reply in time. A process has one Guard.

    * inbox: the Inbox, to which the watchdog listens while the main thread is away.
    * budget() returns the Budget of the next turn.
    * stand_in() takes the waiting message from the inbox in the main thread's place. It returns the OpenTurn that the
      message asks for, or None if the message asks for no turn. A message that ends the game ends the process.
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
        """Start the watchdog thread.

        Returns False if the system refuses a thread. Then only the engine's own clock keeps the bot in time.
        """
        try:
            _thread.start_new_thread(self._watch, ())
        except RuntimeError:
            return False
        return True

    def leave(self) -> None:
        """The main thread calls this before it does something that may take long while no turn is open."""
        with self._lock:
            self._away = True
        self._signal()

    def come_back(self) -> None:
        """The main thread calls this before it reads again.

        If the watchdog is running `stand_in`, waits until that is done.
        """
        with self._lock:
            self._away = False
            self._turn = None

    def open(self, turn: OpenTurn) -> None:
        """The main thread calls this when a turn has begun.

        If no reply is sent before, the watchdog replies at the hard deadline.
        """
        with self._lock:
            self._turn = turn
            self._away = True
        self._signal()

    def reply(self, turn: OpenTurn, move: int) -> bool:
        """Send the main thread's reply unless the turn already has one. Returns whether this call sent it.

        Raises OSError if stdout is closed.
        """
        with self._lock:
            if turn.answered:
                return False
            self._answer(turn, move)
            turn.answered_at = self._clock()
            return True

    def _answer(self, turn: OpenTurn, move: int) -> None:
        """Send the one reply to a turn. The caller holds the lock."""
        turn.answered = True
        self.send(turn.encode(move))
        turn.sent(move)

    def _answer_safely(self, turn: OpenTurn) -> None:
        """Send the turn's safe move from the watchdog thread and report it. The caller holds the lock.

        The lock keeps the main thread, and with it the process, from ending before `guarded` has returned.
        """
        move = turn.safe_move()
        self._answer(turn, move)
        turn.guarded(move)

    def send(self, payload: bytes) -> None:
        """Write all bytes of `payload` to stdout."""
        while payload:
            try:
                payload = payload[os.write(self._descriptor, payload) :]
            except BlockingIOError:  # stdout is set so that writing does not wait, and nobody has read it yet
                select.select([], [self._descriptor], [])

    def _signal(self) -> None:
        try:
            self._wake.release()
        except RuntimeError:
            pass  # the watchdog has not yet noticed the last signal, and one is enough

    def _watch(self) -> None:
        while True:
            try:
                self._wake.acquire(True, self._act())
            except OSError:
                os._exit(0)  # nobody reads stdout any more: the game is over

    def _act(self) -> float:
        """Send the emergency reply or listen, whichever is due.

        Returns the seconds to sleep, or -1 to sleep until signalled.
        """
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
        """Watch stdin in the main thread's place. Returns the seconds to sleep.

        The main thread is away and owes no reply.
        """
        arrived = self._inbox.arrival()
        if arrived is None:
            if self._inbox.has_bytes(_LISTEN_S):
                with self._lock:
                    # Checked again under the lock: the main thread may have come back, read those bytes and gone to
                    # work on their turn.
                    if self._is_listening() and self._inbox.has_bytes(0):
                        if self._inbox.has_ended():
                            if self._is_reporting():
                                return _RETRY_S
                            os._exit(0)  # the input ended between messages, and the main thread may never come back
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
        """Returns whether the main thread has just answered a turn and will come back by itself."""
        answered_at = None if self._turn is None else self._turn.answered_at
        return answered_at is not None and self._clock() - answered_at < _LAST_WORDS_S

    def _is_listening(self) -> bool:
        """Returns whether the main thread is away and owes no reply.

        The answer cannot change while the lock is held.
        """
        return self._away and (self._turn is None or self._turn.answered)
