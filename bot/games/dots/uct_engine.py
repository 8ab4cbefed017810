"""Dots and boxes by tree search, with the exact solver before and after the search. A move is a turn or a single edge.

A move's code is a turn's code (rules.py), 0..255, or, if moves are single edges, SINGLE_EDGE + the edge's number.

Standard library only: the compiled kernels are passed in, and all their data lie in the memory whose address they get.
"""

import time

from bot.kernels.memory_block import mixed
from bot.search import scores
from bot.search.engine import unknown
from bot.search.limits import NO_LIMIT, count_or_no_limit
from bot.search.uct import control as fields
from bot.search.uct.engine import TreeEngine, move_value
from bot.search.uct.wide_tree import layout as storage

from .board import edges_of, turn_of
from .plain import safe_move
from .solver_engine import SolverScheduler
from .turn_decoder import TurnDecoder

# The tree's game words (search/uct/control.py).
(
    RANDOM_STATE,  # the state of the rollouts' random generator, not zero
    RULES,  # the bits below, which say how moves are listed and rollouts are played
    SOLVER,  # address of the exact solver's memory, which has the tree's board; 0 if leaves are not solved
    LEAF_EDGES,  # the solver is asked only about leaves with at most so many free edges
    LEAF_NODES,  # the number of positions that the solver may visit for a leaf
) = range(5)

MERGED = 1  # a move is a whole turn; without it, one edge
DOUBLE_CROSS_MOVES = 2  # with MERGED: a turn may leave two boxes (four of a loop)
CHAINS = 4  # rollouts know chains
ONE_OF_EQUALS = 8  # with MERGED: of several equivalent turns one is listed, and turns that open a chain are tried last

SINGLE_EDGE = 256  # the code of a move that is a single edge is the edge's number plus this

# The solver's share of the memory that the interpreter leaves. If that is 60 MB, it is just enough for a table of 16
# MB.
_SOLVER_MEMORY_SHARE = 0.3
# If the solver checks the tree's choices, the tree gets the first share of the turn's time before the first check.
# After each check of a choice that does not win, the tree gets the second share of the time that is left.
_BEFORE_CHECKS_SHARE, _AFTER_CHECK_SHARE = 0.15, 0.1
# In a lost position, this share of the time left is spent on finding the turn that loses by the fewest boxes.
_MOST_SHARE = 0.6
_NEVER = -1


