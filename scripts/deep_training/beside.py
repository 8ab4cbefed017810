"""What a look of a network adds to searches: of who wins, of which move is better, and of which move is chosen.

All are judged on positions of games that are held back, with what searches of several lengths say of each; these are
kept in a file that only grows. Lines are fitted to nine tenths of the games and judged by the other tenth. The ranges
hold 95 % of what other draws of the same games give.
"""

import json
import math
import os
import random
import time
from concurrent.futures import FIRST_COMPLETED, wait
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bot.backends.compiled import Kernels
from bot.games.connect_four.adapter import GAME
from bot.games.connect_four.config import DEFAULT
from bot.games.connect_four.uct_engine import UctEngine
from connect_four_training.positions import POSITION, board_of, lots_of, row_of
from connect_four_training.rounds import TrainingError, players, progress_bar
from deep_training import learning
from deep_training.board import COLUMNS, boards_of, look

BOT_MB = 300
A_GAME = 10  # positions at most that are taken of a game's phase
PARTS = 10  # of the games, each judged by lines that are fitted to the others
DRAWS = 1000  # of games, for a range
LEAST_WEIGHT = 1e-3  # of a position, by which the weights of a choice are drawn to 0
STEPS = 20  # of Newton's method, which needs fewer
LIKELY = 0.1  # moves count whose visits by the longest search are at least this part of the most visits


class Looked(NamedTuple):
    """Positions with what searches say of them.

    rows: POSITION[n]; games: a number for each game, uint32[n]; searches: {iterations: a list with the value, the move
    and {column: (value, visits)} of the moves that are not proven, for each position}.
    """

    rows: np.ndarray
    games: np.ndarray
    searches: dict


def kept_lines(path: Path) -> list:
    """The lines of JSON in a file; one that a writer was killed in is taken out of the file."""
    whole = path.read_bytes().rpartition(b"\n")
    if whole[2]:
        os.truncate(path, len(whole[0]) + len(whole[1]))
    return [json.loads(line) for line in whole[0].splitlines()]


def read_looked(path: Path, iterations: list[int]) -> Looked:
    """The Looked of a file's positions that were searched by so many iterations each. Raises TrainingError."""
    wanted = [str(count) for count in iterations]
    lines = [line for line in kept_lines(path) if set(wanted) <= set(line["searches"])] if path.exists() else []
    if not lines:
        raise TrainingError(f"{path} has no positions searched by {', '.join(wanted)} iterations; --minutes M adds")
    searches = {
        count: [
            (value, move, {int(column): known for column, known in moves.items()})
            for value, move, moves in (line["searches"][str(count)] for line in lines)
        ]
        for count in iterations
    }
    rows = np.frombuffer(b"".join(bytes.fromhex(line["position"]) for line in lines), POSITION)
    return Looked(rows, np.array([line["game"] for line in lines], np.uint32), searches)


def look_for_more(path: Path, folder: Path, minutes: float, iterations: list[int], jobs: int) -> None:
    """Search positions of the folder's games that are held back, and add them to the file."""
    known = {line["position"] for line in kept_lines(path)} if path.exists() else set()
    waiting = (row for row in _drawn(learning.read_known(folder).held_back) if row["position"] not in known)
    began, looked = time.monotonic(), 0
    end = began + minutes * 60
    with progress_bar("search positions", minutes * 60) as say, players(jobs) as pool:
        running = set()
        while running or time.monotonic() < end:
            while len(running) < jobs and time.monotonic() < end and (line := next(waiting, None)):
                running.add(pool.submit(_searched, line, iterations))
            if not running:
                break
            done, running = wait(running, return_when=FIRST_COMPLETED)
            with open(path, "a", encoding="utf-8") as file:
                file.writelines(json.dumps(task.result()) + "\n" for task in done)
            looked += len(done)
            say(time.monotonic() - began, f"{looked} positions more")


def _drawn(rows):
    """Lines of the file without their searches, A_GAME of a game's phase at most, in an order drawn at random."""
    phases, games, taken = learning.phase_of(rows), lots_of(rows), {}
    for place in random.Random(1).sample(range(len(rows)), len(rows)):
        key = int(games[place]), phases[place]
        taken[key] = taken.get(key, 0) + 1
        if phases[place] != learning.EXACT and taken[key] <= A_GAME:
            yield {"position": rows[place].tobytes().hex(), "game": key[0]}


@cache
def _engine():
    """The process's one engine: the default without solver, with a new tree for each search."""
    return UctEngine(Kernels(GAME).obtain(), DEFAULT._replace(solver=False, keep_tree=False), BOT_MB, 1)


