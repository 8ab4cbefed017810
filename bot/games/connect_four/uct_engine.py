"""Connect four by tree search: tactics before the search, the exact solver beside it, the network in its leaves.

Standard library only: the compiled kernels are passed in, and all their data lie in the memory whose address they get.
The tree's game words (search/uct/control.py) are, as uint64[256],

    word 0     RANDOM_STATE: the states of RANDOM_WORDS random generators, one a word, none of them zero
    word 4     the numbers named below
    word 16    replies: the reply that has last won after a stone; 16 words for each side, one for each column of the
               stone; a word has four bits for each row: 15 - the reply's column, or 0 if no reply is known
    word 48    cells: 16 * column + row of every stone of the running rollout, in the order of play; at most 144
"""

import time

from bot.kernels.memory_block import mixed
from bot.search import scores
from bot.search.limits import count_or_no_limit
from bot.search.uct import control as fields
from bot.search.uct.engine import SearchedMove, TreeEngine, is_known, move_value
from bot.search.uct.narrow_tree import layout as storage

from . import network_weights, policy_weights
from .plain import outcome_at_once, safe_move, tactical_columns
from .solver_engine import SolverScheduler
from .weights_file import WeightsError

RANDOM_STATE, RANDOM_WORDS = 0, 4
(
    TREE_POLICY,  # the tactics of the tree, bits of board.py
    ROLLOUT_POLICY,  # the tactics of the rollouts, bits of board.py
    FOLLOW_BITS,  # how many random bits are cleared in the key (uct.py) of the column just played in
    EVEN_BITS,  # how many are cleared for a column with an odd number of free cells
    REPLY_BITS,  # how many are cleared for the reply that has last won
    NETWORK,  # address of the network's memory, 0 if the network is not used
    NETWORK_SHARE,  # the network's share of a leaf's value, in units of 1 / WHOLE_SHARE; the rollout has the rest
    ROLLOUT_PLIES,  # written by rollouts: the number of plies that they have played since the engine set this word
    POLICY,  # address of the policy's memory, 0 if it is not used
) = range(4, 13)
REPLIES, REPLY_WORDS = 16, 32
CELLS = REPLIES + REPLY_WORDS

WHOLE_SHARE = 1000
# The integer that stands for the value 1.0, a win, when a kernel returns the network's value.
WHOLE_VALUE = 1_000_000

# The solver's share of the memory that the interpreter leaves for the search.
_SOLVER_MEMORY_SHARE = 0.25
# {setting root_tactics: outcomes of tactical_columns for which a turn needs no search}.
_ANSWERED_AT_ONCE = {"look_ahead": ("win", "loss"), "win": ("win",), "none": ()}
_NOTHING_KNOWN = SearchedMove(scores.UNPROVEN, 0, 0.0)


