"""Hints from the opponent and evaluations of each move by our bot, which a user asks for while playing."""

import contextlib
import functools
import itertools
import threading
import time
from collections.abc import Callable
from typing import Any

from judge.analysis import Analysis, AnalysisError, Analyst, input_after_moves
from judge.games.game import AnalysisArguments
from judge.language import _, marked, shown
from judge.play.human_game import HUMAN, HumanGame, Opponent
from judge.play.referee import Interrupted
from judge.play.seat import Forfeit
from judge.players.own_bot import EngineMissing, prepare_own
from judge.players.players import Contestant
from judge.processes.start import JudgeFailure
from judge.web.answers import CONFLICT, Refused, refusal
from judge.web.priority import lower
from judge.web.table_state import State, ThreadResult
from judge.web.texts import Texts, in_each

MOST = 4  # at most so many analyses run at a time
JOIN_S = 5.0  # how long to wait for all analyses when the server ends
POLL_S = 0.1  # the interval of checks whether an analysis must stop
FAILED = marked("our bot cannot analyse this: {reason}")

OnAnalysis = Callable[[Analysis | None, Texts | None], None]  # takes (the analysis, None) or (None, the error)

OnHint = Callable[[list[str], Texts | None], None]  # takes (the moves, None) or ([], the error)
EVALUATION_S = 30.0  # the time that our bot gets for a position


@functools.cache
def _prepare(game: str) -> None:
    """Compile our bot's engine for `game`, once per game. A failure is ignored because the bot reports it itself."""
    with contextlib.suppress(EngineMissing):
        prepare_own(game)


class AnalysisSlots:
    """Limits the number of analyses at a time to `number`, and knows which analyses run. Thread-safe."""

    def __init__(self, number: int = MOST) -> None:
        self._number = number
        self._free = threading.Semaphore(number)
        self._guard = threading.Lock()
        self._running: set[AnalysisThread] = set()

    def take(self) -> None:
        """Take a slot. Raises Refused if none is free."""
        if not self._free.acquire(blocking=False):
            raise self.refusal()

    def give_back(self) -> None:
        """Free a slot."""
        self._free.release()

    def refusal(self) -> Refused:
        """Return the error that says that no slot is free."""
        return refusal(
            CONFLICT,
            marked("{number} positions are analysed already, no more at a time: try again later"),
            number=self._number,
        )

    def note(self, thread: "AnalysisThread", is_running: bool) -> None:
        """Note that the analysis in `thread` begins (if `is_running` is True) or has ended."""
        with self._guard:
            (self._running.add if is_running else self._running.discard)(thread)

    def close(self) -> None:
        """Stop all analyses and wait at most JOIN_S seconds until they have ended.

        An analysis that waits for the compiler may not end within that time.
        """
        with self._guard:
            running = list(self._running)
        for thread in running:
            thread.stop()
        give_up = time.monotonic() + JOIN_S
        for thread in running:
            thread.join(max(0.0, give_up - time.monotonic()))


class AnalysisThread:
    """One analysis in a thread of its own. It begins with start() and ends by itself or after stop().

    The thread calls on_result(analysis, None) with each result. If the analysis fails, it calls on_result(None, error).
    `position` is the result of analysis.input_after_moves() or analysis.input_of_cells(). `seconds` is the time of the
    search. If `has_slot` is True, the caller has taken a slot for the analysis, and the thread frees the slot at its
    end.
    """

    def __init__(
        self,
        slots: AnalysisSlots,
        game: str,
        position: AnalysisArguments,
        seconds: float,
        on_result: OnAnalysis,
        has_slot: bool = False,
    ) -> None:
        self._slots, self._has_slot = slots, has_slot
        self._game, self._position, self._seconds, self._on_result = game, position, seconds, on_result
        self._is_unwanted = threading.Event()
        self._thread = threading.Thread(target=self._run, name="analysis", daemon=True)

    def start(self) -> None:
        """Start the analysis in its thread."""
        self._slots.note(self, is_running=True)
        self._thread.start()

    def stop(self) -> None:
        """Ask the analysis to end soon. on_result() is not called any more."""
        self._is_unwanted.set()

    @property
    def has_ended(self) -> bool:
        """Whether the thread has ended. Precondition: start() was called."""
        return not self._thread.is_alive()

    def join(self, timeout_s: float | None = None) -> None:
        """Wait until the thread has ended, but at most `timeout_s` seconds. None means that there is no limit.

        Precondition: start() was called.
        """
        self._thread.join(timeout_s)

    def _run(self) -> None:
        lower()  # the processes that this thread starts inherit the priority
        try:
            _prepare(self._game)
            with Analyst(self._game, *self._position, self._seconds) as analyst:
                while not analyst.has_ended and not self._is_unwanted.is_set():
                    found = analyst.next_line(POLL_S)
                    if found is not None and not self._is_unwanted.is_set():
                        self._on_result(found, None)
        except (AnalysisError, OSError) as error:
            reason = str(error)
            if not self._is_unwanted.is_set():
                self._on_result(None, in_each(lambda: _(FAILED).format(reason=reason)))
        finally:
            if self._has_slot:
                self._slots.give_back()
            self._slots.note(self, is_running=False)


