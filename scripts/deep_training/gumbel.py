"""Games of the network against itself, many side by side in one array program, moves chosen by Gumbel search.

Danihelka et al., *Policy improvement by planning with Gumbel*, ICLR 2022: with a few simulations a move the root's
moves are drawn without replacement and halved again and again; what the search found becomes the policy to learn.
A node's moves are those that one look ahead leaves (board.look); where that settles the node, it is a leaf for good.
"""

import math
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from bot.games.connect_four.plain import tactical_columns
from connect_four_training.positions import POSITION, VISITS, append, row_of
from connect_four_training.self_play import STRONG, start_position
from deep_training.board import COLUMNS, Boards, boards_of, look, planes_of
from deep_training.network import Network, value_of, with_bfloat16

MOST_CONSIDERED = 8  # moves of the root that the halving begins with
# How much the search's values outweigh the prior: (this + the most visits of a move) * the value from 0 to 1.
BASE_VISITS = 50.0
NEVER = -1e9  # the logit of a move that is not to be played
MOST_PLIES = 144


class Found(NamedTuple):
    """What a search says of n positions.

    columns: int64[n], the move to play; policy: float32[n, COLUMNS], what is learnt of the moves; values: float32[n],
    -1..1 for the side to move, the mean over that policy.
    """

    columns: torch.Tensor
    policy: torch.Tensor
    values: torch.Tensor


class Tree(NamedTuple):
    """The trees of n games, each with room for m nodes; node 0 is the root, values are for the side to move at a node.

    children: int64[n, m, COLUMNS], -1 where there is none; logits: float32[n, m, COLUMNS], NEVER for moves that are
    not to be played; visits and totals: float32[n, m]; outcome: float32[n, m], NaN where the node is open; known:
    float32[n, m], the outcome where there is one, else the network's value.
    """

    children: torch.Tensor
    logits: torch.Tensor
    visits: torch.Tensor
    totals: torch.Tensor
    known: torch.Tensor
    outcome: torch.Tensor


