"""The project's solver and kernels, loaded when a command needs them."""

import sys

from bot.backends.compiled import Kernels, KernelsUnavailable
from bot.games.connect_four.solver_engine import SolverEngine
from strength_suite.json_lines import SuiteError
from strength_suite.positions.exact_positions import SEEN_FROM_THE_OTHER_SIDE
from strength_suite.runs.players import DEFAULT_GAME

TABLE_MB = 256


def load_kernels(game=DEFAULT_GAME):
    """The module of a game's compiled entry points. Raises SuiteError where there is none to be had."""
    try:
        return Kernels(game).obtain(report=lambda text: print(text, file=sys.stderr))
    except KernelsUnavailable as error:
        raise SuiteError(str(error)) from error


def load_solver(table_mb=TABLE_MB):
    """A solver with a table of that many MB."""
    return SolverEngine(load_kernels(), table_mb=table_mb)


def moves_values(solver, position, limit_s=None):
    """{column: outcome for the side that plays it} of every legal column, None if one is not settled in time.

    limit_s: seconds for each move. The position must have no win at once.
    """
    values = {}
    for column in position.legal_moves():
        after = position.play(column)
        outcome = solver.solve(after, budget_s=limit_s).outcome if after.floor else "draw"
        if outcome is None:
            return None
        values[column] = SEEN_FROM_THE_OTHER_SIDE[outcome]
    return values
