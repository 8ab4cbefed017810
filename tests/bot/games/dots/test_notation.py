"""Positions of dots and boxes as people write them."""

import argparse
import random

import pytest
from rich.console import Console

from bot.games.dots import notation
from bot.games.dots.move_names import edge_name, edges_named
from bot.games.dots.plain import Position, start_position
from bot.games.dots.rules.board import DEFAULT_SIZE
from judge.games.dots.picture import picture
from judge.games.dots.rules import Dots
from tests.bot.games.dots.helpers.counts import drawn_position


def read(*words, drawing=""):
    """The Position that a command line names."""
    parser = argparse.ArgumentParser(exit_on_error=False)
    notation.add_position_options(parser)
    return notation.position_from(parser.parse_args(words), lambda: drawing)


def after(position, names):
    for edge in edges_named(names):
        position, _ = position.draw(edge)
    return position


def test_the_size_and_the_usual_one():
    assert read() == start_position(*DEFAULT_SIZE)
    assert read("--size", "2x7") == start_position(2, 7)
    for text in ("5", "0x5", "8x5", "5x8", "axb", "5x5x5", ""):
        with pytest.raises(argparse.ArgumentError, match="expected RxC, 1 to 7 boxes each"):
            read("--size", text)


def test_edges_and_whole_turns():
    expected = after(start_position(1, 3), "AAAABABAABBAAAB")
    for moves in ("AAA,ABA,BAA,BBAAAB", "AAA,ABA,BAA,BBA,AAB", "aaaaba,baabba, aab", "AAAABABAABBAAAB"):
        assert read("--size", "1x3", "--moves", moves) == expected
    assert expected.margin == -1
    assert read("--moves") == read("--moves", "") == start_position(5, 5)


@pytest.mark.parametrize(
    "words, message",
    [
        (("--moves", "AAA,AAA"), "edge 2, in 'AAA': expected one of AAB"),
        (("--moves", "AAAA"), "edge 1, in 'AAAA'"),
        (("--size", "1x1", "--moves", "ACA"), "edge 1, in 'ACA'"),
        (("--size", "1x1", "--moves", "AAA,ABA,BAA,BBA"), "the game is over"),
        (("--to-move", "X"), "--to-move: only for --board"),
        (("--board", "--size", "2x2"), "leave --size out"),
    ],
)
def test_wrong_words_are_named(words, message):
    with pytest.raises(notation.NotationError, match=message):
        read(*words)


DRAWING = """
   A   B
 +---+   .
 | X |
 +---+---+
 |       |
 +   +---+
"""


def test_a_drawing():
    edges = after(start_position(2, 2), "AAAABAABBACBBAABBABABBCB").edges
    assert read("--board", drawing=DRAWING) == Position(2, 2, edges, 1)
    assert read("--board", "--to-move", "O", drawing=DRAWING) == Position(2, 2, edges, -1)


@pytest.mark.parametrize(
    "drawing, message",
    [
        ("", "expected 2 to 8 lines of as many dots, got 0 lines of 0 dots"),
        ("+-+\n", "got 1 lines of 2 dots"),
        ("+\n|\n+\n", "got 2 lines of 1 dots"),
        ("+-+\n\n+-+-+", "line 2 of dots: expected them below those of the first"),
        ("+-+\n\n +-+", "line 2 of dots"),
        ("+-+\n|X\n+-+", "0 boxes are complete; more have owners"),
        ("+-+\n| |\n+-+", "the game is over"),
    ],
)
def test_wrong_drawings_are_named(drawing, message):
    with pytest.raises(notation.NotationError, match=message):
        read("--board", drawing=drawing)


def test_the_judges_pictures_are_read():
    console = Console(width=80, no_color=True)
    for seed in range(60):
        generator = random.Random(seed)
        size = generator.randint(1, 7), generator.randint(1, 7)
        rules = Dots(*size)
        for _ in range(generator.randrange(start_position(*size).free_edges())):
            rules.play(generator.choice(rules.legal_moves()))
        with console.capture() as captured:
            console.print(picture(rules))
        position = read("--board", "--to-move", "XO"[rules.to_move], drawing=captured.get())
        assert {edge_name(edge) for edge in position.legal_edges()} == set(rules.legal_moves())
        assert position.margin == rules.counts[rules.to_move] - rules.counts[1 - rules.to_move]
        assert (position.rows, position.columns) == size


def test_drawn_positions_that_were_written_are_read():
    for seed in range(30):
        position = drawn_position(random.Random(seed), (3, 4), 1 + seed)
        names = "".join(edge_name(edge) for edge in range(128) if position.edges >> edge & 1)
        assert read("--size", "3x4", "--moves", names).edges == position.edges
