"""The games that a command means to play, in a fixed order, and playing them several at a time."""

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass

from judge import boards
from judge.referee import Interrupted, play_game
from judge.scoresheet import GamePlan


@dataclass(frozen=True)
class ScheduledGame:
    """One game to come: `contestants` are A and B; `plan.index` is its number in the schedule, from 0."""

    contestants: tuple
    plan: GamePlan


def conditions(options):
    """The fields of GamePlan that arguments.add_game_options lets the command line set."""
    return {
        "limit_s": options.limit,
        "free_start": options.free_start,
        "memory_limit_bytes": options.memory_limit,
        "undrained_stderr": options.undrained_stderr,
    }


def paired_games(contestants, games, seed, conditions):
    """The first `games` games of a match: two on each board, A first and then B; the last may lack one."""
    return [
        ScheduledGame(
            contestants,
            GamePlan(
                board=boards.draw_board(seed, index // 2),
                seed=seed,
                first="AB"[index % 2],
                pair=index // 2,
                index=index,
                **conditions,
            ),
        )
        for index in range(games)
    ]


def play_all(games, jobs, stop, on_record):
    """Play the ScheduledGames, `jobs` at a time, started in the order given.

    on_record(record) is called in this thread after every game, in the order in which they end. Once
    `stop` (a threading.Event) is set, by on_record too, the games still running are discarded.
    """
    waiting = iter(games)
    running = set()
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
                for game in ended:
                    try:
                        record = game.result()
                    except Interrupted:
                        continue
                    on_record(record)
        finally:
            stop.set()  # a failure here must not leave the other games running to their end
