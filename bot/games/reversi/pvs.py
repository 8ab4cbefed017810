"""Principal variation search on boards up to 8x8, for the midgame and for searches to the end of the game. Kernels.

A score is in discs for the side to move. A search of `depth` plies that reaches the end of the board is exact. In an
exact search, endgame.py searches positions with SMALL empty squares or fewer. In other searches, there are separate
functions for the last LEAF_PLIES plies. Null windows, the table of positions and the order of moves are as in every
such program; docs/references.md names sources.

The search keeps its stack in memory (memory.py), one frame for each position being searched, and runs
bot/search/solver.py's loop: open_position, ask_next, take_answer, conclude.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count, lowest_bit, monotonic_ns, numbers_at, words_at
from bot.search.solver import ASK_AGAIN, NO_MOVE_LEFT, OPEN, STOPPED, make_next_move, make_run

from .bitboard import ALL, CORNERS, NONE, ONE, bit, flips, legal_moves, stability_bound
from .endgame import NO_SCORE, final_score, solve_small, solve_window
from .evaluation import copy_features, follow_move, follow_pass, judge, set_features, weigh
from .memory import (
    ALPHA,
    ANSWER,
    BEST,
    BEST_MOVE,
    BETA,
    BOARD,
    BOARD_CORNERS,
    BUDGET_NS,
    DEPTH,
    DONE,
    EXACT,
    FEATURE_BYTES,
    FEATURES_OFFSET,
    FIRST_ALPHA,
    KEY,
    LEAF_FEATURES_OFFSET,
    LEAF_FRAMES_OFFSET,
    LEVEL,
    MAX_NODES,
    MOVE_SQUARE,
    MOVE_WORDS,
    MOVES,
    MOVES_END,
    NO_SQUARE,
    NODES,
    OPPONENT,
    ORDER,
    OWN,
    PASS_SQUARE,
    PHASE,
    PLY,
    PROBE_BOUND,
    PROBED_HIGH,
    REPLIES,
    ROOT_MOVE,
    ROOT_SCORE,
    SQUARE,
    STATUS,
    TRAINED,
    TRIED,
    TRYING_MOVES,
    TURNED,
    UNFINISHED,
    WINDOW_END,
)
from .position_table import (
    HIGHEST,
    LOWEST,
    certainty_of,
    control_at,
    depth_of,
    frame_at,
    frame_words_at,
    key_of,
    lower_of,
    move_of,
    probe,
    second_move_of,
    store,
    upper_of,
)
from .weights import WEIGHTS_PER_DISC

# The last plies
# --------------
#
# There is a function for each number of plies left. These functions use no table, and nothing interrupts them. Each
# takes the address `features` of the features of its position (evaluation.py) and returns the score in discs for the
# side to move (fail soft). A pass does not count as a ply. Moves are tried in the order of the evaluations of the
# positions after them.


MOST_DISCS = 64
_LEAF_FRAME_WORDS = 4 * 40


@kernel
def evaluate(base, features, own, opponent):
    """Returns the value of an unfinished position in discs, -64 .. 64, without any search."""
    control = control_at(base)
    if control[TRAINED] != 0:
        worth = weigh(base, features, own, opponent)
    else:
        worth = judge(own, opponent, np.uint64(control[BOARD]) & ~(own | opponent), np.uint64(control[BOARD_CORNERS]))
    return max(-MOST_DISCS, min(MOST_DISCS, (worth + WEIGHTS_PER_DISC // 2) >> 7))


@kernel
def search_0(base, features, own, opponent, alpha, beta):
    """Returns the value of evaluate(), or the true score if a side has no disc left.

    `alpha` and `beta` are not used.
    """
    numbers_at(base, 8 * NODES)[0] += 1
    if own == NONE or opponent == NONE:
        return final_score(own, opponent, bit_count(np.uint64(control_at(base)[BOARD]) & ~(own | opponent)))
    return evaluate(base, features, own, opponent)


@kernel
def search_1(base, features, own, opponent, alpha, beta):
    """Returns the score of a search of one ply, which is the best evaluation of a position after a move."""
    empty = np.uint64(control_at(base)[BOARD]) & ~(own | opponent)
    after = base + LEAF_FEATURES_OFFSET + FEATURE_BYTES
    moves = legal_moves(own, opponent, empty)
    sign = 1
    if moves == NONE:
        own, opponent, alpha, beta, sign = opponent, own, -beta, -alpha, -1
        moves = legal_moves(own, opponent, empty)
        if moves == NONE:
            return -final_score(own, opponent, bit_count(empty))
        follow_pass(features, base + LEAF_FEATURES_OFFSET)
        features = base + LEAF_FEATURES_OFFSET
    best = NO_SCORE
    while moves != NONE:
        square = lowest_bit(moves)
        moves &= moves - ONE
        turned = flips(own, opponent, square)
        follow_move(features, after, square, turned)
        score = -search_0(base, after, opponent ^ turned, own ^ turned ^ bit(square), -beta, -alpha)
        if score > best:
            best = score
            if score >= beta:
                break
    return sign * best


def _make_search(plies, search_rest):
    """Returns the kernel that searches `plies` plies. `search_rest` is the kernel for one ply fewer."""
    own_features = LEAF_FEATURES_OFFSET + 2 * plies * FEATURE_BYTES
    frame = LEAF_FRAMES_OFFSET + 8 * plies * _LEAF_FRAME_WORDS

    @kernel
    def search(base, features, own, opponent, alpha, beta):
        words, numbers = words_at(base, frame), numbers_at(base, frame)
        empty = np.uint64(control_at(base)[BOARD]) & ~(own | opponent)
        after = base + own_features + FEATURE_BYTES
        moves = legal_moves(own, opponent, empty)
        sign = 1
        if moves == NONE:
            own, opponent, alpha, beta, sign = opponent, own, -beta, -alpha, -1
            moves = legal_moves(own, opponent, empty)
            if moves == NONE:
                return -final_score(own, opponent, bit_count(empty))
            follow_pass(features, base + own_features)
            features = base + own_features
        count = 0
        while moves != NONE:
            square = lowest_bit(moves)
            moves &= moves - ONE
            turned = flips(own, opponent, square)
            follow_move(features, after, square, turned)
            order = search_0(base, after, opponent ^ turned, own ^ turned ^ bit(square), NO_SCORE, NO_SCORE)
            place = count
            while place > 0 and numbers[place - 4] > order:
                numbers[place], numbers[place + 1] = numbers[place - 4], numbers[place - 3]
                words[place + 2] = words[place - 2]
                place -= 4
            numbers[place], numbers[place + 1], words[place + 2] = order, square, turned
            count += 4
        best = NO_SCORE
        for place in range(0, count, 4):
            square, turned = numbers[place + 1], words[place + 2]
            follow_move(features, after, square, turned)
            score = -search_rest(base, after, opponent ^ turned, own ^ turned ^ bit(square), -beta, -max(alpha, best))
            if score > best:
                best = score
                if score >= beta:
                    break
        return sign * best

    return search


search_2 = _make_search(2, search_1)
search_3 = _make_search(3, search_2)


# The order of moves
# ------------------
#
# First come the best move in the table and the former best move there. The others are ordered by a small search after
# each and by the number of replies that each leaves.


TABLE_MOVE_ORDER = 1 << 30
SECOND_MOVE_ORDER = 1 << 29
# The depths of a position's search from which on the small search after each move has one ply, and two plies: first for
# searches that do not go to the end of the game, then for searches that do.
ONE_PLY_FROM, TWO_PLIES_FROM = 9, 13
ONE_PLY_FROM_TO_END, TWO_PLIES_FROM_TO_END = 15, 19
# How many discs each reply counts in the order of moves. A reply into a corner counts twice. None of these numbers is
# tuned.
REPLY_DISCS, REPLY_DISCS_TO_END = 2, 3

next_move = make_next_move(MOVES, MOVE_WORDS, MOVES_END)


@kernel
def list_moves(base, ply, own, opponent, empty, moves, alpha, beta, depth, level, data):
    """Write the moves into the frame at `ply`, and return OPEN.

    If the window is a null window, and the table proves that a move reaches `beta`, return that move's score instead.
    `data` is the table's entry for the frame's position.
    """
    frame, words = frame_at(base, ply), frame_words_at(base, ply)
    features = base + FEATURES_OFFSET + ply * FEATURE_BYTES
    empty_squares = bit_count(empty)
    table_move, second_move = -1, -1
    if data != np.uint64(0):
        table_move, second_move = move_of(data), second_move_of(data)
    place = MOVES
    while moves != NONE:
        square = lowest_bit(moves)
        moves &= moves - ONE
        turned = flips(own, opponent, square)
        next_own, next_opponent = opponent ^ turned, own ^ turned ^ bit(square)
        if beta == alpha + 1:
            found = probe(base, key_of(next_own, next_opponent))
            if found != np.uint64(0) and depth_of(found) >= depth - 1 and certainty_of(found) >= level:
                if -upper_of(found) >= beta:
                    return -upper_of(found)
        replies = legal_moves(next_own, next_opponent, empty ^ bit(square))
        if square == table_move:
            order = TABLE_MOVE_ORDER
        elif square == second_move:
            order = SECOND_MOVE_ORDER
        else:
            order = order_of(base, features, next_own, next_opponent, square, turned, replies, depth, empty_squares)
        frame[place + ORDER], frame[place + MOVE_SQUARE] = order, square
        words[place + TURNED], words[place + REPLIES] = turned, replies
        place += MOVE_WORDS
    frame[MOVES_END] = place
    return OPEN


@kernel
def order_of(base, features, next_own, next_opponent, square, turned, replies, depth, empty_squares):
    """Returns how promising a move looks, judged by the position after it.

    The move with the greatest number is tried first.
    """
    after = features + FEATURE_BYTES
    follow_move(features, after, square, turned)
    count = bit_count(replies) + bit_count(replies & CORNERS)
    to_the_end = depth == empty_squares
    if depth < (ONE_PLY_FROM_TO_END if to_the_end else ONE_PLY_FROM):
        worth = search_0(base, after, next_own, next_opponent, -MOST_DISCS, MOST_DISCS)
    elif depth < (TWO_PLIES_FROM_TO_END if to_the_end else TWO_PLIES_FROM):
        worth = search_1(base, after, next_own, next_opponent, -MOST_DISCS, MOST_DISCS)
    else:
        worth = search_2(base, after, next_own, next_opponent, -MOST_DISCS, MOST_DISCS)
    return -worth - (REPLY_DISCS_TO_END if to_the_end else REPLY_DISCS) * count


# Before moves are tried: answers without search, the table, probes
# -----------------------------------------------------------------
#
# A probe is a shallower search of the same position. It asks whether the position is better than beta, or worse than
# alpha, by a margin so large that a deep search rarely disagrees. If so, beta or alpha is taken as the position's score
# (ProbCut, Buro 1995; with several depths, Buro 1997). How far the results of the two searches lie apart was measured,
# see `margin`. The level decides how rarely the answer may be wrong.


SMALL = 10  # endgame.py solves positions with at most so many empty squares in one go
LEAF_PLIES = 3  # search_leaf searches at most so many plies in one go
PROBES_FROM = 4  # the least depth of a search that tries probes first
END_PROBES_FROM = 11  # the least depth of a search to the end of the game that tries probes first
# The least alpha at which the opponent's stable discs are counted to show that no score exceeds it.
_STABILITY_FROM = 20
# By level: the margin, in hundredths of the standard deviation of the difference between a probe and the search that it
# stands for. EXACT uses no probes.
_DEVIATIONS = np.array([80, 110, 140, 180, 220, 280, 340, 9999])
# That standard deviation in thousandths of a disc, by the depth, the probe's plies and the empty squares. It was fitted
# to about 1000 positions of games. The error of its logarithm is 0.1 in the midgame and 0.08 at the end.
DEVIATION, DEVIATION_A_PLY_SAVED, DEVIATION_A_PLY, DEVIATION_A_SQUARE = 3950, 315, -170, -42
END_DEVIATION, END_DEVIATION_A_PLY, END_DEVIATION_A_SQUARE = 6550, -340, 20
_LEAST_DEVIATION = 1500
_PARTS_OF_A_DISC = 100 * 1000
_HALF_A_DISC = _PARTS_OF_A_DISC // 2


@kernel
def probe_plies(depth):
    """Returns the plies of the probe for a search of `depth` plies: about half as many, and odd if `depth` is odd."""
    return 2 * (depth // 4) + (depth & 1)


@kernel
def margin(level, depth, plies, empty_squares):
    """Returns the margin, in discs (int64), by which a probe's score has to be above beta or below alpha.

    The probe has `plies` plies and stands for a search of `depth` plies.
    """
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
    """Set up the next probe in the frame at `ply` + 1 or, if no probe is left, list the moves to try. Returns OPEN.

    If the position's score turns out to be known, returns the score instead. Also updates the frame's PHASE.
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
        if not -MOST_DISCS < bound < MOST_DISCS:
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
    """Returns the score of the frame's position if its probe decides, else OPEN. `score` is the score of the probe."""
    frame = frame_at(base, ply)
    if frame[PHASE] == PROBED_HIGH:
        return frame[BETA] if score >= frame[PROBE_BOUND] else OPEN
    return frame[ALPHA] if score <= frame[PROBE_BOUND] else OPEN


