"""The games that a command means to play, in a fixed order, and playing them several at a time."""

from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass

from judge.games import DEFAULT_GAME, GAMES
from judge.referee import Interrupted, play_game
from judge.scoresheet import GamePlan


@dataclass(frozen=True)
class ScheduledGame:
    """One game to come: `contestants` are A and B; `plan.index` is its number in the schedule, from 0."""

    contestants: tuple
    plan: GamePlan


class Schedule(Sequence):
    """So many games, each made when asked for: what a long run never comes to costs nothing.

    game_at(index) is the ScheduledGame of this number, the same whenever it is asked for.
    """

    def __init__(self, games, game_at):
        self._numbers = range(games)
        self._game_at = game_at

    def __len__(self):
        return len(self._numbers)

    def __getitem__(self, index):
        return self._game_at(self._numbers[index])


def conditions(options):
    """The fields of GamePlan that arguments.add_game_options lets the command line set, boards apart."""
    return {
        "game": options.game,
        "limit_s": options.limit,
        "free_start": options.free_start,
        "memory_limit_bytes": options.memory_limit,
        "undrained_stderr": options.undrained_stderr,
    }


def paired_game(contestants, index, seed, conditions, wishes):
    """The ScheduledGame of this number in a run of pairs: two on each board, A first and then B.

    conditions are those of conditions(); wishes are the board's, as arguments.board_wishes() gives them.
    """
    pair, half = divmod(index, 2)
    board = GAMES[conditions.get("game", DEFAULT_GAME)].draw_board(seed, pair, **wishes)
    plan = GamePlan(board=board, seed=seed, first="AB"[half], pair=pair, index=index, **conditions)
    return ScheduledGame(contestants, plan)


def paired_games(contestants, games, seed, conditions, wishes):
    """The Schedule of a match's first `games` games; the last pair may lack one."""
    return Schedule(games, lambda index: paired_game(contestants, index, seed, conditions, wishes))


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
