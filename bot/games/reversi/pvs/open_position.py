"""What the search does with a position before it tries moves: answers without search, the table, probes.

A probe is a shallower search of the same position that asks whether it is better than beta, or worse than alpha, by a
margin that a deep search rarely makes good; it then takes that for the answer (ProbCut, Buro 1995; with several depths,
Buro 1997). How far the two lie apart was measured, see `margin`; how rarely is the level's choice.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count
from bot.search.solver.stack import OPEN

from ..endgame.last_squares import NO_SCORE, final_score
from ..endgame.search import EXACT, solve_small, solve_window
from ..evaluation.patterns import copy_features
from ..memory.layout import (
    ALPHA,
    BEST,
    BEST_MOVE,
    BETA,
    BOARD,
    DEPTH,
    FEATURE_BYTES,
    FEATURES_OFFSET,
    FIRST_ALPHA,
    KEY,
    LEVEL,
    MOVE_SQUARE,
    MOVE_WORDS,
    MOVES,
    MOVES_END,
    NODES,
    OPPONENT,
    OWN,
    PASS_SQUARE,
    PHASE,
    PROBE_BOUND,
    PROBED_HIGH,
    REPLIES,
    TRIED,
    TRYING_MOVES,
    TURNED,
)
from ..memory.position_table import NO_MOVE, certainty_of, depth_of, key_of, lower_of, probe, upper_of
from ..memory.views import control_at, frame_at, frame_words_at
from ..rules.bitboard import ALL, NONE, legal_moves
from ..rules.stability import stability_bound
from .leaf import evaluate, search_0, search_1, search_2, search_3
from .moves import list_moves

SMALL = 10  # empty squares that endgame/search.py solves in one go
LEAF_PLIES = 3  # plies that leaf.py searches in one go
PROBES_FROM = 4  # plies of a search that is probed first
END_PROBES_FROM = 11  # the same where it goes to the end
# With alpha at least so high, stable discs may show that it cannot be passed.
_STABILITY_FROM = 20
_HIGHEST_SCORE = 64
# By level: the margin in hundredths of the standard deviation of probe and search; EXACT takes no probes.
_DEVIATIONS = np.array([80, 110, 140, 180, 220, 280, 340, 9999])
# The standard deviation in thousandths of a disc, fitted to some 1000 positions of games. Its logarithm is off by 0.1
# in the midgame, by 0.08 at the end.
DEVIATION, DEVIATION_A_PLY_SAVED, DEVIATION_A_PLY, DEVIATION_A_SQUARE = 3950, 315, -170, -42
END_DEVIATION, END_DEVIATION_A_PLY, END_DEVIATION_A_SQUARE = 6550, -340, 20
_LEAST_DEVIATION = 1500
_PARTS_OF_A_DISC = 100 * 1000
_HALF_A_DISC = _PARTS_OF_A_DISC // 2


@kernel
def probe_plies(depth):
    """Plies of the probe for a search of that depth: about half as many, odd or even as they are."""
    return 2 * (depth // 4) + (depth & 1)


@kernel
def margin(level, depth, plies, empty_squares):
    """int64 discs by which a probe of so many plies has to pass a bound, for a search of that depth."""
    if depth == empty_squares:
        deviation = END_DEVIATION + END_DEVIATION_A_PLY * plies + END_DEVIATION_A_SQUARE * empty_squares
    else:
        deviation = (
            DEVIATION
            + DEVIATION_A_PLY_SAVED * (depth - plies)
            + DEVIATION_A_PLY * plies
            + DEVIATION_A_SQUARE * empty_squares
        )
    return (_DEVIATIONS[level] * max(deviation, _LEAST_DEVIATION) + _HALF_A_DISC) // _PARTS_OF_A_DISC


@kernel
def next_step(base, ply):
    """After what the frame's phase says: set up a probe in the frame below, or list the moves to try.

    OPEN where frame and phase say what to do, else the position's score.
    """
    frame, words, control = frame_at(base, ply), frame_words_at(base, ply), control_at(base)
    below, words_below = frame_at(base, ply + 1), frame_words_at(base, ply + 1)
    own, opponent = words[OWN], words[OPPONENT]
    alpha, beta = frame[ALPHA], frame[BETA]
    depth, level = frame[DEPTH], frame[LEVEL]
    features = base + FEATURES_OFFSET + ply * FEATURE_BYTES
    while frame[PHASE] < TRYING_MOVES:
        frame[PHASE] += 1
        phase = frame[PHASE]
        if phase == TRYING_MOVES:
            break
        plies = probe_plies(depth)
        distance = margin(level, depth, plies, bit_count(np.uint64(control[BOARD]) & ~(own | opponent)))
        bound = beta + distance if phase == PROBED_HIGH else alpha - distance
        if not -_HIGHEST_SCORE < bound < _HIGHEST_SCORE:
            continue
        seen = evaluate(base, features, own, opponent)
        if (seen < beta) if phase == PROBED_HIGH else (seen > alpha):
            continue
        frame[PROBE_BOUND] = bound
        words_below[OWN], words_below[OPPONENT] = own, opponent
        below[ALPHA] = bound - 1 if phase == PROBED_HIGH else bound
        below[BETA] = below[ALPHA] + 1
        below[DEPTH], below[LEVEL] = plies, level
        copy_features(features, features + FEATURE_BYTES)
        return OPEN
    empty = np.uint64(control[BOARD]) & ~(own | opponent)
    return list_moves(
        base,
        ply,
        own,
        opponent,
        empty,
        legal_moves(own, opponent, empty),
        alpha,
        beta if ply > 0 else alpha + 2,
        depth,
        level,
        probe(base, words[KEY]),
    )


@kernel
def probe_result(base, ply, score):
    """The frame's score by its probe, or OPEN where the probe has not passed its bound."""
    frame = frame_at(base, ply)
    if frame[PHASE] == PROBED_HIGH:
        return frame[BETA] if score >= frame[PROBE_BOUND] else OPEN
    return frame[ALPHA] if score <= frame[PROBE_BOUND] else OPEN


