"""The bot's rules, compiled and plain, against the judge's: counted, and walked through random games."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.connect_four.board import ALL_TACTICS, cell
from bot.games.connect_four.plain import (
    PlainSearch,
    columns_of,
    empty_position,
    safe_move,
    tactical_columns,
    winning_cells,
)
from bot.search.scores import UNPROVEN, WIN_BASE
from judge.games.connect_four.rules import ConnectFour
from tests.bot.games.connect_four.helpers.exhaustive import (
    Solver,
    late_positions,
    position_from_picture,
    random_positions,
    seen_by_mover,
)
from tests.bot.games.connect_four.helpers.probes import (
    ABOVE,
    FINISHED,
    FLOOR,
    HASH,
    OPPONENT,
    OPPONENT_WINNING,
    OWN,
    OWN_WINNING,
    RESERVED,
    ROW_WORDS,
    SCORE,
    WORTH_PLAYING,
    as_cells,
    as_words,
    perft,
    walk,
)
from tests.judge.helpers.perft_counts import COUNTS, COUNTS_AFTER

MOST_PLAIN_LEAVES = 20_000  # deeper counts are for the kernels


def start(rows, cols, forbidden):
    """The bot's start position; the forbidden cell counts rows from the top, as the judge does."""
    return empty_position(rows, cols, None if forbidden is None else (rows - 1 - forbidden[0], forbidden[1]))


def plain_leaves(position, depth):
    if depth == 0:
        return 1
    if position.opponent_has_won():
        return 0
    return sum(plain_leaves(position.play(column), depth - 1) for column in position.legal_moves())


def after(position, columns):
    for column in columns:
        position = position.play(column)
    return position


COUNTED = [(*setup, "", counts) for setup, counts in COUNTS.items()] + [
    (*setup, counts) for setup, counts in COUNTS_AFTER.items()
]


def test_perft_counts():
    for rows, cols, forbidden, played, counts in COUNTED:
        position = after(start(rows, cols, forbidden), [int(digit, 16) for digit in played])
        words = as_words(position)
        assert [perft(words, depth) for depth in range(1, len(counts) + 1)] == counts, (rows, cols, forbidden, played)
        plain_counts = [count for count in counts if count <= MOST_PLAIN_LEAVES]
        assert [plain_leaves(position, depth) for depth in range(1, len(plain_counts) + 1)] == plain_counts


def random_setup(generator):
    """(rows, cols, forbidden): bottom and top rows more often than the others, none at all now and then."""
    rows, cols = generator.randint(4, 12), generator.randint(4, 12)
    row = generator.choice([0, rows - 1, generator.randrange(rows)])
    return rows, cols, None if generator.random() < 0.2 else (row, generator.randrange(cols))


def play_out(rules, choose):
    """Play the judge's game to its end beside the plain rules, compared; (columns, plain positions)."""
    position = start(rules.rows, rules.cols, rules.forbidden)
    columns, positions = [], [position]
    while True:
        assert position.opponent_has_won() == (rules.winner is not None)
        if rules.winner is None:
            assert position.legal_moves() == rules.legal_moves()
            for row, column in rules.legal_cells():
                assert position.floor_row(column) == rules.rows - 1 - row
        if rules.over:
            assert rules.winner is not None or not position.floor
            return columns, positions
        columns.append(choose(rules.legal_moves()))
        rules.play(columns[-1])
        position = position.play(columns[-1])
        positions.append(position)


def walked(position, columns):
    """What the kernels say of the position and of those after each move."""
    rows = np.zeros((len(columns) + 1, ROW_WORDS), np.uint64)
    walk(as_words(position), np.array(columns, np.int64), ALL_TACTICS, rows)
    return rows