class UctEngine(TreeEngine):
    """The tree search of one game. Positions are plain.Position values, moves are whole turns (board.turn_of).

    `kernels` are as in TreeEngine, with turn_edges and solve in addition.
    """

    def __init__(self, kernels, settings, memory_mb, seed):
        super().__init__(kernels, settings, memory_mb, storage, SolverScheduler, _SOLVER_MEMORY_SHARE)
        control, reals, words = self._control, self._reals, self._game_words
        control[fields.FLAGS] |= fields.FLAG_AMAF * (settings.alpha > 0)
        control[storage.SIM_MIN], control[storage.SIM_MAX] = settings.sim_min, settings.sim_max
        control[storage.SOLVE_VISITS] = settings.leaf_visits if settings.solver else _NEVER
        reals[storage.ALPHA], reals[storage.RESERVE_PENALTY] = settings.alpha, settings.reserve_penalty
        reals[storage.MARGIN_SHARE] = settings.margin_share
        words[RANDOM_STATE] = mixed(seed)
        words[RULES] = (
            MERGED * settings.merged
            | DOUBLE_CROSS_MOVES * settings.double_cross
            | CHAINS * settings.chains
            | ONE_OF_EQUALS * settings.one_of_equals
        )
        words[SOLVER] = self._solver.address() if settings.solver else 0
        words[LEAF_EDGES], words[LEAF_NODES] = settings.leaf_edges, settings.leaf_nodes
        self._decoder = TurnDecoder(kernels)
        self._size = None  # (rows, columns) of the board whose tree is kept
        self._root_turns = {}  # {code: turn} of the moves at the tree's root
        self._first_values = []  # if moves are single edges: the MoveValues of the edges that may begin the last turn
        # While a search runs: (the position at its root, the edges drawn in this turn before that position, {code:
        # turn}).
        self._running = None

    def think(self, position, budget_s=None, iterations=None):
        """Search and decide. An edge must be free.

        `budget_s` limits the time in seconds from now. The setting move_seconds caps it, unless that setting is 0.
        `iterations` limits the number of iterations for each choice of a move. Without `budget_s`, the same seed and
        the same calls give the same decisions on every machine.
        """
        started, budget_s, deadline = self._begin_turn(budget_s)
        self._first_values = []
        if self._solver is not None:
            self._solver.open(position)
        try:
            self._prepare(position, [], budget_s)
            if budget_s is not None and self._is_solved(position, budget_s, deadline):
                proven = self._solver.outcome()
                opinion = proven, scores.VALUES[proven]
                return self._decision(started, opinion, "solver", [self._solver.turn()], 0)
            return self._searched_decision(position, budget_s, deadline, iterations, started)
        finally:
            self._running = None

    def _searched_decision(self, position, budget_s, deadline, iterations, started):
        """Returns the Decision for the tree's best move. If it is worth while, the solver checks that move.

        If moves are single edges, the tree is searched for one edge after another until the turn is complete.
        `position` is the tree's root; the other arguments are as in `think`, with `deadline` and `started` by
        time.monotonic().
        """
        edges, done, here, opinion = [], 0, position, None
        timed = budget_s is not None and iterations is None
        solver, solved = self._solver, False
        checks = timed and self._settings.merged and solver is not None and solver.can_check(position, budget_s)
        while True:
            if checks:
                checked, solved = self._search_and_check(position, deadline)
                done += checked
            else:
                done += self._search(self._end_of_choice(here, deadline), count_or_no_limit(iterations))
            line = self._tree.best_line(self._tree.best_move())
            if opinion is None:
                opinion = self._opinion()
                if not self._settings.merged:
                    self._first_values = self._tree_values()
            turns = self._turns(here, line)
            if self._settings.merged:
                break
            edge = line[0] - SINGLE_EDGE
            edges.append(edge)
            here, captured = here.draw(edge)
            if not captured or here.is_over():
                turns[0] = turn_of(edges)
                break
            self._prepare(here, edges, None if deadline is None else deadline - time.monotonic())
        return self._decision(started, opinion, "solver" if solved else "search", turns, done)

    def _end_of_choice(self, position, deadline):
        """Returns the time, by time.monotonic(), at which the search for the next move ends.

        Returns None if `deadline` is None. If moves are single edges, every edge that may still be drawn in this turn
        gets an equal part of the time that is left.
        """
        if deadline is None or self._settings.merged:
            return deadline
        now = time.monotonic()
        return now + max(0.0, deadline - now) / (1 + _takeable_boxes(position))

    def _search_and_check(self, position, deadline):
        """Search the tree, then let the solver check its best move.

        Returns (iterations, whether the solver has proven something). If the move does not win, the tree is searched
        for another one, which is checked too, and so on until `deadline`.
        """
        share, done, solved = _BEFORE_CHECKS_SHARE, 0, False
        while True:
            now = time.monotonic()
            done += self._search(now + share * (deadline - now), NO_LIMIT)
            choice = self._tree.best_move()
            left = deadline - time.monotonic()
            if self._tree.root_score() or self._tree.moves(self._tree.root())[choice].score or left <= 0:
                return done, solved
            outcome = self._solver.outcome_after(position, self._root_turns[choice], left)
            if outcome is None:
                return done, solved
            super().prove_move(choice, scores.at_most(outcome, position.free_edges()))
            share, solved = _AFTER_CHECK_SHARE, True

    def _is_solved(self, position, budget_s, deadline):
        """Returns whether the solver has found a turn that wins or draws or, in a lost position, loses by few boxes."""
        if self._solver is None:
            return False
        self._solver.try_to_solve(position, budget_s)
        proven = self._solver.outcome()
        if proven == "loss" or proven is not None and self._solver.turn() is None:
            self._solver.look_for_most(position, _MOST_SHARE * (deadline - time.monotonic()))
        return self._solver.outcome() is not None and self._solver.turn() is not None

    def _prepare(self, position, edges, budget_s):
        """Make a position the tree's root.

        `edges` are the edges that this turn has drawn so far, which led to the position.
        """
        size = (position.rows, position.columns)
        self._control[storage.GREATEST_MARGIN] = position.rows * position.columns
        self._running = None
        # Within a turn of single edges the tree is always kept, whatever the settings say.
        keep = size == self._size and (self._settings.keep_tree or bool(edges))
        self._prepare_root(position, int(keep), budget_s)
        self._size = size
        self._root_turns = {code: self._turn(position, code) for code in self._tree.moves(self._tree.root())}
        self._running = position, list(edges), self._root_turns

    def _turn(self, position, code):
        """Returns the turn that the move `code` stands for. If moves are single edges, the turn has just this edge."""
        return self._decoder.turn(position, code) if self._settings.merged else turn_of([code - SINGLE_EDGE])

    def _turns(self, position, codes):
        """Returns the turns of a line. `codes` are its moves, which are played from `position`.

        If moves are single edges, the edges that one side draws in succession become one turn.
        """
        if self._settings.merged:
            return self._decoder.line(position, codes)
        turns, edges = [], []
        for code in codes:
            edges.append(code - SINGLE_EDGE)
            position, captured = position.draw(edges[-1])
            if not captured:
                turns.append(turn_of(edges))
                edges = []
        return turns + [turn_of(edges)] if edges else turns

    def prove_move(self, move, score):
        """Enter the proven score of `move`, which is a turn at the root, into the tree.

        If the tree does not list the turn, nothing is entered.
        """
        for code, turn in self._root_turns.items():
            if turn == move:
                super().prove_move(code, score)

    def move_values(self, position, decision, budget_s=None, iterations=None):
        """See Engine.move_values.

        The moves are the turns that the tree lists. If its moves are single edges, they are these edges.
        """
        values = self._first_values or self._tree_values()
        if decision.proven_by == "solver":
            return self._solved_values(values, position, decision, budget_s or 0.0)
        # If moves are single edges, the first edge of the decision's turn stands for the whole turn.
        first = edges_of(decision.move)[:1]
        return [known._replace(move=decision.move) if edges_of(known.move) == first else known for known in values]

    def _tree_values(self):
        """Returns a MoveValue for each move at the tree's root."""
        moves = self._tree.moves(self._tree.root())
        return [move_value(self._root_turns[code], known) for code, known in moves.items()]

    def _solved_values(self, values, position, decision, budget_s):
        """Returns `values` with the results that the solver proves for each turn. The solver has made the decision.

        The solver takes at most `budget_s` seconds for all turns together.
        """
        found = {known.move: known for known in values}
        found.setdefault(decision.move, unknown(decision.move))
        deadline = time.monotonic() + budget_s
        for number, (turn, known) in enumerate(list(found.items())):
            outcome = known.proven
            if turn == decision.move or decision.proven == "loss":
                outcome = decision.proven
            elif outcome is None and position.allows(turn):
                left_s = (deadline - time.monotonic()) / (len(found) - number)
                outcome = self._solver.outcome_after(position, turn, left_s) if left_s > 0 else None
            if outcome is not None:
                found[turn] = known._replace(value=scores.VALUES[outcome], proven=outcome)
        return list(found.values())

    def best_so_far(self):
        """See Engine.best_so_far."""
        running = self._running
        if running is None:
            return None
        position, edges, turns = running
        turn = turns.get(self._best_known())
        if turn is None or self._settings.merged:
            return turn
        edge = edges_of(turn)[0]
        position, captured = position.draw(edge)
        rest = edges_of(safe_move(position)) if captured and not position.is_over() else []
        return turn_of(edges + [edge] + rest)

    def time_rollouts(self, position, count):
        """See Engine.time_rollouts. A ply is an edge."""
        return self._rollout_seconds(position, count), count * position.free_edges()


def _takeable_boxes(position):
    """Returns the number of boxes that the side to move can take in this turn."""
    taken = 0
    for edge in edges_of(safe_move(position)):
        position, captured = position.draw(edge)
        taken += captured
    return taken
