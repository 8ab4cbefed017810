"""The watchdog: exactly one reply leaves for every turn, in time, whatever the engine is doing.

Standard library only, Python 3.8 syntax; `_thread` alone, because importing threading costs start-up time.

The main thread reads, searches and replies. A second thread sleeps and acts only when the first is late:

* an open turn reaches its hard deadline: it sends the turn's emergency reply; the main thread's own reply, if it
  still comes, is refused;
* the main thread is away (loading the engine, or stuck in a search whose turn is already answered) when bytes
  arrive: it notes their time, and if the main thread is not back by that turn's hard deadline it reads the
  message and answers it.
"""

from __future__ import annotations

import _thread
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..interfaces import Position
    from .clock import Budget, Deadline
    from .inbox import Inbox
    from .log import Log

STDOUT = 1
# How often the thread looks around while it listens for the main thread; it sleeps otherwise.
_LISTEN_S = 0.05
_RETRY_S = 0.01
# For the main thread to report its last turn after the input has ended; it takes that long where nobody reads stderr.
_LAST_WORDS_S = 2.0


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
