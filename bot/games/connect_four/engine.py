"""The UCT engine: owns one search memory, gives it positions, and reads moves, values and lines out of it.

Standard library only: the compiled kernels come from outside and take nothing but the memory's address.
"""
import ctypes
import mmap
import time

from ...search import layout, scores
from ...search.decision import Decision
from .board import CELLS_BYTES, MAX_COLUMNS
from .plain import safe_column, tactical_columns

# Interpreter, numba and compiled code beside the search memory: 154 MB measured with numba 0.68 on Linux.
PROCESS_MB = 190
SMALLEST_SEARCH_MB = 8
MEGABYTE = 1 << 20
# Longest stretch inside a kernel, so that Ctrl-C reaches an analysis.
_SLICE_S = 0.5
# At most this share of a turn goes into keeping the tree, and at least so long: to lose it costs more.
_REROOT_SHARE = 0.1
_LEAST_REROOT_S = 0.01
# A search that starts too late still looks at its moves: a few hundred iterations.
_LEAST_SEARCH_S = 0.001
_NO_LIMIT = (1 << 62)
# What tactical_columns may say for a turn to need no search, by the setting root_tactics.
_ANSWERED_AT_ONCE = {"look_ahead": ("win", "loss"), "win": ("win",), "none": ()}


def check_memory(memory_mb):
    """Raises ValueError when a process of that many MB leaves no room for a search."""
    smallest = PROCESS_MB + SMALLEST_SEARCH_MB
    if memory_mb < smallest:
        raise ValueError("expected at least %d MB, got %s" % (smallest, memory_mb))


