"""How far a side has come with the lines of four through every cell, as a code of four bits. Kernels.

A line is open for a side while no cell of it is the opponent's, forbidden or off the board. A direction has a pair or a
triple in a cell where the best open line through it has two or three stones. Codes:

    0           no open line
    1 .. 3      open lines, none, one or several of them with a single stone
    4 .. 7      a pair in the row, in the column, in a diagonal, in several directions
    8 .. 11     a triple: 8 + the number of directions with a pair, 2 at most, + 1 where several have a triple
"""

from bot.kernels.kernel import kernel
from bot.kernels.lanes import down, sideways, up, without


def _make_direction(ahead, back):
    """ahead(cells): what lies one, two and three cells further on, at every cell; back(cells): the other way."""

    @kernel
    def lines_through(open0, stones0):
        """(open, once, twice, pair, triple): cells in an open line; in one line with one stone, in two; in one with two
        stones, in one with three."""
        open1, open2, open3 = ahead(open0)
        stones1, stones2, stones3 = ahead(stones0)
        line = open0 & open1 & open2 & open3
        odd_first, both_first = stones0 ^ stones1, stones0 & stones1
        odd_last, both_last = stones2 ^ stones3, stones2 & stones3
        ones = without(line & (odd_first ^ odd_last), both_first | both_last)
        twos = line & ((odd_first & odd_last) | without(both_first ^ both_last, odd_first | odd_last))
        threes = line & ((both_first & odd_last) | (odd_first & both_last))
        ones1, ones2, ones3 = back(ones)
        once = ones | ones1
        twice = ones & ones1
        twice = twice | (once & ones2)
        once = once | ones2
        twice = twice | (once & ones3)
        once = once | ones3
        line1, line2, line3 = back(line)
        twos1, twos2, twos3 = back(twos)
        threes1, threes2, threes3 = back(threes)
        return (
            line | line1 | line2 | line3,
            once,
            twice,
            twos | twos1 | twos2 | twos3,
            threes | threes1 | threes2 | threes3,
        )

    return lines_through


@kernel
def _right(cells):
    return sideways(cells, -1), sideways(cells, -2), sideways(cells, -3)


@kernel
def _left(cells):
    return sideways(cells, 1), sideways(cells, 2), sideways(cells, 3)


@kernel
def _above(cells):
    return down(cells, 1), down(cells, 2), down(cells, 3)


@kernel
def _below(cells):
    return up(cells, 1), up(cells, 2), up(cells, 3)


@kernel
def _right_above(cells):
    return down(sideways(cells, -1), 1), down(sideways(cells, -2), 2), down(sideways(cells, -3), 3)


@kernel
def _left_below(cells):
    return up(sideways(cells, 1), 1), up(sideways(cells, 2), 2), up(sideways(cells, 3), 3)


@kernel
def _right_below(cells):
    return up(sideways(cells, -1), 1), up(sideways(cells, -2), 2), up(sideways(cells, -3), 3)


@kernel
def _left_above(cells):
    return down(sideways(cells, 1), 1), down(sideways(cells, 2), 2), down(sideways(cells, 3), 3)


_horizontal = _make_direction(_right, _left)
_vertical = _make_direction(_above, _below)
_rising = _make_direction(_right_above, _left_below)
_falling = _make_direction(_right_below, _left_above)


@kernel
def _two_of(first, second, third, fourth):
    """Cells that at least two of the four have."""
    return (first & second) | (third & fourth) | ((first | second) & (third | fourth))


@kernel
def line_codes(open_cells, stones):
    """The bits of every cell's code from the lowest on, four Lanes.

    open_cells: of the board, neither forbidden nor the opponent's; stones: of the side the codes are about.
    """
    open0, once0, twice0, pair0, triple0 = _horizontal(open_cells, stones)
    open1, once1, twice1, pair1, triple1 = _vertical(open_cells, stones)
    open2, once2, twice2, pair2, triple2 = _rising(open_cells, stones)
    open3, once3, twice3, pair3, triple3 = _falling(open_cells, stones)
    twice = twice0 | twice1 | twice2 | twice3 | _two_of(once0, once1, once2, once3)
    once = once0 | once1 | once2 | once3
    triple = triple0 | triple1 | triple2 | triple3
    triples = _two_of(triple0, triple1, triple2, triple3)
    pair0, pair1 = without(pair0, triple0), without(pair1, triple1)
    pair2, pair3 = without(pair2, triple2), without(pair3, triple3)
    pair = pair0 | pair1 | pair2 | pair3
    pairs = _two_of(pair0, pair1, pair2, pair3)
    single = without(pair, pairs)
    quiet = without(open0 | open1 | open2 | open3, triple | pair)
    quiet_low, quiet_high = twice | without(quiet, once), once
    pair_low, pair_high = pairs | pair1, pairs | pair2 | pair3
    triple_low, triple_high = single ^ triples, pairs | (single & triples)
    pair = without(pair, triple)
    return (
        (triple & triple_low) | (pair & pair_low) | (quiet & quiet_low),
        (triple & triple_high) | (pair & pair_high) | (quiet & quiet_high),
        pair,
        triple,
    )
