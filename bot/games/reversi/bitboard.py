"""The 8x8 board as kernels see it: one uint64 for each side, and the rules as bit operations.

    bit  0  1  2  3  4  5  6  7      square 8 * row + column is bit 8 * row + column of a word;
         8  9 10 ..           15     row 0 is the top one, column 0 the left one.
         ..                          A smaller board is the upper left block: the other squares belong to nobody
        56 57 ..              63     and are never played; the argument `empty` leaves them out.

The discs that a move turns are found ray by ray: towards higher bits by a carry that runs through the opponent's discs,
towards lower bits by the highest bit that is not one of these discs. In perft, four rays side by side in a vector took
a tenth longer, and so did four rays at once with the board turned round. For legal moves, four directions at once in
vectors, shifted both ways, are faster than single rays (parallel prefix; the technique is common to programs of this
game, see chessprogramming.org's Kogge-Stone page).
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from bot.kernels.kernel import kernel
from bot.kernels.lanes import in_every_lane
from bot.kernels.machine import bit_count, lowest_bit

SIZE = 8
SQUARES = 64
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
NONE = np.uint64(0)
ONE = np.uint64(1)
CORNERS = np.uint64(0x8100000000000081)

_NOT_FIRST_COLUMN = np.uint64(0xFEFEFEFEFEFEFEFE)
_NOT_LAST_COLUMN = np.uint64(0x7F7F7F7F7F7F7F7F)
_EVERY_BIT = (1 << 64) - 1
_INNER_COLUMNS = 0x7E7E7E7E7E7E7E7E
# (rows down, columns right) of a step to a higher bit: right, down, down left, down right.
STEPS = ((0, 1), (1, 0), (1, -1), (1, 1))
_SHIFTS = tuple(8 * down + right for down, right in STEPS)

_INT64 = ir.IntType(64)
_FOUR = ir.VectorType(_INT64, 4)


def ray(square, down, right):
    """Returns the squares from `square` to the border, as a Python integer of bits.

    A step goes `down` rows down and `right` columns right. The ray does not contain `square` itself.
    """
    row, column = square // SIZE + down, square % SIZE + right
    squares = 0
    while 0 <= row < SIZE and 0 <= column < SIZE:
        squares |= 1 << (SIZE * row + column)
        row, column = row + down, column + right
    return squares


_RAYS_TO_HIGHER = [ray(square, down, right) for square in range(SQUARES) for down, right in STEPS]
_RAYS_TO_LOWER = [ray(square, -down, -right) for square in range(SQUARES) for down, right in STEPS]


def _four(values):
    return ir.Constant(_FOUR, [ir.Constant(_INT64, value) for value in values])


def _table(builder, name, values):
    """Returns a table of 64-bit words in the generated code.

    All functions that ask for the same name share one table.
    """
    if name not in builder.module.globals:
        array = ir.ArrayType(_INT64, len(values))
        table = ir.GlobalVariable(builder.module, array, name)
        table.global_constant, table.linkage, table.align = True, "linkonce_odr", 64
        table.initializer = ir.Constant(array, [ir.Constant(_INT64, value) for value in values])
    return builder.module.globals[name]


@intrinsic
def legal_moves(typing_context, own, opponent, empty):
    """Returns a uint64 of the squares in `empty` on which the side with the discs `own` may move."""

    def generate(context, builder, signature, arguments):
        own, opponent, empty = arguments
        once, twice = _four(_SHIFTS), _four([2 * shift for shift in _SHIFTS])
        passable = [_EVERY_BIT if right == 0 else _INNER_COLUMNS for _, right in STEPS]
        own = in_every_lane(builder, own, _FOUR)
        theirs = builder.and_(in_every_lane(builder, opponent, _FOUR), _four(passable))
        pairs_up = builder.and_(theirs, builder.shl(theirs, once))
        reached = []
        for shift, pairs in ((builder.shl, pairs_up), (builder.lshr, builder.lshr(pairs_up, once))):
            run = builder.and_(theirs, shift(own, once))
            run = builder.or_(run, builder.and_(theirs, shift(run, once)))
            for _ in range(2):
                run = builder.or_(run, builder.and_(pairs, shift(run, twice)))
            reached.append(shift(run, once))
        reduce_or = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_INT64, [_FOUR]), "llvm.vector.reduce.or.v4i64"
        )
        return builder.and_(empty, builder.call(reduce_or, [builder.or_(*reached)]))

    return types.uint64(types.uint64, types.uint64, types.uint64), generate


def _flips_to_higher(builder, own, opponent, squares):
    """Emit code that computes the discs that a move turns on one ray towards higher bits.

    `squares` are the ray's squares.
    """
    first_other = builder.add(builder.or_(opponent, builder.not_(squares)), _INT64(1))
    end = builder.and_(builder.and_(first_other, own), squares)
    ends = builder.zext(builder.icmp_unsigned("!=", end, _INT64(0)), _INT64)
    return builder.and_(builder.sub(end, ends), squares)


def _flips_to_lower(builder, own, opponent, squares):
    """Emit code that computes the discs that a move turns on one ray towards lower bits.

    `squares` are the ray's squares. If the opponent has discs on the whole ray, bit 0 takes the place of the first
    square without such a disc.
    """
    count_zeros = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_INT64, [_INT64, ir.IntType(1)]), "llvm.ctlz.i64"
    )
    others = builder.or_(builder.and_(squares, builder.not_(opponent)), _INT64(1))
    first_other = builder.lshr(_INT64(1 << 63), builder.call(count_zeros, [others, ir.IntType(1)(1)]))
    end = builder.and_(builder.and_(first_other, own), squares)
    return builder.and_(squares, builder.neg(builder.add(end, end)))


@intrinsic
def flips(typing_context, own, opponent, square):
    """Returns a uint64 of the opponent's discs that a move of the side with the discs `own` turns.

    The move is on `square` (int64), which must be empty. The result is 0 if the move turns no disc.
    """

    def generate(context, builder, signature, arguments):
        own, opponent, square = arguments
        tables = (
            (_flips_to_higher, _table(builder, "reversi_rays_to_higher", _RAYS_TO_HIGHER)),
            (_flips_to_lower, _table(builder, "reversi_rays_to_lower", _RAYS_TO_LOWER)),
        )
        turned = _INT64(0)
        for index in range(len(STEPS)):
            place = builder.or_(builder.shl(square, _INT64(2)), _INT64(index))
            for flips_on_ray, table in tables:
                squares = builder.load(builder.gep(table, [_INT64(0), place]))
                turned = builder.or_(turned, flips_on_ray(builder, own, opponent, squares))
        return turned

    return types.uint64(types.uint64, types.uint64, types.int64), generate


@intrinsic
def swap_bytes(typing_context, word):
    """Returns the uint64 `word` with its eight rows in reverse order."""

    def generate(context, builder, signature, arguments):
        return builder.bswap(arguments[0])

    return types.uint64(types.uint64), generate


@kernel
def bit(square):
    """Returns a uint64 with only the bit of `square` (int64)."""
    return ONE << np.uint64(square)


@kernel
def neighbours(squares):
    """Returns a uint64 of the squares of the 8x8 board that touch a square of `squares`.

    The result may contain squares of `squares`.
    """
    sideways = squares << ONE & _NOT_FIRST_COLUMN | squares >> ONE & _NOT_LAST_COLUMN
    wide = squares | sideways
    return sideways | wide << np.uint64(SIZE) | wide >> np.uint64(SIZE)


# Stable discs: a bound of the score that needs no search
# --------------------------------------------------------
#
# A disc is stable if it can never be turned again. It surely is if, on each of its four lines, the line is full, or one
# of its two neighbours is off the board or a stable disc of the same side. These kernels start from the corners and the
# full lines, and apply that rule repeatedly. They find some of the stable discs, and only stable ones
# (tests/bot/games/reversi/test_endgame.py plays positions out to check that).


def _squares(condition):
    """Returns the squares for which condition(row, column) is true, as a Python integer of bits."""
    return sum(1 << square for square in range(SQUARES) if condition(*divmod(square, SIZE)))


def _on_board(row, column):
    return 0 <= row < SIZE and 0 <= column < SIZE


def _reached(times, sign):
    """Returns, for each direction, the squares that lie `times` steps in that direction from a square of the board.

    With `sign` -1 the steps go in the opposite direction.
    """
    return [
        _squares(
            lambda row, column, down=sign * times * down, right=sign * times * right: _on_board(
                row - down, column - right
            )
        )
        for down, right in STEPS
    ]


_BORDERS = [
    _squares(
        lambda row, column, down=down, right=right: (
            not (_on_board(row + down, column + right) and _on_board(row - down, column - right))
        )
    )
    for down, right in STEPS
]


def _shifted(builder, words, times):
    """Emit code that moves each direction's word by `times` steps.

    Returns (the words moved to higher bits, to lower bits). No square comes in across the border.
    """
    by = _four([times * shift for shift in _SHIFTS])
    return (
        builder.and_(builder.shl(words, by), _four(_reached(times, 1))),
        builder.and_(builder.lshr(words, by), _four(_reached(times, -1))),
    )


def _all_lanes(builder, words):
    reduce_and = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_INT64, [_FOUR]), "llvm.vector.reduce.and.v4i64"
    )
    return builder.call(reduce_and, [words])


def _held_lines(builder, empty):
    """Emit code that computes, for each direction, the squares whose line in that direction is full or ends there."""
    higher = lower = in_every_lane(builder, empty, _FOUR)
    for times in (1, 2, 4):
        higher = builder.or_(higher, _shifted(builder, higher, times)[0])
        lower = builder.or_(lower, _shifted(builder, lower, times)[1])
    return builder.or_(builder.not_(builder.or_(higher, lower)), _four(_BORDERS))


@intrinsic
def stable_discs(typing_context, own, empty):
    """Returns a uint64 of discs of `own` that stay stable whatever is played on the `empty` squares of an 8x8 board."""

    def generate(context, builder, signature, arguments):
        own, empty = arguments
        held = _held_lines(builder, empty)
        start, entry = builder.and_(own, _all_lanes(builder, held)), builder.block
        loop, done = builder.append_basic_block("spread"), builder.append_basic_block("spread_done")
        builder.branch(loop)
        builder.position_at_end(loop)
        stable = builder.phi(_INT64)
        stable.add_incoming(start, entry)
        backed = builder.or_(*_shifted(builder, in_every_lane(builder, stable, _FOUR), 1))
        more = builder.and_(own, _all_lanes(builder, builder.or_(held, backed)))
        stable.add_incoming(more, loop)
        builder.cbranch(builder.icmp_unsigned("!=", more, stable), loop, done)
        builder.position_at_end(done)
        return more

    return types.uint64(types.uint64, types.uint64), generate


@kernel
def stability_bound(opponent, empty):
    """Returns an upper bound, from the opponent's stable discs, of the score of the side to move on an 8x8 board."""
    return SQUARES - 2 * bit_count(stable_discs(opponent, empty))


