"""The games that a command means to play, in a fixed order, and playing them several at a time."""

import argparse
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from judge.games import DEFAULT_GAME, GAMES
from judge.play.referee import Interrupted, play_game
from judge.play.scoresheet import GamePlan
from judge.play.walls import Sandbox
from judge.players.players import Contestant
from protocol.records.record import GameRecord


@dataclass(frozen=True)
class ScheduledGame:
    """One game to come: `contestants` are A and B; `plan.index` is its number in the schedule, from 0."""

    contestants: Sequence[Contestant]
    plan: GamePlan


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


def conditions(options: argparse.Namespace) -> dict[str, Any]:
    """The fields of GamePlan that game_options.add_game_options lets the command line set, boards apart."""
    return {
        "game": options.game,
        "limit_s": options.limit,
        "free_start": options.free_start,
        "memory_limit_bytes": options.memory_limit,
        "undrained_stderr": options.undrained_stderr,
        "strict_clock": options.strict_clock,
        "sandbox": sandbox_of(options),
    }


def sandbox_of(options: argparse.Namespace) -> Sandbox:
    """What --sandbox asks for; no player may write the file of --record."""
    return Sandbox(options.sandbox, (str(options.record),) if getattr(options, "record", None) else ())


def paired_game(
    contestants: Sequence[Contestant], index: int, seed: int, conditions: dict[str, Any], wishes: dict[str, Any]
) -> ScheduledGame:
    """The ScheduledGame of this number in a run of pairs: two on each board, A first and then B.

    conditions are those of conditions(); wishes are the board's, as game_options.board_wishes() gives them.
    """
    pair, half = divmod(index, 2)
    board = GAMES[conditions.get("game", DEFAULT_GAME)].draw_board(seed, pair, **wishes)
    plan = GamePlan(board=board, seed=seed, first="AB"[half], pair=pair, index=index, **conditions)
    return ScheduledGame(contestants, plan)


def paired_games(
    contestants: Sequence[Contestant], games: int, seed: int, conditions: dict[str, Any], wishes: dict[str, Any]
) -> Schedule:
    """The Schedule of a match's first `games` games; the last pair may lack one."""
    return Schedule(games, lambda index: paired_game(contestants, index, seed, conditions, wishes))


def play_all(
    games: Iterable[ScheduledGame], jobs: int, stop: threading.Event, on_record: Callable[[GameRecord], object]
) -> None:
    """Play the ScheduledGames, `jobs` at a time, started in the order given.

    on_record(record) is called in this thread after every game, in the order in which they end. Once
    `stop` (a threading.Event) is set, by on_record too, the games still running are discarded.
    """
    waiting = iter(games)
    running: set[Future[GameRecord]] = set()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                # Some are queued beyond those that run, so that no worker waits while a record is written.
                while len(running) < 2 * jobs and not stop.is_set():
                    game = next(waiting, None)
                    if game is None:
                        break
                    running.add(pool.submit(play_game, game.contestants, game.plan, None, stop))
                if not running:
                    return
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                for done in ended:
                    try:
                        record = done.result()
                    except Interrupted:
                        continue
                    on_record(record)
        finally:
            stop.set()  # a failure here must not leave the other games running to their end