def assert_kernels_agree(columns, positions):
    for row, position in zip(walked(positions[0], columns), positions, strict=True):
        assert as_cells(row, OWN) == position.own
        assert as_cells(row, OPPONENT) == position.opponent
        assert as_cells(row, FLOOR) == position.floor
        assert as_cells(row, ABOVE) == position.cell_above(position.floor)
        assert as_cells(row, OWN_WINNING) & position.board == winning_cells(position.own) & position.board
        assert as_cells(row, OPPONENT_WINNING) & position.board == winning_cells(position.opponent) & position.board
        assert bool(row[FINISHED]) == position.opponent_has_won()


@pytest.mark.parametrize("games", [60, pytest.param(2000, marks=pytest.mark.slow)])
def test_random_games_agree(games):
    generator = random.Random(games)
    endings = {"won": 0, "drawn": 0, "won with the last stone": 0}
    for _ in range(games):
        rules = ConnectFour(*random_setup(generator))
        columns, positions = play_out(rules, generator.choice)
        assert_kernels_agree(columns, positions)
        endings["drawn" if rules.winner is None else "won with the last stone" if rules.full else "won"] += 1
    assert endings["won"] and endings["drawn"]


@settings(max_examples=50)
@given(st.data())
def test_any_game_agrees(data):
    rows, cols = data.draw(st.integers(4, 12)), data.draw(st.integers(4, 12))
    cells = st.tuples(st.integers(0, rows - 1), st.integers(0, cols - 1))
    rules = ConnectFour(rows, cols, data.draw(st.none() | cells))
    choices = iter(data.draw(st.lists(st.integers(0, 11), min_size=10, max_size=144)))
    assert_kernels_agree(*play_out(rules, lambda columns: columns[next(choices, 0) % len(columns)]))


@pytest.mark.parametrize("forbidden", [None, (0, 0), (3, 2), (1, 3)])
def test_a_win_on_the_last_free_cell_is_a_win(forbidden):
    generator = random.Random(3)
    found = 0
    while found < 5:
        rules = ConnectFour(4, 4, forbidden)
        columns, positions = play_out(rules, generator.choice)
        if rules.full and rules.winner is not None:
            found += 1
            assert_kernels_agree(columns, positions)
            before = walked(positions[0], columns)[-2]
            assert before[SCORE] == 2048 + WIN_BASE - 1
            assert tactical_columns(positions[-2]) == ("win", [columns[-1]])


def judged_winning_cells(rules, player):
    """Every free cell where a stone of the player's would be in a line of four, by the judge's rules."""
    found = 0
    for row, column in itertools.product(range(rules.rows), range(rules.cols)):
        if rules.owner[row][column] is None and (row, column) != rules.forbidden:
            rules.owner[row][column] = player
            if rules.completes_line(row, column):
                found |= cell(rules.rows - 1 - row, column)
            rules.owner[row][column] = None
    return found


def test_winning_cells_are_those_of_the_judge():
    generator = random.Random(8)
    seen = 0
    for _ in range(80):
        rules = ConnectFour(*random_setup(generator))
        position = start(rules.rows, rules.cols, rules.forbidden)
        for _ in range(generator.randrange(rules.rows * rules.cols)):
            if rules.over:
                break
            column = generator.choice(rules.legal_moves())
            rules.play(column)
            position = position.play(column)
        row = walked(position, [])[0]
        free = position.board & ~(position.own | position.opponent | position.forbidden)
        for player, field in ((rules.to_move, OWN_WINNING), (1 - rules.to_move, OPPONENT_WINNING)):
            expected = judged_winning_cells(rules, player)
            seen += expected != 0
            assert as_cells(row, field) & free == expected
    assert seen > 30


def test_hash_depends_on_the_position_alone():
    generator = random.Random(5)
    by_hash, hash_of, transpositions = {}, {}, 0
    for _ in range(250):
        position = start(6, 7, (5, 3))
        columns = [generator.randrange(7) for _ in range(8)]
        stones = after(position, columns)
        for order in (columns, columns[2:4] + columns[:2] + columns[4:], columns[6:] + columns[:6]):
            reached = after(position, order)
            word = int(walked(position, order)[-1][HASH])
            assert by_hash.setdefault(word, reached) == reached
            assert hash_of.setdefault(reached, word) == word
            transpositions += order != columns and reached == stones
    assert transpositions > 40
    assert len(by_hash) > 200


