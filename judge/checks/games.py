"""The check cases that are games: against an opponent, against itself, many games, games from late positions.

A Bench starts the trials of these games and collects their costs. Shares divides the time of a check among its cases. A
case first gets the time in which even the slowest player does the least that the case asks for. The rest of the time is
divided in proportion to the cases' weights. Time that a case does not use goes to the later cases.
"""

import itertools
import math
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from judge.checks.trial import CheckConditions, Trial
from judge.games import GAMES
from judge.games.boards import LARGEST_SEED, Board, number_below
from judge.games.check_cases import CheckCase, Opponent, random_opponent
from judge.games.positions import AnyMove
from judge.language import recorded
from judge.play.driver import Costs
from judge.play.seat import Forfeit
from judge.players.players import BadCommand, Contestant
from protocol.records.record import GameRecord

LATE_POSITIONS = 8
FEWEST_GAMES = 6  # the fewest games in a case of many games


@dataclass(frozen=True)
class Claim:
    """A case's claim on the check's time.

    `least_s` are the seconds for the least that the case does. `weight` is its weight when the rest of the time is
    divided.
    """

    least_s: float
    weight: int


class Shares:
    """Divides the time of a check among its cases, of which `lanes` run at the same time.

    `claims` is {name of a case: its Claim}. `total_s` are the seconds of the whole check, math.inf for no end. clock()
    returns seconds; the deadlines of the cases are moments of clock().
    """

    def __init__(self, claims: Mapping[str, Claim], lanes: int, total_s: float, clock: Callable[[], float]) -> None:
        self.lanes, self.clock = lanes, clock
        self.began = clock()
        self.end = self.began + total_s
        self._waiting = dict(claims)
        self._running: dict[str, float] = {}
        self._deadlines: dict[str, float] = {}
        self._lock = threading.Lock()

    def begin(self, name: str) -> float:
        """Start a case, and return its deadline.

        A case that begins again keeps its first deadline. The deadline of a case without a claim is the check's end.
        """
        with self._lock:
            now = self.clock()
            claim = self._waiting.pop(name, None)
            if claim is None:
                return self._deadlines.get(name, self.end)
            running_s = sum(max(0.0, until - now) for until in self._running.values())
            least_s = claim.least_s + sum(other.least_s for other in self._waiting.values())
            free_s = max(0.0, self.lanes * (self.end - now) - running_s - least_s)
            weights = claim.weight + sum(other.weight for other in self._waiting.values())
            until = min(self.end, now + claim.least_s + free_s * claim.weight / weights)
            self._running[name] = self._deadlines[name] = until
            return until

    def finish(self, name: str) -> None:
        """Mark a case as over."""
        with self._lock:
            self._running.pop(name, None)


class CheckFailed(Exception):
    """The player failed a check, for a reason that would not lose it a game. str() is the reason."""


class CheckWarning(Exception):
    """A fault that the platform may tolerate, or that does no harm on the platform but elsewhere.

    str() names the fault and where it matters.
    """


