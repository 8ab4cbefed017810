"""An engine at one side of a recorded game: a process on the game's wire that is asked wherever that side was to move.

It is told the position as its wire has it, whatever it has answered before: connect four and reversi send the whole
board, and in dots and boxes the board is named anew where the engine has not drawn what was drawn. Its reply is not
played; what the position is worth stands in the report that it writes to stderr. A process is asked its first question
twice, and the second answer counts: with the first it may still be starting.
"""

import contextlib
import copy
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from judge.games import GAMES
from judge.games.positions import AnyMove, Position
from judge.language import _, shown
from judge.play.driver import Conditions, Driver
from judge.play.referee import Interrupted
from judge.play.sandbox import Sandbox
from judge.play.scoresheet import in_order
from judge.play.screen import stated_count, stated_value
from judge.play.seat import Forfeit
from judge.players.players import Contestant
from judge.processes.process import pump_until_idle
from judge.review.marks import Kept, ReviewedGame, positions
from judge.terminal import printable, sentence
from protocol.records.review import RESULTS, Answer, Reviewer

SEED = 0  # of every process: a review is the same for whoever makes it again, as far as its engine is
MOST_ATTEMPTS = 2  # at an answer with a value: processes
REPORT_PATIENCE_S = 20.0  # with one that computes on after its reply: no clock runs meanwhile
MOST_MOVES = 24  # of a line of expected moves
LONGEST_MOVE = 400  # characters; a turn of dots and boxes may hold over a hundred edges
VALUE_DIGITS, TIME_DIGITS = 4, 4


class EngineError(Exception):
    """The engine has failed. str() says where, and how."""


class SaysNothing(EngineError):
    """The engine states no values."""


@dataclass(frozen=True)
class Terms:
    """Who is asked, by game, and how: with the seconds that {limit} in its command stands for.

    Who has not replied after patience_s, or holds more memory, fails. What sets `stop` ends all asking.
    """

    contestants: Mapping[str, Contestant]
    limit_s: float
    patience_s: float
    memory_limit_bytes: int | None
    sandbox: Sandbox
    stop: threading.Event

    def driver(self, game: ReviewedGame) -> Driver:
        """A process for one side of a game, not yet started."""
        name = game.record.game
        conditions = Conditions(self.patience_s, self.memory_limit_bytes, SEED, self.stop, name, sandbox=self.sandbox)
        board = GAMES[name].read_board(game.record.board)
        return Driver(self.contestants[name], conditions, board, told=(self.limit_s, SEED))


@dataclass(frozen=True)
class Task:
    """What one process is asked: the positions before these plies, in order, in all of which a side is to move."""

    game: ReviewedGame
    side: str
    plies: tuple[int, ...]


Ask = Callable[[Terms, Task, Callable[[int, Answer | None], object]], None]  # as ask_side


def ask_side(terms: Terms, task: Task, tell: Callable[[int, Answer | None], object]) -> None:
    """Ask a process all of the task; tell(ply, answer) is called for each, with None where no value was to be had.

    Raises EngineError, Interrupted where `stop` is set, JudgeFailure where the machine fails.
    """
    wanted = frozenset(task.plies)
    ply, driver = task.plies[0], None
    try:
        with contextlib.ExitStack() as process:
            for ply, position in enumerate(positions(task.game.record), start=1):
                answer = None
                for _attempt in range(MOST_ATTEMPTS if ply in wanted else 0):
                    if driver is None:
                        driver = process.enter_context(_started(terms, task))
                        _wake(driver, task, position)
                    answer = _answer(driver, position)
                    if answer is not None:
                        break
                    process.close()  # its guard has answered, or it has written all that it may: another one may do
                    driver = None
                if ply in wanted:
                    tell(ply, answer)
                if ply == task.plies[-1]:
                    break
    except Forfeit as forfeit:
        raise EngineError(_failure(task, ply, forfeit, driver)) from forfeit


@contextlib.contextmanager
def _started(terms: Terms, task: Task) -> Iterator[Driver]:
    with terms.driver(task.game) as driver:
        driver.send(driver.opening(in_order(task.game.record.first).index(task.side)))
        yield driver


def _wake(driver: Driver, task: Task, position: Position) -> None:
    """Have a process that has just been started answer once. Raises SaysNothing where it states no value."""
    _asked(driver, position)
    if _report(driver) is None:
        message = _(
            "{engine} says nothing of its positions: expected a line of JSON such as {example} on stderr with each move"
        )
        name = printable(driver.seat.contestant.name)
        raise SaysNothing(message.format(engine=name, example='{"value": 0.31}'))


