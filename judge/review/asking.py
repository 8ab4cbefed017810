"""Asks an engine about the positions of a recorded game.

The engine has one process for each side, which is asked about each position with that side to move. The process always
gets the recorded position, whatever move it answered before. In connect four and reversi it gets the complete board
each time. In dots and boxes the board is sent anew if the engine's edges differ from the recorded ones. The engine's
reply is not played. The value of the position is in the report that the engine writes to stderr. A process is asked its
first question twice, and only the second answer counts, because the process may still be starting when it is asked
first.
"""

import contextlib
import copy
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judge.games import GAMES
from judge.games.positions import AnyMove, Position
from judge.language import _, shown
from judge.play.driver import Driver
from judge.play.sandbox import Sandbox
from judge.play.scoresheet import Conditions, GamePlan, in_order
from judge.play.screen import stated_count, stated_value
from judge.play.seat import Forfeit
from judge.players.players import Contestant
from judge.processes.process import pump_until_idle
from judge.review.marks import ReviewAnswers, ReviewedGame, positions
from judge.runs.schedule import run_all
from judge.terminal import printable, sentence
from protocol.records.review import RESULTS, Answer, Reviewer

SEED = 0  # the seed of every process, so that a review can be repeated as far as the engine is deterministic
MOST_ATTEMPTS = 2  # the most processes that are asked about a position until one gives a value
MOST_MOVES = 24  # at most so many moves of the line of play that the engine expects are stored
LONGEST_MOVE = 400  # characters; a turn of dots and boxes may have over a hundred edges
VALUE_DIGITS, TIME_DIGITS = 4, 4  # digits behind the point of values and of seconds


class EngineError(Exception):
    """The engine has failed. The error's text says in which game, at which ply and how."""


class StatesNoValue(EngineError):
    """The engine does not state the values of positions."""


@dataclass(frozen=True)
class ReviewConditions:
    """The engine and its limits. `contestants` is {name of a game: the engine as a player of that game}.

    `limit_s` is the time limit per move that the engine is told; it replaces {limit} in the engine's command. The
    engine fails if it has not replied after `patience_s` seconds, or if it uses more memory than `memory_limit_bytes`.
    If `stop` is set, no more questions are asked.
    """

    contestants: Mapping[str, Contestant]
    limit_s: float
    patience_s: float
    memory_limit_bytes: int | None
    sandbox: Sandbox
    stop: threading.Event


@dataclass(frozen=True)
class Task:
    """The questions for one process of the engine.

    The process is asked about the position before each of `plies`, in order. In all of them `side` is to move.
    """

    game: ReviewedGame
    side: str
    plies: tuple[int, ...]


Ask = Callable[[ReviewConditions, Task, Callable[[int, Answer | None], object]], None]  # a function such as ask_side()


def ask_side(conditions: ReviewConditions, task: Task, on_answer: Callable[[int, Answer | None], object]) -> None:
    """Ask the engine all questions of `task`, and call on_answer(ply, answer) after each question.

    The answer is None if the engine gives no value. Raises EngineError if the engine fails, StatesNoValue if it never
    gives values, Interrupted if conditions.stop is set, and JudgeFailure if the machine fails.
    """
    ply, driver = task.plies[0], None
    try:
        with contextlib.ExitStack() as process:
            for ply, position in enumerate(positions(task.game.record), start=1):
                if ply not in task.plies:
                    continue
                for _attempt in range(MOST_ATTEMPTS):
                    if driver is None:
                        driver = process.enter_context(_running_driver(conditions, task))
                        _require_report(driver, position)
                    answer = _ask(driver, position)
                    if answer is not None:
                        break
                    process.close()  # the bot's guard answered, or stderr is full; another process may give a value
                    driver = None
                on_answer(ply, answer)
                if ply == task.plies[-1]:
                    break
    except Forfeit as forfeit:
        raise EngineError(_failure_in_words(task, ply, forfeit, driver)) from forfeit


@contextlib.contextmanager
def _running_driver(conditions: ReviewConditions, task: Task) -> Iterator[Driver]:
    """Inside the `with` block, run a process of the engine that plays the side of `task`. Yields its Driver."""
    record = task.game.record
    play = Conditions(
        conditions.patience_s, memory_limit_bytes=conditions.memory_limit_bytes, sandbox=conditions.sandbox
    )
    plan = GamePlan(GAMES[record.game].read_board(record.board), SEED, play, game=record.game)
    engine = conditions.contestants[record.game]
    with Driver(engine, plan, conditions.stop, limit_and_seed=(conditions.limit_s, SEED)) as driver:
        driver.send(driver.opening(in_order(record.first).index(task.side)))
        yield driver