@kernel
def search_leaf(base, features, own, opponent, alpha, beta, plies):
    """Returns the score of a search of `plies` plies, 0 .. LEAF_PLIES. The other arguments are as in search_1."""
    if plies == 3:
        return search_3(base, features, own, opponent, alpha, beta)
    if plies == 2:
        return search_2(base, features, own, opponent, alpha, beta)
    if plies == 1:
        return search_1(base, features, own, opponent, alpha, beta)
    return search_0(base, features, own, opponent, alpha, beta)


@kernel
def open_position(base, ply):
    """Returns the score of the frame's position if that needs no further frames. Else does what next_step does."""
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
    frame[BEST], frame[BEST_MOVE] = NO_SCORE, NO_SQUARE
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


# The search
# ----------


NODES_A_CLOCK_CHECK = 4096


@kernel
def nodes_of(base):
    """Returns the number of positions visited so far."""
    return control_at(base)[NODES]


@kernel
def descend(base, ply, alpha, beta):
    """Set up the frame at `ply` + 1 with the position after the current move and the window, seen by the other side."""
    frame, words = frame_at(base, ply), frame_words_at(base, ply)
    below, words_below = frame_at(base, ply + 1), frame_words_at(base, ply + 1)
    place = frame[MOVES_END]
    square, turned = frame[place + MOVE_SQUARE], words[place + TURNED]
    own, opponent = words[OWN], words[OPPONENT]
    features = base + FEATURES_OFFSET + ply * FEATURE_BYTES
    frame[SQUARE] = square
    depth = frame[DEPTH]
    if square == PASS_SQUARE:
        words_below[OWN], words_below[OPPONENT] = opponent, own
        follow_pass(features, features + FEATURE_BYTES)
    else:
        words_below[OWN], words_below[OPPONENT] = opponent ^ turned, own ^ turned ^ bit(square)
        follow_move(features, features + FEATURE_BYTES, square, turned)
        depth -= 1
    below[DEPTH], below[LEVEL] = depth, frame[LEVEL]
    below[ALPHA], below[BETA] = -beta, -alpha
    frame[WINDOW_END] = beta