def test_survey_agrees_with_a_solver():
    """Its scores are exact, and a move that it leaves out loses in 2 or is worse than a forced block."""
    solver = Solver()
    scored = left_out = 0
    for position in itertools.chain(random_positions(11, 120), late_positions(11, 30)):
        row = walked(position, [])[0]
        score, exact = int(row[SCORE]) - 2048, solver.score(position)
        scored += score != UNPROVEN
        assert score in (UNPROVEN, exact)
        worth_playing = int(row[WORTH_PLAYING])
        if score == UNPROVEN:
            assert exact != WIN_BASE - 1
            # Of the positions lost in 2 it may miss those with a single, hopeless block.
            assert exact != 2 - WIN_BASE or worth_playing & (worth_playing - 1) == 0
            for column in position.legal_moves():
                if not (worth_playing >> column) & 1:
                    left_out += 1
                    assert seen_by_mover(solver.score(position.play(column))) == 2 - WIN_BASE
        assert int(row[RESERVED]) & ~worth_playing == 0
    assert scored > 20 and left_out > 20


def test_plain_tactics_agree_with_a_solver():
    solver = Solver()
    seen = {"win": 0, "loss": 0, None: 0}
    for position in itertools.chain(random_positions(12, 120), late_positions(12, 30)):
        outcome, columns = tactical_columns(position)
        scores = solver.move_scores(position)
        seen[outcome] += 1
        assert safe_move(position) in columns
        if outcome == "win":
            assert columns == [column for column, score in scores.items() if score == WIN_BASE - 1]
        elif outcome == "loss":
            assert max(scores.values()) == 2 - WIN_BASE
        else:
            assert max(scores.values()) != WIN_BASE - 1
            good = [column for column, score in scores.items() if score != 2 - WIN_BASE]
            # A single block is worth playing even when the cell above it loses.
            assert columns == good or (not good and len(columns) == 1)
    assert all(seen.values())


def test_reserved_is_the_column_that_only_the_opponent_may_not_play():
    position = position_from_picture("""
        .......
        .......
        .......
        .......
        oxxx...
        ooxo..o
        """)
    row = walked(position, [])[0]
    assert columns_of(as_cells(row, OWN_WINNING) & as_cells(row, ABOVE)) == [4]
    assert int(row[RESERVED]) == 1 << 4


LOOKS = 300  # at the clock, in a turn


def thinking(looks=LOOKS):
    """A deadline, and the clock for it: one that goes on whenever it is looked at."""
    return looks, itertools.count().__next__


def test_what_the_last_tree_knows_of_a_position_is_kept():
    """With no time left a fresh search could only name a safe column; the kept tree has a value and a line."""
    search, position = PlainSearch(seed=1), empty_position(9, 9)
    column = search.think(position, *thinking()).move
    for reply in (4, 0):
        later = position.play(column).play(reply)
        kept = PlainSearch(seed=1)
        kept.think(position, *thinking())
        known = kept.think(later, *thinking(0))
        fresh = PlainSearch(seed=1).think(later, *thinking(0))
        assert (known.iterations, fresh.iterations) == (0, 0)
        assert known.pv == [known.move] and known.move in later.legal_moves() and known.value != 0
        assert fresh.pv == [] and fresh.value == 0


def test_a_position_that_does_not_follow_starts_afresh():
    search, position = PlainSearch(seed=1), empty_position(9, 9)
    search.think(position, *thinking())
    other = empty_position(9, 9, (3, 3)).play(4).play(4)
    assert search.think(other, *thinking(0)).pv == []
