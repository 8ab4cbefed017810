"""The base class of the engines that search a tree, narrow_tree or wide_tree, for any game. Standard library only.

A TreeEngine owns one search memory and writes positions into it. It runs the search kernel in slices, with the game's
exact solver between the slices, and reads moves, values and lines out of the tree. A game's engine derives from
TreeEngine and decides which of these steps a turn needs.
"""

from __future__ import annotations

import time

from bot.kernels.memory_block import MEGABYTE, MemoryBlock
from protocol.value_types import ValueType

from .. import scores
from ..engine import Decision, Engine, MoveValue
from ..limits import PROCESS_MB, check_memory, nanoseconds, next_slice_s
from . import control as fields

# Re-rooting the kept tree may take this share of a turn, or _LEAST_REROOT_S if that is longer: losing the tree costs
# more.
_REROOT_SHARE = 0.1
_LEAST_REROOT_S = 0.01
# A search that starts too late still gets these seconds, a few hundred iterations, to look at its moves.
_LEAST_SEARCH_S = 0.001
# If tree search and solver alternate, each slice of the tree search takes this long, and the solver's share decides how
# long the solver's slices are.
_ALTERNATION_S = 0.04


class SearchedMove(ValueType):
    """What a tree knows of a move. The score and the mean are for the side that makes the move."""

    score: int  # the proven score (search/scores.py)
    visits: int  # how often the search took the move
    mean: float  # mean result of these visits, -1..1


def value_of(move: SearchedMove) -> float:
    """Returns a move's value, -1..1: its proven value if it is proven, 0 if it has no visits, else its mean result."""
    if move.score != scores.UNPROVEN:
        return scores.VALUES[scores.outcome(move.score)]
    return move.mean if move.visits else 0.0


def is_known(move: SearchedMove) -> bool:
    """Returns whether the search has tried or proven a move."""
    return bool(move.visits or move.score)


def move_value(key: int, move: SearchedMove) -> MoveValue:
    """Convert what the tree knows of a move into a MoveValue. `key` is the move in the game's numbering."""
    value = value_of(move) if is_known(move) else None
    return MoveValue(key, value, False, move.visits, scores.outcome(move.score), None)


