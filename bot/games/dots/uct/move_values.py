"""What the tree and the solver know of each turn of a position. Standard library only."""

import time

from bot.search import scores
from bot.search.move_value import unknown
from bot.search.uct.final_move import move_value

from ..rules.board import edges_of


def tree_values(tree, turns):
    """A MoveValue of each move at a tree's root; turns: {code: turn} of these."""
    return [move_value(turns[tree.move(child)], tree.searched(child)) for child in tree.children(tree.root())]


def with_the_turn(values, turn):
    """The same where the moves are edges: the one that a turn begins with stands for all of it."""
    first = edges_of(turn)[0]
    return [known._replace(move=turn) if edges_of(known.move) == [first] else known for known in values]


def with_the_solver(values, solver, position, decision, budget_s):
    """The same where the solver, a SolverScheduler, has decided: it is asked about each turn, for budget_s in all."""
    found = {known.move: known for known in values}
    found.setdefault(decision.move, unknown(decision.move))
    deadline = time.monotonic() + budget_s
    for number, (turn, known) in enumerate(list(found.items())):
        outcome = known.proven
        if turn == decision.move or decision.proven == "loss":
            outcome = decision.proven
        elif outcome is None and position.allows(turn):
            left_s = (deadline - time.monotonic()) / (len(found) - number)
            outcome = solver.outcome_after(position, turn, left_s) if left_s > 0 else None
        if outcome is not None:
            found[turn] = known._replace(value=scores.VALUES[outcome], proven=outcome)
    return list(found.values())
