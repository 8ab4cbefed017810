"""What the exact solvers share: the table of bounds, the list of moves, the loop over a stack."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from bot.kernels.kernel import kernel
from bot.kernels.machine import numbers_at
from bot.search.solver import (
    ASK_AGAIN,
    KEY_SHIFT,
    NO_MOVE_LEFT,
    OPEN,
    STOPPED,
    make_bounds_table,
    make_next_move,
    make_run,
)
from tests.bot.helpers.probe import called

ENTRIES = 64
NEVER = np.int64(2**63 - 1)
# A frame whose list of moves begins at word MOVES; the end of those left is in word END.
END, MOVES = 1, 3


class Table:
    """A table of bounds of its own, as the kernels of one kind see it."""

    def __init__(self, bucket, bound_bits, move_bits, work_bits):
        self.bucket, self.no_bound = bucket, 1 << (bound_bits - 1)
        self.most_moves, self.classes = (1 << move_bits) - 1, 1 << work_bits
        kernels = make_bounds_table(bucket, bound_bits, move_bits, work_bits)
        probe, lower_bound, upper_bound, stored_move = (
            kernels.probe,
            kernels.lower_bound,
            kernels.upper_bound,
            kernels[4],
        )

        @njit
        def read(table, entries, key):
            entry = probe(table, entries, key)
            return lower_bound(entry), upper_bound(entry), stored_move(entry)

        self._read, self._store = read, called(kernels.store)
        self.words = np.zeros(ENTRIES, np.uint64)

    def read(self, key):
        return self._read(self.words.ctypes.data, ENTRIES, np.uint64(key))

    def store(self, key, lower, upper, move, work):
        self._store(self.words.ctypes.data, ENTRIES, np.uint64(key), lower, upper, move, work)

    def nothing(self):
        """What is read of a position that is not in the table."""
        return -self.no_bound, self.no_bound, -1


@pytest.fixture(scope="module", params=[(4, 9, 4, 2), (8, 7, 7, 3)], ids=["connect four", "dots"])
def table(request):
    return Table(*request.param)


@pytest.fixture
def empty_table(table):
    table.words[:] = 0
    return table


@given(data=st.data())
def test_an_entry_reads_as_it_was_written(table, data):
    key = data.draw(st.integers(1 << KEY_SHIFT, 2**64 - 1))  # a key of zeros is an empty slot's
    bounds = st.integers(1 - table.no_bound, table.no_bound - 1)
    lower, upper = data.draw(bounds), data.draw(bounds)
    move, work = data.draw(st.integers(-1, table.most_moves - 1)), data.draw(st.integers(0, table.classes - 1))
    table.words[:] = 0
    assert table.read(key) == table.nothing()
    table.store(key, lower, upper, move, work)
    assert table.read(key) == (lower, upper, move)
    assert np.count_nonzero(table.words) == 1
    (slot,) = np.flatnonzero(table.words)
    assert slot // table.bucket == key % ENTRIES // table.bucket


def test_what_is_entered_replaces_what_was_known_of_the_position(empty_table):
    empty_table.store(1 << KEY_SHIFT, 1, 5, 3, empty_table.classes - 1)
    empty_table.store(1 << KEY_SHIFT, 2, 4, -1, 0)
    assert empty_table.read(1 << KEY_SHIFT) == (2, 4, -1)
    assert np.count_nonzero(empty_table.words) == 1


def test_a_full_bucket_gives_up_what_has_cost_least(empty_table):
    table = empty_table
    keys = [(number + 1) << KEY_SHIFT for number in range(table.bucket + 3)]
    for number in range(table.bucket):
        table.store(keys[number], number, 9, 0, 1 if number == 1 else 2 + number % 2)
    table.store(keys[-3], 20, 9, 0, 2)
    known = [table.read(key)[0] for key in keys[: table.bucket]]
    assert known == [number if number != 1 else -table.no_bound for number in range(table.bucket)]
    table.store(keys[-2], 21, 9, 0, 1)  # cheaper than all: not entered, but one of the twos counts less from now on
    assert table.read(keys[-2]) == table.nothing()
    table.store(keys[-1], 22, 9, 0, 1)
    assert table.read(keys[-1])[0] == 22


def test_fields_that_do_not_fit_an_entry_are_refused():
    with pytest.raises(ValueError, match=r"take 25 bits, not 24"):
        make_bounds_table(4, 9, 5, 2)


@pytest.mark.parametrize("move_words", [1, 3])
@given(orders=st.lists(st.integers(-5, 5), max_size=12))
def test_moves_come_best_first_and_each_once(move_words, orders):
    next_move = next_move_of(move_words)
    frame = np.zeros(MOVES + 12 * move_words, np.int64)
    for number, order in enumerate(orders):
        place = MOVES + number * move_words
        frame[place] = order
        frame[place + 1 : place + move_words] = number
    frame[END] = MOVES + len(orders) * move_words
    taken, numbers = [], []
    while (place := next_move(frame)) != NO_MOVE_LEFT:
        assert place == frame[END]
        taken.append(frame[place])
        numbers.append(tuple(frame[place + 1 : place + move_words]))
    assert taken == sorted(orders, reverse=True)
    if move_words > 1:
        assert sorted(numbers) == sorted((number,) * (move_words - 1) for number in range(len(orders)))


NEXT_MOVES = {}


def next_move_of(move_words):
    """The kernel for frames with so many words a move, as Python calls it."""
    if move_words not in NEXT_MOVES:
        NEXT_MOVES[move_words] = called(make_next_move(MOVES, move_words, END))
    return NEXT_MOVES[move_words]


# A search for the loop over a stack: a tree of three moves a position, LEAF_DEPTH plies deep, whose leaves have the
# values at LEAVES; every move is asked about twice, the second time only where the first answer is odd. The memory is
# int64: how many positions were opened, then a frame of FRAME_WORDS for each ply.
LEAF_DEPTH, WIDTH = 3, 3
FRAME_WORDS = 4
PATH, BEST, TRIED, TWICE = range(FRAME_WORDS)
FRAMES, LEAVES = 1, 32


@kernel
def nodes_of(base):
    return numbers_at(base, 0)[0]


@kernel
def open_position(base, depth):
    numbers, frame = numbers_at(base, 0), FRAMES + FRAME_WORDS * depth
    numbers[0] += 1
    if depth == LEAF_DEPTH:
        return numbers[LEAVES + numbers[frame + PATH]]
    numbers[frame + BEST], numbers[frame + TRIED] = OPEN, 0
    return OPEN


@kernel
def set_up(base, depth):
    numbers, frame = numbers_at(base, 0), FRAMES + FRAME_WORDS * depth
    numbers[frame + FRAME_WORDS + PATH] = WIDTH * numbers[frame + PATH] + numbers[frame + TRIED]


@kernel
def ask_next(base, depth):
    numbers, frame = numbers_at(base, 0), FRAMES + FRAME_WORDS * depth
    if numbers[frame + TRIED] == WIDTH:
        return False
    numbers[frame + TWICE] = 0
    set_up(base, depth)
    return True


@kernel
def conclude(base, depth):
    return numbers_at(base, 0)[FRAMES + FRAME_WORDS * depth + BEST]


@kernel
def take_answer(base, depth, value):
    numbers, frame = numbers_at(base, 0), FRAMES + FRAME_WORDS * depth
    if value & 1 and numbers[frame + TWICE] == 0:
        numbers[frame + TWICE] = 1
        set_up(base, depth)
        return ASK_AGAIN
    numbers[frame + TRIED] += 1
    numbers[frame + BEST] = max(numbers[frame + BEST], -value)
    return np.int64(10) if -value >= 10 else OPEN  # a value of 10 cannot be beaten


RUN = called(make_run(nodes_of, open_position, ask_next, conclude, take_answer, 1))


def expected(leaves, path, depth):
    """(value, positions opened) of that search by recursion."""
    if depth == LEAF_DEPTH:
        return leaves[path], 1
    best, opened = OPEN, 1
    for move in range(WIDTH):
        value, below = expected(leaves, WIDTH * path + move, depth + 1)
        opened += 2 * below if value & 1 else below
        best = max(best, -value)
        if best >= 10:
            return 10, opened
    return best, opened


@given(st.lists(st.integers(-10, 10), min_size=WIDTH**LEAF_DEPTH, max_size=WIDTH**LEAF_DEPTH), st.integers(1, 9))
def test_a_search_that_stops_and_goes_on_is_the_search_without_a_stop(leaves, nodes_at_once):
    memory = np.zeros(LEAVES + WIDTH**LEAF_DEPTH, np.int64)
    memory[LEAVES:] = leaves
    depth = 0
    for calls in itertools.count(1):
        value, depth = RUN(memory.ctypes.data, 0, depth, memory[0] + nodes_at_once, NEVER)
        if value != STOPPED:
            break
        assert memory[0] == calls * nodes_at_once
    assert (value, memory[0]) == expected(leaves, 0, 0) and depth == 0


def test_a_deadline_stops_a_search_after_the_positions_of_one_clock_check():
    memory = np.zeros(LEAVES + WIDTH**LEAF_DEPTH, np.int64)
    assert RUN(memory.ctypes.data, 0, 0, NEVER, 0) == (STOPPED, 1) and memory[0] == 1