class Bench:
    """Starts trials of one player under the same CheckConditions, and stores their Costs.

    `costs` holds the Costs of trials in which stderr was read, `unread_costs` those of the other trials. `faults` are
    the games that ended by a fault of the player, including games whose costs are not stored. `printing` are the games
    in which the player printed text without losing by it. `shares` gives each case its deadline; None means no
    deadlines. `earlier_moves` is the number of moves that the player has made on other Benches before.
    """

    def __init__(
        self,
        contestant: Contestant,
        conditions: CheckConditions,
        shares: Shares | None = None,
        earlier_moves: int = 0,
    ) -> None:
        self.contestant = contestant
        self.conditions = conditions
        self.shares = shares
        self.costs: list[Costs] = []
        self.unread_costs: list[Costs] = []
        self.faults: list[GameRecord] = []
        self.printing: list[GameRecord] = []
        self.earlier_moves = earlier_moves
        self.runs_on = threading.Event()  # set once the player has been seen to outlive its input
        self.hurried_limit_s = self._hurried_limit_s()

    def part(self) -> "Bench":
        """Return a new Bench for one case. add() later adds the costs of that Bench to this one."""
        part = Bench(self.contestant, self.conditions, self.shares, self.moves)
        part.runs_on = self.runs_on
        return part

    def add(self, part: "Bench") -> None:
        """Add the costs and faults of `part`, a Bench that part() has returned."""
        self.costs += part.costs
        self.unread_costs += part.unread_costs
        self.faults += part.faults
        self.printing += part.printing

    @property
    def moves(self) -> int:
        """The number of replies of the player, including `earlier_moves`."""
        return self.earlier_moves + sum(len(costs.walls_s) for costs in (*self.costs, *self.unread_costs))

    @property
    def hurried_moves(self) -> int:
        """The number of replies in trials with a shorter limit than that of the check. `earlier_moves` do not count."""
        return sum(len(costs.walls_s) for costs in (*self.costs, *self.unread_costs) if costs.hurried)

    def trial(
        self,
        board: Board,
        drain_stderr: bool = True,
        hurried: bool = False,
        seed: int | None = None,
        is_counted: bool = True,
    ) -> Trial:
        """Return a new Trial on the board.

        Without `drain_stderr` the costs of the trial go to unread_costs, as a full pipe may slow the player. With
        `hurried` a player whose command takes a limit is told a short one. `seed` is the player's seed, None for the
        seed of the conditions. Without `is_counted` the costs are not stored.
        """
        hurried_limit_s = self.hurried_limit_s if hurried else None
        limit_and_seed = (
            hurried_limit_s or self.conditions.play.limit_s,
            self.conditions.seed if seed is None else seed,
        )
        conditions = replace(self.conditions, play=replace(self.conditions.play, undrained_stderr=not drain_stderr))
        trial = Trial(self.contestant, conditions, board, limit_and_seed, self.faults.append, self.printing.append)
        trial.costs.hurried = hurried_limit_s is not None
        if is_counted:
            (self.costs if drain_stderr else self.unread_costs).append(trial.costs)
        return trial

    def until(self, name: str) -> float:
        """Start the case of this name, and return its deadline, a moment of time.monotonic()."""
        return math.inf if self.shares is None else self.shares.begin(name)

    def finish(self, name: str) -> None:
        """Mark the case of this name as over."""
        if self.shares is not None:
            self.shares.finish(name)

    def _hurried_limit_s(self) -> float | None:
        """Return the limit to tell a hurried player, in seconds.

        Return None if the player's command takes no limit, if games are not to be hurried, or if the real limit is as
        short.
        """
        limit_s = self.conditions.play.limit_s
        short_limit_s = max(0.1, limit_s / 15)
        if not self.conditions.effort.hurries or short_limit_s >= limit_s:
            return None
        try:
            takes_limit = self.contestant.launch(limit_s, 0) != self.contestant.launch(short_limit_s, 0)
        except BadCommand:
            return None
        return short_limit_s if takes_limit else None


@dataclass(frozen=True)
class Pace:
    """How long a game of a check goes on, and how its clocks run.

    After `least_turns` turns of the player the game is broken off as soon as another turn as long as the last would end
    after `until`, a moment of time.monotonic(). After `most_turns` turns it ends; None means the whole game.
    pause_s(turn) is the time in seconds that the opponent thinks before the player's turn with this number, counted
    from 0. With `is_charged` the clock of a player that moves first begins with its process.
    """

    until: float = math.inf
    least_turns: int = 1
    most_turns: int | None = None
    pause_s: Callable[[int], float] = lambda turn: 0.01  # long enough for bytes out of turn to be seen
    is_charged: bool = True


def play(trial: Trial, opponent: Opponent, player: int, pace: Pace) -> int:
    """Play a game for as long as `pace` says and return the number of the player's turns. `player` is 0 or 1.

    Raises Forfeit for a fault of the player, JudgeFailure if the machine fails, Interrupted if the check is stopped.
    """
    position = trial.position
    pays_for_start = pace.is_charged and position.to_move == player  # its process starts on its first turn's clock
    trial.send(trial.opening(player))
    players_last_move: AnyMove | None = None
    turns = 0
    while not position.over and turns != pace.most_turns:
        if position.to_move != player:
            trial.follow(opponent(position, players_last_move))
            continue
        if turns >= pace.least_turns and is_out_of_time(trial, pace.until):
            break
        if pays_for_start and not turns:
            trial.costs.charged_start = True
            trial.send(trial.turn())
            players_last_move = trial.await_first_moves()[-1]
        else:
            trial.expect_silence(pace.pause_s(turns))
            players_last_move = trial.ask()[-1]
        turns += 1
    return turns


def is_out_of_time(trial: Trial, until: float) -> bool:
    """Return whether another turn as long as the last turn would end after the moment `until` of time.monotonic()."""
    return bool(trial.costs.walls_s) and time.monotonic() + trial.costs.walls_s[-1] > until


def long_game(bench: Bench, case: CheckCase, until: float) -> str:
    """Play a game against an opponent that prolongs it, and return a sentence on it. Raises what play() raises."""
    with bench.trial(case.board, hurried=not case.whole_limit) as trial:
        turns = play(trial, opponent_of(bench, case), case.player, Pace(until))
    return sentence_on(trial, turns)


def sentence_on(trial: Trial, turns: int) -> str:
    """Return a sentence on a game: the player's number of turns, which is `turns`, and its slowest move."""
    sentence = recorded("the player made {moves} moves, the slowest in {slowest} s").format(
        moves=turns, slowest=f"{max(trial.costs.walls_s, default=0):.3f}"
    )
    if trial.position.over:
        return sentence
    return recorded("{seen}; then the check stopped the game, as the time for it was over").format(seen=sentence)


