"""The referee's rules of dots and boxes: by hand, against their own definition, and against OpenSpiel's."""

import copy
import os
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.games.dots.board import draw_board, most_opening_plies
from judge.games.dots.rules import Dots, edges_of_board, edges_of_box, horizontal, vertical
from judge.games.positions import IllegalMove

OPEN_SPIEL_GAMES = int(os.environ.get("OPEN_SPIEL_GAMES", "10000")) // 5
OPEN_SPIEL_SIZES = [(1, 1), (2, 2), (2, 3), (3, 2), (5, 5), (7, 4)]
SIZES = [(rows, columns) for rows in range(1, 8) for columns in range(1, 8)]


def after(moves, rows=2, columns=2, opening=""):
    position = Dots(rows, columns, opening.split())
    for move in moves.split():
        position.play(move)
    return position


def test_names_are_the_platforms():
    """Those of protocol.md's example and the corners of the board of 5 x 5."""
    assert edges_of_box(0, 0) == ("AAA", "ABA", "BAA", "BBA")
    assert edges_of_box(4, 4) == ("AEE", "AFE", "BEE", "BFE")
    assert (horizontal(0, 1), vertical(3, 2)) == ("AAB", "BCD")
    assert edges_of_board(1, 2) == ("AAA", "AAB", "ABA", "ABB", "BAA", "BBA", "BCA")


def test_every_size_has_its_edges():
    for rows, columns in SIZES:
        check_edges(rows, columns)


def check_edges(rows, columns):
    edges = list(edges_of_board(rows, columns))
    assert len(edges) == len(set(edges)) == 2 * rows * columns + rows + columns
    position = Dots(rows, columns)
    assert position.legal_moves() == edges
    around = [edge for row in range(rows) for column in range(columns) for edge in edges_of_box(row, column)]
    assert {edge: len(position.boxes_beside(edge)) for edge in edges} == {edge: around.count(edge) for edge in edges}
    assert (position.to_move, position.over, position.winner, position.last, position.moves) == (
        0,
        False,
        None,
        None,
        [],
    )


def test_sides_alternate_while_no_box_is_completed():
    position = Dots(2, 2)
    for number, edge in enumerate(("AAA", "ABB", "BAA", "BCB"), start=1):
        assert position.play(edge) == edge
        assert (position.to_move, position.last, position.goes_on) == (number % 2, edge, False)
    assert position.counts == (0, 0)


def test_who_completes_a_box_keeps_it_and_moves_again():
    position = after("AAA ABA BAA BBA")
    assert (position.to_move, position.counts, position.goes_on) == (1, (0, 1), True)
    assert position.owner == [[1, None], [None, None]]
    position.play("ABB")
    assert (position.to_move, position.goes_on) == (0, False)


def test_one_edge_may_complete_two_boxes():
    position = after("AAA AAB ABA ABB BAA BCA BBA")
    assert position.counts == (2, 0)
    assert (position.to_move, position.owner[0]) == (0, [0, 0])


def test_the_game_is_over_with_the_last_edge_even_for_who_would_go_on():
    position = after("AAA ABA BAA BBA", 1, 1)
    assert (position.over, position.winner, position.counts, position.goes_on) == (True, 1, (0, 1), False)
    assert position.legal_moves() == []
    with pytest.raises(IllegalMove, match="AAA was played after the end of the game"):
        position.play("AAA")


def test_more_boxes_win_and_as_many_are_a_draw():
    drawn = after("AAA AAB ABA BAA BBA ABB BCA", 1, 2)
    assert (drawn.over, drawn.counts, drawn.winner) == (True, (1, 1), None)
    won = after("AAA AAB ABA ABB BAA BCA BBA", 1, 2)
    assert (won.over, won.counts, won.winner) == (True, (2, 0), 0)


def test_an_opening_is_no_move_but_its_boxes_count():
    position = after("", opening="AAA ABA BAA BBA AAB")
    assert (position.moves, position.last, position.drawn[-1]) == ([], None, "AAB")
    assert (position.to_move, position.counts, position.goes_on) == (0, (0, 1), False)
    assert position.last_turn(1) == []
    position.play("BCA")
    assert (position.moves, position.last_turn(0), position.last_turn(1)) == (["BCA"], ["BCA"], [])


def test_the_last_turn_is_whole():
    position = after("AAA AAB ABA ABB BAA BCA BBA ACA", 2, 2)
    assert position.last_turn(0) == ["BBA", "ACA"]
    assert position.last_turn(1) == []
    position.play("ACB")
    assert (position.last_turn(1), position.last_turn(0)) == (["ACB"], [])


