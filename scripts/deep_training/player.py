"""`scripts/play_deep FILE`: a network as a bot on the wire, by PUCT on the CPU, to see what it is worth.

Every move takes so many evaluations, whatever time they need: give its matches a limit above that.
"""

import argparse
import math
import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch

from bot.games.connect_four import adapter
from bot.games.connect_four.plain import Position, tactical_columns
from bot.search.engine import Decision, Engine
from bot.shell.player import Log
from bot.shell.session import build_session
from connect_four_training.positions import POSITION, row_of
from connect_four_training.self_play import RESULTS
from deep_training.learning import evaluate
from deep_training.network import Network, NetworkError, load_network
from option_types import count
from stopping import stop_like_ctrl_c

EXPLORATION = 1.75  # of PUCT (Silver et al. 2016)
# A move not visited yet is taken to be worth its parent less this times the root of the prior already visited.
FIRST_PLAY_REDUCTION = 0.25
TOGETHER = 8  # leaves at most that are evaluated at once
REFUSED_STATUS = 2


class _Node:
    """A position in the tree. total and proven are for its side to move; columns in the order of priors.

    visits: descents whose value is known, total: the sum of their values; waiting: descents whose leaf is not evaluated
    yet; proven: -1, 0, 1 or None.
    """

    __slots__ = ("position", "columns", "priors", "children", "visits", "waiting", "total", "proven")

    def __init__(self, position: Position):
        self.position, self.visits, self.waiting, self.total = position, 0, 0, 0.0
        outcome, self.columns = tactical_columns(position)
        self.proven = RESULTS[outcome] if outcome else None if self.columns else 0
        self.priors, self.children = None, {}

    def chosen(self) -> int:
        """The column to descend by: PUCT over the moves that are not proven lost."""
        root, parent = math.sqrt(max(1, self.visits + self.waiting)), self.total / max(1, self.visits)
        seen = sum(prior for column, prior in zip(self.columns, self.priors, strict=True) if column in self.children)
        first = max(-1.0, parent - FIRST_PLAY_REDUCTION * math.sqrt(seen))
        best, best_score = self.columns[0], -math.inf
        for column, prior in zip(self.columns, self.priors, strict=True):
            child = self.children.get(column)
            if child is not None and child.proven == 1:
                continue
            descents = 0 if child is None else child.visits + child.waiting
            mean = -child.total / child.visits if child is not None and child.visits else first
            score = mean + EXPLORATION * prior * root / (1 + descents)
            if score > best_score:
                best, best_score = column, score
        return best

    def learn(self) -> None:
        """Take over what the children have proven."""
        known = [child.proven for child in self.children.values()]
        if -1 in known:
            self.proven = 1
        elif len(known) == len(self.columns) and None not in known:
            self.proven = -min(known)

    def likeliest(self) -> int:
        """The column with the highest prior."""
        return max(zip(self.priors, self.columns, strict=True))[1]

    def worth(self, column: int) -> tuple:
        """What the root's move is picked by: a proof, then visits."""
        child = self.children[column]
        return -(child.proven if child.proven in (-1, 1) else 0), child.visits


class DeepEngine(Engine):
    """PUCT with a network's values and policy; nothing is kept from move to move."""

    def __init__(self, network: Network):
        self._network = network

    def think(self, position, budget_s=None, iterations=None):
        """As Engine has it, with so many evaluations for iterations; a budget is not looked at."""
        started = time.monotonic()
        root = _Node(position)
        if root.proven is None:
            root.visits, root.total, done = 1, self._expand([root])[0], 1
            while done < iterations and root.proven is None:
                done += self._evaluate_some(root, min(TOGETHER, iterations - done))
        else:
            done = 0
        if root.children:
            column = max(root.children, key=root.worth)
        else:
            column = root.likeliest() if root.priors else adapter.safe_move(position)
        proven = {1: "win", 0: "draw", -1: "loss", None: None}[root.proven]
        value = root.total / max(1, root.visits) if root.proven is None else float(root.proven)
        by = None if proven is None else "search" if root.children else "tactics"
        return Decision(column, value, proven, by, [column], done, 0, 0, time.monotonic() - started)

    def _evaluate_some(self, root: _Node, most: int) -> int:
        """Up to so many descents, and the evaluation of where they end; how many descents it were.

        None goes to a leaf that waits for its evaluation already: what that says comes first.
        """
        paths, leaves = [], []
        while len(paths) < most:
            path = [root]
            while path[-1].proven is None and path[-1].priors is not None:
                node = path[-1]
                column = node.chosen()
                if column not in node.children:
                    node.children[column] = _Node(node.position.play(column))
                path.append(node.children[column])
            if path[-1].waiting:
                break
            for node in path:
                node.waiting += 1
            paths.append(path)
            if path[-1].proven is not None:
                break  # what it proves decides where the next one goes
            leaves.append(path[-1])
        values = dict(zip(leaves, self._expand(leaves), strict=True))
        for path in paths:
            leaf = path[-1]
            value = values[leaf] if leaf in values else float(leaf.proven)
            for node in reversed(path):
                node.waiting -= 1
                node.visits += 1
                node.total += value
                value = -value
                if node is not leaf and node.proven is None:
                    node.learn()
        return len(paths)

    def _expand(self, leaves: list) -> list[float]:
        """Evaluate positions and give their nodes priors; their values."""
        if not leaves:
            return []
        rows = np.array([row_of(leaf.position, 0, False, 0.0, 0) for leaf in leaves], POSITION)
        values, policies = evaluate(self._network, rows, "cpu")
        for leaf, policy in zip(leaves, np.exp(policies), strict=True):
            priors = policy[leaf.columns]
            leaf.priors = (priors / max(1e-9, priors.sum())).tolist()
        return values.tolist()


def main(words: list[str]) -> int:
    """Play one game on stdin and stdout; returns the exit status."""
    options = _parser().parse_args(words)
    stop_like_ctrl_c()
    torch.set_num_threads(1)
    try:
        network = load_network(options.network)
    except NetworkError as error:
        print(f"error: {error}", file=sys.stderr)
        return REFUSED_STATUS
    # The session's own loading of engines, with this one in place of compiled kernels.
    loaded = SimpleNamespace(name="deep", reason=Path(options.network).name)
    kernels = SimpleNamespace(obtain=lambda: loaded, stop_compiling=lambda: None)
    game = SimpleNamespace(**{**vars(adapter), "make_engine": lambda *_: DeepEngine(network)})
    return build_session(game, kernels, Log(), wire=options.protocol, iterations=options.evaluations).run()


def _parser():
    parser = argparse.ArgumentParser(prog="scripts/play_deep", description=__doc__.partition(": ")[2])
    parser.add_argument("network", type=Path, metavar="FILE", help="a network of scripts/train_deep")
    parser.add_argument("--evaluations", type=count, default=400, metavar="N", help="of each move (default 400)")
    parser.add_argument("--protocol", choices=adapter.WIRES, default=adapter.WIRES[0], help="default %(default)s")
    return parser


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(status)  # the judge waits for the end, which PyTorch makes long