def _searched(line, iterations):
    """A line of the file."""
    position = board_of(np.frombuffer(bytes.fromhex(line["position"]), POSITION)[0])
    engine, searches = _engine(), {}
    for count in iterations:
        decision = engine.think(position, iterations=count)
        moves = {
            move.move: (move.value, move.visits)
            for move in engine.move_values(position, decision)
            if move.proven is None and move.value is not None
        }
        searches[count] = decision.value, decision.move, moves
    return line | {"searches": searches}


class Told(NamedTuple):
    """How much a line of some numbers explains. errors, spread: float64[n], squares of what is left and of all."""

    predicted: np.ndarray
    errors: np.ndarray
    spread: np.ndarray

    def share(self) -> float:
        """The share of the variance that is explained."""
        return 1 - self.errors.sum() / self.spread.sum()


def told_by(numbers: list[np.ndarray], truth: np.ndarray, games: np.ndarray, centred: bool) -> Told:
    """The Told of a line of so many numbers, float64[n] each, fitted without a constant where all are centred."""
    columns = np.stack([*numbers, *([] if centred else [np.ones(len(truth))])], 1)
    predicted, mean = np.zeros(len(truth)), np.zeros(len(truth))
    part_of = np.unique(games, return_inverse=True)[1] % PARTS
    for part in range(PARTS):
        judged = part_of == part
        if judged.any() and not judged.all():
            predicted[judged] = columns[judged] @ np.linalg.lstsq(columns[~judged], truth[~judged], rcond=None)[0]
            mean[judged] = 0 if centred else truth[~judged].mean()
    return Told(predicted, (truth - predicted) ** 2, (truth - mean) ** 2)


def gain_range(before: Told, after: Told, games: np.ndarray) -> tuple[float, float]:
    """The range of what `after` explains more than `before`, from games drawn again and again."""
    _, of_game = np.unique(games, return_inverse=True)
    gains = np.bincount(of_game, before.errors - after.errors)
    spreads = np.bincount(of_game, before.spread)
    drawn = np.random.default_rng(1).integers(len(gains), size=(DRAWS, len(gains)))
    low, high = np.quantile(gains[drawn].sum(1) / spreads[drawn].sum(1), (0.025, 0.975))
    return float(low), float(high)


class Siblings(NamedTuple):
    """The likely moves of positions, n in all, each with its position's number; numbers are centred in a position.

    rows: POSITION[n] after the moves; place: of the position in Looked, int64[n]; columns: int64[n]; longest: their
    values by the longest search, float64[n]; is_best: whether it is that search's move, bool[n].
    """

    rows: np.ndarray
    place: np.ndarray
    columns: np.ndarray
    longest: np.ndarray
    is_best: np.ndarray


