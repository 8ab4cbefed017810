"""Games of the engine against itself from random openings: every position with its search and the end it came to.

A game ends where the solver knows its result: from SOLVED_FROM free cells on it is asked before every move.
"""

import random
import time
from pathlib import Path

from bot.backends.compiled import Kernels
from bot.games.connect_four import adapter
from bot.games.connect_four.plain import Position, empty_position
from bot.games.connect_four.solver.engine import SolverEngine
from bot.search.engine import Engine
from connect_four_training.positions import NO_CELL, PARTS, UNKNOWN, append, words_of

MEMORY_MB = 300
SOLVER_MB = 64
LEAST_RANDOM, MOST_RANDOM = 2, 10
LARGEST_VALUE = 0.5  # of a start: a game decided by random moves teaches little
SMALLEST, LARGEST = 9, 12  # rows and columns, as the ladder draws them
SOLVED_FROM = 58
SOLVER_POSITIONS = 300_000
MOVES_A_SLIP = 40  # one move in so many is random later too, so that positions known to be bad are seen as well
RESULTS = {"win": 1, "draw": 0, "loss": -1}


def play_games(path: Path, seconds: float, iterations: int, seed: int) -> int:
    """Play for so many seconds, with so many iterations a move, and append the positions; how many games."""
    generator = random.Random(seed)
    kernels = Kernels(adapter.GAME).obtain()
    settings = adapter.preset("default").with_values(["solver=false"])
    engine = adapter.make_engine(kernels, settings, MEMORY_MB, seed)
    solver = SolverEngine(kernels, SOLVER_MB)
    end, games = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        append(path, _game(engine, solver, generator, iterations, games))
        games += 1
    return games


def random_start(generator: random.Random) -> Position:
    """An empty board of the ladder's sizes with a forbidden cell."""
    rows, columns = generator.randint(SMALLEST, LARGEST), generator.randint(SMALLEST, LARGEST)
    return empty_position(rows, columns, (generator.randrange(rows), generator.randrange(columns)))


def _balanced_start(engine: Engine, generator: random.Random, iterations: int) -> Position:
    """A position after random moves whose value is within LARGEST_VALUE of a draw's."""
    while True:
        position = random_start(generator)
        for _ in range(generator.randint(LEAST_RANDOM, MOST_RANDOM)):
            position = position.play(generator.choice(position.legal_moves()))
            if position.opponent_has_won():
                break
        else:
            decision = engine.think(position, iterations=iterations)
            if decision.proven is None and abs(decision.value) <= LARGEST_VALUE:
                return position


def _game(engine: Engine, solver: SolverEngine, generator: random.Random, iterations: int, number: int) -> list[tuple]:
    """POSITION's rows of one game."""
    position = _balanced_start(engine, generator, iterations)
    seen, result = [], None  # result: for the side to move in `position`
    while result is None:
        if generator.randrange(MOVES_A_SLIP) == 0:
            for entry in seen:
                entry["result"] = UNKNOWN
            position = position.play(generator.choice(position.legal_moves()))
        else:
            if position.free_cells() <= SOLVED_FROM:
                solution = solver.solve(position, nodes=SOLVER_POSITIONS)
                result = RESULTS.get(solution.outcome)
            entry = _searched(engine, position, iterations)
            if result is None:
                result = entry["exact"]
            seen.append(entry)
            if result is not None:
                entry["exact"] = result
                break
            position = position.play(entry["move"])
        if position.opponent_has_won():
            result = -1
        elif not position.floor:
            result = 0
    return [_row(entry, position, result, number) for entry in seen]


def _searched(engine: Engine, position: Position, iterations: int) -> dict:
    """What a search says of a position."""
    decision = engine.think(position, iterations=iterations)
    values = engine.move_values(position, decision)
    return {
        "position": position,
        "move": decision.move,
        "value": decision.value,
        "visits": {known.move: known.visits or 0 for known in values},
        "exact": RESULTS.get(decision.proven),
        "result": None,
    }


def _row(entry: dict, last: Position, result: int, number: int) -> tuple:
    """POSITION's fields of a position in a game that ended in `last`."""
    position = entry["position"]
    own_turn = (last.plies() - position.plies()) % 2 == 0
    known = entry["result"] if entry["result"] is not None else result if own_turn else -result
    exact = entry["exact"]
    most = sum(entry["visits"].values())
    visits = entry["visits"] if most else {entry["move"]: 1}
    policy = [PARTS * visits.get(column, 0) // max(most, 1) for column in range(12)]
    forbidden = position.forbidden.bit_length() - 1
    return (
        words_of(position.own),
        words_of(position.opponent),
        position.rows,
        position.columns,
        forbidden % 16 if position.forbidden else NO_CELL,
        forbidden // 16 if position.forbidden else NO_CELL,
        exact if exact is not None else known,
        exact is not None,
        entry["value"],
        policy,
        number,
    )
