"""The UCT engine: owns one search memory, gives it positions, and reads moves, values and lines out of it.

Standard library only: the compiled kernels come from outside and take nothing but the memory's address.
"""

import time

from bot.kernels.memory_block import MEGABYTE, MemoryBlock, mixed
from bot.search import scores
from bot.search.decision import Decision
from bot.search.engine import Engine
from bot.search.limits import NO_LIMIT, SLICE_S, count_or_no_limit, nanoseconds
from bot.search.process_memory import PROCESS_MB, check_memory
from bot.search.uct.edge_nodes import layout
from bot.search.uct.edge_nodes.view import TreeView
from bot.search.uct.final_move import is_known

from ..evaluation.weights_file import WeightsError, network_memory
from ..plain import safe_move, tactical_columns
from ..rules import board
from ..solver_engine import SolverScheduler
from .principal_variation import principal_variation
from .values_of_moves import positions_after, values_of_moves

# At most this share of a turn goes into keeping the tree, and at least so long: to lose it costs more.
_REROOT_SHARE = 0.1
_LEAST_REROOT_S = 0.01
# A search that starts too late still looks at its moves: a few hundred iterations.
_LEAST_SEARCH_S = 0.001
# With a solver beside it the tree searches this long, then the solver as long as its share makes it.
_ALTERNATION_S = 0.04
# The solver's table, as a part of the memory that the interpreter leaves.
_SOLVER_MEMORY_SHARE = 0.25
# What tactical_columns may say for a turn to need no search, by the setting root_tactics.
_ANSWERED_AT_ONCE = {"look_ahead": ("win", "loss"), "win": ("win",), "none": ()}


