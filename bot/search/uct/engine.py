"""The engine of every tree search, for any game and either way to store the tree. Standard library only.

It owns one search memory, writes positions into it, runs the kernels in slices with the game's exact solver between
them, and reads moves, values and lines out of the tree. A game's engine derives from TreeEngine and decides what a turn
needs.
"""

from __future__ import annotations

import time

from bot.kernels.memory_block import MEGABYTE, MemoryBlock
from protocol.value_types import ValueType

from .. import scores
from ..engine import Decision, Engine, MoveValue
from ..limits import PROCESS_MB, check_memory, nanoseconds, next_slice_s
from . import control as fields

# Re-rooting the kept tree may take this share of a turn, but always the least time below: losing the tree costs more.
_REROOT_SHARE = 0.1
_LEAST_REROOT_S = 0.01
# A search that starts too late still gets this long, a few hundred iterations, to look at its moves.
_LEAST_SEARCH_S = 0.001
# If tree search and solver alternate, each slice of the tree search takes this long, and the solver's share decides how
# long the solver's slices are.
_ALTERNATION_S = 0.04


class SearchedMove(ValueType):
    """What a tree knows of a move, for the side that makes it."""

    score: int  # the proven score (search/scores.py)
    visits: int  # how often the search took the move
    mean: float  # mean result of these visits, -1..1


def value_of(move: SearchedMove) -> float:
    """Returns a move's value, -1..1: its proven value if there is one, else its mean result, 0 without visits."""
    if move.score != scores.UNPROVEN:
        return scores.VALUES[scores.outcome(move.score)]
    return move.mean if move.visits else 0.0


def is_known(move: SearchedMove) -> bool:
    """Returns whether the search has tried or proven a move."""
    return bool(move.visits or move.score)


def move_value(key: int, move: SearchedMove) -> MoveValue:
    """Returns the MoveValue of what the tree knows of a move; `key` is the move in the game's numbering."""
    value = value_of(move) if is_known(move) else None
    return MoveValue(key, value, False, move.visits, scores.outcome(move.score), None)


def best_move(moves: dict[int, SearchedMove], final_move: str) -> int | None:
    """Returns the key of the move to play, None if there are no moves.

    It is, in this order: a proven win, the shortest first; the best of the unproven moves and the proven draws, where a
    draw counts as 0; the longest known loss. Of moves proven to be equal it is the most visited one, which the search
    preferred before the proof. `final_move` says what makes an unproven move the best: "visits" or "mean".
    """
    if not moves:
        return None
    best_proven = max(moves, key=lambda move: (moves[move].score, moves[move].visits))
    if scores.is_win(moves[best_proven].score):
        return best_proven
    unproven = [move for move in moves if moves[move].score == scores.UNPROVEN]
    visited = [move for move in unproven if moves[move].visits]
    draws = [move for move in moves if moves[move].score == scores.PROVEN_DRAW]
    if visited:
        best = max(visited, key=lambda move: _rank(moves[move], final_move))
        if not draws or moves[best].mean >= 0:
            return best
    if draws:
        return draws[0]
    return unproven[0] if unproven else best_proven


def _rank(move: SearchedMove, final_move: str) -> tuple[float, float]:
    return (move.mean, move.visits) if final_move == "mean" else (move.visits, move.mean)