def against_itself(bench: Bench, case: CheckCase, until: float) -> str:
    """Play a game between two processes of the player, and return a sentence on it. Both processes' costs are stored.

    Raises what play() raises.
    """
    with bench.trial(case.board, hurried=True) as first, bench.trial(case.board, hurried=True) as second:
        sides = first, second
        for player, trial in enumerate(sides):
            trial.send(trial.opening(player))
        position = first.position
        turns = 0
        while not position.over and not (turns > 1 and is_out_of_time(first, until)):
            mover = sides[position.to_move]
            waiter = second if mover is first else first
            for trial in sides:
                trial.expect_silence(0.0)
            for move in mover.ask():
                waiter.follow(move)
            turns += 1
    return sentence_on(first, turns)


def many_games(bench: Bench, case: CheckCase, until: float) -> str:
    """Play games on random boards, conditions.jobs at a time, until enough moves were observed or the time is over.

    At least FEWEST_GAMES games begin if there is time for them. The time is over at the moment `until`. Return a
    sentence on the games. Raises what play() raises.
    """
    conditions = bench.conditions
    numbers = itertools.count()  # of the games; the threads share it
    failed = threading.Event()
    parts = [bench.part() for _ in range(conditions.jobs)]

    def play_some(part: Bench) -> None:
        """Play the next games; a fault ends the games of the other threads, too."""
        try:
            while not failed.is_set():
                number = next(numbers)
                moves = bench.moves + sum(part.moves - part.earlier_moves for part in parts)
                has_enough = number >= FEWEST_GAMES and moves >= conditions.effort.moves
                if has_enough or (number >= conditions.jobs and time.monotonic() >= until):
                    return
                _random_game(part, case, number, until)
        except BaseException:
            failed.set()
            raise

    with ThreadPoolExecutor(len(parts)) as pool:
        futures = [pool.submit(play_some, part) for part in parts]
    for part in parts:
        bench.add(part)
    for future in futures:
        future.result()  # raises what the games raised
    lengths = [len(costs.walls_s) for costs in bench.costs]
    return recorded("the player made {moves} moves in {games} games, at most {longest} in one game").format(
        games=len(lengths), moves=sum(lengths), longest=max(lengths)
    )


def _random_game(bench: Bench, case: CheckCase, number: int, until: float) -> None:
    """Play the game with this number, counted from 0, in a case of many games. Raises what play() raises.

    All that is random in the game is determined by conditions.seed and `number`.
    """
    conditions = bench.conditions
    game = GAMES[conditions.game]
    board = game.draw_board(conditions.seed, number, **game.complete_board_options({}, False))
    drawn = _drawing(conditions.seed, number)
    opponent = (case.opponents or random_opponent)(drawn(LARGEST_SEED, "opponent"))

    def pause_s(turn: int) -> float:
        return 0.0 if drawn(24, "pause", turn) else 0.4  # one long thought in 24 turns

    with bench.trial(board, hurried=True, seed=drawn(LARGEST_SEED, "seed")) as trial:
        play(trial, opponent, number % 2, Pace(until, pause_s=pause_s))


def _drawing(seed: int, number: int) -> Callable[..., int]:
    """Return a function drawn(bound, *words), which returns a number from 0 to bound - 1.

    The number is a hash of `seed`, `number` and the words.
    """
    return lambda bound, *words: number_below(bound, "check", seed, number, *words)


def late_positions(bench: Bench, case: CheckCase, until: float) -> str:
    """Start games on boards that are nearly full, and return a sentence on them.

    The costs of these games are not stored. No game begins after the moment `until`, except the first. Raises
    CheckWarning if the player forfeits a game, and otherwise what play() raises.
    """
    late_position = case.late_position
    assert late_position is not None  # cases of this kind have one
    moves = number = 0
    while number < LATE_POSITIONS and not (number and time.monotonic() >= until):
        drawn = _drawing(bench.conditions.seed, number)
        board, played = late_position(drawn(LARGEST_SEED, "position"))
        with bench.trial(board, hurried=True, is_counted=False) as trial:
            for move in played:
                trial.follow(move)
            plies = len(played)
            try:
                opponent = (case.opponents or random_opponent)(drawn(LARGEST_SEED, "opponent"))
                moves += play(trial, opponent, trial.position.to_move, Pace(until, is_charged=False))
            except Forfeit as forfeit:
                raise CheckWarning(
                    recorded(
                        "{reason}; this was the player's first move, on a board with {plies} plies: no match begins "
                        "like this, but games reach such positions"
                    ).format(reason=forfeit, plies=plies)
                ) from forfeit
        number += 1
    return recorded("the player made {moves} moves from {number} late positions").format(number=number, moves=moves)


def opponent_of(bench: Bench, case: CheckCase) -> Opponent:
    """Return the opponent of the case. If it has none, return a random_opponent() with the seed of the conditions."""
    return case.opponent or random_opponent(bench.conditions.seed)
