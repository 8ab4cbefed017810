"""Discs that can never be turned again: a bound on the score that needs no search.

A disc is stable where on each of its four lines it cannot be turned: the line is full, or one of its two neighbours
on it is off the board or a stable disc of the same side. Found from the corners and full lines on by repeating that
rule; it finds not all, and none that are not (tests/bot/games/reversi/test_endgame.py plays positions out to see that).
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from bot.kernels.kernel import kernel
from bot.kernels.lanes import in_every_lane
from bot.kernels.machine import bit_count

from .bitboard import SIZE, SQUARES, STEPS

_INT64 = ir.IntType(64)
_FOUR = ir.VectorType(_INT64, 4)
_SHIFTS = [SIZE * down + right for down, right in STEPS]


def _squares(condition):
    """uint64 of the squares whose row and column fulfil it."""
    return sum(1 << square for square in range(SQUARES) if condition(*divmod(square, SIZE)))


def _four(values):
    return ir.Constant(_FOUR, [ir.Constant(_INT64, value) for value in values])


def _on_board(row, column):
    return 0 <= row < SIZE and 0 <= column < SIZE


def _reached(times, sign):
    """For each direction the squares that are reached by so many steps along it from a square of the board."""
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
    """(every word moved so many steps to higher bits, the same to lower bits); nothing comes in over the border."""
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
    """By direction the squares whose line of that direction is full or ends there."""
    higher = lower = in_every_lane(builder, empty, _FOUR)
    for times in (1, 2, 4):
        higher = builder.or_(higher, _shifted(builder, higher, times)[0])
        lower = builder.or_(lower, _shifted(builder, lower, times)[1])
    return builder.or_(builder.not_(builder.or_(higher, lower)), _four(_BORDERS))


@intrinsic
def stable_discs(typing_context, own, empty):
    """uint64 of discs of `own` that are stable whatever happens on the `empty` squares of an 8x8 board."""

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
    """The most that the side to move can still get on an 8x8 board, by the opponent's stable discs."""
    return SQUARES - 2 * bit_count(stable_discs(opponent, empty))