class UctEngine(TreeEngine):
    """The tree search of one game. Positions are plain.Position values; columns count from the left.

    `kernels` are as in TreeEngine, with solve, static_value and prior in addition. `network` and `policy` are the bytes
    of their weights, or None for the package's files.
    """

    def __init__(self, kernels, settings, memory_mb, seed, network=None, policy=None):
        super().__init__(kernels, settings, memory_mb, storage, SolverScheduler, _SOLVER_MEMORY_SHARE)
        control, words = self._control, self._game_words
        control[storage.EXPAND_VISITS] = settings.expand_visits
        control[fields.FLAGS] |= (
            fields.FLAG_SHARE * settings.share
            | fields.FLAG_ROLLOUT_PROOFS * settings.rollout_proofs
            | fields.FLAG_DRAW_PROOFS * settings.draw_proofs
        )
        self._reals[storage.RESERVE_MEAN] = settings.first_play - settings.reserve_penalty
        for word in range(RANDOM_WORDS):
            words[RANDOM_STATE + word] = mixed(seed * RANDOM_WORDS + word)
        words[TREE_POLICY], words[ROLLOUT_POLICY] = settings.tree_policy(), settings.rollout_policy()
        words[FOLLOW_BITS] = settings.rollout_follow
        words[EVEN_BITS] = settings.rollout_even
        words[REPLY_BITS] = settings.rollout_reply
        self._weights = []  # the kernels hold addresses alone
        if settings.network_share:
            words[NETWORK] = self._load(network_weights.NETWORK_FILE, network_weights.WEIGHTS_OFFSET, network)
            words[NETWORK_SHARE] = round(settings.network_share * WHOLE_SHARE) if words[NETWORK] else 0
        control[storage.PRIOR_VISITS] = -1
        if settings.policy_share:
            words[POLICY] = self._load(policy_weights.POLICY_FILE, policy_weights.WEIGHTS_OFFSET, policy)
            if words[POLICY]:
                control[storage.PRIOR_VISITS] = settings.policy_visits
            self._reals[storage.PRIOR_SHARE] = settings.policy_share
        self._answered_at_once = _ANSWERED_AT_ONCE[settings.root_tactics]
        self._root_position = None

    def _load(self, file, offset, numbers):
        """Returns the address of a memory with weights, those of `file` if `numbers` is None.

        If that fails, sets `warning` and returns 0, and the engine plays without them.
        """
        try:
            memory = file.memory(offset, numbers)
        except WeightsError as error:
            self.warning = f"it plays without its weights: {error}"
            return 0
        self._weights.append(memory)
        return memory.address

    def think(self, position, budget_s=None, iterations=None):
        """Search and decide. The position must have a legal move and must not be won already.

        `budget_s` limits the time in seconds from now. The setting move_seconds caps it, unless that setting is 0.
        `iterations` limits the number of iterations. Without `budget_s`, the same seed and the same calls give the same
        decisions on every machine.
        """
        started, budget_s, deadline = self._begin_turn(budget_s)
        outcome, columns = tactical_columns(position)
        if outcome in self._answered_at_once:
            return self._tactical_decision(started, position, outcome, columns)
        if not self._prepare_root(position, self._kept_root(position), budget_s):
            self._forget_replies()
        self._root_position = position
        if self._is_settled_by_looking():
            return self._tactical_decision(started, position, outcome, columns)
        if self._solver is not None:
            self._solver.open(position)
        self._searching = True
        try:
            done = self._search(deadline, count_or_no_limit(iterations))
            column = self._solved_column(deadline)
        finally:
            self._searching = False
        if column is None:
            column, opinion, proven_by = self._tree.best_move(), self._opinion(), "search"
        else:
            proven = self._solver.outcome() or "loss"
            opinion, proven_by = (proven, scores.VALUES[proven]), "solver"
        line = with_tactics(position, self._tree.best_line(column))
        return self._decision(started, opinion, proven_by, line, done)

    def _kept_root(self, position):
        """Returns the argument `kept_root` of the kernel prepare_root for a position.

        It is the position's node in the kept tree, PROBE_ROOT if the table may have the position, or 0 to start a new
        tree.
        """
        before = self._root_position
        if (
            not self._settings.keep_tree
            or before is None
            or before.cells_and_forbidden() != position.cells_and_forbidden()
        ):
            return 0
        if self._settings.share:
            return storage.PROBE_ROOT
        # Without shared subtrees the table is empty: find the two plies that were played and follow them in the tree.
        for first in before.legal_moves():
            for second in before.play(first).legal_moves():
                if before.play(first).play(second) == position:
                    node = self._tree.node_after(self._tree.root(), first)
                    return self._tree.node_after(node, second) if node else 0
        return 0

    def _forget_replies(self):
        """Clear the replies that rollouts have learnt, because they are to last only as long as the tree."""
        words = fields.GAME_WORDS - REPLIES
        self._memory.write(fields.GAME_WORDS_OFFSET + 8 * REPLIES, bytes(8 * words))

    def _is_settled_by_looking(self):
        """Returns whether the tree's tactics settled the root when its node was made.

        Then none of the root's edges is searched.
        """
        moves = self._tree.moves(self._tree.root()).values()
        return self._tree.root_score() != scores.UNPROVEN and all(move.score == scores.UNPROVEN for move in moves)

    def _tactical_decision(self, started, position, outcome, columns):
        """Returns the Decision in a position whose outcome a look at the next two plies has settled.

        `outcome` and `columns` are what tactical_columns has returned.
        """
        line = [columns[0] if outcome == "win" else safe_move(position)]
        if outcome == "loss":
            line.append(tactical_columns(position.play(line[0]))[1][0])
        decision = self._decision(started, (outcome, scores.VALUES[outcome]), "tactics", line, 0)
        return decision._replace(depth=len(line), nodes=0)

    def _solver_share(self, left_s):
        return 0.0 if self._solver is None else self._solver.share(left_s)

    def _work_beside(self, seconds, share):
        if seconds > 0 and self._tree.root_score() == scores.UNPROVEN:
            _, value = self._opinion()
            self._solver.work(seconds, share, self._tree.best_move(), value > 0)
            for column, score in self._solver.proofs().items():
                self.prove_move(column, score)
        return self._solver.outcome() is not None

    def _solved_column(self, deadline):
        """Returns the column to play according to the solver, or None if the solver has not found one.

        If the solver or the tree has found the position lost, the solver uses the time until `deadline` to search for
        the move that loses as late as possible.
        """
        if self._solver is None or deadline is None:
            return None
        solved, best = self._solver.outcome(), self._tree.best_move()
        if "loss" in (solved, scores.outcome(self._tree.root_score())):
            later = self._solver.resist(deadline - time.monotonic(), best)
            return best if later is None and self._solver.outcome() is not None else later
        if solved is None:
            return None
        proven = self._solver.column()
        return best if proven is None else proven

    def move_values(self, position, decision, budget_s=None, iterations=None):
        """See Engine.move_values.

        Combines what the tree, the solver and a look at the next two plies know of each legal column.
        """
        searched = self._tree.moves(self._tree.root()) if self._root_position == position else {}
        proofs = self._solver.proofs() if decision.proven_by == "solver" else {}
        values = []
        for column in position.legal_moves():
            known = searched.get(column, _NOTHING_KNOWN)  # the tree's tactics leave some columns out
            if known.score == scores.UNPROVEN:
                known = known._replace(score=proofs.get(column, scores.UNPROVEN))
            if decision.proven == "loss":
                known = known._replace(score=scores.at_most("loss", position.free_cells()))
            elif not is_known(known):
                outcome = outcome_at_once(position.play(column))
                known = known._replace(score=scores.at_most(outcome, 2) if outcome else scores.UNPROVEN)
            values.append(move_value(column, known))
        return values

    def static_values(self, position):
        """See Engine.static_values. The values are the network's. Returns None if the network is not used."""
        if not self._game_words[NETWORK]:
            return None
        after = {column: position.play(column) for column in position.legal_moves()}
        goes_on = {column: later for column, later in after.items() if later.floor and not later.opponent_has_won()}
        return self._static_value(position), {column: -self._static_value(later) for column, later in goes_on.items()}

    def priors(self, position):
        """See Engine.priors. Moves that the tactics leave out have a prior of 0."""
        if not self._game_words[POLICY]:
            return None
        self._write_position(position)
        return {column: self._kernels.prior(self._address, column) / WHOLE_VALUE for column in position.legal_moves()}

    def _static_value(self, position):
        self._write_position(position)
        return self._kernels.static_value(self._address) / WHOLE_VALUE

    def time_rollouts(self, position, count):
        """See Engine.time_rollouts."""
        self._game_words[ROLLOUT_PLIES] = 0
        seconds = self._rollout_seconds(position, count)
        return seconds, self._game_words[ROLLOUT_PLIES]


def with_tactics(position, line):
    """Returns the columns of `line`, which are played from `position`, up to the first position that tactics settle.

    The columns that the tactics play from there on are appended.
    """
    shown = []
    for column in line:
        shown.append(column)
        position = position.play(column)
        if position.opponent_has_won() or not position.floor:
            break
        outcome, columns = tactical_columns(position)
        if outcome is not None:
            shown.append(columns[0])
            if outcome == "loss":
                shown.append(tactical_columns(position.play(columns[0]))[1][0])
            break
    return shown
