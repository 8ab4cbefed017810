"""Positions in the words of `bot analyze`: as moves and as cells they are the same; what is none is refused."""

import random

import pytest

from judge.analysis.words import words_of, words_of_cells
from judge.games import GAMES
from tests.bot.commands.test_analyze import analysis as analysis_of_moves
from tests.bot.commands.test_tools import analysis as analysis_of_drawing

BOARDS = {
    "connect_four": ({"rows": 9, "cols": 12, "forbidden": [3, 4]}, {"rows": 12, "cols": 9, "forbidden": None}),
    "reversi": ({"size": 8, "opening": ["d3", "c3"]}, {"size": 5, "opening": []}),
    "dots": ({"rows": 3, "columns": 4, "opening": ["AAA", "BEC"]}, {"rows": 2, "columns": 2, "opening": []}),
}
QUICK = ("--iterations", 200, "--seed", 1)


def played(game, board, plies, seed):
    """(the judge's position after random moves, these)."""
    generator, moves = random.Random(seed), []
    position = GAMES[game].new_position(GAMES[game].read_board(board))
    while len(moves) < plies and not position.over:
        moves.append(generator.choice(position.legal_moves()))
        position.play(moves[-1])
    return position, moves


def legal_in(game, found):
    """The moves that an analysis lists, in dots and boxes the edges that its turns begin with."""
    return {str(known["move"])[: 3 if game == "dots" else None] for known in found["moves"]}


@pytest.mark.parametrize("game, plies", [(game, plies) for game in BOARDS for plies in (0, 5, 9)])
@pytest.mark.parametrize("number", [0, 1])
def test_as_moves_and_as_cells_it_is_the_same_position(game, plies, number):
    board = BOARDS[game][number]
    position, moves = played(game, board, plies, seed=plies)
    if position.over:
        pytest.skip("a random game that was short")
    words, stdin = words_of(game, board, moves)
    assert stdin == b""
    by_moves = analysis_of_moves("--game", game, *words, *QUICK)
    cells = GAMES[game].cells
    words, stdin = words_of_cells(game, cells.size(position), cells.codes(position), position.to_move)
    by_cells = analysis_of_drawing("--game", game, *words, *QUICK, given=stdin.decode())
    for found in (by_moves, by_cells):
        del found["elapsed_s"]
    assert by_moves == by_cells
    legal = {str(move) for move in position.legal_moves()}
    assert legal_in(game, by_cells) <= legal if game == "dots" else legal_in(game, by_cells) == legal


def test_boxes_belong_to_who_has_them():
    """Before the last edge the value is what the boxes decide, seen from the side to move."""
    for owners, mover, proven in (("1.", 0, "draw"), ("0.", 0, "win"), ("1.", 1, "win"), ("0.", 1, "draw")):
        words, stdin = words_of_cells("dots", (1, 2), "------." + owners, mover)
        found = analysis_of_drawing("--game", "dots", *words, *QUICK, given=stdin.decode())
        assert found["proven"] == proven, (owners, mover)


def test_stones_say_who_moves_whoever_began():
    empty, stone = "." * 81, "." * 80
    for codes, mover, drawn in (
        (empty, 0, "."),
        (empty, 1, "."),
        (stone + "0", 1, "X"),
        (stone + "1", 0, "X"),  # a game that player 1 has begun
    ):
        words, stdin = words_of_cells("connect_four", (9, 9), codes, mover)
        assert (words, stdin.decode().split()[-1][-1]) == (["--board"], drawn)
    for codes, mover in ((stone + "0", 0), (stone + "1", 1), ("." * 79 + "00", 1)):
        with pytest.raises(ValueError, match="stones and the other"):
            words_of_cells("connect_four", (9, 9), codes, mover)


@pytest.mark.parametrize(
    "game, size, codes, mover, message",
    [
        ("chess", (8, 8), "." * 64, 0, "game is 'chess', expected one of connect_four, reversi, dots"),
        ("reversi", (8, 8), "." * 64, 2, "mover is 2, expected one of 0, 1"),
        ("reversi", (8, 8), "." * 63, 0, "the position has 63 cells, expected 64"),
        ("reversi", (8, 9), "." * 72, 0, "8 rows and 9 columns"),
        ("reversi", (10**9, 10**9), "", 0, "rows is 1000000000, expected 4..10"),
        ("reversi", (8, 8), "#" + "." * 63, 0, "a cell is '#', expected one of . 0 1"),
        ("connect_four", (3, 9), "." * 27, 0, "rows is 3, expected 4..12"),
        ("connect_four", (9, 13), "." * 117, 0, "columns is 13, expected 4..12"),
        ("connect_four", (9, 9), "." * 80 + "-", 0, "a cell is '-', expected one of . # 0 1"),
        ("connect_four", (9, 9), "." * 80 + "\n", 0, "a cell is '\\n'"),
        ("dots", (0, 5), "", 0, "rows is 0, expected 1..7"),
        ("dots", (1, 1), "....", 0, "the position has 4 cells, expected 5"),
        ("dots", (1, 1), "...-0", 0, "row 0, column 0 is '0': expected an owner, and one of a whole box"),
        ("dots", (1, 1), "-----", 0, "row 0, column 0 is '-'"),
    ],
)
def test_cells_that_are_no_position_are_named(game, size, codes, mover, message):
    with pytest.raises(ValueError) as refused:
        words_of_cells(game, size, codes, mover)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "game, board, message",
    [
        ("chess", {}, "game is 'chess'"),
        ("reversi", {"size": 8}, "board has size, expected size, opening"),
        ("connect_four", {"rows": "9", "cols": 9, "forbidden": None}, "rows is '9'"),
    ],
)
def test_a_board_that_is_none_is_named(game, board, message):
    with pytest.raises(ValueError) as refused:
        words_of(game, board, [])
    assert message in str(refused.value)


def test_moves_of_a_record_are_no_options():
    words, _ = words_of("reversi", {"size": 8, "opening": []}, ["--exact", "d3"])
    assert words == ["--size=8", "--moves=--exact,d3"]
