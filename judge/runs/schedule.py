"""The games that a command means to play, in a fixed order, and playing them several at a time.

One that the machine or the judge spoilt (VOID) is played again at once: a game has a series of four attempts at most:
itself, and three times again on its board, side and seeds. A series that a stopped judge left is gone on with; one that
is used up is followed by another only where a run is resumed that plays its VOID games again. The record of an attempt
says which it was, from 1 over all series.
"""

import bisect
import collections
import dataclasses
import threading
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from queue import SimpleQueue

from judge.language import _, shown
from judge.play.referee import Interrupted, play_game
from judge.play.scoresheet import GamePlan
from judge.players.players import Contestant
from judge.reasons import reason_of
from judge.runs.config import RunConfig
from judge.terminal import printable, sentence
from protocol.records.record import GameRecord, Termination

AGAIN = 3  # times at most that a VOID game is played again
MOST_ATTEMPTS = 1 + AGAIN
KEY = "attempt"  # of GameRecord.extra
LONGEST = 3  # failures of one player in a row
FAILURES = (Termination.STARTUP_FAILURE, Termination.CRASH)
PlayGame = Callable[[Sequence[Contestant], GamePlan, None, threading.Event], GameRecord]  # as play_game


def attempts_made(record: GameRecord | None) -> int:
    """How many attempts there were by this record, a game's latest; 0 without one, or where it is too old to say."""
    number = None if record is None else record.extra.get(KEY)
    return number if type(number) is int and number > 0 else 0


def attempts_left(made: int) -> int:
    """How many more may be made after so many: those of the series begun, else of a new one."""
    return MOST_ATTEMPTS - made % MOST_ATTEMPTS


def is_settled(record: GameRecord) -> bool:
    """False for a VOID game that is to be played again: its series is not used up."""
    return record.termination is not Termination.VOID or attempts_made(record) % MOST_ATTEMPTS == 0


def numbered(record: GameRecord, attempt: int) -> GameRecord:
    """The record with the number of its attempt."""
    return dataclasses.replace(record, extra={**record.extra, KEY: attempt})


class FailureStreaks:
    """Counts each player's start-up failures and crashes without another ending of its games between them.

    player_of(record, side) tells players apart.
    """

    def __init__(self, player_of: Callable[[GameRecord, str], Hashable] = lambda record, side: side) -> None:
        self._player_of = player_of
        self._lengths: collections.Counter[Hashable] = collections.Counter()

    def add(self, record: GameRecord) -> str | None:
        """Count a game that has ended; returns the side, "A" or "B", whose streak is too long now, or None."""
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
    """That a player fails time and again, and the reason in this game, its last."""
    name, reason = record.players["AB".index(side)].name, sentence(shown(reason_of(record)))
    streak = _("{side} ({name}) failed in {number} games in a row: {reason}")
    return printable(streak.format(side=side, name=name, number=LONGEST, reason=reason))


@dataclass(frozen=True)
class ScheduledGame:
    """One game to come: `contestants` are A and B; `plan.index` is its number in the schedule, from 0.

    `attempts` are those of earlier runs, all VOID.
    """

    contestants: Sequence[Contestant]
    plan: GamePlan
    attempts: int = 0


class Schedule(Sequence[ScheduledGame]):
    """So many games, each made when asked for: what a long run never comes to costs nothing.

    game_at(index) is the ScheduledGame of this number, the same whenever it is asked for.
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
    """The Schedule of those games whose numbers are not among these, in their order; none of them is made or counted.

    attempts: {a game's number: how many of it were made before}. Precondition: the numbers are those of games, and all
    different.
    """
    made = attempts or {}
    numbers = sorted(left_out)
    before = [number - place for place, number in enumerate(numbers)]  # how many games stay before each left out

    def game_at(place: int) -> ScheduledGame:
        number = place + bisect.bisect_right(before, place)
        return replace(games[number], attempts=made[number]) if number in made else games[number]

    return Schedule(len(games) - len(numbers), game_at)


def paired_game(contestants: Sequence[Contestant], index: int, config: RunConfig) -> ScheduledGame:
    """The ScheduledGame of this number in a run of pairs: two on each board, A first and then B."""
    pair, half = divmod(index, 2)
    return ScheduledGame(contestants, config.plan(pair, "AB"[half], index))


def paired_games(contestants: Sequence[Contestant], games: int, config: RunConfig) -> Schedule:
    """The Schedule of a match's first `games` games; the last pair may lack one."""
    return Schedule(games, lambda index: paired_game(contestants, index, config))


def play_all(
    games: Iterable[ScheduledGame | None],
    jobs: int,
    stop: threading.Event,
    on_record: Callable[[GameRecord], object],
    play: PlayGame = play_game,
) -> None:
    """Play the ScheduledGames, `jobs` at a time, started in the order given, VOID ones at once again.

    A None among them says that the next is not known before a game that runs has ended: it is asked for again then.
    on_record(record) is called in this thread after every attempt, in the order in which they end. Once
    `stop` (a threading.Event) is set, by on_record too, the games still running are discarded.
    """
    waiting, running = iter(games), 0
    news: SimpleQueue[GameRecord | BaseException | None] = SimpleQueue()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                # Some are queued beyond those that run, so that no worker waits while a record is written.
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
    tell: Callable[[GameRecord | BaseException | None], None],
) -> None:
    """Make the game's attempts in one worker, before it takes another game.

    tell() is given each record, and at the end None, or the exception that ended it.
    """
    end: BaseException | None = None
    try:
        for number in range(1, 1 + attempts_left(game.attempts)):
            if stop.is_set():
                break
            record = numbered(play(game.contestants, game.plan, None, stop), game.attempts + number)
            tell(record)
            if is_settled(record):
                break
    except Interrupted:
        pass
    except BaseException as error:  # for the thread that waits
        end = error
    tell(end)