@kernel
def ask_next(base, ply):
    """Set up the frame at `ply` + 1 with the next move, unless next_step has set it up with a probe.

    Returns False if no move is left. The first move is searched in the whole window, the others in a null window above
    alpha.
    """
    frame = frame_at(base, ply)
    if frame[PHASE] != TRYING_MOVES:
        return True
    alpha, beta = frame[ALPHA], frame[BETA]
    if alpha >= beta or next_move(frame) == NO_MOVE_LEFT:
        return False
    descend(base, ply, alpha, beta if frame[TRIED] == 0 else alpha + 1)
    return True


@kernel
def take_answer(base, ply, score):
    """Use `score`, the answer of the frame at `ply` + 1.

    Returns the frame's score, OPEN or ASK_AGAIN, as bot/search/solver.py describes.
    """
    frame = frame_at(base, ply)
    if frame[PHASE] != TRYING_MOVES:
        score = probe_result(base, ply, score)
        return next_step(base, ply) if score == OPEN else score
    score = -score
    alpha, beta = frame[ALPHA], frame[BETA]
    if frame[WINDOW_END] < beta and alpha < score < beta:
        descend(base, ply, alpha, beta)
        return ASK_AGAIN
    frame[TRIED] += 1
    if score > frame[BEST]:
        frame[BEST], frame[BEST_MOVE] = score, frame[SQUARE]
        if score > alpha:
            frame[ALPHA] = score
            if ply == 0:
                control = control_at(base)
                control[ROOT_MOVE], control[ROOT_SCORE] = frame[SQUARE], score
    return OPEN