# Perft
# -----


_OWN, _OPPONENT, _MOVES, _WORDS = 0, 1, 2, 3


@kernel
def count_games(words, board, depth):
    """Returns the number of sequences of `depth` plies (>= 1) from a position; 0 if its side to move has no move.

    A pass counts as a ply. A sequence that ends sooner, because the game is over, counts too. `words` is a pointer to
    uint64, with three words for each ply. Before the call, the first two words must hold the position's own and
    opponent's discs. All words are overwritten. `board` is a uint64 of the board's squares.
    """
    own, opponent = words[_OWN], words[_OPPONENT]
    moves = legal_moves(own, opponent, board & ~(own | opponent))
    if moves == NONE:
        return 0
    if depth == 1:
        return bit_count(moves)
    games, ply = 0, 0
    while ply >= 0:
        frame = ply * _WORDS
        if moves == NONE:
            ply -= 1
            if ply >= 0:
                frame -= _WORDS
                own, opponent, moves = words[frame + _OWN], words[frame + _OPPONENT], words[frame + _MOVES]
            continue
        square = lowest_bit(moves)
        moves &= moves - ONE
        words[frame + _OWN], words[frame + _OPPONENT], words[frame + _MOVES] = own, opponent, moves
        turned = flips(own, opponent, square)
        own, opponent = opponent ^ turned, own ^ turned ^ bit(square)
        empty = board & ~(own | opponent)
        replies = legal_moves(own, opponent, empty)
        below = ply + 1
        if replies == NONE:
            moves_after_pass = legal_moves(opponent, own, empty)
            if moves_after_pass == NONE or depth - below == 1:
                games += 1
                own, opponent = words[frame + _OWN], words[frame + _OPPONENT]
                continue
            words[frame + _WORDS + _MOVES] = NONE  # at that ply only the pass can be tried
            own, opponent, replies = opponent, own, moves_after_pass
            below += 1
        if depth - below == 1:
            games += bit_count(replies)
            own, opponent = words[frame + _OWN], words[frame + _OPPONENT]
            continue
        ply, moves = below, replies
    return games