class TreeView:
    """A search tree as Python reads it, also while a kernel searches. It writes nothing.

    Nodes are numbers; 0 is no node. Each way to store a tree has its own derived class. It is made from a memoryview of
    the whole block, whose layout fields are already written, and from `final_move` ("visits" or "mean"), which says
    what makes an unproven move the best.
    """

    def __init__(self, memory: memoryview, final_move: str):
        self._final_move = final_move
        self._control = memory[: 8 * fields.CONTROL_FIELDS].cast("q")

    def root(self) -> int:
        """Returns the root's node."""
        return self._control[fields.ROOT]

    def root_score(self) -> int:
        """Returns the proven score (search/scores.py) of the root for its side to move."""
        raise NotImplementedError

    def moves(self, node: int) -> dict[int, SearchedMove]:
        """Returns what is known of each move that the search considers at a node; {} for node 0.

        The moves are in the order in which the search tries them first.
        """
        raise NotImplementedError

    def node_after(self, node: int, move: int) -> int:
        """Returns the node that a move of a node leads to, 0 if it has none."""
        raise NotImplementedError

    def nodes_in_use(self) -> int:
        """Returns the number of nodes in the tree."""
        raise NotImplementedError

    def bytes_in_use(self) -> int:
        """Returns the number of bytes of the memory that are in use, counting nodes as if they lay side by side."""
        raise NotImplementedError

    def best_move(self) -> int | None:
        """Returns the move to play at the root, None if it has no move."""
        return best_move(self.moves(self.root()), self._final_move)

    def best_line(self, first: int) -> list[int]:
        """Returns moves from the root: `first`, then the best move at each node, as far as the search knows it."""
        line, node = [first], self.node_after(self.root(), first)
        while node:
            moves = self.moves(node)
            best = best_move(moves, self._final_move)
            if best is None or not is_known(moves[best]):
                break
            line.append(best)
            node = self.node_after(node, best)
        return line


