"""The cases of a check that are games: alone against an opponent, against itself, many of them, from late positions."""

import itertools
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from judge.checks.bench import Bench, Doubtful
from judge.checks.trial import Trial
from judge.games import GAMES
from judge.games.boards import LARGEST_SEED, number_below
from judge.games.check_cases import CheckCase, Opponent, wanderer
from judge.games.positions import AnyMove
from judge.language import recorded
from judge.play.seat import Forfeit

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
