"""The cases of a check that are games: alone against an opponent, against itself, many of them, from late positions.

The bench is where they are played: it counts what its trials have cost. The time of a check is shared out to its cases:
each has what the slowest player needs for the least of it, and a part of the rest in proportion to its weight. What a
case leaves is added to the later ones.
"""

import itertools
import math
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from judge.checks.trial import CheckConditions, Trial
from judge.games import GAMES
from judge.games.boards import LARGEST_SEED, Board, number_below
from judge.games.check_cases import CheckCase, Opponent, wanderer
from judge.games.positions import AnyMove
from judge.language import recorded
from judge.play.driver import Costs
from judge.play.seat import Forfeit
from judge.players.players import BadCommand, Contestant

# What a player that is told its limit is told where games shall be many.
HURRIED_SHARE = 1 / 15
LEAST_TOLD_S = 0.1
THINKING_S = 0.01  # an opponent's move: bytes out of turn show
LONG_THOUGHT_S = 0.4  # one of some opponent's moves in many games
TURNS_A_LONG_THOUGHT = 24
FEWEST_GAMES = 6  # of many
LATE_POSITIONS = 8

# What was seen, as JSON has it.
MOVES_AND_TIME = recorded("{moves} moves, the slowest {slowest} s")
LEFT_OFF = recorded("{seen}; left off there for want of time")
GAMES_AND_MOVES = recorded("{games} games, {moves} moves, the longest of {longest}")
POSITIONS = recorded("{number} positions, {moves} moves")
LATE_FAULT = recorded("{reason}, when it was first asked after {plies} plies: no match begins so, but games get there")


@dataclass(frozen=True)
class Claim:
    """What a case asks for: seconds for the least of it, and its weight."""

    least_s: float
    weight: int


