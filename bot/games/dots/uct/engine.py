"""The UCT engine: owns one search memory, gives it positions, and reads turns, values and lines out of it.

Standard library only: the compiled kernels come from outside and take nothing but the memory's address.
"""

import time

from bot.kernels.memory_block import MEGABYTE, MemoryBlock, mixed
from bot.search import scores
from bot.search.decision import Decision
from bot.search.engine import Engine
from bot.search.limits import NO_LIMIT, count_or_no_limit, nanoseconds, next_slice_s
from bot.search.process_memory import PROCESS_MB, check_memory
from bot.search.uct.child_blocks import layout
from bot.search.uct.child_blocks.view import TreeView
from bot.search.uct.final_move import is_known

from ..plain import safe_move
from ..rules.board import edges_of, turn_of
from ..rules.turn_decoder import TurnDecoder
from ..solver_engine import SolverScheduler
from .layout import (
    CHAINS,
    DOUBLE_CROSS_MOVES,
    LEAF_EDGES,
    LEAF_NODES,
    MERGED,
    ONE_OF_EQUALS,
    RULES,
    SINGLE_EDGE,
    SOLVER,
)
from .move_values import tree_values, with_the_solver, with_the_turn

# At most this share of a turn goes into keeping the tree, and at least so long: to lose it costs more.
_REROOT_SHARE = 0.1
_LEAST_REROOT_S = 0.01
# A search that starts too late still looks at its moves: a few hundred iterations.
_LEAST_SEARCH_S = 0.001
# The solver's table, as a part of the memory that the interpreter leaves: of 60 MB just enough for one of 16 MB.
_SOLVER_MEMORY_SHARE = 0.3
# Where the solver checks the tree's choice the tree has this part of the turn before, and this one of what is left
# after a choice that turned out not to win.
_BEFORE_CHECKS_SHARE, _AFTER_CHECK_SHARE = 0.15, 0.1
# In a lost position this part of what is left of the turn goes into finding what loses by the least.
_MOST_SHARE = 0.6
_NEVER = -1


