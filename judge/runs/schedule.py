"""The schedule of a run: its games in a fixed order, and functions that play several of them at a time.

A game that the machine or the judge has spoilt is VOID. It is played again at once, with the same board, sides and
seeds. The attempts at a game form series of at most MOST_ATTEMPTS. A resumed run continues a series that is unfinished.
If the series is finished, the run begins a new one only if it plays such VOID games again. The record of an attempt has
the attempt's number, which counts from 1 over all series of the game.
"""

import bisect
import collections
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import Any, TypeVar

from judge.games.boards import Board
from judge.language import _, shown
from judge.play.referee import Interrupted, play_game
from judge.play.scoresheet import GamePlan
from judge.players.players import Contestant
from judge.processes.start import raise_file_limit
from judge.reasons import reason_of
from judge.runs.config import RunConfig
from judge.terminal import printable, sentence
from protocol.records.record import Fault, GameRecord

MOST_ATTEMPTS = 4  # in a series; so a VOID game is played again at most three times
ATTEMPT_KEY = "attempt"  # the key in GameRecord.extra for the number of the attempt
LONGEST_STREAK = 3  # if a player fails in so many games in a row, it plays no more
Task = TypeVar("Task")
Report = TypeVar("Report")
PlayGame = Callable[[Sequence[Contestant], GamePlan, None, threading.Event], GameRecord]  # a function such as play_game


def attempts_made(record: GameRecord | None) -> int:
    """Return how many attempts were made at a game. `record` is the game's latest record, or None if there is none.

    Returns 0 for None and for a record without the number of its attempt.
    """
    return 0 if record is None else record.extra.get(ATTEMPT_KEY, 0)


def attempts_left(attempts: int) -> int:
    """Return how many attempts at a game are left in the current series. `attempts` counts the attempts of all series.

    After a finished series all attempts of the next series are left.
    """
    return MOST_ATTEMPTS - attempts % MOST_ATTEMPTS


def is_settled(record: GameRecord) -> bool:
    """Return whether the game is settled: it has a result, or no attempts are left in its series.

    `record` is the latest record of the game.
    """
    return record.termination.counts or attempts_made(record) % MOST_ATTEMPTS == 0


def with_attempt(record: GameRecord, attempt: int) -> GameRecord:
    """Return a copy of `record` that stores the number `attempt` of the attempt."""
    return record.changed(extra={**record.extra, ATTEMPT_KEY: attempt})


class FailureStreaks:
    """Finds the players that fail, by a start-up failure or a crash, in LONGEST_STREAK games in a row.

    `reasons` maps each of these players to a message that says so. player_of(record, side) returns a key that
    identifies the player who was `side` in a game. With `keep_going` no failure counts.
    """

    def __init__(
        self, player_of: Callable[[GameRecord, str], Any] = lambda record, side: side, keep_going: bool = False
    ) -> None:
        self.reasons: dict[Any, str] = {}
        self._player_of, self._keep_going = player_of, keep_going
        self._lengths: collections.Counter[Any] = collections.Counter()

    def add(self, record: GameRecord) -> dict[Any, str]:
        """Count a game that has ended and return `reasons`. A VOID game changes nothing."""
        if self._keep_going or not record.termination.counts:
            return self.reasons
        for side in "AB":
            player = self._player_of(record, side)
            has_failed = record.at_fault == side and record.termination.fault is Fault.PROGRAM
            self._lengths[player] = self._lengths[player] + 1 if has_failed else 0
            if self._lengths[player] >= LONGEST_STREAK:
                self.reasons.setdefault(player, _streak_in_words(record, side))
        return self.reasons


def _streak_in_words(record: GameRecord, side: str) -> str:
    """Return the message that a player has failed in several games in a row.

    `record` is the last of these games, in which the player was `side`. The message says how that game ended.
    """
    name, reason = record.players["AB".index(side)].name, sentence(shown(reason_of(record)))
    streak = _("player {side} ({name}) failed in {number} games in a row: {reason}")
    return printable(streak.format(side=side, name=name, number=LONGEST_STREAK, reason=reason))


@dataclass(frozen=True)
class ScheduledGame:
    """A game to play. `contestants` are the players A and B. `plan.index` is the game's number in the schedule, from 0.

    `attempts` is the number of attempts that were made at the game in earlier runs. All of them were VOID.
    """

    contestants: Sequence[Contestant]
    plan: GamePlan
    attempts: int = 0


class Schedule(Sequence[ScheduledGame]):
    """A sequence of `games` games. A game is made only when it is accessed, so that games never reached cost nothing.

    game_at(index) makes the ScheduledGame with the number `index`, from 0. It must return the same game every time.
    """

    def __init__(self, games: int, game_at: Callable[[int], ScheduledGame]) -> None:
        self._numbers = range(games)
        self._game_at = game_at

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, index: int) -> ScheduledGame:  # type: ignore[override]  # of a slice there is no need
        return self._game_at(self._numbers[index])


