"""Principal variation search with an explicit stack, for the midgame and the exact endgame alike.

A score is in discs for the side to move. A search of `depth` plies that reaches the end of the board is exact: from
SMALL empty squares on endgame/search.py goes on, and with few plies left before the end leaf.py does. Null windows, the
table, and the moves' order as in every such program; sources are named in docs/references.md.

The stack lies in memory (memory/layout.py), one frame a position under way, so that the search stops at any of them and
goes on later.
"""

from bot.kernels.kernel import kernel
from bot.kernels.machine import monotonic_ns

from ..endgame.last_squares import NO_SCORE
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
    ENTERING,
    FEATURE_BYTES,
    FEATURES_OFFSET,
    FIRST_ALPHA,
    FRAME_WORDS,
    FRAMES_OFFSET,
    KEY,
    LEFT,
    LEVEL,
    MAX_NODES,
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
    UNFINISHED,
    WINDOW_END,
)
from ..memory.position_table import HIGHEST, LOWEST, NO_MOVE, store
from ..memory.views import control_at, numbers_at, words_at
from ..rules.bitboard import NONE, bit
from .moves import next_move
from .open import next_step, open_position, probe_result

NODES_A_CLOCK_CHECK = 4096


@kernel
def descend(base, ply, alpha, beta):
    """Set up the frame below: the position after the move under way, with the window turned round."""
    frame = ply * FRAME_WORDS
    below = frame + FRAME_WORDS
    words, numbers = words_at(base, FRAMES_OFFSET), numbers_at(base, FRAMES_OFFSET)
    place = numbers[frame + LEFT]
    square, turned = numbers[place + 1], words[place + 2]
    own, opponent = words[frame + OWN], words[frame + OPPONENT]
    features = base + FEATURES_OFFSET + ply * FEATURE_BYTES
    numbers[frame + SQUARE] = square
    depth = numbers[frame + DEPTH]
    if square == PASS_SQUARE:
        words[below + OWN], words[below + OPPONENT] = opponent, own
        follow_pass(features, features + FEATURE_BYTES)
    else:
        words[below + OWN], words[below + OPPONENT] = opponent ^ turned, own ^ turned ^ bit(square)
        follow_move(features, features + FEATURE_BYTES, square, turned)
        depth -= 1
    numbers[below + DEPTH], numbers[below + LEVEL] = depth, numbers[frame + LEVEL]
    numbers[below + ALPHA], numbers[below + BETA] = -beta, -alpha
    numbers[frame + WINDOW_END] = beta


@kernel
def take(base, ply, score):
    """Let the frame learn what its move under way is worth; whether that move has to be searched again, wider."""
    frame = ply * FRAME_WORDS
    numbers = numbers_at(base, FRAMES_OFFSET)
    alpha, beta = numbers[frame + ALPHA], numbers[frame + BETA]
    if numbers[frame + WINDOW_END] < beta and alpha < score < beta:
        descend(base, ply, alpha, beta)
        return True
    numbers[frame + TRIED] += 1
    if score > numbers[frame + BEST]:
        numbers[frame + BEST], numbers[frame + BEST_MOVE] = score, numbers[frame + SQUARE]
        if score > alpha:
            numbers[frame + ALPHA] = score
            if ply == 0:
                control = control_at(base)
                control[ROOT_MOVE], control[ROOT_SCORE] = numbers[frame + SQUARE], score
    return False


@kernel
def remember(base, ply):
    """Enter the result of a frame whose moves are done into the table."""
    frame = ply * FRAME_WORDS
    numbers = numbers_at(base, FRAMES_OFFSET)
    key = words_at(base, FRAMES_OFFSET)[frame + KEY]
    if key == NONE:
        return
    best = numbers[frame + BEST]
    store(
        base,
        key,
        numbers[frame + DEPTH],
        numbers[frame + LEVEL],
        best if best > numbers[frame + FIRST_ALPHA] else LOWEST,
        best if best < numbers[frame + BETA] else HIGHEST,
        # A root below its window has no best move: the one known before stays.
        NO_MOVE if ply == 0 and best <= numbers[frame + FIRST_ALPHA] else numbers[frame + BEST_MOVE],
    )


@kernel
def run(base):
    """Search on from where the stack stands until it is done or control's limits are reached; whether it is done."""
    control, numbers = control_at(base), numbers_at(base, FRAMES_OFFSET)
    deadline = monotonic_ns() + control[BUDGET_NS]
    node_limit = control[NODES] + control[MAX_NODES]
    check_at = control[NODES] + NODES_A_CLOCK_CHECK
    ply, entering = control[PLY], control[ENTERING] != 0
    score = NO_SCORE
    while True:
        if entering:
            if control[NODES] >= node_limit or (control[NODES] >= check_at and monotonic_ns() >= deadline):
                control[PLY], control[ENTERING] = ply, 1
                return False
            if control[NODES] >= check_at:
                check_at = control[NODES] + NODES_A_CLOCK_CHECK
            score = open_position(base, ply)
        frame = ply * FRAME_WORDS
        if score == NO_SCORE:
            entering = True
            if numbers[frame + PHASE] == TRYING_MOVES:
                alpha, beta = numbers[frame + ALPHA], numbers[frame + BETA]
                entering = alpha < beta and next_move(base, ply)
                if entering:
                    descend(base, ply, alpha, beta if numbers[frame + TRIED] == 0 else alpha + 1)
            if entering:
                ply += 1
                continue
            remember(base, ply)
            score = numbers[frame + BEST]
        entering = False
        if ply == 0:
            control[ANSWER] = score
            return True
        ply -= 1
        if numbers[frame - FRAME_WORDS + PHASE] != TRYING_MOVES:
            score = probe_result(base, ply, score)
            if score == NO_SCORE:
                score = next_step(base, ply)
        elif take(base, ply, -score):
            ply += 1
            entering = True
        else:
            score = NO_SCORE


@kernel
def search_in(base):
    """Begin or go on with the search of the position in frame 0, see control[STATUS]; the nodes this call visits."""
    control = control_at(base)
    before = control[NODES]
    if control[STATUS] != UNFINISHED:
        words = words_at(base, FRAMES_OFFSET)
        set_features(base + FEATURES_OFFSET, words[OWN], words[OPPONENT])
        control[PLY], control[ENTERING] = 0, 1
        control[ROOT_MOVE] = NO_MOVE
    control[STATUS] = DONE if run(base) else UNFINISHED
    return control[NODES] - before