def test_safe_edges_leave_no_third_one():
    position = after("AAA ABA")
    assert not position.is_safe("BAA")
    assert not position.is_safe("BBA")
    assert position.is_safe("AAB")
    assert position.is_safe("BAB")  # its box has one of its edges: ABA
    position.play("BAB")
    assert not position.is_safe("BBB")


@pytest.mark.parametrize(
    "rows, columns, expected",
    [(1, 1, -1), (1, 2, 0), (2, 1, 0), (1, 3, -1), pytest.param(2, 2, 2, marks=pytest.mark.slow)],
)
def test_the_values_of_the_smallest_boards(rows, columns, expected):
    """Boxes of the first player less those of the second, as published."""
    values = {}

    def value(position):
        """What the side to move still gets more than the other."""
        key = frozenset(position.drawn)
        if key not in values:
            values[key] = max((gain(position, edge) for edge in position.legal_moves()), default=0)
        return values[key]

    def gain(position, edge):
        mover, following = position.to_move, copy.deepcopy(position)
        following.play(edge)
        boxes = following.counts[mover] - position.counts[mover]
        return boxes + value(following) * (1 if following.to_move == mover else -1)

    assert value(Dots(rows, columns)) == expected


@settings(max_examples=25)
@given(st.sampled_from(SIZES), st.randoms(use_true_random=False))
def test_whole_games_are_what_the_rules_say(size, generator):
    """Every box belongs to who drew the last of its edges, and who moves next follows from the last edge alone."""
    position = Dots(*size)
    edges = list(edges_of_board(*size))
    generator.shuffle(edges)
    boxes = {(row, column): edges_of_box(row, column) for row in range(size[0]) for column in range(size[1])}
    movers = []
    for place, edge in enumerate(edges):
        assert not position.over
        movers.append(position.to_move)
        position.play(edge)
        completes = any(edge in around and set(around) <= set(edges[: place + 1]) for around in boxes.values())
        assert completes == (position.to_move == movers[-1])
    assert position.over
    for (row, column), around in boxes.items():
        last = max(edges.index(edge) for edge in around)
        assert position.owner[row][column] == movers[last]
    assert sum(position.counts) == len(boxes)
    first, second = position.counts
    assert position.winner == (None if first == second else int(second > first))


@pytest.mark.parametrize("sizes", [[(1, 1), (1, 2), (3, 2), (5, 5)], pytest.param(SIZES, marks=pytest.mark.slow)])
def test_openings_give_nothing_away_however_long(sizes):
    long = draw_board(5, 2, "5x5", 20).opening
    assert [draw_board(5, 2, "5x5", plies).opening for plies in (0, 4, 12)] == [long[:0], long[:4], long[:12]]
    for rows, columns in sizes:
        plies = most_opening_plies(rows, columns)
        for seed in range(4):
            board = draw_board(seed, 0, f"{rows}x{columns}", plies)
            assert (board.rows, board.columns, len(board.opening)) == (rows, columns, plies)
            position = Dots(board.rows, board.columns, board.opening)
            assert (position.to_move, position.counts, position.over) == (0, (0, 0), False)
            assert max(position.edges_drawn(row, column) for row in range(rows) for column in range(columns)) <= 2


def test_the_longest_openings_leave_a_safe_edge():
    sizes = (1, 1), (1, 2), (2, 2), (3, 3), (5, 5), (7, 7)
    assert [most_opening_plies(*size) for size in sizes] == [2, 2, 4, 8, 20, 38]


@pytest.mark.parametrize("rows, columns", OPEN_SPIEL_SIZES)
def test_the_rules_are_open_spiels(rows, columns):
    pyspiel = pytest.importorskip("pyspiel", reason="need OpenSpiel: pip install -e '.[oracle]'")
    game = pyspiel.load_game("dots_and_boxes", {"num_rows": rows, "num_cols": columns})
    names = edges_of_board(rows, columns)  # in the order of OpenSpiel's numbers
    generator = random.Random(rows * 10 + columns)
    for _ in range(max(1, OPEN_SPIEL_GAMES // len(OPEN_SPIEL_SIZES))):
        theirs, ours = game.new_initial_state(), Dots(rows, columns)
        while not theirs.is_terminal():
            assert theirs.current_player() == ours.to_move
            assert [names[action] for action in theirs.legal_actions()] == ours.legal_moves()
            action = generator.choice(theirs.legal_actions())
            theirs.apply_action(action)
            ours.play(names[action])
        assert ours.over
        assert theirs.returns() == [{0: 1, 1: -1, None: 0}[ours.winner], {0: -1, 1: 1, None: 0}[ours.winner]]
