"""The schedule of a command: its games in a fixed order, and functions that play several of them at a time.

A game that the machine or the judge spoilt (VOID) is played again at once, with the same board, sides and seeds. A
series of attempts at one game has at most MOST_ATTEMPTS. A resumed run continues an unfinished series; after a finished
one it begins another series only if it plays its VOID games again. The record of an attempt has the attempt's number,
which counts from 1 over all series of the game.
"""

import bisect
import collections
import dataclasses
import threading
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from queue import SimpleQueue

from judge.games.boards import Board
from judge.language import _, shown
from judge.play.referee import Interrupted, play_game
from judge.play.scoresheet import GamePlan
from judge.players.players import Contestant
from judge.reasons import reason_of
from judge.runs.config import RunConfig
from judge.terminal import printable, sentence
from protocol.records.record import GameRecord, Termination

AGAIN = 3  # how often, at most, a VOID game is played again
MOST_ATTEMPTS = 1 + AGAIN
KEY = "attempt"  # the key in GameRecord.extra for the number of the attempt
LONGEST = 3  # failures of one player in a row that stop it
FAILURES = (Termination.STARTUP_FAILURE, Termination.CRASH)
PlayGame = Callable[[Sequence[Contestant], GamePlan, None, threading.Event], GameRecord]  # as play_game


def attempts_made(record: GameRecord | None) -> int:
    """Return the number of attempts made at a game, given its latest record; 0 for None or a record without it."""
    number = None if record is None else record.extra.get(KEY)
    return number if type(number) is int and number > 0 else 0


def attempts_left(made: int) -> int:
    """Return how many attempts at a game are left in its series, after `made` attempts in all.

    After a finished series these are all attempts of the next one.
    """
    return MOST_ATTEMPTS - made % MOST_ATTEMPTS


def is_settled(record: GameRecord) -> bool:
    """Return whether the game has a result, or no attempts are left in its series."""
    return record.termination is not Termination.VOID or attempts_made(record) % MOST_ATTEMPTS == 0


def numbered(record: GameRecord, attempt: int) -> GameRecord:
    """Return a copy of the record that has the number of its attempt."""
    return dataclasses.replace(record, extra={**record.extra, KEY: attempt})


class FailureStreaks:
    """Counts the start-up failures and crashes of each player in consecutive games.

    player_of(record, side) returns a key that identifies the player.
    """

    def __init__(self, player_of: Callable[[GameRecord, str], Hashable] = lambda record, side: side) -> None:
        self._player_of = player_of
        self._lengths: collections.Counter[Hashable] = collections.Counter()

    def add(self, record: GameRecord) -> str | None:
        """Count a game that has ended. Returns the side, "A" or "B", that failed in LONGEST games in a row, or None."""
        if record.termination is Termination.VOID:
            return None
        for side in "AB":
            player = self._player_of(record, side)
            failed = record.at_fault == side and record.termination in FAILURES
            self._lengths[player] = self._lengths[player] + 1 if failed else 0
            if self._lengths[player] >= LONGEST:
                return side
        return None


def in_words(record: GameRecord, side: str) -> str:
    """Return the message that the player who was `side` has failed in several games in a row.

    `record` is the last of these games; the message has its reason.
    """
    name, reason = record.players["AB".index(side)].name, sentence(shown(reason_of(record)))
    streak = _("{side} ({name}) failed in {number} games in a row: {reason}")
    return printable(streak.format(side=side, name=name, number=LONGEST, reason=reason))


@dataclass(frozen=True)
class ScheduledGame:
    """A game to play. `contestants` are A and B; `plan.index` is the game's number in the schedule, from 0.

    `attempts` is the number of attempts made in earlier runs; all of them were VOID.
    """

    contestants: Sequence[Contestant]
    plan: GamePlan
    attempts: int = 0


class Schedule(Sequence[ScheduledGame]):
    """A sequence of `games` games, each made only when it is asked for, so that games never reached cost nothing.

    game_at(index) returns the ScheduledGame with this number. It must return the same game every time.
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
    """Return the Schedule of the games whose numbers are not in `left_out`, in order, without making any of them.

    `attempts` is {number of a game: number of earlier attempts at it}. Precondition: `left_out` are different numbers
    of games.
    """
    made = attempts or {}
    numbers = sorted(left_out)
    before = [number - place for place, number in enumerate(numbers)]  # for each game left out, how many stay before it

    def game_at(place: int) -> ScheduledGame:
        number = place + bisect.bisect_right(before, place)
        return replace(games[number], attempts=made[number]) if number in made else games[number]

    return Schedule(len(games) - len(numbers), game_at)


def paired_game(
    contestants: Sequence[Contestant], index: int, config: RunConfig, board: Board | None = None
) -> ScheduledGame:
    """Return the ScheduledGame with this number in a run of pairs.

    A pair is two games on one board; A moves first in its first game, B in its second. `board` None stands for the
    board with the pair's number.
    """
    pair, half = divmod(index, 2)
    return ScheduledGame(contestants, config.plan(pair, "AB"[half], index, board))


def paired_games(contestants: Sequence[Contestant], games: int, config: RunConfig) -> Schedule:
    """Return the Schedule of a match of `games` games. If this number is odd, the last pair has only one game."""
    return Schedule(games, lambda index: paired_game(contestants, index, config))


def play_all(
    games: Iterable[ScheduledGame | None],
    jobs: int,
    stop: threading.Event,
    on_record: Callable[[GameRecord], object],
    play: PlayGame = play_game,
) -> None:
    """Play the games, `jobs` at a time, started in the order given. VOID games are played again at once.

    None among `games` means that the next game is known only after a running one has ended; the iterator is then asked
    again. Calls on_record(record) in the caller's thread after every attempt, in the order in which the attempts end.
    Once `stop` is set, which on_record() may do, the running games are discarded.
    """
    waiting, running = iter(games), 0
    news: SimpleQueue[GameRecord | BaseException | None] = SimpleQueue()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                # Queue more games than run, so that no worker waits while a record is written.
                while running < 2 * jobs and not stop.is_set():
                    game = next(waiting, None)
                    if game is None:
                        break
                    pool.submit(play_until_settled, game, play, stop, news.put)
                    running += 1
                if not running:
                    return
                latest = news.get()
                if isinstance(latest, GameRecord):
                    on_record(latest)
                    continue
                running -= 1
                if latest is not None:
                    raise latest
        finally:
            stop.set()  # a failure here must not leave the other games running to their end


def play_until_settled(
    game: ScheduledGame,
    play: PlayGame,
    stop: threading.Event,
    report: Callable[[GameRecord | BaseException | None], None],
) -> None:
    """Play attempts at the game in this thread until it is settled, interrupted or fails.

    Calls report() with the record of each attempt, and at the end with None, or with the exception if one was raised.
    """
    end: BaseException | None = None
    try:
        for number in range(1, 1 + attempts_left(game.attempts)):
            if stop.is_set():
                break
            record = numbered(play(game.contestants, game.plan, None, stop), game.attempts + number)
            report(record)
            if is_settled(record):
                break
    except Interrupted:
        pass
    except BaseException as error:  # the waiting thread raises it
        end = error
    report(end)
