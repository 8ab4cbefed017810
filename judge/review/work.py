"""What is left to be asked, and asking it with several processes at a time."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue

from judge.play.referee import Interrupted
from judge.review.asking import Task, Terms, ask_side
from judge.review.games import ReviewedGame
from judge.review.kept import Kept
from protocol.records.review import Answer, Reviewer

Ask = Callable[[Terms, Task, Callable[[int, Answer | None], object]], None]  # as ask_side


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
