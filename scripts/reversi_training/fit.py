"""Weights that tell the ends of positions best: least squares, held back towards zero where little was seen.

Solved by Adam (Kingma and Ba 2015) in batches, as the unknowns are a million.
"""

import numpy as np
from numba import njit

BATCH = 32768
FIRST_DECAY, SECOND_DECAY, SMALLEST = 0.9, 0.99, 1e-8
HELD_BACK_PART = 20  # one position in so many is not learnt from: its error is what the epochs are judged by


@njit(fastmath=True)
def _gradient(unique, knot, share, score, chosen, weights, gradient):
    """Add to gradient float32[knots, weights] what the chosen positions ask for; the sum of their squared errors."""
    total = 0.0
    for index in chosen:
        lower, upper = knot[index], min(knot[index] + 1, weights.shape[0] - 1)
        part = share[index]
        told = 0.0
        for place in range(unique.shape[1]):
            told += (1 - part) * weights[lower, unique[index, place]] + part * weights[upper, unique[index, place]]
        error = told - score[index]
        total += error * error
        for place in range(unique.shape[1]):
            gradient[lower, unique[index, place]] += (1 - part) * error
            gradient[upper, unique[index, place]] += part * error
    return total


@njit(fastmath=True)
def _step(weights, gradient, mean, square, rate, decay, correction_mean, correction_square):
    """One step of Adam over all weights; the gradient is empty afterwards."""
    flat, asked, first, second = weights.ravel(), gradient.ravel(), mean.ravel(), square.ravel()
    for place in range(flat.shape[0]):
        slope = asked[place] + decay * flat[place]
        asked[place] = 0
        first[place] = FIRST_DECAY * first[place] + (1 - FIRST_DECAY) * slope
        second[place] = SECOND_DECAY * second[place] + (1 - SECOND_DECAY) * slope * slope
        flat[place] -= rate * (first[place] / correction_mean) / (np.sqrt(second[place] / correction_square) + SMALLEST)


def knots_of(discs, knots):
    """(index of the knot at or below, share of the one above) for numbers of discs."""
    places = np.clip(np.interp(discs, knots, np.arange(len(knots))), 0, len(knots) - 1)
    below = np.floor(places).astype(np.int64)
    return below, (places - below).astype(np.float32)


def fit(unique, discs, score, knots, weight_count, epochs, seed, say):
    """float32[knots, weight_count] in discs.

    unique: int32[n, ..], the weights that add up to each position; discs: on the board; score: of the end.
    say(text) is told how it goes.
    """
    generator = np.random.default_rng(seed)
    knot, share = knots_of(discs, knots)
    order = generator.permutation(len(score))
    held_back, learnt = np.sort(order[: len(order) // HELD_BACK_PART]), order[len(order) // HELD_BACK_PART :]
    weights = np.zeros((len(knots), weight_count), np.float32)
    gradient, mean, square = (np.zeros_like(weights) for _ in range(3))
    score, steps = score.astype(np.float32), 0
    for epoch in range(epochs):
        rate = 0.15 * (1 - epoch / epochs) ** 1.5 + 0.002
        generator.shuffle(learnt)
        total = 0.0
        for start in range(0, len(learnt), BATCH):
            total += _gradient(unique, knot, share, score, learnt[start : start + BATCH], weights, gradient)
            steps += 1
            _step(
                weights,
                gradient,
                mean,
                square,
                np.float32(rate),
                np.float32(0.3),
                np.float32(1 - FIRST_DECAY**steps),
                np.float32(1 - SECOND_DECAY**steps),
            )
        unseen = _gradient(unique, knot, share, score, held_back, weights, gradient)
        gradient[:] = 0
        say(
            f"epoch {epoch + 1}: error {(total / len(learnt)) ** 0.5:.2f} discs, of positions not learnt from "
            f"{(unseen / len(held_back)) ** 0.5:.2f}"
        )
    return weights