class TreeEngine(Engine):
    """What the tree searches of all games share. A derived class implements `think`.

    * kernels: a module with prepare_root(address, kept), search(address), prove_move(address, move, score) and
      rollouts(address).
    * settings: have move_seconds, final_move, selection, exploration, first_play, relative_first_play, proofs, solver.
    * memory_mb: the memory that the whole process may take; the search gets what the interpreter leaves of it.
    * storage: the module layout.py of one of the two ways to store trees.
    * make_solver(kernels, megabytes): makes the exact solver that works beside the tree, if the setting `solver` is on.
    * solver_share: the share of the search's memory that the solver gets.

    Raises ValueError if memory_mb is too little.
    """

    def __init__(self, kernels, settings, memory_mb, storage, make_solver, solver_share):
        check_memory(memory_mb)
        self._kernels, self._settings = kernels, settings
        search_mb = memory_mb - PROCESS_MB
        self._solver = None
        if settings.solver:
            self._solver = make_solver(kernels, search_mb * solver_share)
            search_mb *= 1 - solver_share
        plan = storage.plan_memory(int(search_mb * MEGABYTE))
        self._memory = MemoryBlock(plan.pop("total_bytes"))
        self._address = self._memory.address
        self._control = self._memory.array(0, fields.CONTROL_FIELDS, "q")
        self._reals = self._memory.array(0, fields.CONTROL_FIELDS, "d")
        self._game_words = self._memory.array(fields.GAME_WORDS_OFFSET, fields.GAME_WORDS, "q")
        for field, value in plan.items():
            self._control[field] = value
        self._control[fields.FLAGS] = (
            fields.FLAG_UCB1 * (settings.selection == "ucb1")
            | fields.FLAG_PROOFS * settings.proofs
            | fields.FLAG_RELATIVE_FIRST_PLAY * settings.relative_first_play
        )
        self._reals[fields.EXPLORATION], self._reals[fields.FIRST_PLAY] = settings.exploration, settings.first_play
        self._tree = storage.View(self._memory.view, settings.final_move)
        self._searching = False

    def _begin_turn(self, budget_s):
        """Returns (now, seconds of the turn, its deadline), by time.monotonic(). The last two are None without a limit.

        `budget_s` is in seconds from now, None for no limit; the setting move_seconds caps it, unless it is 0.
        """
        started = time.monotonic()
        self._control[fields.MAX_DEPTH] = 0
        if budget_s is None:
            return started, None, None
        if self._settings.move_seconds:
            budget_s = min(budget_s, self._settings.move_seconds)
        return started, budget_s, started + budget_s

    def _prepare_root(self, position, kept, budget_s):
        """Make a position the tree's root. Returns whether the kept tree contained it.

        Re-rooting takes at most its share of `budget_s` seconds, which is None for no limit. `kept` is passed to the
        storage's prepare_root; 0 starts a new tree.
        """
        self._write_position(position)
        reroot_s = None if budget_s is None else max(budget_s * _REROOT_SHARE, _LEAST_REROOT_S)
        self._control[fields.BUDGET_NS] = nanoseconds(reroot_s)
        return self._kernels.prepare_root(self._address, kept) != 0

    def _search(self, deadline, iterations):
        """Run the kernel in slices until time, iterations or a proof end the search; returns the iterations done.

        `deadline` is a time of time.monotonic(), None for no limit. If there is one, the solver works between the
        slices.
        """
        done = 0
        while True:
            slice_s = next_slice_s(deadline, time.monotonic())
            share = 0.0 if deadline is None else self._solver_share(deadline - time.monotonic())
            if share:
                slice_s = min(slice_s, _ALTERNATION_S)
            self._control[fields.BUDGET_NS] = nanoseconds(max(slice_s, _LEAST_SEARCH_S))
            self._control[fields.MAX_ITERATIONS] = iterations - done
            done += self._kernels.search(self._address)
            if share:
                solver_s = slice_s * share / (1 - share)
                if self._work_beside(min(solver_s, deadline - time.monotonic()), share):
                    return done
            out_of_time = deadline is not None and time.monotonic() >= deadline
            if self._control[fields.STOP_REASON] != fields.STOP_TIME or out_of_time:
                return done

    def _solver_share(self, left_s):
        """Returns the share of the time, 0 to below 1, that the solver gets between the tree's slices.

        `left_s` is the time that is left of the turn, in seconds.
        """
        return 0.0

    def _work_beside(self, seconds, share):
        """Run the solver for `seconds` and tell the tree what it has proven.

        Returns whether that settles the position.
        """
        raise NotImplementedError

    def _opinion(self):
        """Returns the root's ("win", "draw", "loss" or None if unproven; value -1..1), both for the side to move."""
        proven = scores.outcome(self._tree.root_score())
        if proven:
            return proven, scores.VALUES[proven]
        return None, value_of(self._tree.moves(self._tree.root())[self._tree.best_move()])

    def _decision(self, started, opinion, proven_by, line, iterations):
        """Returns the Decision for the first move of `line`. `opinion` is what _opinion() returns."""
        proven, value = opinion
        return Decision(
            line[0],
            value,
            proven,
            proven_by if proven else None,
            line,
            iterations,
            self._control[fields.MAX_DEPTH],
            self.nodes_in_use(),
            time.monotonic() - started,
        )

    def prove_move(self, move, score):
        """Enter a proven score (search/scores.py) of a move at the root into the tree."""
        self._kernels.prove_move(self._address, move, score)

    def best_so_far(self):
        """See Engine.best_so_far."""
        return self._best_known() if self._searching else None

    def _best_known(self):
        """Returns the root's best move, or None as long as the search knows nothing about it."""
        moves = self._tree.moves(self._tree.root())
        best = best_move(moves, self._settings.final_move)
        return best if best is not None and is_known(moves[best]) else None

    def nodes_in_use(self):
        """Returns the number of nodes in the tree."""
        return self._tree.nodes_in_use()

    def search_bytes(self):
        """See Engine.search_bytes."""
        return self._tree.bytes_in_use()

    def solve(self, position, budget_s=None, nodes=None, exact=False):
        """See Engine.solve. The solver works without the tree."""
        return None if self._solver is None else self._solver.solve(position, budget_s, nodes, exact)

    def _rollout_seconds(self, position, count):
        """Run `count` rollouts from a position, without a tree; returns the seconds that they take together."""
        self._write_position(position)
        self._control[fields.MAX_ITERATIONS] = count
        started = time.perf_counter()
        self._kernels.rollouts(self._address)
        return time.perf_counter() - started

    def _write_position(self, position):
        self._memory.write(fields.ROOT_POSITION_OFFSET, position.to_bytes())