class UctEngine(Engine):
    """One game's search. Positions are plain.Position values; columns count from the left.

    kernels: the module of entry points, kernels.py, or one with its prepare_root, search, prove_move, solve, rollouts
    and static_value. memory_mb: what the whole process may take; the search gets what the interpreter leaves of it.
    weights: the network's numbers as bytes, instead of the package's file.
    """

    def __init__(self, kernels, settings, memory_mb, seed, weights=None):
        check_memory(memory_mb)
        self._kernels, self._settings = kernels, settings
        self._answered_at_once = _ANSWERED_AT_ONCE[settings.root_tactics]
        self._node_bytes = layout.NodeLayout(board.MAX_COLUMNS).node_bytes
        search_mb = memory_mb - PROCESS_MB
        self._scheduler = None
        if settings.solver:
            self._scheduler = SolverScheduler(kernels, search_mb * _SOLVER_MEMORY_SHARE)
            search_mb *= 1 - _SOLVER_MEMORY_SHARE
        plan = layout.plan_memory(int(search_mb * MEGABYTE), self._node_bytes)
        self._memory = MemoryBlock(plan.pop("total_bytes"))
        self._address = self._memory.address
        self._control = self._memory.array(0, layout.CONTROL_FIELDS, "q")
        self._reals = self._memory.array(0, layout.CONTROL_FIELDS, "d")
        for field, value in plan.items():
            self._control[field] = value
        self._tree = TreeView(self._memory.view, board.MAX_COLUMNS, settings.final_move)
        for word in range(layout.RANDOM_WORDS):
            self._control[layout.RANDOM_STATE + word] = mixed(seed * layout.RANDOM_WORDS + word)
        self._apply_settings()
        if settings.network_share:
            self._load_network(weights)
        self._searching = False
        self._root_position = None

    def _apply_settings(self):
        settings, control, reals = self._settings, self._control, self._reals
        control[layout.ROLLOUT_POLICY] = settings.rollout_policy()
        control[layout.TREE_POLICY] = settings.tree_policy()
        control[layout.EXPAND_VISITS] = settings.expand_visits
        control[board.FOLLOW_BITS] = settings.rollout_follow
        control[board.EVEN_BITS] = settings.rollout_even
        control[board.REPLY_BITS] = settings.rollout_reply
        control[layout.FLAGS] = (
            layout.FLAG_UCB1 * (settings.selection == "ucb1")
            | layout.FLAG_PROOFS * settings.proofs
            | layout.FLAG_SHARE * settings.share
            | layout.FLAG_ROLLOUT_PROOFS * settings.rollout_proofs
            | layout.FLAG_DRAW_PROOFS * settings.draw_proofs
            | layout.FLAG_RELATIVE_FIRST_PLAY * settings.relative_first_play
            | layout.FLAG_STOP_WHEN_FORCED * (not settings.think_when_forced)
        )
        reals[layout.EXPLORATION] = settings.exploration
        reals[layout.FIRST_PLAY] = settings.first_play
        reals[layout.RESERVE_MEAN] = settings.first_play - settings.reserve_penalty

    def _load_network(self, weights):
        """Have the network say its share of a leaf's value; without weights the game goes on, with a warning."""
        try:
            self._network = network_memory(weights)
        except WeightsError as error:
            self.warning = f"it plays without its weights: {error}"
            return
        self._control[board.NETWORK] = self._network.address
        self._control[board.NETWORK_SHARE] = round(self._settings.network_share * board.WHOLE_SHARE)

    def think(self, position, budget_s=None, iterations=None):
        """Search and decide. The position must have a legal move and not be won already.

        budget_s: seconds from now for everything; the setting move_seconds, where given, caps it. iterations: so many,
        whatever time they take. With iterations alone the same seed and the same calls give the same decision on
        every machine.
        """
        started = time.monotonic()
        outcome, columns = tactical_columns(position)
        if outcome in self._answered_at_once:
            return self._tactical_decision(position, outcome, columns, time.monotonic() - started)
        if budget_s is not None and self._settings.move_seconds:
            budget_s = min(budget_s, self._settings.move_seconds)
        self._write_position(position)
        self._control[layout.MAX_DEPTH] = 0
        reroot_s = None if budget_s is None else max(budget_s * _REROOT_SHARE, _LEAST_REROOT_S)
        self._control[layout.BUDGET_NS] = nanoseconds(reroot_s)
        if not self._kernels.prepare_root(self._address, self._kept_root(position)):
            self._forget_replies()
        self._root_position = position
        if self._is_settled_by_looking():
            return self._tactical_decision(position, outcome, columns, time.monotonic() - started)
        if self._scheduler is not None:
            self._scheduler.open(position)
        self._searching = True
        try:
            done = self._search(started, budget_s, count_or_no_limit(iterations))
            column = self._solved_column(started, budget_s)
        finally:
            self._searching = False
        return self._decision(position, column, done, time.monotonic() - started)

    def _forget_replies(self):
        """What rollouts have learnt goes with the tree."""
        words = layout.CONTROL_FIELDS - layout.ROLLOUT_MEMORY
        self._memory.write(8 * layout.ROLLOUT_MEMORY, bytes(8 * words))

    def _is_settled_by_looking(self):
        """Whether the tree's tactics settled the root when its node was made, so that no edge of it gets searched."""
        root = self._tree.root()
        return self._tree.node_score(root) != scores.UNPROVEN and all(
            self._tree.score(root, edge) in (scores.UNPROVEN, scores.NEVER) for edge in range(board.MAX_COLUMNS)
        )

    def _kept_root(self, position):
        """What prepare_root takes: where the kept tree may have the position, 0 to start afresh."""
        before = self._root_position
        if (
            not self._settings.keep_tree
            or before is None
            or before.cells_and_forbidden() != position.cells_and_forbidden()
        ):
            return 0
        if self._settings.share:
            return layout.PROBE_ROOT
        # Without shared subtrees the table is empty: walk the two plies that were played.
        for first in before.legal_moves():
            for second in before.play(first).legal_moves():
                if before.play(first).play(second) == position:
                    return self._tree.child(self._tree.child(self._tree.root(), first), second)
        return 0

    def _search(self, started, budget_s, iterations):
        """Run the kernel in slices until time, iterations or a proof end it; the iterations done."""
        done = 0
        while True:
            left = NO_LIMIT if budget_s is None else started + budget_s - time.monotonic()
            share = self._solver_share(budget_s, left)
            slice_s = min(left, _ALTERNATION_S if share else SLICE_S)
            self._control[layout.BUDGET_NS] = nanoseconds(max(slice_s, _LEAST_SEARCH_S))
            self._control[layout.MAX_ITERATIONS] = iterations - done
            done += self._kernels.search(self._address)
            if share:
                solver_s = slice_s * share / (1 - share)
                self._solve(min(solver_s, started + budget_s - time.monotonic()), share)
                if self._scheduler.outcome() is not None:
                    return done
            out_of_time = budget_s is not None and time.monotonic() - started >= budget_s
            if self._control[layout.STOP_REASON] != layout.STOP_TIME or out_of_time:
                return done

    def _solver_share(self, budget_s, left):
        """The solver's part of the time from now on; none without a clock, as its share comes from measured speed."""
        if self._scheduler is None or budget_s is None:
            return 0.0
        return self._scheduler.share(left)

    def _solve(self, seconds, share):
        """Let the solver work, and tell the tree what it has proven of the root's moves."""
        root = self._tree.root()
        if seconds <= 0 or self._tree.node_score(root) != scores.UNPROVEN:
            return
        best = self._tree.best_edge(root)
        self._scheduler.work(seconds, share, best, self._tree.value(root, best) > 0)
        for column, score in self._scheduler.proofs().items():
            self.prove_move(column, score)

    def prove_move(self, column, score):
        """Give the tree a proven score (search/scores.py) of a move at its root."""
        self._kernels.prove_move(self._address, column, score)

    def _solved_column(self, started, budget_s):
        """The move that the solver's result asks for, None where it has none or the tree knows as well as it.

        In a lost position, whoever has found that out, the time that is left goes into losing as late as possible.
        """
        if self._scheduler is None or budget_s is None:
            return None
        best = self._tree.best_edge(self._tree.root())
        if "loss" in (self._scheduler.outcome(), scores.outcome(self._tree.node_score(self._tree.root()))):
            later = self._scheduler.resist(started + budget_s - time.monotonic(), best)
            return best if later is None and self._scheduler.outcome() is not None else later
        if self._scheduler.outcome() is None:
            return None
        proven = self._scheduler.column()
        return best if proven is None else proven

    def move_values(self, position, decision, budget_s=None, iterations=None):
        """As Engine has it: what the tree, the solver and one look ahead know of each column that is not full."""
        proofs = self._scheduler.proofs() if decision.proven_by == "solver" else {}
        return values_of_moves(position, decision, self._tree if self._root_position == position else None, proofs)

    def static_values(self, position):
        """As Engine has it: the network's; None where it says nothing."""
        if not self._control[board.NETWORK]:
            return None
        values = {column: -self._static_value(after) for column, after in positions_after(position).items()}
        return self._static_value(position), values

    def _static_value(self, position):
        self._write_position(position)
        return self._kernels.static_value(self._address) / board.WHOLE_VALUE

    def best_so_far(self):
        """The column a running search would answer now, or None; callable from another thread."""
        if not self._searching:
            return None
        root = self._tree.root()
        edge = self._tree.best_edge(root)
        return edge if edge is not None and is_known(self._tree.searched(root, edge)) else None

    def nodes_in_use(self):
        """Nodes of the tree that hold a position now."""
        return self._control[layout.NODES_IN_USE]

    def search_bytes(self):
        """Bytes of the search memory that hold something: table, lists, and the nodes in use side by side."""
        return self._control[layout.NODES_OFFSET] + self.nodes_in_use() * self._node_bytes

    def time_rollouts(self, position, count):
        """(seconds, plies) of `count` rollouts from a position, one after another, without a tree."""
        self._write_position(position)
        self._control[layout.MAX_ITERATIONS] = count
        self._control[layout.ROLLOUT_PLIES] = 0
        started = time.perf_counter()
        self._kernels.rollouts(self._address)
        return time.perf_counter() - started, self._control[layout.ROLLOUT_PLIES]

    def solve(self, position, budget_s=None, nodes=None, exact=False):
        """The Solution of a position, without the tree; None where the settings do without a solver."""
        return None if self._scheduler is None else self._scheduler.solve(position, budget_s, nodes, exact)

    def _write_position(self, position):
        self._memory.write(layout.ROOT_POSITION_OFFSET, position.to_bytes())

    def _decision(self, position, solved_column, iterations, elapsed_s):
        tree = self._tree
        if solved_column is None:
            column = tree.best_edge(tree.root())
            proven = scores.outcome(tree.node_score(tree.root()))
            value, proven_by = tree.value(tree.root(), column), "search" if proven else None
        else:
            column, proven, proven_by = solved_column, self._scheduler.outcome() or "loss", "solver"
            value = scores.VALUES[proven]
        return Decision(
            column,
            value,
            proven,
            proven_by,
            principal_variation(tree, position, column),
            iterations,
            self._control[layout.MAX_DEPTH],
            self.nodes_in_use(),
            elapsed_s,
        )

    def _tactical_decision(self, position, outcome, columns, elapsed_s):
        column = columns[0] if outcome == "win" else safe_move(position)
        pv = [column]
        if outcome == "loss":
            pv.append(tactical_columns(position.play(column))[1][0])
        return Decision(column, scores.VALUES[outcome], outcome, "tactics", pv, 0, len(pv), 0, elapsed_s)