class UctEngine(Engine):
    """One game's search. Positions are plain.Position values, moves whole turns (board.turn_of).

    kernels: the module of entry points, kernels.py, or one with its prepare_root, search, prove_move, rollouts,
    turn_edges and solve. memory_mb: what the whole process may take; the search gets what the interpreter leaves of it.
    """

    def __init__(self, kernels, settings, memory_mb, seed):
        check_memory(memory_mb)
        self._kernels, self._settings = kernels, settings
        search_mb = memory_mb - PROCESS_MB
        self._solver = None
        if settings.solver:
            self._solver = SolverScheduler(kernels, search_mb * _SOLVER_MEMORY_SHARE)
            search_mb *= 1 - _SOLVER_MEMORY_SHARE
        plan = layout.plan_memory(int(search_mb * MEGABYTE))
        self._memory = MemoryBlock(plan.pop("total_bytes"))
        self._address = self._memory.address
        self._control = self._memory.array(0, layout.CONTROL_FIELDS, "q")
        self._reals = self._memory.array(0, layout.CONTROL_FIELDS, "d")
        for field, value in plan.items():
            self._control[field] = value
        self._tree = TreeView(self._memory.view, settings.final_move)
        self._decoder = TurnDecoder(kernels)
        self._control[layout.RANDOM_STATE] = mixed(seed)
        self._apply_settings()
        self._size = None  # of the board whose tree is kept
        self._root_turns = {}  # {code: turn} of the moves at the tree's root
        self._first_values = []  # of the last turn's first edges, where moves are single edges
        # While a search runs: the position at its root, the edges drawn before it in this turn, its moves' turns.
        self._running = None

    def _apply_settings(self):
        settings, control, reals = self._settings, self._control, self._reals
        rules = MERGED * settings.merged | DOUBLE_CROSS_MOVES * settings.double_cross
        control[RULES] = rules | CHAINS * settings.chains | ONE_OF_EQUALS * settings.one_of_equals
        control[layout.SIM_MIN], control[layout.SIM_MAX] = settings.sim_min, settings.sim_max
        control[layout.SOLVE_VISITS] = settings.leaf_visits if settings.solver else _NEVER
        control[SOLVER] = self._solver.address() if settings.solver else 0
        control[LEAF_EDGES], control[LEAF_NODES] = settings.leaf_edges, settings.leaf_nodes
        flags = layout.FLAG_UCB1 * (settings.selection == "ucb1") | layout.FLAG_AMAF * (settings.alpha > 0)
        flags |= layout.FLAG_PROOFS * settings.proofs | layout.FLAG_RELATIVE_FIRST_PLAY * settings.relative_first_play
        control[layout.FLAGS] = flags
        reals[layout.EXPLORATION], reals[layout.ALPHA] = settings.exploration, settings.alpha
        reals[layout.FIRST_PLAY], reals[layout.RESERVE_PENALTY] = settings.first_play, settings.reserve_penalty
        reals[layout.MARGIN_SHARE] = settings.margin_share

    def think(self, position, budget_s=None, iterations=None):
        """Search and decide. An edge must be free.

        budget_s: seconds from now for everything; the setting move_seconds, where given, caps it. iterations: so many,
        whatever time they take, for each choice among moves. With iterations alone the same seed and the same calls
        give the same decision on every machine.
        """
        started = time.monotonic()
        if budget_s is not None and self._settings.move_seconds:
            budget_s = min(budget_s, self._settings.move_seconds)
        deadline = None if budget_s is None else started + budget_s
        self._control[layout.MAX_DEPTH] = 0
        self._first_values = []
        if self._solver is not None:
            self._solver.open(position)
        try:
            self._prepare(position, [], budget_s)
            if budget_s is not None and self._is_solved(position, budget_s, deadline):
                return self._solved_decision(started)
            return self._searched_decision(position, budget_s, deadline, iterations, started)
        finally:
            self._running = None

    def _searched_decision(self, position, budget_s, deadline, iterations, started):
        """What the tree thinks best, checked by the solver where that pays; with single edges the tree is asked again
        until the turn is complete.
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
                done += self._search(here, deadline, count_or_no_limit(iterations))
            line = self._tree.best_line() or [self._tree.best_child(self._tree.root())]
            if opinion is None:
                proven = scores.outcome(self._tree.score(self._tree.root()))
                opinion = proven, scores.VALUES[proven] if proven else self._tree.value(line[0])
                if not self._settings.merged:
                    self._first_values = tree_values(self._tree, self._root_turns)
            turns = self._turns(here, line)
            if self._settings.merged:
                break
            edge = self._tree.move(line[0]) - SINGLE_EDGE
            edges.append(edge)
            here, captured = here.draw(edge)
            if not captured or here.is_over():
                turns[0] = turn_of(edges)
                break
            self._prepare(here, edges, None if deadline is None else deadline - time.monotonic())
        proven, value = opinion
        source = ("solver" if solved else "search") if proven else None
        deepest, nodes, elapsed_s = self._control[layout.MAX_DEPTH], self.nodes_in_use(), time.monotonic() - started
        return Decision(turns[0], value, proven, source, turns, done, deepest, nodes, elapsed_s)

    def _search_and_check(self, position, deadline):
        """(iterations, whether the solver has proven something): the tree's choice, then what the solver says of it,
        and of the next one where that does not win, as long as the turn lasts.
        """
        share, done, solved = _BEFORE_CHECKS_SHARE, 0, False
        while True:
            now = time.monotonic()
            done += self._search(position, now + share * (deadline - now), NO_LIMIT)
            root = self._tree.root()
            choice = self._tree.best_child(root)
            left = deadline - time.monotonic()
            if self._tree.score(root) or self._tree.score(choice) or left <= 0:
                return done, solved
            outcome = self._solver.outcome_after(position, self._turns(position, [choice])[0], left)
            if outcome is None:
                return done, solved
            self._kernels.prove_move(
                self._address, self._tree.move(choice), scores.at_most(outcome, position.free_edges())
            )
            share, solved = _AFTER_CHECK_SHARE, True

    def _is_solved(self, position, budget_s, deadline):
        """Whether the solver has found a turn: one that wins or draws, or the one that loses by the least."""
        if self._solver is None:
            return False
        self._solver.try_to_solve(position, budget_s)
        proven = self._solver.outcome()
        if proven == "loss" or proven is not None and self._solver.turn() is None:
            self._solver.look_for_most(position, _MOST_SHARE * (deadline - time.monotonic()))
        return self._solver.outcome() is not None and self._solver.turn() is not None

    def _solved_decision(self, started):
        """The solver's turn."""
        proven, turn = self._solver.outcome(), self._solver.turn()
        nodes, elapsed_s = self.nodes_in_use(), time.monotonic() - started
        return Decision(turn, scores.VALUES[proven], proven, "solver", [turn], 0, 0, nodes, elapsed_s)

    def _prepare(self, position, edges, budget_s):
        """Make a position the tree's root; edges: those of this turn that led there."""
        self._memory.write(layout.ROOT_POSITION_OFFSET, position.to_bytes())
        size = (position.rows, position.columns)
        self._control[layout.GREATEST_MARGIN] = position.rows * position.columns
        reroot_s = None if budget_s is None else max(budget_s * _REROOT_SHARE, _LEAST_REROOT_S)
        self._control[layout.BUDGET_NS] = nanoseconds(reroot_s)
        self._running = None
        # A turn in pieces goes on in its own tree whatever the settings say.
        keep = size == self._size and (self._settings.keep_tree or bool(edges))
        self._kernels.prepare_root(self._address, int(keep))
        self._size = size
        children = self._tree.children(self._tree.root())
        turns = {self._tree.move(child): self._turns(position, [child])[0] for child in children}
        self._root_turns = turns
        self._running = position, list(edges), turns

    def _search(self, position, deadline, iterations):
        """Run the kernel in slices until time, iterations or a proof end it; the iterations done.

        position: at the root. With single edges every one of a turn that may go on has its part of the time.
        """
        now = time.monotonic()
        end = deadline
        if deadline is not None and not self._settings.merged:
            end = now + max(0.0, deadline - now) / (1 + _takeable_boxes(position))
        done = 0
        while True:
            left = next_slice_s(end, time.monotonic())
            self._control[layout.BUDGET_NS] = nanoseconds(max(left, _LEAST_SEARCH_S))
            self._control[layout.MAX_ITERATIONS] = iterations - done
            done += self._kernels.search(self._address)
            out_of_time = end is not None and time.monotonic() >= end
            if self._control[layout.STOP_REASON] != layout.STOP_TIME or out_of_time:
                return done

    def _turns(self, position, nodes):
        """The turns of a line of nodes from a position on; with single edges those of one side make one."""
        codes = [self._tree.move(node) for node in nodes]
        if self._settings.merged:
            return self._decoder.line(position, codes)
        turns, edges = [], []
        for code, node in zip(codes, nodes):
            edges.append(code - SINGLE_EDGE)
            if not self._tree.moves_again(node):
                turns.append(turn_of(edges))
                edges = []
        return turns + [turn_of(edges)] if edges else turns

    def prove_move(self, turn, score):
        """Give the tree a proven score (search/scores.py) of one of the turns at its root; others are ignored."""
        for code, listed in self._root_turns.items():
            if listed == turn:
                self._kernels.prove_move(self._address, code, score)

    def move_values(self, position, decision, budget_s=None, iterations=None):
        """As Engine has it, of the turns that the tree lists, or of the edges where its moves are single edges."""
        values = self._first_values or tree_values(self._tree, self._root_turns)
        if decision.proven_by == "solver":
            return with_the_solver(values, self._solver, position, decision, budget_s or 0.0)
        return with_the_turn(values, decision.move)

    def best_so_far(self):
        """The turn a running search would answer now, or None; callable from another thread."""
        running = self._running
        if running is None:
            return None
        position, edges, turns = running
        child = self._tree.best_child(self._tree.root())
        if child is None or not is_known(self._tree.searched(child)):
            return None
        turn = turns.get(self._tree.move(child))
        if turn is None or self._settings.merged:
            return turn
        edge = edges_of(turn)[0]
        position, captured = position.draw(edge)
        rest = edges_of(safe_move(position)) if captured and not position.is_over() else []
        return turn_of(edges + [edge] + rest)

    def nodes_in_use(self):
        """Nodes of the tree."""
        return self._control[layout.TOP]

    def search_bytes(self):
        """Bytes of the search memory that hold something: its first part, and the nodes in use side by side."""
        return layout.NODES_OFFSET + self.nodes_in_use() * layout.NODE_BYTES

    def time_rollouts(self, position, count):
        """(seconds, edges drawn) of `count` rollouts from a position, one after another, without a tree."""
        self._memory.write(layout.ROOT_POSITION_OFFSET, position.to_bytes())
        self._control[layout.MAX_ITERATIONS] = count
        started = time.perf_counter()
        self._kernels.rollouts(self._address)
        return time.perf_counter() - started, count * position.free_edges()

    def solve(self, position, budget_s=None, nodes=None, exact=False):
        """As Engine has it; exact: find the score too."""
        return None if self._solver is None else self._solver.solve(position, budget_s, nodes, exact)


def _takeable_boxes(position):
    """How many boxes the side to move can take one after another."""
    taken = 0
    for edge in edges_of(safe_move(position)):
        position, captured = position.draw(edge)
        taken += captured
    return taken
