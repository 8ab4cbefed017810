"""Positions that our bot analyses for pages: each in a process and a thread, so many at a time and no more."""

import contextlib
import functools
import threading
import time
from collections.abc import Callable

from judge.analysis.analysis import Analysis
from judge.analysis.analyst import AnalysisError, Analyst
from judge.games.game import Words
from judge.language import _, marked
from judge.pages.languages import Texts, in_each
from judge.players.own_bot import EngineMissing, prepare_own
from judge.server.priority import lower
from judge.server.refusals import CONFLICT, Refused, refusal

MOST = 4  # at a time
JOIN_S = 5.0  # for all of them, when the server ends
POLL_S = 0.1  # how soon one that nobody wants any more is ended
TOO_MANY = marked("{number} positions are analysed already, no more at a time: try again later")
FAILED = marked("our bot cannot analyse this: {reason}")

Tell = Callable[[Analysis | None, Texts | None], None]  # values, or why there are none


@functools.cache
def _prepare(game: str) -> None:
    """Have our bot's engine compiled, once; where that fails the bot says what it lacks."""
    with contextlib.suppress(EngineMissing):
        prepare_own(game)


class Slots:
    """How many analyses there may be at a time, and those that run."""

    def __init__(self, number: int = MOST) -> None:
        self._number = number
        self._free = threading.Semaphore(number)
        self._guard = threading.Lock()
        self._running: set[Deepening] = set()

    def take(self) -> None:
        """Take one. Raises Refused where none is free."""
        if not self._free.acquire(blocking=False):
            raise self.refusal()

    def give_back(self) -> None:
        """Let others have it."""
        self._free.release()

    def refusal(self) -> Refused:
        """That none is free."""
        return refusal(CONFLICT, TOO_MANY, number=self._number)

    def note(self, deepening: "Deepening", is_running: bool) -> None:
        """An analysis begins, or has ended."""
        with self._guard:
            (self._running.add if is_running else self._running.discard)(deepening)

    def close(self) -> None:
        """End all analyses; returns when nothing of them is left but a compiler that works for one."""
        with self._guard:
            running = list(self._running)
        for deepening in running:
            deepening.stop()
        give_up = time.monotonic() + JOIN_S
        for deepening in running:
            deepening.join(max(0.0, give_up - time.monotonic()))


class Deepening:
    """One analysis, from start() to its end or stop(). tell() is called in its thread, with more and more.

    position: what judge/analysis/words.py gives for it; has_slot: whether it gives back a slot at its end.
    """

    def __init__(
        self, slots: Slots, game: str, position: Words, seconds: float, tell: Tell, has_slot: bool = False
    ) -> None:
        self._slots, self._has_slot = slots, has_slot
        self._game, self._position, self._seconds, self._tell = game, position, seconds, tell
        self._is_unwanted = threading.Event()
        self._thread = threading.Thread(target=self._run, name="analysis", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._slots.note(self, is_running=True)
        self._thread.start()

    def stop(self) -> None:
        """End it soon; nothing more is told."""
        self._is_unwanted.set()

    @property
    def has_ended(self) -> bool:
        """Whether nothing of it is left. Precondition: start() was called."""
        return not self._thread.is_alive()

    def join(self, timeout_s: float | None = None) -> None:
        """Wait until nothing of it is left, but no longer. Precondition: start() was called."""
        self._thread.join(timeout_s)

    def _run(self) -> None:
        lower()  # as whatever it starts
        try:
            _prepare(self._game)
            with Analyst(self._game, *self._position, self._seconds) as analyst:
                while not analyst.has_ended and not self._is_unwanted.is_set():
                    found = analyst.next_line(POLL_S)
                    if found is not None and not self._is_unwanted.is_set():
                        self._tell(found, None)
        except (AnalysisError, OSError) as error:
            reason = str(error)
            if not self._is_unwanted.is_set():
                self._tell(None, in_each(lambda: _(FAILED).format(reason=reason)))
        finally:
            if self._has_slot:
                self._slots.give_back()
            self._slots.note(self, is_running=False)
