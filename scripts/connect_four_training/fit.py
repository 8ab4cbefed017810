"""Weights that tell the ends of positions best, by Adam (Kingma and Ba 2015) in batches."""

from collections.abc import Callable

import numpy as np
from numba import njit

from bot.games.connect_four.network_weights import (
    FIRST,
    FIRST_BIAS,
    GATES,
    NUMBERS,
    SECOND,
    STEPS,
    TOPS,
)
from connect_four_training.features import Features
from connect_four_training.network import INPUTS, learn_from
from connect_four_training.positions import lots_of

BATCH = 256
FIRST_DECAY, SECOND_DECAY, SMALLEST = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
RATE, WARM_UP, LAST_RATE = 2e-3, 0.03, 0.02  # the rate rises through a part of all steps, then falls to a part of it
HOLD_BACK = np.float32(1e-6)  # how strongly weights are held where they began: gates at GATE, others at 0
GATE = 0.35  # of each side: a cell passes on most of what lies above it
GAMES_A_TEST = 20  # one game in so many is not learnt from: its positions are what the epochs are judged by
EXACT, NOT_EXACT = 1.0, 0.5  # importance
OUTCOME_PART = 0.5  # of a target that is not exact; the search's value is the rest


@njit(fastmath=True, nogil=True)
def _step(weights, gradient, mean, square, rate, count, correction_mean, correction_square):
    """One step of Adam by the gradient of `count` positions, which is empty afterwards."""
    for place in range(len(weights)):
        home = np.float32(GATE) if place < STEPS else np.float32(0)
        slope = gradient[place] / count + HOLD_BACK * (weights[place] - home)
        gradient[place] = 0
        mean[place] = FIRST_DECAY * mean[place] + (1 - FIRST_DECAY) * slope
        square[place] = SECOND_DECAY * square[place] + (1 - SECOND_DECAY) * slope * slope
        weights[place] -= (
            rate * (mean[place] / correction_mean) / (np.sqrt(square[place] / correction_square) + SMALLEST)
        )


def first_weights(seed: int) -> np.ndarray:
    """Where learning begins: float32[NUMBERS]."""
    generator = np.random.default_rng(seed)
    weights = np.zeros(NUMBERS, np.float32)
    parts = (
        (GATES, STEPS, GATE, 0.1),
        (STEPS, TOPS, 0.1, 0.05),
        (TOPS, FIRST, 0.3, 0.1),
        (FIRST, FIRST_BIAS, 0.0, 1 / INPUTS),
        (FIRST_BIAS, SECOND, 0.3, 0.0),
        (SECOND, NUMBERS, 0.0, 0.2),
    )
    for begin, end, middle, spread in parts:
        weights[begin:end] = middle + generator.normal(0, spread, end - begin)
    return weights


def targets(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(what the network is to say, how much it counts) of POSITION[n], float32[n] each."""
    result, exact = positions["result"].astype(np.float32), positions["is_exact"] > 0
    mixed = OUTCOME_PART * result + (1 - OUTCOME_PART) * positions["value"]
    return np.where(exact, result, mixed).astype(np.float32), np.where(exact, EXACT, NOT_EXACT).astype(np.float32)


def explained(values: np.ndarray, results: np.ndarray) -> float:
    """The share of the results' variance that the values explain, scaled and shifted as fits best."""
    is_varied = len(results) > 1 and np.std(values) > 0 and np.std(results) > 0
    return float(np.corrcoef(values, results)[0, 1] ** 2) if is_varied else 0.0


def learnt_from(positions: np.ndarray) -> np.ndarray:
    """Which of POSITION[n] are learnt from, bool[n]; by the others the weights are judged."""
    return lots_of(positions) % GAMES_A_TEST != 0


def fit(
    positions: np.ndarray, features: Features, epochs: int, seed: int, say: Callable[[int, str], None]
) -> tuple[np.ndarray, str]:
    """(float32[NUMBERS] learnt from POSITION[n], how it went); say(epochs done, how it goes) is told.

    Precondition: it learns from BATCH of them at least.
    """
    generator = np.random.default_rng(seed)
    target, importance = targets(positions)
    is_learnt = learnt_from(positions)
    judged = np.flatnonzero(~is_learnt & (positions["is_exact"] > 0))
    learnt = np.flatnonzero(is_learnt)
    weights, nothing = first_weights(seed), np.zeros(0, np.float32)
    gradient, mean, square = (np.zeros(NUMBERS, np.float32) for _ in range(3))
    values, told = np.zeros(BATCH, np.float32), np.zeros(len(judged), np.float32)
    steps, all_steps, said = 0, epochs * (len(learnt) // BATCH), ""
    for epoch in range(epochs):
        generator.shuffle(learnt)
        total = counted = 0.0
        for start in range(0, len(learnt) - BATCH + 1, BATCH):
            chosen = learnt[start : start + BATCH]
            total += learn_from(weights, *features, target, importance, chosen, gradient, values)
            counted += importance[chosen].sum()
            steps += 1
            done = steps / all_steps
            fall = LAST_RATE + (1 - LAST_RATE) * 0.5 * (1 + np.cos(np.pi * done))
            corrections = np.float32(1 - FIRST_DECAY**steps), np.float32(1 - SECOND_DECAY**steps)
            rate = np.float32(RATE * min(done / WARM_UP, 1) * fall)
            _step(weights, gradient, mean, square, rate, np.float32(BATCH), *corrections)
        learn_from(weights, *features, target, importance, judged, nothing, told)
        found = explained(told, target[judged])
        said = f"error {total / counted:.4f}, explains {found:.3f} of settled positions not learnt from"
        say(epoch + 1, said)
    return weights, said
