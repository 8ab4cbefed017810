"""The strong engine for boards up to 8x8: searches a ply deeper again and again, then to the end of the game.

Standard library only; the search is search.py's, in the memory of search_memory.py. Towards the end the search goes
right to the end of the game, first with wide probes (open.py), which tells what is likely, then with narrower ones,
then without: first whether the position is won, then the score.
"""

import time

from bot.search.engine import Decision, Engine, MoveValue, Solution, decided, outcome_of, unknown
from bot.search.limits import PROCESS_MB, check_memory

from ..rules.board import PASS
from ..weights.pattern_set import WeightsError, unpack_weights
from ..weights.weights_file import stored_weights
from .search_memory import SearchMemory
from .search_task import HIGHEST_SCORE, SearchTask

LARGEST_SIZE = 8
# Without a choice a look is enough: for its value.
_NODES_WITHOUT_CHOICE = 50_000


class ReversiEngine(Engine):
    """One game's search. Positions are plain.Position values of at most LARGEST_SIZE; moves are cells' numbers or PASS.

    kernels: the module of entry points, kernels.py, or one with its pvs and prepare_weights. settings: its
    move_seconds is used. memory_mb: what the whole process may take. seed: taken for the interface's sake; nothing is
    left to chance. weights: bytes of a weights file instead of the package's; b"": play without.
    """

    SEARCHES_APART = True

    def __init__(self, kernels, settings, memory_mb, seed, weights=None):
        check_memory(memory_mb)
        self._settings = settings
        self._memory = SearchMemory(kernels, memory_mb - PROCESS_MB, self._unpacked(weights))
        self._task = None

    def _unpacked(self, weights):
        """What search_memory.py takes; without the package's weights the game goes on, with a warning."""
        if weights is not None:
            return unpack_weights(weights) if weights else None
        try:
            return stored_weights()
        except WeightsError as error:
            self.warning = f"it plays without its weights: {error}"
            return None

    def think(self, position, budget_s=None, iterations=None):
        """Search and decide; the position must have a legal move. A pass is answered at once.

        budget_s: seconds from now for everything; the setting move_seconds, where given, caps it. iterations: the most
        nodes. With iterations alone the same calls give the same decisions on every machine. Without either it ends
        when the score is known. value: what the best move leads to, in discs more than the opponent's, divided by 64.
        """
        if budget_s is not None and self._settings.move_seconds:
            budget_s = min(budget_s, self._settings.move_seconds)
        started = time.monotonic()
        moves = position.legal_moves()
        if moves == [PASS]:
            return Decision(PASS, 0.0, None, None, [PASS], 0, 0, 0, time.monotonic() - started)
        if len(moves) == 1:
            iterations = _NODES_WITHOUT_CHOICE if iterations is None else min(iterations, _NODES_WITHOUT_CHOICE)
        task = self._begin(position, started, budget_s, iterations)
        try:
            task.work(to_outcome=False)
        finally:
            self._task = None
        outcome = outcome_of(task.lower, task.upper)
        line = task.line()
        return Decision(
            line[0],
            task.score / HIGHEST_SCORE,
            outcome,
            outcome and "solver",
            line,
            task.nodes,
            task.depth,
            task.nodes,
            time.monotonic() - started,
        )

    def move_values(self, position, decision, budget_s=None, iterations=None):
        """As Engine has it: the decision's move as decided, each of the others searched by itself, all of them alike.

        The search for the best move proves of the others no more than that they are not better.
        """
        moves = position.legal_moves()
        others = [move for move in moves if move != decision.move]
        deadline = None if budget_s is None else time.monotonic() + budget_s
        nodes = None if iterations is None else max(1, iterations // max(1, len(others)))
        values = {decision.move: decided(decision)}
        for number, move in enumerate(others):
            left_s = None if deadline is None else (deadline - time.monotonic()) / (len(others) - number)
            values[move] = self._value_apart(position.play(move), move, left_s, nodes)
        return [values[move] for move in moves]

    def _value_apart(self, after, move, budget_s, nodes):
        """The MoveValue of a move that led to that position, within these limits."""
        for_mover = -1
        if after.must_pass():
            after, for_mover = after.play(PASS), 1
        if after.is_over():
            score = for_mover * after.disc_difference()
            return MoveValue(move, score / HIGHEST_SCORE, False, None, outcome_of(score, score), 1)
        task = self._begin(after, time.monotonic(), budget_s, nodes)
        try:
            task.work(to_outcome=False)
        finally:
            self._task = None
        if not task.depth:
            return unknown(move)
        lower, upper = sorted((for_mover * task.lower, for_mover * task.upper))
        value = for_mover * task.score / HIGHEST_SCORE
        return MoveValue(move, value, False, None, outcome_of(lower, upper), task.depth + 1)

    def solve(self, position, budget_s=None, nodes=None, exact=False):
        """The Solution of a position with a legal move.

        budget_s: seconds at most; nodes: positions at most; without either it runs to the end. exact: find the score
        too; where the limits end that search the outcome is known without it.
        """
        started = time.monotonic()
        task = self._begin(position, started, budget_s, nodes)
        try:
            task.work(to_outcome=not exact)
        finally:
            self._task = None
        outcome = outcome_of(task.lower, task.upper)
        return Solution(
            outcome,
            None,
            task.move() if outcome else None,
            task.nodes,
            time.monotonic() - started,
            task.score if task.lower == task.upper else None,
        )

    def _begin(self, position, started, budget_s, nodes):
        self._memory.set_size(position.size)
        self._memory.new_date()
        self._task = SearchTask(self._memory, position, started, budget_s, nodes)
        return self._task

    def knows(self, position):
        """Whether its words hold a board of that size."""
        return position.size <= LARGEST_SIZE

    def best_so_far(self):
        """The move a running search would answer now, or None; callable from another thread."""
        task = self._task
        return None if task is None else task.move_so_far()

    def nodes_in_use(self):
        """Positions that the table holds."""
        return self._memory.entries_in_use()

    def search_bytes(self):
        """Bytes of the search memory that hold something."""
        return self._memory.bytes_in_use()