def _require_report(driver: Driver, position: Position) -> None:
    """Ask a new process about `position` and ignore the answer. After that the process has started completely.

    Raises StatesNoValue if the process writes no report, and Forfeit if it fails.
    """
    _ask_for_move(driver, position)
    if _report(driver) is None:
        message = _(
            "{engine} does not state the values of positions: expected a line of JSON such as "
            "{example} on stderr with each move"
        )
        name = printable(driver.seat.contestant.name)
        raise StatesNoValue(message.format(engine=name, example='{"value": 0.31}'))


def _ask(driver: Driver, position: Position) -> Answer | None:
    """Ask the engine about `position`. Returns None if its report states no value. Raises Forfeit if it fails."""
    moves = _ask_for_move(driver, position)
    return read_answer(_report(driver), str(moves[0]), driver.costs.walls_s[-1])


def _ask_for_move(driver: Driver, position: Position) -> list[AnyMove]:
    """Ask the engine for a move in `position` and return the moves of its reply. Raises Forfeit if the engine fails.

    `position` is not changed.
    """
    driver.expect_silence(0.0)
    driver.process.stderr_log.begin_turn()
    driver.position = copy.deepcopy(position)
    return driver.ask()


def _report(driver: Driver) -> dict[str, Any] | None:
    """Return the engine's report on its latest move, or None if there is none.

    If the report follows the reply, this function waits for it.
    """
    log = driver.process.stderr_log
    # No clock runs while the judge waits for a report that follows the reply.
    pump_until_idle(driver.process, lambda: log.report() is not None, 20.0)
    return log.report()


def read_answer(report: dict[str, Any] | None, best: str, elapsed_s: float) -> Answer | None:
    """Return the Answer that follows from a bot's report and from its reply `best`.

    Returns None if the report states no value, as after a reply of our bot's guard. A value outside -1..1 is replaced
    by -1 or 1. Other fields of the report that are missing or have a wrong type are left out.
    """
    value = stated_value(report)
    if report is None or value is None:
        return None
    proven, pv = report.get("proven"), report.get("pv")
    return Answer(
        value=round(min(1.0, max(-1.0, value)), VALUE_DIGITS),
        proven=proven if proven in RESULTS else None,
        best=best,
        pv=_read_line_of_play(pv),
        depth=stated_count(report.get("depth")),
        iterations=stated_count(report.get("iterations")),
        elapsed_s=round(elapsed_s, TIME_DIGITS),
    )


def _read_line_of_play(pv: Any) -> tuple[str, ...]:
    """Return the first MOST_MOVES moves of a report's line of play as texts, or () if the line is not valid."""
    moves = pv[:MOST_MOVES] if isinstance(pv, list) else []
    return tuple(str(move)[:LONGEST_MOVE] for move in moves) if all(type(move) in (int, str) for move in moves) else ()


def _failure_in_words(task: Task, ply: int, forfeit: Forfeit, driver: Driver | None) -> str:
    """Return the message about a failure of the engine, with the last line of its stderr that is no report."""
    text = "" if driver is None else driver.process.stderr_log.text()
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("{")]
    form = _("the engine failed when it was asked about {game}, ply {ply}: {reason}; it wrote to stderr: {line}")
    if not lines:
        form = _("the engine failed when it was asked about {game}, ply {ply}: {reason}")
    reason, line = sentence(shown(str(forfeit))), sentence(lines[-1] if lines else "")
    return form.format(game=task.game.in_words(), ply=ply, reason=reason, line=line)


@dataclass(frozen=True)
class AskedPosition:
    """A position about which the engine was asked: the one before `ply`.

    `answer` is None if the engine gave no value.
    """

    task: Task
    ply: int
    answer: Answer | None


def open_tasks(games: Iterable[ReviewedGame], engine: Reviewer, answers: ReviewAnswers) -> list[Task]:
    """Return the tasks for all positions of the games to which `engine` has no answer in `answers`.

    There is one Task for each side of a game that has such positions. Only one of several equal games gets tasks.
    """
    tasks = []
    for game in {game.key: game for game in games}.values():
        answered = answers.answers(engine, game.key)
        for side in "AB":
            plies = [ply for ply, mover in enumerate(game.movers, start=1) if mover == side and ply not in answered]
            if plies:
                tasks.append(Task(game, side, tuple(plies)))
    return tasks


def ask_all(
    conditions: ReviewConditions,
    tasks: Sequence[Task],
    jobs: int,
    on_answer: Callable[[AskedPosition], object],
    ask: Ask = ask_side,
) -> None:
    """Run the tasks in order, `jobs` at a time. After each question on_answer() is called in the caller's thread.

    Once conditions.stop is set, which on_answer() may do, nothing more is asked. If a task raises an exception, all
    tasks are stopped. on_answer() is called for the answers that have come, and then the exception is raised. `ask` is
    the function that asks the questions of one task.
    """

    def work(task: Task, report: Callable[[AskedPosition], None]) -> None:
        ask(conditions, task, lambda ply, answer: report(AskedPosition(task, ply, answer)))

    run_all(tasks, jobs, conditions.stop, work, on_answer)
