"""Principal variation search with an explicit stack, for the midgame and the exact endgame alike.

A score is in discs for the side to move. A search of `depth` plies that reaches the end of the board is exact: from
SMALL empty squares on endgame/search.py goes on, and with few plies left before the end leaf.py does. Null windows, the
table, and the moves' order as in every such program; sources are named in docs/references.md.

The search keeps its stack in memory (memory/layout.py, search/solver/stack.py), one frame a position under way.
"""

from bot.kernels.kernel import kernel
from bot.kernels.machine import monotonic_ns
from bot.search.solver.move_list import NO_MOVE_LEFT
from bot.search.solver.stack import ASK_AGAIN, OPEN, STOPPED, make_run

from ..evaluation.patterns import follow_move, follow_pass, set_features
from ..memory.layout import (
    ALPHA,
    ANSWER,
    BEST,
    BEST_MOVE,
    BETA,
    BUDGET_NS,
    DEPTH,
    DONE,
    FEATURE_BYTES,
    FEATURES_OFFSET,
    FIRST_ALPHA,
    KEY,
    LEVEL,
    MAX_NODES,
    MOVE_SQUARE,
    MOVES_END,
    NODES,
    OPPONENT,
    OWN,
    PASS_SQUARE,
    PHASE,
    PLY,
    ROOT_MOVE,
    ROOT_SCORE,
    SQUARE,
    STATUS,
    TRIED,
    TRYING_MOVES,
    TURNED,
    UNFINISHED,
    WINDOW_END,
)
from ..memory.position_table import HIGHEST, LOWEST, NO_MOVE, store
from ..memory.views import control_at, frame_at, frame_words_at
from ..rules.bitboard import NONE, bit
from .moves import next_move
from .open_position import next_step, open_position, probe_result

NODES_A_CLOCK_CHECK = 4096


@kernel
def nodes_of(base):
    """The positions visited so far."""
    return control_at(base)[NODES]


@kernel
def descend(base, ply, alpha, beta):
    """Set up the frame below: the position after the move under way, with the window turned round."""
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
    """Whether the frame below holds a question: of the probe that open.py has set up, or of the next move.

    The first move is asked about with the whole window, the others with a null window above alpha.
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
    """Use the score of the frame below: the frame's own, OPEN or ASK_AGAIN, as search/solver/stack.py says."""
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
    """The score of a frame whose moves are done; it is entered into the table."""
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
            # A root below its window has no best move: the one known before stays.
            NO_MOVE if ply == 0 and best <= frame[FIRST_ALPHA] else frame[BEST_MOVE],
        )
    return best


run = make_run(nodes_of, open_position, ask_next, conclude, take_answer, NODES_A_CLOCK_CHECK)


@kernel
def search_in(base):
    """Begin or go on with the search of the position in frame 0, see control[STATUS]; the nodes this call visits."""
    control = control_at(base)
    before = control[NODES]
    if control[STATUS] != UNFINISHED:
        words = frame_words_at(base, 0)
        set_features(base + FEATURES_OFFSET, words[OWN], words[OPPONENT])
        control[PLY] = 0
        control[ROOT_MOVE] = NO_MOVE
    deadline, node_limit = monotonic_ns() + control[BUDGET_NS], before + control[MAX_NODES]
    score, control[PLY] = run(base, 0, control[PLY], node_limit, deadline)
    if score == STOPPED:
        control[STATUS] = UNFINISHED
    else:
        control[STATUS] = DONE
        control[ANSWER] = score
    return control[NODES] - before