@kernel
def search_leaf(base, features, own, opponent, alpha, beta, plies):
    """0 .. LEAF_PLIES plies."""
    if plies == 3:
        return search_3(base, features, own, opponent, alpha, beta)
    if plies == 2:
        return search_2(base, features, own, opponent, alpha, beta)
    if plies == 1:
        return search_1(base, features, own, opponent, alpha, beta)
    return search_0(base, features, own, opponent, alpha, beta)


@kernel
def open_position(base, ply):
    """The score of the frame's position where that needs no frames below it, else OPEN, as next_step."""
    frame, words, control = frame_at(base, ply), frame_words_at(base, ply), control_at(base)
    control[NODES] += 1
    own, opponent = words[OWN], words[OPPONENT]
    alpha, beta = frame[ALPHA], frame[BETA]
    empty = np.uint64(control[BOARD]) & ~(own | opponent)
    empty_squares = bit_count(empty)
    depth, level = min(frame[DEPTH], empty_squares), frame[LEVEL]
    features = base + FEATURES_OFFSET + ply * FEATURE_BYTES
    if ply > 0:
        if depth == empty_squares and empty_squares <= SMALL:
            if beta == alpha + 1:
                return solve_small(base, own, opponent, alpha, empty, empty_squares)
            return solve_window(base, own, opponent, alpha, beta, empty, empty_squares)
        if depth < empty_squares and depth <= LEAF_PLIES:
            return search_leaf(base, features, own, opponent, alpha, beta, depth)
    frame[DEPTH] = depth
    frame[BEST], frame[BEST_MOVE] = NO_SCORE, NO_MOVE
    frame[FIRST_ALPHA], frame[TRIED] = alpha, 0
    moves = legal_moves(own, opponent, empty)
    if moves == NONE:
        replies = legal_moves(opponent, own, empty)
        if replies == NONE:
            return final_score(own, opponent, empty_squares)
        frame[MOVES + MOVE_SQUARE], words[MOVES + TURNED], words[MOVES + REPLIES] = PASS_SQUARE, NONE, replies
        frame[MOVES_END], frame[PHASE] = MOVES + MOVE_WORDS, TRYING_MOVES
        words[KEY] = NONE
        return OPEN
    null_window = beta == alpha + 1 and ply > 0
    if null_window and alpha >= _STABILITY_FROM and np.uint64(control[BOARD]) == ALL:
        bound = stability_bound(opponent, empty)
        if bound <= alpha:
            return bound
    key = key_of(own, opponent)
    words[KEY] = key
    data = probe(base, key)
    if data != np.uint64(0) and null_window and depth_of(data) >= depth and certainty_of(data) >= level:
        if lower_of(data) >= beta:
            return lower_of(data)
        if upper_of(data) <= alpha:
            return upper_of(data)
    probed = null_window and level < EXACT and depth >= (PROBES_FROM if depth < empty_squares else END_PROBES_FROM)
    frame[PHASE] = PROBED_HIGH - 1 if probed else TRYING_MOVES - 1
    return next_step(base, ply)
