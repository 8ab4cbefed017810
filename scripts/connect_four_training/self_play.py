"""Quick games of the engine against itself, down to positions that the solver settles: these are what is learnt from.

A game's moves take a few hundred iterations, and one in MOVES_A_SLIP is random, so that positions known to be bad are
seen too. From a number of free cells on that differs from game to game the solver is asked before every move; the first
position that it settles within SOLVER_POSITIONS ends the game, a few random ones near by are settled beside it. Before
that, a position that the tree has proven ends the game too. The positions before the end are kept with its result,
those before a slip left out.
"""

import math
import random
import time
from pathlib import Path
from typing import NamedTuple

from bot.backends.compiled import Kernels
from bot.games.connect_four.adapter import GAME
from bot.games.connect_four.board import MAX_COLUMNS
from bot.games.connect_four.config import DEFAULT
from bot.games.connect_four.plain import Position, empty_position, tactical_columns
from bot.games.connect_four.solver_engine import SolverEngine
from bot.games.connect_four.uct_engine import UctEngine
from bot.search.engine import Decision, Engine
from bot.search.limits import PROCESS_MB, SMALLEST_SEARCH_MB
from connect_four_training.positions import NO_MOVES, append, next_game, row_of, shares_of

SMALLEST, LARGEST = 9, 12  # rows and columns, as the ladder draws them
LEAST_RANDOM = 2  # plies at the start
MOVES_A_SLIP = 25
SOLVER_MB = 8
SOLVER_POSITIONS = 25_000
NEAR_BY, MOST_PLIES_NEAR_BY, LAST_POSITIONS = 5, 4, 5
KEPT_FROM = 70  # free cells: later positions are all kept
RESULTS = {"win": 1, "draw": 0, "loss": -1}


class Recipe(NamedTuple):
    """How games are made. All ranges include both ends.

    iterations: of a move, one of these drawn for every game; most_random: plies at the start; solved_from: the range
    of free cells from which on the solver is asked, drawn for every game; early_part: one in so many positions is kept
    before KEPT_FROM; has_moves: whether visits and values of the root's moves are kept too.
    """

    iterations: tuple[int, ...]
    most_random: int
    solved_from: tuple[int, int]
    early_part: int
    has_moves: bool


QUICK = Recipe((200, 400, 800), most_random=8, solved_from=(46, 66), early_part=3, has_moves=False)
STRONG = Recipe((1500, 3000, 6000), most_random=10, solved_from=(48, 64), early_part=1, has_moves=True)


class Settled(NamedTuple):
    """A position whose result (-1, 0, 1 for its side to move) is certain."""

    position: Position
    result: int


def play_games(
    path: Path,
    seconds: float,
    seed: int,
    share: float,
    weights: bytes | None,
    most: float = math.inf,
    recipe: Recipe = QUICK,
) -> int:
    """Play for so many seconds, and `most` games at most, and append the positions to the file; how many games.

    share: of a leaf's value that the network of those weights says; without weights it says nothing.
    """
    generator = random.Random(seed)
    kernels = Kernels(GAME).obtain()
    settings = DEFAULT._replace(solver=False, network_share=share if weights else 0.0)
    engine = UctEngine(kernels, settings, PROCESS_MB + SMALLEST_SEARCH_MB, seed, weights)
    solver = SolverEngine(kernels, SOLVER_MB)
    end, games, first = time.monotonic() + seconds, 0, next_game(path)
    while games < most and time.monotonic() < end:
        append(path, _game(engine, solver, generator, first + games, recipe))
        games += 1
    return games


def _random_ply(position: Position, generator: random.Random) -> Position | None:
    """The position after a random move that loses nothing at once; None where the position is decided."""
    outcome, columns = tactical_columns(position)
    return None if outcome is not None or not columns else position.play(generator.choice(columns))


def start_position(generator: random.Random, most_random: int) -> Position:
    """A board of the ladder's after a few random plies, LEAST_RANDOM to most_random."""
    while True:
        rows, columns = generator.randint(SMALLEST, LARGEST), generator.randint(SMALLEST, LARGEST)
        position = empty_position(rows, columns, (generator.randrange(rows), generator.randrange(columns)))
        for _ in range(generator.randint(LEAST_RANDOM, most_random)):
            position = position and _random_ply(position, generator)
        if position is not None:
            return position


def _settled(position: Position, solver: SolverEngine, free_cells: int) -> Settled | None:
    """The position with its result where looking, or the solver from so many free cells on, finds it."""
    outcome, _ = tactical_columns(position)
    if outcome is None and not position.floor:
        outcome = "draw"
    if outcome is None and position.free_cells() <= free_cells:
        outcome = solver.solve(position, nodes=SOLVER_POSITIONS).outcome
    return None if outcome is None else Settled(position, RESULTS[outcome])


def _game(engine: Engine, solver: SolverEngine, generator: random.Random, number: int, recipe: Recipe) -> list[tuple]:
    """POSITION's rows of one game."""
    position, seen = start_position(generator, recipe.most_random), []
    iterations, solved_from = generator.choice(recipe.iterations), generator.randint(*recipe.solved_from)
    while (end := _settled(position, solver, solved_from)) is None:
        decision = engine.think(position, iterations=iterations)
        if decision.proven is not None and position.free_cells() > solved_from:
            end = Settled(position, RESULTS[decision.proven])
            break
        seen.append((position, decision.value, _moves(engine, position, decision) if recipe.has_moves else NO_MOVES))
        if generator.randrange(MOVES_A_SLIP) == 0:
            position, seen = _random_ply(position, generator), []
        else:
            position = position.play(decision.move)
    rows = [row_of(end.position, end.result, True, end.result, number)]
    for before, value, moves in seen:
        if before.free_cells() <= KEPT_FROM or generator.randrange(recipe.early_part) == 0:
            same_side = (end.position.plies() - before.plies()) % 2 == 0
            rows.append(row_of(before, end.result if same_side else -end.result, False, value, number, moves))
    if end.position.free_cells() <= solved_from:
        last = [before for before, *_ in seen[1 - LAST_POSITIONS :]] + [end.position]
        for near in _near_by(last, solver, generator):
            rows.append(row_of(near.position, near.result, True, near.result, number))
    return rows


def _moves(engine: Engine, position: Position, decision: Decision) -> tuple[tuple, tuple]:
    """The fields `visits` and `move_values` of what the engine has just searched.

    All visits are a proven win's, else none are refuted moves'; where every move is refuted, all count.
    """
    moves = engine.move_values(position, decision)
    known = {move.move: move.value for move in moves if move.value is not None}
    values = tuple(known.get(column, math.nan) for column in range(MAX_COLUMNS))
    if decision.proven == "win":
        return shares_of({decision.move: 1}), values
    kept = [move for move in moves if move.proven != "loss"] or moves
    return shares_of({move.move: move.visits or 0 for move in kept}), values


def _near_by(last: list[Position], solver: SolverEngine, generator: random.Random) -> list[Settled]:
    """What the solver settles of a few positions some random plies after the last ones of a game."""
    found = []
    for _ in range(NEAR_BY):
        position = generator.choice(last)
        for _ in range(generator.randint(1, MOST_PLIES_NEAR_BY)):
            position = position and _random_ply(position, generator)
        if position is not None and position.floor and tactical_columns(position)[0] is None:
            settled = _settled(position, solver, position.free_cells())
            if settled is not None:
                found.append(settled)
    return found