def _answer(driver: Driver, position: Position) -> Answer | None:
    moves = _asked(driver, position)
    elapsed_s = driver.costs.walls_s[-1]
    return answer_of(_report(driver), str(moves[0]), elapsed_s)


def _asked(driver: Driver, position: Position) -> list[AnyMove]:
    """The moves that the engine would make; they are made on a copy of the position."""
    driver.expect_silence(0.0)
    driver.process.stderr_log.begin_turn()
    driver.position = copy.deepcopy(position)
    return driver.ask()


def _report(driver: Driver) -> dict[str, Any] | None:
    """What it says of the move that it has just made, be it behind its reply; None once it has nothing more to say."""
    log = driver.process.stderr_log
    pump_until_idle(driver.process, lambda: log.report() is not None, REPORT_PATIENCE_S)
    return log.report()


def answer_of(report: dict[str, Any] | None, best: str, elapsed_s: float) -> Answer | None:
    """The Answer that a bot's report and its reply make; None where it states no value, as a bot's guard does.

    A value beyond -1 or 1 counts as that; what is missing of the rest, or of the wrong kind, is left out.
    """
    value = stated_value(report)
    if report is None or value is None:
        return None
    proven, pv = report.get("proven"), report.get("pv")
    return Answer(
        value=round(min(1.0, max(-1.0, value)), VALUE_DIGITS),
        proven=proven if proven in RESULTS else None,
        best=best,
        pv=_line(pv),
        depth=stated_count(report.get("depth")),
        iterations=stated_count(report.get("iterations")),
        elapsed_s=round(elapsed_s, TIME_DIGITS),
    )


def _line(pv: Any) -> tuple[str, ...]:
    moves = pv[:MOST_MOVES] if isinstance(pv, list) else []
    return tuple(str(move)[:LONGEST_MOVE] for move in moves) if all(type(move) in (int, str) for move in moves) else ()


def _failure(task: Task, ply: int, forfeit: Forfeit, driver: Driver | None) -> str:
    """What the engine did wrong, and the last that it said."""
    form = _("the engine failed in {game}, asked for ply {ply}: {reason}")
    told = form.format(game=task.game.in_words(), ply=ply, reason=sentence(shown(str(forfeit))))
    text = "" if driver is None else driver.process.stderr_log.text()
    words = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("{")]
    return _("{reason}: {words}").format(reason=told, words=sentence(words[-1])) if words else told


@dataclass(frozen=True)
class Asked:
    """A question that has been asked, and its answer; None where none was to be had."""

    task: Task
    ply: int
    answer: Answer | None


def left_to_ask(games: Iterable[ReviewedGame], engine: Reviewer, kept: Kept) -> list[Task]:
    """What has no answer of this engine yet, a Task for each side of each game; the same game is asked about once."""
    tasks, seen = [], set[str]()
    for game in games:
        if game.key in seen:
            continue
        seen.add(game.key)
        known = kept.answers(engine, game.key)
        for side in "AB":
            plies = [ply for ply, mover in enumerate(game.movers, start=1) if mover == side and ply not in known]
            if plies:
                tasks.append(Task(game, side, tuple(plies)))
    return tasks


def ask_all(
    terms: Terms, tasks: Sequence[Task], jobs: int, on_answer: Callable[[Asked], object], ask: Ask = ask_side
) -> None:
    """Ask all tasks, `jobs` at a time, begun in their order. on_answer() is called in this thread.

    Once terms.stop is set, by on_answer too, nothing more is asked. What one of them raises ends all, and is raised
    when they have ended; what was answered until then has been passed on.
    """
    news: SimpleQueue[Asked | BaseException | None] = SimpleQueue()

    def work(task: Task) -> None:
        end: BaseException | None = None
        try:
            if not terms.stop.is_set():
                ask(terms, task, lambda ply, answer: news.put(Asked(task, ply, answer)))
        except Interrupted:
            pass
        except BaseException as error:  # for the thread that waits
            end = error
            terms.stop.set()
        news.put(end)

    failure: BaseException | None = None
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for task in tasks:
                pool.submit(work, task)
            running = len(tasks)
            while running:
                latest = news.get()
                if isinstance(latest, Asked):
                    on_answer(latest)
                    continue
                running -= 1
                failure = failure or latest
        finally:
            terms.stop.set()  # a failure here must not leave the others asking to their end
    if failure is not None:
        raise failure
