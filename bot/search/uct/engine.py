"""The engine of every tree search, whatever its game and however its tree is stored. Standard library only.

It owns one search memory, gives it positions, runs the kernels in slices with the game's exact solver between them, and
reads moves, values and lines out of the tree. A game's engine derives from TreeEngine and decides what a turn needs.
"""

from __future__ import annotations

import time

from bot.kernels.memory_block import MEGABYTE, MemoryBlock
from protocol.value_types import ValueType

from .. import scores
from ..engine import Decision, Engine, MoveValue
from ..limits import PROCESS_MB, check_memory, nanoseconds, next_slice_s
from . import control as fields

# At most this share of a turn goes into keeping the tree, and at least so long: to lose it costs more.
_REROOT_SHARE = 0.1
_LEAST_REROOT_S = 0.01
# A search that starts too late still looks at its moves: a few hundred iterations.
_LEAST_SEARCH_S = 0.001
# With a solver beside it the tree searches this long, then the solver as long as its share makes it.
_ALTERNATION_S = 0.04


class SearchedMove(ValueType):
    """What a tree knows of a move, for the side that makes it."""

    score: int  # what is proven (search/scores.py)
    visits: int  # how often the search took it
    mean: float  # of the results of these, -1..1


def value_of(move: SearchedMove) -> float:
    """-1..1: what a move is proven to be worth, else the mean of its results."""
    if move.score != scores.UNPROVEN:
        return scores.VALUES[scores.outcome(move.score)]
    return move.mean if move.visits else 0.0


def is_known(move: SearchedMove) -> bool:
    """Whether the search has tried or proven a move."""
    return bool(move.visits or move.score)


def move_value(key: int, move: SearchedMove) -> MoveValue:
    """What the tree knows of a move, `key` being its name."""
    value = value_of(move) if is_known(move) else None
    return MoveValue(key, value, False, move.visits, scores.outcome(move.score), None)


def best_move(moves: dict[int, SearchedMove], final_move: str) -> int | None:
    """The key of the move to play, None without moves.

    A proven win, shortest first; else the best of the unproven moves and the proven draws, a draw counting as 0; else
    the longest loss that is known. Of moves proven to be equal it is the most visited one, the search's favourite until
    the proof. final_move: "visits" or "mean", what makes an unproven move the best.
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
    """A search tree as Python reads it, also while a kernel searches. Nothing is written.

    Nodes are numbers, 0 stands for none. Each way to store a tree has a view of its own, made from a memoryview of the
    whole block, whose layout fields are written, and from final_move, "visits" or "mean": what makes an unproven move
    the best.
    """

    def __init__(self, memory: memoryview, final_move: str):
        self._final_move = final_move
        self._control = memory[: 8 * fields.CONTROL_FIELDS].cast("q")

    def root(self) -> int:
        """The root's node."""
        return self._control[fields.ROOT]

    def root_score(self) -> int:
        """Proven score of the root (search/scores.py) for its side to move."""
        raise NotImplementedError

    def moves(self, node: int) -> dict[int, SearchedMove]:
        """What is known of each move that the search considers at a node, in the order of trial; {} where node is 0."""
        raise NotImplementedError

    def node_after(self, node: int, move: int) -> int:
        """The node that one of the moves of a node leads to, 0 where there is none."""
        raise NotImplementedError

    def nodes_in_use(self) -> int:
        """Nodes of the tree."""
        raise NotImplementedError

    def bytes_in_use(self) -> int:
        """Bytes of the memory that hold something, with the nodes in use side by side."""
        raise NotImplementedError

    def best_move(self) -> int | None:
        """The move to play at the root, None where it has no move."""
        return best_move(self.moves(self.root()), self._final_move)

    def best_line(self, first: int) -> list[int]:
        """Moves from the root: `first`, then each the best one at its node, as long as the search knows it."""
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
    """What the tree searches of all games share; a deriving class has `think`.

    kernels: a module with prepare_root(address, kept), search(address), prove_move(address, move, score) and
    rollouts(address). settings: with move_seconds, final_move, selection, exploration, first_play, relative_first_play,
    proofs and solver. memory_mb: what the whole process may take; the search gets what the interpreter leaves of it.
    storage: the module layout.py of a way to store trees. make_solver(kernels, megabytes): what solves positions
    exactly beside the tree, where the settings want it; it gets solver_share of the memory.
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
        """(now, seconds of the turn, its deadline) by time.monotonic(); the last two are None without a limit.

        budget_s: seconds from now, or None; the setting move_seconds, where given, caps it.
        """
        started = time.monotonic()
        self._control[fields.MAX_DEPTH] = 0
        if budget_s is None:
            return started, None, None
        if self._settings.move_seconds:
            budget_s = min(budget_s, self._settings.move_seconds)
        return started, budget_s, started + budget_s

    def _prepare_root(self, position, kept, budget_s):
        """Make a position the tree's root within its share of so many seconds; whether the kept tree had it.

        kept: what the storage's prepare_root takes, 0 to start afresh.
        """
        self._write_position(position)
        reroot_s = None if budget_s is None else max(budget_s * _REROOT_SHARE, _LEAST_REROOT_S)
        self._control[fields.BUDGET_NS] = nanoseconds(reroot_s)
        return self._kernels.prepare_root(self._address, kept) != 0

    def _search(self, deadline, iterations):
        """Run the kernel in slices until time, iterations or a proof end it; returns the iterations done.

        deadline: of time.monotonic(), None for no limit. With one the solver works between the slices.
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
        """The part of the time from now on that the solver is to have between the tree's slices, 0..1."""
        return 0.0

    def _work_beside(self, seconds, share):
        """Let the solver work, and tell the tree what it has proven; whether that settles the position."""
        raise NotImplementedError

    def _opinion(self):
        """("win", "draw", "loss" or None, value): what is proven of the root, and what it is worth, for its side."""
        proven = scores.outcome(self._tree.root_score())
        if proven:
            return proven, scores.VALUES[proven]
        return None, value_of(self._tree.moves(self._tree.root())[self._tree.best_move()])

    def _decision(self, started, opinion, proven_by, line, iterations):
        """The Decision for the first move of a line; opinion: as _opinion has it."""
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
        """Give the tree a proven score (search/scores.py) of a move at its root."""
        self._kernels.prove_move(self._address, move, score)

    def best_so_far(self):
        """As Engine has it."""
        return self._best_known() if self._searching else None

    def _best_known(self):
        """The root's best move, None as long as the search knows nothing of it."""
        moves = self._tree.moves(self._tree.root())
        best = best_move(moves, self._settings.final_move)
        return best if best is not None and is_known(moves[best]) else None

    def nodes_in_use(self):
        """Nodes of the tree."""
        return self._tree.nodes_in_use()

    def search_bytes(self):
        """As Engine has it."""
        return self._tree.bytes_in_use()

    def solve(self, position, budget_s=None, nodes=None, exact=False):
        """As Engine has it: without the tree."""
        return None if self._solver is None else self._solver.solve(position, budget_s, nodes, exact)

    def _rollout_seconds(self, position, count):
        """Seconds that so many rollouts from a position take, one after another, without a tree."""
        self._write_position(position)
        self._control[fields.MAX_ITERATIONS] = count
        started = time.perf_counter()
        self._kernels.rollouts(self._address)
        return time.perf_counter() - started

    def _write_position(self, position):
        self._memory.write(fields.ROOT_POSITION_OFFSET, position.to_bytes())