def centred(numbers: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Numbers, float[n], less their mean in each position; one that is not known (NaN) counts as the mean."""
    known = ~np.isnan(numbers)
    sums = np.bincount(place, np.where(known, numbers, 0)) / np.maximum(1, np.bincount(place, known))
    return np.where(known, numbers - sums[place], 0)


def siblings_of(looked: Looked, longest: int) -> Siblings:
    """The Siblings of positions that the longest search proves nothing about, with two likely moves at least."""
    found = []
    for place, (_, best, moves) in enumerate(looked.searches[longest]):
        most = max((visits for _, visits in moves.values()), default=0)
        likely = [column for column, (_, visits) in moves.items() if visits >= LIKELY * most]
        if best in likely and len(likely) > 1:
            board = board_of(looked.rows[place])
            found += [
                (row_of(board.play(column), 0, False, 0.0, 0), place, column, moves[column][0], column == best)
                for column in likely
            ]
    if not found:
        raise TrainingError("no position has two moves that the longest search finds likely; --minutes M adds more")
    rows, place, columns, values, is_best = zip(*found, strict=True)
    place = np.array(place)
    return Siblings(
        np.array(list(rows), POSITION), place, np.array(columns), centred(np.array(values), place), np.array(is_best)
    )


def short_values(looked: Looked, siblings: Siblings, iterations: int) -> np.ndarray:
    """The centred values of the moves by a shorter search, float64[n]."""
    values = [
        looked.searches[iterations][place][2].get(column, (math.nan, 0))[0]
        for place, column in zip(siblings.place, siblings.columns, strict=True)
    ]
    return centred(np.array(values, np.float64), siblings.place)


def named(predicted: np.ndarray, siblings: Siblings) -> float:
    """In what part of the positions the largest number is that of the longest search's move."""
    order = np.lexsort((predicted, siblings.place))
    last = np.append(np.diff(siblings.place[order]) > 0, True)
    return float(siblings.is_best[order][last].mean())


class Choices(NamedTuple):
    """Positions, n in all, in which the longest search chooses one of two moves or more and proves nothing.

    place: in Looked, int64[n]; counts: which moves are worth playing, bool[n, COLUMNS]; chosen: the longest search's
    move, int64[n]; lost: how much worse each move is by its values, float64[n, COLUMNS], those that it does not know
    as bad as the worst.
    """

    place: np.ndarray
    counts: np.ndarray
    chosen: np.ndarray
    lost: np.ndarray


def choices_of(looked: Looked, longest: int) -> Choices:
    """The Choices of the search of so many iterations. Raises TrainingError where there are none."""
    searches = enumerate(looked.searches[longest])
    kept = [place for place, (_, best, moves) in searches if best in moves and len(moves) > 1]
    if not kept:
        raise TrainingError("the longest search has no position with two moves to choose from; --minutes M adds more")
    place = np.array(kept)
    chosen = np.array([looked.searches[longest][number][1] for number in kept])
    counts = look(boards_of(looked.rows[place])).columns.numpy().copy()
    counts[np.arange(len(place)), chosen] = True
    values = moves_of(looked, place, longest)[1]
    values = np.where(np.isnan(values), np.nanmin(values, 1, keepdims=True), values)
    return Choices(place, counts, chosen, (values[np.arange(len(place)), chosen][:, None] - values).clip(0))


def moves_of(looked: Looked, place: np.ndarray, iterations: int) -> tuple[np.ndarray, np.ndarray]:
    """(visits, values) of the moves, float64[n, COLUMNS] each, by a search of the positions at `place`.

    A move that the search does not know, or has settled, has no visits and the value NaN.
    """
    visits, values = np.zeros((len(place), COLUMNS)), np.full((len(place), COLUMNS), np.nan)
    for line, number in enumerate(place):
        for column, (value, count) in looked.searches[iterations][number][2].items():
            visits[line, column], values[line, column] = count, value
    return visits, values


class Foretold(NamedTuple):
    """How well numbers foretell n choices.

    logs: of the chance that each choice was given, float64[n]; is_named: whether it had the best one, bool[n]; lost:
    how much worse the move with the best one is, float64[n].
    """

    logs: np.ndarray
    is_named: np.ndarray
    lost: np.ndarray


def foretold_by(numbers: list[np.ndarray], choices: Choices, games: np.ndarray) -> Foretold:
    """The Foretold of some numbers of each move, float64[n, COLUMNS] each, weighed as fits the other games best.

    A move's chance is in proportion to the exponential of its numbers' weighed sum (a conditional logit).
    """
    told, every = np.stack(numbers, 2), np.arange(len(games))
    part_of = np.unique(games, return_inverse=True)[1] % PARTS
    logs = np.zeros(choices.counts.shape)
    for part in np.unique(part_of):
        judged = part_of == part
        weights = _weights(told[~judged], choices.counts[~judged], choices.chosen[~judged])
        logs[judged] = _logs(told[judged] @ weights, choices.counts[judged])
    named = logs.argmax(1)
    return Foretold(logs[every, choices.chosen], named == choices.chosen, choices.lost[every, named])


def _logs(sums, counts):
    sums = np.where(counts, sums, -np.inf)
    sums = sums - sums.max(1, keepdims=True)
    return sums - np.log(np.exp(sums).sum(1, keepdims=True))


def _weights(told, counts, chosen):
    weights, least = np.zeros(told.shape[2]), LEAST_WEIGHT * max(1, len(told))
    for _ in range(STEPS):
        chances = np.exp(_logs(told @ weights, counts))
        expected = np.einsum("nc,ncf->nf", chances, told)
        apart = told - expected[:, None]
        slope = apart[np.arange(len(told)), chosen].sum(0) - least * weights
        bend = np.einsum("nc,ncf,ncg->fg", chances, apart, apart) + least * np.eye(len(weights))
        weights = weights + np.linalg.solve(bend, slope)
    return weights


def mean_range(numbers: np.ndarray, games: np.ndarray) -> tuple[float, float]:
    """The range of the mean of float64[n], from games drawn again and again."""
    _, of_game = np.unique(games, return_inverse=True)
    sums, counts = np.bincount(of_game, numbers), np.bincount(of_game)
    drawn = np.random.default_rng(1).integers(len(sums), size=(DRAWS, len(sums)))
    low, high = np.quantile(sums[drawn].sum(1) / counts[drawn].sum(1), (0.025, 0.975))
    return float(low), float(high)
