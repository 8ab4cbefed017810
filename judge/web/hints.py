"""Analyses of positions by our bot, and hints of a table's player, as pages ask for them."""

import contextlib
import functools
import threading
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import anyio
from anyio import CapacityLimiter
from anyio.lowlevel import checkpoint_if_cancelled
from anyio.to_thread import run_sync

from judge.analysis import Analysis, AnalysisError, Analyst
from judge.games.game import AnalysisArguments
from judge.games.positions import AnyMove
from judge.language import _, marked, shown
from judge.play.human_game import HUMAN, HumanGame, Opponent
from judge.play.referee import Interrupted
from judge.play.scoresheet import GamePlan
from judge.play.seat import Forfeit
from judge.players.own_bot import EngineMissing, prepare_own
from judge.players.players import Contestant
from judge.processes.start import JudgeFailure
from judge.web.answers import CONFLICT, NOT_ALLOWED, Refused, refusal
from judge.web.texts import in_each

MOST = 4  # at most so many analyses run at a time
POLL_S = 0.1  # after so many seconds an analysis that nobody wants any more ends
FAILED = marked("our bot cannot analyse this position: {reason}")
NO_HINT = marked("your opponent cannot give a hint: {reason}")
THREADS = CapacityLimiter(100)  # of tables and analyses; 20 games with 20 hints and 4 analyses need less
FAILURES = (Forfeit, JudgeFailure, OSError)  # a player's, the judge's or the machine's, while a player is used


def take_slot(slots: CapacityLimiter, owner: object) -> None:
    """Take one of the slots for analyses. Raises Refused if no slot is free.

    The slot belongs to `owner` until release_slot() is called with the same `owner`.
    """
    try:
        slots.acquire_on_behalf_of_nowait(owner)
    except anyio.WouldBlock:
        message = marked("{number} positions are already being analysed, which is the most at a time: try again later")
        raise refusal(CONFLICT, message, number=int(slots.total_tokens)) from None


def release_slot(slots: CapacityLimiter, owner: object) -> None:
    """Give the owner's slot back, if it has one."""
    with contextlib.suppress(RuntimeError):
        slots.release_on_behalf_of(owner)


@functools.cache
def _compile_engine(game: str) -> None:
    """Compile our bot's engine for `game`, once per game. A failure is ignored because the bot reports it itself."""
    with contextlib.suppress(EngineMissing):
        prepare_own(game)


async def analyses(game: str, position: AnalysisArguments, seconds: float) -> AsyncGenerator[Analysis, None]:
    """Yield the analyses of a position as the search deepens. Raises Refused if our bot cannot analyse the position.

    `position` is the result of analysis.input_after_moves() or analysis.input_of_cells(). `seconds` is the time of the
    search. To end the search earlier, cancel an anyio.CancelScope around the loop over the analyses.
    """
    await run_sync(_compile_engine, game, limiter=THREADS, abandon_on_cancel=True)
    analyst = Analyst(game, *position, seconds)
    try:
        await run_sync(analyst.start, limiter=THREADS)
        while not analyst.has_ended:
            analysis = await run_sync(analyst.next_analysis, POLL_S, limiter=THREADS)
            await checkpoint_if_cancelled()  # else the last analysis could come after the position has changed
            if analysis is not None:
                yield analysis
    except (AnalysisError, OSError) as error:
        reason = str(error)
        raise Refused(NOT_ALLOWED, in_each(lambda: _(FAILED).format(reason=reason))) from None
    finally:
        with anyio.CancelScope(shield=True):
            await run_sync(analyst.stop, limiter=THREADS)


def hint(contestant: Contestant, plan: GamePlan, moves: Sequence[AnyMove], stop: threading.Event) -> dict[str, Any]:
    """Ask a new process of the player for the moves that it would make in the human's place, after `moves`.

    Returns the hint as JSON: its `moves`, and `thinking`, which is False. If the player fails, `moves` is empty, and
    `error` has the reason in each language. Returns {} if `stop` was set meanwhile.
    """
    game = HumanGame(plan, moves)
    adviser = Opponent(contestant, stop, plays=HUMAN)
    try:
        adviser.start(game)
        return {"moves": [str(move.move) for move in adviser.ask(game)], "thinking": False}
    except Interrupted:
        return {}
    except FAILURES as error:
        reason = str(error)
        error_texts = in_each(lambda: _(NO_HINT).format(reason=shown(reason)))
        return {"moves": [], "thinking": False, "error": error_texts}
    finally:
        adviser.end()