class HintThread:
    """One request for a hint, in a thread of its own. It begins with start() and ends by itself or after stop().

    The thread starts a new process of the player and asks for a move in the human's place. It then calls
    on_result(moves, None), or on_result([], error) if that fails. After stop() it does not call on_result().
    """

    def __init__(self, contestant: Contestant, game: HumanGame, on_result: OnHint) -> None:
        self._stop = threading.Event()
        self._opponent = Opponent(contestant, self._stop, plays=HUMAN)
        self._game = HumanGame(game.plan, [move.move for move in game.moves])
        self._on_result = on_result
        self._thread = threading.Thread(target=self._run, name="hint", daemon=True)

    def start(self) -> None:
        """Start the thread, which asks the player for a move."""
        self._thread.start()

    def stop(self) -> None:
        """Cancel the request. on_result() is not called any more."""
        self._stop.set()

    @property
    def has_ended(self) -> bool:
        """Whether the thread has ended. Precondition: start() was called."""
        return not self._thread.is_alive()

    def join(self) -> None:
        """Wait until the thread has ended. Precondition: start() was called."""
        self._thread.join()

    def _run(self) -> None:
        moves: list[str] = []
        trouble: Texts | None = None
        try:
            self._opponent.start(self._game)
            moves = [str(move.move) for move in self._opponent.ask(self._game)]
        except Interrupted:
            return
        except (Forfeit, JudgeFailure, OSError) as error:
            reason = str(error)
            trouble = in_each(lambda: _("there is no hint: {reason}").format(reason=shown(reason)))
        finally:
            self._opponent.end()
        if not self._stop.is_set():
            self._on_result(moves, trouble)


class TableHints:
    """The hints and evaluations of one table.

    The threads that make them call put() with each result. The table passes the result on to take(). While evaluations
    are switched on, the table holds one of the server's slots for analyses.
    """

    def __init__(self, slots: AnalysisSlots, put: Callable[[ThreadResult], object]) -> None:
        self._slots, self._put = slots, put
        self._tickets = itertools.count(1)
        self._hint: tuple[int, HintThread] | None = None
        self._evaluation: tuple[int, AnalysisThread] | None = None
        self._ended: list[HintThread | AnalysisThread] = []  # threads that were stopped or are done, not yet joined
        self._is_on = False

    @property
    def is_on(self) -> bool:
        """Whether positions are evaluated."""
        return self._is_on

    def hint(self, contestant: Contestant, game: HumanGame, state: State) -> None:
        """Ask `contestant` for a hint. Does nothing while a hint that was asked for has not come yet."""
        if self._hint is not None and state.hint is not None and state.hint["thinking"]:
            return
        ticket = next(self._tickets)

        def on_result(moves: list[str], trouble: Texts | None) -> None:
            self._put(ThreadResult(ticket, moves=moves, trouble=trouble))

        hint = HintThread(contestant, game, on_result)
        self._hint = ticket, hint
        state.hint = {"moves": [], "thinking": True}
        hint.start()

    def switch(self, is_on: bool, game: HumanGame, state: State) -> None:
        """Switch evaluations on or off. Raises Refused if no slot is free."""
        if is_on and not self._is_on:
            self._slots.take()
            self._is_on = True
            if game.side_to_move == HUMAN and not state.is_preparing:
                self.evaluate(game, state)
        elif not is_on:
            self._end_evaluation(state)

    def evaluate(self, game: HumanGame, state: State) -> None:
        """Start to evaluate the game's position if evaluations are switched on."""
        if not self._is_on:
            return
        ticket = next(self._tickets)

        def on_result(analysis: Analysis | None, trouble: Texts | None) -> None:
            self._put(ThreadResult(ticket, analysis=analysis, trouble=trouble))

        moves = [move.move for move in game.moves]
        words = input_after_moves(game.plan.game, game.plan.board.as_json(), moves)
        thread = AnalysisThread(self._slots, game.plan.game, words, EVALUATION_S, on_result)
        self._evaluation = ticket, thread
        state.evaluation = {"ply": len(moves), "thinking": True}
        thread.start()

    def take(self, news: ThreadResult, state: State) -> bool:
        """Put a thread's result into `state` and return True.

        Returns False, and does nothing, if the result belongs to an earlier position.
        """
        if self._hint is not None and news.ticket == self._hint[0]:
            state.hint = {"moves": news.moves or [], "thinking": False, **_error_of(news)}
            self._ended.append(self._hint[1])
            self._hint = None
            return True
        if self._evaluation is not None and news.ticket == self._evaluation[0] and state.evaluation is not None:
            is_thinking = news.analysis is not None and not news.analysis.final
            found = {} if news.analysis is None else news.analysis.as_json()
            state.evaluation = {"ply": state.evaluation["ply"], "thinking": is_thinking, **found, **_error_of(news)}
            return True
        return False

    def drop(self, state: State) -> None:
        """Stop the hint and the evaluation and remove them from `state`. Call this when the position has changed."""
        for asked in (self._hint, self._evaluation):
            if asked is not None:
                asked[1].stop()
                self._ended.append(asked[1])
        self._hint = self._evaluation = state.hint = state.evaluation = None
        self._ended = [each for each in self._ended if not each.has_ended]

    def _end_evaluation(self, state: State) -> None:
        if self._evaluation is not None:
            self._evaluation[1].stop()
            self._ended.append(self._evaluation[1])
        self._evaluation = state.evaluation = None
        if self._is_on:
            self._is_on = False
            self._slots.give_back()

    def end(self, state: State) -> None:
        """Stop the hint, switch evaluations off and remove both from `state`."""
        self.drop(state)
        self._end_evaluation(state)

    def close(self) -> None:
        """Wait until all threads have ended. Precondition: end() was called."""
        for each in self._ended:
            each.join()


def _error_of(news: ThreadResult) -> dict[str, Any]:
    return {} if news.trouble is None else {"error": news.trouble}