def without(
    games: Sequence[ScheduledGame], left_out: Collection[int], attempts: Mapping[int, int] | None = None
) -> Schedule:
    """Return the Schedule of `games` without those whose numbers are in `left_out`. No game is made by this call.

    `attempts` maps the number of a game to the number of earlier attempts at the game; None stands for {}.
    Precondition: `left_out` are valid numbers of games, and no number occurs twice.
    """
    attempts_so_far = attempts or {}
    numbers = sorted(left_out)
    before = [number - place for place, number in enumerate(numbers)]  # the games that stay before each game left out

    def game_at(place: int) -> ScheduledGame:
        """Return the game at this place, from 0, among the games that stay."""
        number = place + bisect.bisect_right(before, place)
        return replace(games[number], attempts=attempts_so_far[number]) if number in attempts_so_far else games[number]

    return Schedule(len(games) - len(numbers), game_at)


def paired_game(
    contestants: Sequence[Contestant], index: int, config: RunConfig, board: Board | None = None
) -> ScheduledGame:
    """Return the ScheduledGame with the number `index`, from 0, in a run of pairs.

    A pair is two games on one board. A moves first in the first game, and B in the second. The game is played on
    `board`, or, if that is None, on the run's board with the pair's number.
    """
    pair, half = divmod(index, 2)
    return ScheduledGame(contestants, config.plan(pair, "AB"[half], index, board))


def paired_games(contestants: Sequence[Contestant], games: int, config: RunConfig) -> Schedule:
    """Return the Schedule of a match of `games` games. If `games` is odd, the last pair has only one game."""
    return Schedule(games, lambda index: paired_game(contestants, index, config))


def play_all(
    games: Iterable[ScheduledGame | None],
    jobs: int,
    stop: threading.Event,
    on_record: Callable[[GameRecord], object],
    play: PlayGame = play_game,
) -> None:
    """Play the games, `jobs` at a time, and start them in the order of `games`. VOID games are played again at once.

    If `games` yields None, the next game is known only after a running game has ended, and `games` is asked again then.
    After each attempt on_record(record) is called in the caller's thread, in the order in which the attempts end. Once
    `stop` is set, which on_record() may do, the running games are discarded.
    """
    raise_file_limit(jobs)
    run_all(games, jobs, stop, lambda game, report: play_until_settled(game, play, stop, report), on_record)


def run_all(
    tasks: Iterable[Task | None],
    jobs: int,
    stop: threading.Event,
    work: Callable[[Task, Callable[[Report], None]], None],
    on_report: Callable[[Report], object],
) -> None:
    """Call work(task, report) for the tasks, `jobs` at a time, each in a thread, and start them in order.

    work() passes its results to report(), and on_report() is called with each of them in the caller's thread. If
    `tasks` yields None, the next task is known only after a running task has ended, and `tasks` is asked again then.
    Once `stop` is set, which on_report() may do, no task is started. If work() raises an exception other than
    Interrupted, `stop` is set; the exception is raised here after on_report() was called for all results.
    """
    waiting, running = iter(tasks), 0
    events: SimpleQueue[tuple[bool, Any]] = SimpleQueue()  # (has the task ended, result or the exception raised)
    failure: BaseException | None = None

    def run(task: Task) -> None:
        """Work on a task, and put its results and its end, with the exception if there is one, into `events`."""
        end: BaseException | None = None
        try:
            if not stop.is_set():
                work(task, lambda result: events.put((False, result)))
        except Interrupted:
            pass
        except BaseException as error:  # the waiting thread raises it
            end = error
            stop.set()
        events.put((True, end))

    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                # Queue more tasks than can run, so that no thread waits while results are handled.
                while running < 2 * jobs and not stop.is_set():
                    task = next(waiting, None)
                    if task is None:
                        break
                    pool.submit(run, task)
                    running += 1
                if not running:
                    break
                has_ended, latest = events.get()
                if has_ended:
                    running -= 1
                    failure = failure or latest
                else:
                    on_report(latest)
        finally:
            stop.set()  # after a failure here the other tasks must not run to their end
    if failure is not None:
        raise failure


def play_until_settled(
    game: ScheduledGame, play: PlayGame, stop: threading.Event, report: Callable[[GameRecord], object]
) -> None:
    """Play attempts at a game until it is settled or `stop` is set, and call report() with the record of each.

    Raises what play() raises, such as Interrupted.
    """
    for number in range(1, 1 + attempts_left(game.attempts)):
        if stop.is_set():
            break
        record = with_attempt(play(game.contestants, game.plan, None, stop), game.attempts + number)
        report(record)
        if is_settled(record):
            break