def halving(considered: int, simulations: int) -> list[int]:
    """How many visits a root's move must have to be visited next, for each simulation, by sequential halving.

    considered: moves to begin with. Every phase gives the moves that are left the same visits, then half of them go.
    """
    phases = max(1, math.ceil(math.log2(max(2, considered))))
    left, before, plan = considered, 0, []
    while len(plan) < simulations:
        rounds = max(1, simulations // (phases * left))
        plan += [before + turn for turn in range(rounds) for _ in range(left)]
        before, left = before + rounds, max(2, left // 2) if considered > 1 else 1
    return plan[:simulations]


def evaluate(network: Network, boards: Boards) -> tuple[torch.Tensor, torch.Tensor]:
    """(values float32[n], logits float32[n, COLUMNS]) of n positions."""
    with with_bfloat16(boards.own.device.type):
        result, columns = network(planes_of(boards).contiguous(memory_format=torch.channels_last))
    return value_of(result), columns.float()


@torch.no_grad()
def search(network: Network, boards: Boards, simulations: int, gumbel: torch.Tensor) -> Found:
    """The Found of n positions that one look ahead leaves open.

    gumbel: float32[n, COLUMNS], drawn from Gumbel(0, 1).
    """
    n, device = len(boards.own), boards.own.device
    games = torch.arange(n, device=device)
    seen = look(boards)
    values, logits = evaluate(network, boards)
    tree = Tree(
        torch.full((n, simulations + 1, COLUMNS), -1, dtype=torch.int64, device=device),
        torch.full((n, simulations + 1, COLUMNS), NEVER, device=device),
        *(torch.zeros((n, simulations + 1), device=device) for _ in range(3)),
        torch.full((n, simulations + 1), torch.nan, device=device),
    )
    stored = Boards(*(cells[:, None].repeat(1, simulations + 1, 1) for cells in boards))
    root = torch.zeros(n, dtype=torch.int64, device=device)
    _add(tree, games, root, logits, values, seen)
    considered = seen.columns.sum(1).clamp(max=MOST_CONSIDERED)
    plans = torch.tensor([halving(max(1, count), simulations) for count in range(MOST_CONSIDERED + 1)], device=device)
    plan = plans[considered]
    for simulation in range(simulations):
        path, columns = _descend(tree, games, gumbel, plan[:, simulation])
        parents, is_new = path[-1], tree.children[games, path[-1], columns] < 0
        leaf = torch.where(is_new, simulation + 1, tree.children[games, parents, columns])
        after = Boards(*(cells[games, parents] for cells in stored)).play(columns)
        for cells, reached in zip(stored, after, strict=True):
            cells[games, leaf] = reached
        tree.children[games, parents, columns] = leaf
        values, logits = evaluate(network, after)
        _add(tree, games, leaf, logits, values, look(after))
        _back_up(tree, games, path, leaf)
    improved, worth = _improved(tree, games, root)
    visits = _visits_of(tree, games, root)
    is_best = visits == visits.amax(1, keepdim=True)
    chosen = torch.where(is_best, gumbel + improved, NEVER * 2).argmax(1)
    policy = improved.softmax(1)
    return Found(chosen, policy, (policy * worth).sum(1))


def _add(tree: Tree, games, nodes, logits, values, seen) -> None:
    """Write down what is known of a node of every game; a leaf that is reached again stays as it is."""
    tree.logits[games, nodes] = torch.where(seen.columns, logits, NEVER)
    tree.outcome[games, nodes] = seen.outcome
    tree.known[games, nodes] = torch.where(seen.outcome.isnan(), values, seen.outcome)


def _visits_of(tree: Tree, games, nodes):
    """Visits of a node's moves, float32[n, COLUMNS]."""
    children = tree.children[games, nodes]
    return torch.where(children >= 0, tree.visits.gather(1, children.clamp(min=0)), 0.0)


def _improved(tree: Tree, games, nodes):
    """(logits with what is known of nodes' moves, what each move is worth -1..1), both float32[n, COLUMNS]."""
    children, logits = tree.children[games, nodes].clamp(min=0), tree.logits[games, nodes]
    visits = _visits_of(tree, games, nodes)
    means = -tree.totals.gather(1, children) / tree.visits.gather(1, children).clamp(min=1)
    prior, is_visited = logits.softmax(1), visits > 0
    weight = torch.where(is_visited, prior, 0.0)
    mean = (weight * means).sum(1) / weight.sum(1).clamp(min=1e-9)
    count = visits.sum(1)
    # A move not visited yet is taken to be worth this: the network's value mixed with the visited moves' mean.
    mixed = (tree.known[games, nodes] + count * mean) / (1 + count)
    worth = torch.where(is_visited, means, mixed[:, None])
    return logits + (BASE_VISITS + visits.amax(1, keepdim=True)) * (worth + 1) / 2, worth


def _descend(tree: Tree, games, gumbel, wanted):
    """The path to a move whose node does not exist yet or is settled: (its nodes, each int64[n]; the move, int64[n]).

    A game whose path is shorter than others' repeats its last node.
    """
    node = torch.zeros_like(games)
    improved, _ = _improved(tree, games, node)
    is_due = (_visits_of(tree, games, node) == wanted[:, None]) & (tree.logits[games, node] > NEVER)
    scores = torch.where(is_due, gumbel + improved, torch.where(tree.logits[games, node] > NEVER, NEVER, 2 * NEVER))
    column, path = scores.argmax(1), [node]
    while True:
        child = tree.children[games, node, column]
        goes_on = (child >= 0) & tree.outcome[games, child.clamp(min=0)].isnan()
        if not bool(goes_on.any()):
            return path, column
        node = torch.where(goes_on, child, node)
        improved, _ = _improved(tree, games, node)
        visits = _visits_of(tree, games, node)
        chosen = (improved.softmax(1) - visits / (1 + visits.sum(1, keepdim=True))).argmax(1)
        column = torch.where(goes_on, chosen, column)
        path.append(node)


def _back_up(tree: Tree, games, path, leaf) -> None:
    """Add the leaf's value to it and to all nodes on the way, with the sign of each one's side."""
    value = tree.known[games, leaf]
    tree.visits[games, leaf] += 1
    tree.totals[games, leaf] += value
    below = leaf
    for node in reversed(path):
        is_step = node != below  # a game that arrived earlier repeats its last node: counted once
        value = torch.where(is_step, -value, value)
        tree.visits[games, node] += is_step.float()
        tree.totals[games, node] += torch.where(is_step, value, 0.0)
        below = node


class Games:
    """So many games side by side; `play` makes a move in each and returns the rows of those that ended."""

    def __init__(self, network: Network, count: int, simulations: int, seed: int, device: str, first: int = 0):
        self._network, self._simulations, self._device = network, simulations, device
        self._random = random.Random(seed)
        self._noise = np.random.default_rng(seed)
        self._rows = np.zeros((count, MOST_PLIES), POSITION)  # of the games under way
        self._plies = np.zeros(count, np.int64)
        self._next = first  # number of the next game that ends
        self._places = np.array([self._start() for _ in range(count)], POSITION)  # where each game began
        self._boards = boards_of(self._places, device)

    def _start(self) -> tuple:
        """POSITION's fields of a start that one look ahead leaves open."""
        while tactical_columns(position := start_position(self._random, STRONG.most_random))[0] is not None:
            pass
        return row_of(position, 0, False, 0.0, 0)

    def _begin(self, game: int) -> None:
        """Put a new position on a board."""
        start = np.array([self._start()], POSITION)
        self._places[game], self._plies[game] = start[0], 0
        for cells, begun in zip(self._boards, boards_of(start, self._device), strict=True):
            cells[game] = begun[0]

    def play(self) -> np.ndarray:
        """POSITION[n] of the games that this move ended, each with its result."""
        gumbel = self._noise.gumbel(size=(len(self._plies), COLUMNS)).astype(np.float32)
        found = search(self._network, self._boards, self._simulations, torch.as_tensor(gumbel).to(self._device))
        self._note(found)
        self._boards = self._boards.play(found.columns)
        outcome = look(self._boards).outcome.cpu().numpy()
        ended = []
        for game in np.flatnonzero(~np.isnan(outcome)):
            rows = self._rows[game, : self._plies[game]].copy()
            # The outcome is of the side to move after the last row.
            sides = np.where((len(rows) - np.arange(len(rows))) % 2 == 0, 1, -1)
            rows["result"], rows["game"] = sides * int(outcome[game]), self._next
            self._next += 1
            ended.append(rows)
            self._begin(game)
        return np.concatenate(ended) if ended else np.empty(0, POSITION)

    def _note(self, found: Found) -> None:
        """Add the positions on the boards to their games' rows, with what the search says of them."""
        rows = self._places.copy()
        rows["own"], rows["opponent"] = (
            np.ascontiguousarray(cells.cpu().numpy().astype("<u2")).view("<u8")
            for cells in (self._boards.own, self._boards.opponent)
        )
        rows["value"] = found.values.cpu().numpy()
        rows["visits"] = np.round(found.policy.cpu().numpy() * VISITS)
        self._rows[np.arange(len(rows)), self._plies] = rows
        self._plies += 1


def play_games(games: Games, path: Path, seconds: float, say: Callable[[float, str], None]) -> int:
    """Play on for so many seconds and append the positions of games that end to the file; how many ended."""
    began, ended = time.monotonic(), 0
    while (passed := time.monotonic() - began) < seconds:
        rows = games.play()
        if len(rows):
            append(path, rows)
            ended += len(np.unique(rows["game"]))
        say(min(passed, seconds), f"{ended:,} games of its own")
    return ended