class UctEngine:
    """One game's search. Positions are plain.Position values; columns count from the left.

    kernels: the module of entry points, kernels.py, or one with its prepare_root, search and rollouts.
    memory_mb: what the whole process may take; the search gets what the interpreter leaves of it.
    """

    def __init__(self, kernels, settings, memory_mb, seed):
        check_memory(memory_mb)
        self._kernels, self._settings = kernels, settings
        self._answered_at_once = _ANSWERED_AT_ONCE[settings.root_tactics]
        self._layout = layout.NodeLayout(MAX_COLUMNS)
        plan = layout.plan_memory((memory_mb - PROCESS_MB) * MEGABYTE, self._layout.node_bytes)
        self._memory = mmap.mmap(-1, plan.pop("total_bytes"))
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        view = memoryview(self._memory)
        self._control = view[:8 * layout.CONTROL_FIELDS].cast("q")
        self._reals = view[:8 * layout.CONTROL_FIELDS].cast("d")
        for field, value in plan.items():
            self._control[field] = value
        nodes = view[plan[layout.NODES_OFFSET]:]
        self._words, self._means, self._halves = nodes.cast("I"), nodes.cast("f"), nodes.cast("h")
        for word in range(layout.RANDOM_WORDS):
            self._control[layout.RANDOM_STATE + word] = _mix(seed * layout.RANDOM_WORDS + word)
        self._apply_settings()
        self._searching = False
        self._root_position = None

    def _apply_settings(self):
        settings, control, reals = self._settings, self._control, self._reals
        control[layout.ROLLOUT_POLICY] = settings.rollout_policy()
        control[layout.TREE_POLICY] = settings.tree_policy()
        control[layout.EXPAND_VISITS] = settings.expand_visits
        control[layout.FLAGS] = (
            layout.FLAG_UCB1 * (settings.selection == "ucb1") | layout.FLAG_PROOFS * settings.proofs
            | layout.FLAG_SHARE * settings.share | layout.FLAG_ROLLOUT_PROOFS * settings.rollout_proofs
            | layout.FLAG_DRAW_PROOFS * settings.draw_proofs
            | layout.FLAG_RELATIVE_FIRST_PLAY * settings.relative_first_play
            | layout.FLAG_STOP_WHEN_FORCED * (not settings.think_when_forced))
        reals[layout.EXPLORATION] = settings.exploration
        reals[layout.FIRST_PLAY] = settings.first_play
        reals[layout.RESERVE_MEAN] = settings.first_play - settings.reserve_penalty

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
        self._control[layout.BUDGET_NS] = _NO_LIMIT if budget_s is None else int(
            max(budget_s * _REROOT_SHARE, _LEAST_REROOT_S) * 1e9)
        self._kernels.prepare_root(self._address, self._kept_root(position))
        self._root_position = position
        if self._is_settled_by_looking():
            return self._tactical_decision(position, outcome, columns, time.monotonic() - started)
        self._searching = True
        try:
            done = self._search(started, budget_s, _NO_LIMIT if iterations is None else iterations)
        finally:
            self._searching = False
        return self._decision(position, done, time.monotonic() - started)

    def _is_settled_by_looking(self):
        """Whether the tree's tactics settled the root when its node was made, so that no edge of it gets searched."""
        root = self._control[layout.ROOT]
        return self._node_score(root) != scores.UNPROVEN and all(
            self._score(root, edge) in (scores.UNPROVEN, scores.NEVER) for edge in range(MAX_COLUMNS))

    def _kept_root(self, position):
        """What prepare_root takes: where the kept tree may have the position, 0 to start afresh."""
        before = self._root_position
        if not self._settings.keep_tree or before is None or before.cells_and_hole() != position.cells_and_hole():
            return 0
        if self._settings.share:
            return layout.LOOK_UP_ROOT
        # Without shared subtrees the table is empty: walk the two plies that were played.
        for first in before.legal_columns():
            for second in before.play(first).legal_columns():
                if before.play(first).play(second) == position:
                    return self._child(self._child(self._control[layout.ROOT], first), second)
        return 0

    def _child(self, node, edge):
        """The node below an edge, 0 where there is none or no node to begin with."""
        return self._words[self._node_word(node) + self._layout.child_word + edge] if node else 0

    def _search(self, started, budget_s, iterations):
        """Run the kernel in slices until time, iterations or a proof end it; the iterations done."""
        done = 0
        while True:
            left = _SLICE_S if budget_s is None else min(_SLICE_S, started + budget_s - time.monotonic())
            self._control[layout.BUDGET_NS] = int(max(left, _LEAST_SEARCH_S) * 1e9)
            self._control[layout.MAX_ITERATIONS] = iterations - done
            done += self._kernels.search(self._address)
            out_of_time = budget_s is not None and time.monotonic() - started >= budget_s
            if self._control[layout.STOP_REASON] != layout.STOP_TIME or out_of_time:
                return done

    def best_so_far(self):
        """The column a running search would answer now, or None; callable from another thread."""
        if not self._searching:
            return None
        edge = self._best_edge(self._control[layout.ROOT])
        return edge if edge is not None and self._words[self._node_word(self._control[layout.ROOT]) + edge] else None

    def nodes_in_use(self):
        """Nodes of the tree that hold a position now."""
        return self._control[layout.NODES_IN_USE]

    def search_bytes(self):
        """Bytes of the search memory that hold something: table, lists, and the nodes in use side by side."""
        return self._control[layout.NODES_OFFSET] + self.nodes_in_use() * self._layout.node_bytes

    def time_rollouts(self, position, count):
        """(seconds, plies) of `count` rollouts from a position, one after another, without a tree."""
        self._write_position(position)
        self._control[layout.MAX_ITERATIONS] = count
        self._control[layout.ROLLOUT_PLIES] = 0
        started = time.perf_counter()
        self._kernels.rollouts(self._address)
        return time.perf_counter() - started, self._control[layout.ROLLOUT_PLIES]

    def _write_position(self, position):
        cells = (position.own, position.opponent, position.floor, position.forbidden, position.board)
        data = b"".join(part.to_bytes(CELLS_BYTES, "little") for part in cells)
        self._memory[layout.ROOT_POSITION_OFFSET:layout.ROOT_POSITION_OFFSET + len(data)] = data

    def _node_word(self, node):
        return node * self._layout.words

    def _score(self, node, edge):
        return self._halves[node * self._layout.halves + self._layout.score_half + edge]

    def _node_score(self, node):
        return self._halves[node * self._layout.halves + self._layout.node_score_half]

    def _best_edge(self, node):
        """The edge to play at a node: a proven win, shortest first; else the best of the unproven edges and the
        proven draws, a draw counting as 0; else the longest loss that is known. None when no edge is legal."""
        edges = [edge for edge in range(MAX_COLUMNS) if self._score(node, edge) != scores.NEVER]
        if not edges:
            return None
        best_proven = max(edges, key=lambda edge: self._score(node, edge))
        if scores.is_win(self._score(node, best_proven)):
            return best_proven
        first = self._node_word(node)
        unproven = [edge for edge in edges if self._score(node, edge) == scores.UNPROVEN]
        visited = [edge for edge in unproven if self._words[first + edge]]
        draws = [edge for edge in edges if self._score(node, edge) == scores.PROVEN_DRAW]
        if visited:
            best = max(visited, key=lambda edge: self._rank(first, edge))
            if not draws or self._means[first + self._layout.mean_word + best] >= 0:
                return best
        if draws:
            return draws[0]
        return unproven[0] if unproven else best_proven

    def _rank(self, first, edge):
        visits, mean = self._words[first + edge], self._means[first + self._layout.mean_word + edge]
        return (mean, visits) if self._settings.final_move == "mean" else (visits, mean)

    def _value(self, node, edge):
        """Value of an edge for the side to move at its node, -1..1."""
        score = self._score(node, edge)
        if score != scores.UNPROVEN:
            return {"win": 1.0, "draw": 0.0, "loss": -1.0}[scores.outcome(score)]
        first = self._node_word(node)
        return self._means[first + self._layout.mean_word + edge] if self._words[first + edge] else 0.0

    def _decision(self, position, iterations, elapsed_s):
        root = self._control[layout.ROOT]
        column = self._best_edge(root)
        proven = scores.outcome(self._node_score(root))
        return Decision(column, self._value(root, column), proven, "search" if proven else None,
                        self._principal_variation(position, root, column), iterations,
                        self._control[layout.MAX_DEPTH], self.nodes_in_use(), elapsed_s)

    def _tactical_decision(self, position, outcome, columns, elapsed_s):
        column = columns[0] if outcome == "win" else safe_column(position)
        pv = [column]
        if outcome == "loss":
            pv.append(tactical_columns(position.play(column))[1][0])
        return Decision(column, 1.0 if outcome == "win" else -1.0, outcome, "tactics", pv, 0, len(pv), 0, elapsed_s)

    def _principal_variation(self, position, node, column):
        """Columns of the line the tree expects, ended by the tactics that settle its last position."""
        line = []
        while True:
            line.append(column)
            position = position.play(column)
            node = self._child(node, column)
            if position.opponent_has_won() or not position.floor:
                return line
            outcome, columns = tactical_columns(position)
            if outcome is not None:
                line.append(columns[0])
                if outcome == "loss":
                    line.append(tactical_columns(position.play(columns[0]))[1][0])
                return line
            column = self._best_edge(node) if node else None
            if column is None or not self._words[self._node_word(node) + column]:
                return line


def _mix(seed):
    """A random state, never zero, from any integer (SplitMix64's finaliser, Steele, Lea and Flood 2014)."""
    word = (seed + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    word ^= word >> 31
    # The control block is read as signed numbers here and as unsigned ones by the kernels.
    return (word & 0x7FFFFFFFFFFFFFFF) or 1