@kernel
def conclude(base, ply):
    """Returns the score of a frame whose moves are all tried or cut off, and enters this score into the table."""
    frame, key = frame_at(base, ply), frame_words_at(base, ply)[KEY]
    best = frame[BEST]
    if key != NONE:
        store(
            base,
            key,
            frame[DEPTH],
            frame[LEVEL],
            best if best > frame[FIRST_ALPHA] else LOWEST,
            best if best < frame[BETA] else HIGHEST,
            # If no move of the root has a score above the window's lower end, none is the best, and the table keeps the
            # move that it has.
            NO_SQUARE if ply == 0 and best <= frame[FIRST_ALPHA] else frame[BEST_MOVE],
        )
    return best


run = make_run(nodes_of, open_position, ask_next, conclude, take_answer, NODES_A_CLOCK_CHECK)


@kernel
def search_in(base):
    """Start or continue the search of the position in frame 0, as control[STATUS] says.

    Returns the number of nodes that this call has visited.
    """
    control = control_at(base)
    before = control[NODES]
    if control[STATUS] != UNFINISHED:
        words = frame_words_at(base, 0)
        set_features(base + FEATURES_OFFSET, words[OWN], words[OPPONENT])
        control[PLY] = 0
        control[ROOT_MOVE] = NO_SQUARE
    deadline, node_limit = monotonic_ns() + control[BUDGET_NS], before + control[MAX_NODES]
    score, control[PLY] = run(base, 0, control[PLY], node_limit, deadline)
    if score == STOPPED:
        control[STATUS] = UNFINISHED
    else:
        control[STATUS] = DONE
        control[ANSWER] = score
    return control[NODES] - before