def best_move(moves: dict[int, SearchedMove], final_move: str) -> int | None:
    """Returns the key of the move to play, or None if `moves` is empty.

    The first of these that exists is played: the shortest proven win; the best of the unproven moves and the proven
    draws, where a draw counts as 0; the longest loss. If several moves are proven to win, or to lose, after equally
    many plies, the most visited one is played, because the search preferred it before the proof. `final_move` says what
    makes an unproven move the best: "visits"; "mean"; or "likely", the highest mean among the moves that have at least
    half as many visits as the most visited one.
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
        if final_move == "likely":
            most = max(moves[move].visits for move in visited)
            visited = [move for move in visited if 2 * moves[move].visits >= most]
        best = max(visited, key=lambda move: _rank(moves[move], final_move))
        if not draws or moves[best].mean >= 0:
            return best
    if draws:
        return draws[0]
    return unproven[0] if unproven else best_proven


def _rank(move: SearchedMove, final_move: str) -> tuple[float, float]:
    return (move.visits, move.mean) if final_move == "visits" else (move.mean, move.visits)


class TreeView:
    """A search tree as Python reads it, also while a kernel searches. A TreeView writes nothing.

    Nodes are numbers; 0 stands for no node. narrow_tree and wide_tree have derived classes. `memory` is a memoryview of
    the whole block, whose layout fields must be written already. `final_move` says what
    makes an unproven move the best, as in best_move().
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
        """Returns {move: SearchedMove} of each move that the search considers at a node. Returns {} for node 0.

        The moves are in the order in which the search tries them for the first time.
        """
        raise NotImplementedError

    def node_after(self, node: int, move: int) -> int:
        """Returns the node that `move` leads to from `node`, or 0 if there is no such node."""
        raise NotImplementedError

    def nodes_in_use(self) -> int:
        """Returns the number of nodes in the tree."""
        raise NotImplementedError

    def bytes_in_use(self) -> int:
        """Returns the number of bytes of the memory that are in use, counting nodes as if they lay side by side."""
        raise NotImplementedError

    def best_move(self) -> int | None:
        """Returns the move to play at the root, or None if the root has no move."""
        return best_move(self.moves(self.root()), self._final_move)

    def best_line(self, first: int) -> list[int]:
        """Returns a line from the root: the move `first`, then the best move at each node as far as it is known."""
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
    """The base class of the engines that search a tree. A derived class implements `think`.

    * kernels: a module with prepare_root(address, kept), search(address), prove_move(address, move, score) and
      rollouts(address).
    * settings: have move_seconds, final_move, selection, exploration, first_play, relative_first_play, proofs, solver.
    * memory_mb: the megabytes that the whole process may take; the search gets what the interpreter leaves of them.
    * storage: the module narrow_tree/layout.py or wide_tree/layout.py.
    * make_solver(kernels, megabytes): makes the exact solver that works beside the tree, if the setting `solver` is on.
    * solver_share: the share of the search's memory that the solver gets.

    Raises ValueError if `memory_mb` is too little for a search.
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
        """Returns (now, seconds of the turn, deadline of the turn), by time.monotonic().

        If the turn has no limit, seconds and deadline are None. `budget_s` is the turn's limit in seconds from now, or
        None for no limit. The setting move_seconds caps the limit, unless that setting is 0.
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

        `budget_s` is the turn's limit in seconds, of which re-rooting takes a small share, or None for no limit. `kept`
        is passed to the kernel prepare_root. If it is 0, a new tree is started.
        """
        self._write_position(position)
        reroot_s = None if budget_s is None else max(budget_s * _REROOT_SHARE, _LEAST_REROOT_S)
        self._control[fields.BUDGET_NS] = nanoseconds(reroot_s)
        return self._kernels.prepare_root(self._address, kept) != 0

    def _search(self, deadline, iterations):
        """Run the kernel in slices until the time or the iterations are used up or nothing is left to find out.

        Returns the number of iterations done. `deadline` is a time of time.monotonic(), or None for no limit. With a
        deadline, the solver may work between the slices.
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
        """Returns the share of the time, at least 0 and below 1, that the solver gets between the tree's slices.

        `left_s` is the number of seconds that are left of the turn.
        """
        return 0.0

    def _work_beside(self, seconds, share):
        """Run the solver for `seconds` and enter what it has proven into the tree.

        `share` is what _solver_share() has returned. Returns whether the position is settled.
        """
        raise NotImplementedError

    def _opinion(self):
        """Returns (outcome, value) of the root, for its side to move.

        The outcome is "win", "draw" or "loss", or None if the root is unproven. The value is -1..1.
        """
        proven = scores.outcome(self._tree.root_score())
        if proven:
            return proven, scores.VALUES[proven]
        return None, value_of(self._tree.moves(self._tree.root())[self._tree.best_move()])

    def _decision(self, started, opinion, proven_by, line, iterations):
        """Returns the Decision for the first move of `line`. `opinion` is (outcome, value) as _opinion() returns it."""
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
        """Enter the proven score (search/scores.py) of a move at the root into the tree."""
        self._kernels.prove_move(self._address, move, score)

    def best_so_far(self):
        """See Engine.best_so_far."""
        return self._best_known() if self._searching else None

    def _best_known(self):
        """Returns the root's best move, or None if the search knows nothing of that move yet."""
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
        """Run `count` rollouts from a position, without a tree. Returns the seconds that they take together."""
        self._write_position(position)
        self._control[fields.MAX_ITERATIONS] = count
        started = time.perf_counter()
        self._kernels.rollouts(self._address)
        return time.perf_counter() - started

    def _write_position(self, position):
        self._memory.write(fields.ROOT_POSITION_OFFSET, position.to_bytes())