class Shares:
    """The time of a check with `lanes` cases at a time. claims: {case's name: its Claim}; clock() gives seconds.

    The cases' times are moments of clock(); without an end, total_s is math.inf.
    """

    def __init__(
        self, claims: Mapping[str, Claim], lanes: int, total_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.lanes, self.clock = lanes, clock
        self.began = clock()
        self.end = self.began + total_s
        self._waiting = dict(claims)
        self._running: dict[str, float] = {}
        self._dealt: dict[str, float] = {}
        self._lock = threading.Lock()

    def begin(self, name: str) -> float:
        """The moment until which this case, which begins now, may go on: one that begins again, no longer than before.

        One without a claim may go on until the end.
        """
        with self._lock:
            now = self.clock()
            claim = self._waiting.pop(name, None)
            if claim is None:
                return self._dealt.get(name, self.end)
            taken_s = sum(max(0.0, until - now) for until in self._running.values())
            kept_s = claim.least_s + sum(other.least_s for other in self._waiting.values())
            free_s = max(0.0, self.lanes * (self.end - now) - taken_s - kept_s)
            weights = claim.weight + sum(other.weight for other in self._waiting.values())
            until = min(self.end, now + claim.least_s + free_s * claim.weight / weights)
            self._running[name] = self._dealt[name] = until
            return until

    def finish(self, name: str) -> None:
        """The case is over."""
        with self._lock:
            self._running.pop(name, None)


class Unfit(Exception):
    """The player failed otherwise than by losing a game. str() is the reason."""


class Doubtful(Exception):
    """What the platform puts up with, or what only matters elsewhere. str() says what, and where."""


class Bench:
    """Starts trials of one player under the same CheckConditions and keeps what they cost.

    `earlier_moves` have been asked of the player before.
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
        self.earlier_moves = earlier_moves
        self.runs_on = threading.Event()  # it has been seen not to end with its input
        self.hurried_limit_s = self._hurried_limit_s()

    def part(self) -> "Bench":
        """A Bench for one case, whose costs count once add() has them."""
        part = Bench(self.contestant, self.conditions, self.shares, self.moves)
        part.runs_on = self.runs_on
        return part

    def add(self, part: "Bench") -> None:
        """Count what a part has cost."""
        self.costs += part.costs
        self.unread_costs += part.unread_costs

    @property
    def moves(self) -> int:
        """How many moves the player was asked for and made."""
        return self.earlier_moves + sum(len(costs.walls_s) for costs in (*self.costs, *self.unread_costs))

    @property
    def hurried_moves(self) -> int:
        """How many of them in less time than the limit, as it was told."""
        return sum(len(costs.walls_s) for costs in (*self.costs, *self.unread_costs) if costs.hurried)

    def turn_s(self, is_hurried: bool | None = None) -> float | None:
        """The mean of the player's turns in seconds, None before the first; of the hurried ones, or of the others."""
        walls_s = [wall_s for costs in self.costs if is_hurried in (None, costs.hurried) for wall_s in costs.walls_s]
        return sum(walls_s) / len(walls_s) if walls_s else None

    @property
    def end(self) -> float:
        """The moment of time.monotonic() at which the check is to end."""
        return math.inf if self.shares is None else self.shares.end

    def trial(
        self,
        board: Board,
        drain_stderr: bool = True,
        hurried: bool = False,
        seed: int | None = None,
        is_counted: bool = True,
    ) -> Trial:
        """A new Trial on the board; without `drain_stderr` its costs, a full pipe's, are kept apart.

        A `hurried` player that takes a limit is told a short one. seed: the player's, None for the conditions'. Unless
        it is_counted its costs are nobody's.
        """
        told_s = self.hurried_limit_s if hurried else None
        told = (told_s or self.conditions.limit_s, self.conditions.seed if seed is None else seed)
        trial = Trial(self.contestant, self.conditions, board, drain_stderr, told)
        trial.costs.hurried = told_s is not None
        if is_counted:
            (self.costs if drain_stderr else self.unread_costs).append(trial.costs)
        return trial

    def until(self, name: str) -> float:
        """The moment of time.monotonic() until which the case of this name, which begins now, may go on."""
        return math.inf if self.shares is None else self.shares.begin(name)

    def finish(self, name: str) -> None:
        """The case of this name is over."""
        if self.shares is not None:
            self.shares.finish(name)

    def _hurried_limit_s(self) -> float | None:
        """What to tell a player in a hurry; None for one that is told no limit."""
        limit_s = self.conditions.limit_s
        told_s = max(LEAST_TOLD_S, limit_s * HURRIED_SHARE)
        if not self.conditions.effort.hurries or told_s >= limit_s:
            return None
        try:
            is_told = self.contestant.launch(limit_s, 0) != self.contestant.launch(told_s, 0)
        except BadCommand:
            return None
        return told_s if is_told else None


def play(
    trial: Trial,
    opponent: Opponent,
    player: int,
    most_turns: int | None = None,
    until: float = math.inf,
    least_turns: int = 1,
    pause_s: Callable[[int], float] = lambda turn: THINKING_S,
    is_charged: bool = True,
) -> int:
    """Play a game, or the first so many turns of the player, who is number 0 or 1; returns how many.

    The game is left where the next turn, if it takes as long as the last, would not end before `until`, a moment of
    time.monotonic(), but not before least_turns. pause_s(turn) is how long the opponent thinks before that turn, from
    0.
    The first clock of a first mover begins with its process, if it is_charged.
    """
    position = trial.position
    charged = is_charged and position.to_move == player  # its clock begins with the process
    trial.send(trial.opening(player))
    last_move: AnyMove | None = None
    turns = 0
    while not position.over and turns != most_turns:
        if position.to_move != player:
            position.play(opponent(position, last_move))
            continue
        if turns >= least_turns and is_late(trial, until):
            break
        if charged and not turns:
            trial.costs.charged_start = True
            trial.send(trial.turn())
            last_move = trial.await_first_moves()[-1]
        else:
            trial.expect_silence(pause_s(turns))
            last_move = trial.ask()[-1]
        turns += 1
    return turns


def is_late(trial: Trial, until: float) -> bool:
    """Whether another turn like the last would not end before that moment."""
    return bool(trial.costs.walls_s) and time.monotonic() + trial.costs.walls_s[-1] > until


def long_game(bench: Bench, case: CheckCase, until: float) -> str:
    """A game against an opponent that keeps it going."""
    with bench.trial(case.board, hurried=not case.whole_limit) as trial:
        turns = play(trial, opponent_of(bench, case), case.player, until=until)
    return seen_of(trial, turns)


def seen_of(trial: Trial, turns: int) -> str:
    """What was seen in a game of so many turns of the player."""
    seen = MOVES_AND_TIME.format(moves=turns, slowest=f"{max(trial.costs.walls_s, default=0):.3f}")
    return seen if trial.position.over else LEFT_OFF.format(seen=seen)


def against_itself(bench: Bench, case: CheckCase, until: float) -> str:
    """Two processes of the player play one another; every move of either counts."""
    with bench.trial(case.board, hurried=True) as first, bench.trial(case.board, hurried=True) as second:
        sides = first, second
        for player, trial in enumerate(sides):
            trial.send(trial.opening(player))
        position = first.position
        turns = 0
        while not position.over and not (turns > 1 and is_late(first, until)):
            mover = sides[position.to_move]
            waiter = second if mover is first else first
            for trial in sides:
                trial.expect_silence(0.0)
            for move in mover.ask():
                waiter.position.play(move)
            turns += 1
    return seen_of(first, turns)


def many_games(bench: Bench, case: CheckCase, until: float) -> str:
    """Games on random boards, as many at a time as the conditions say, until enough moves have been seen."""
    conditions = bench.conditions
    numbers = itertools.count()
    failed = threading.Event()
    parts = [bench.part() for _ in range(conditions.jobs)]

    def play_some(part: Bench) -> None:
        try:
            while not failed.is_set():
                number = next(numbers)
                seen = bench.moves + sum(part.moves - part.earlier_moves for part in parts)
                enough = number >= FEWEST_GAMES and seen >= conditions.effort.moves
                if enough or (number >= conditions.jobs and time.monotonic() >= until):
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
        future.result()
    lengths = [len(costs.walls_s) for costs in bench.costs]
    return GAMES_AND_MOVES.format(games=len(lengths), moves=sum(lengths), longest=max(lengths))


def _random_game(bench: Bench, case: CheckCase, number: int, until: float) -> None:
    """Game `number` of many: its board, beginning, opponent and pauses and the player's seed follow from the seed."""
    conditions = bench.conditions
    game = GAMES[conditions.game]
    board = game.draw_board(conditions.seed, number, **game.complete_board_options({}, False))
    drawn = _drawn(conditions.seed, number)
    opponent = _opponents(case)(drawn(LARGEST_SEED, "opponent"))

    def pause_s(turn: int) -> float:
        return 0.0 if drawn(TURNS_A_LONG_THOUGHT, "pause", turn) else LONG_THOUGHT_S

    with bench.trial(board, hurried=True, seed=drawn(LARGEST_SEED, "seed")) as trial:
        play(trial, opponent, number % 2, until=until, pause_s=pause_s)


def _drawn(seed: int, number: int) -> Callable[..., int]:
    """A function from a bound and words to a number below it, the same for the same game of the same check."""
    return lambda bound, *words: number_below(bound, "check", seed, number, *words)


def _opponents(case: CheckCase) -> Callable[[int], Opponent]:
    return case.opponents or wanderer


def late_positions(bench: Bench, case: CheckCase, until: float) -> str:
    """Boards that are nearly full when the player is asked first: what it does wrong there is a doubt.

    Its moves are not counted with the others.
    """
    late_position = case.late_position
    assert late_position is not None  # what this kind is about
    moves = number = 0
    while number < LATE_POSITIONS and not (number and time.monotonic() >= until):
        drawn = _drawn(bench.conditions.seed, number)
        board, played = late_position(drawn(LARGEST_SEED, "position"))
        with bench.trial(board, hurried=True, is_counted=False) as trial:
            for move in played:
                trial.position.play(move)
            plies = len(played)
            try:
                opponent = _opponents(case)(drawn(LARGEST_SEED, "opponent"))
                moves += play(trial, opponent, trial.position.to_move, until=until, is_charged=False)
            except Forfeit as forfeit:
                raise Doubtful(LATE_FAULT.format(reason=forfeit, plies=plies)) from forfeit
        number += 1
    return POSITIONS.format(number=number, moves=moves)


def opponent_of(bench: Bench, case: CheckCase) -> Opponent:
    """The case's opponent, or one that plays anything."""
    return case.opponent or wanderer(bench.conditions.seed)
