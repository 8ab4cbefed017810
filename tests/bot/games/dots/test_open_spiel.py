"""Both rule sets of dots and boxes against OpenSpiel's dots_and_boxes. `pip install -e '.[oracle]'` brings it.

OPEN_SPIEL_GAMES says how many games the bot's rules play over the four sizes (10,000); the judge's slower ones play a
twentieth of them.
"""

import os
import random

import pytest

from bot.games.dots.move_names import edge_name, edge_named
from bot.games.dots.plain import start_position
from bot.games.dots.rules.board import ROW_BITS, VERTICAL
from judge.games.dots.rules import Dots

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install -e '.[oracle]'")

GAMES = int(os.environ.get("OPEN_SPIEL_GAMES", "10000"))
SIZES = ((2, 2), (3, 4), (5, 5), (4, 1))


def new_state(rows, columns):
    game = pyspiel.load_game("dots_and_boxes", {"num_rows": rows, "num_cols": columns, "utility_margin": True})
    return game.new_initial_state()


def numbering(rows, columns):
    """{edge's number: OpenSpiel's}: the horizontal ones row by row, then the vertical ones."""
    edges = [ROW_BITS * row + column for row in range(rows + 1) for column in range(columns)]
    edges += [VERTICAL + ROW_BITS * row + column for row in range(rows) for column in range(columns + 1)]
    return {edge: number for number, edge in enumerate(edges)}


@pytest.mark.parametrize("size", SIZES)
def test_the_bots_rules(size):
    generator, number, captures = random.Random(1), numbering(*size), 0
    for _ in range(max(1, GAMES // len(SIZES))):
        theirs, ours, side = new_state(*size), start_position(*size), 0
        while not theirs.is_terminal():
            assert theirs.current_player() == side
            edges = ours.legal_edges()
            assert sorted(theirs.legal_actions()) == [number[edge] for edge in edges]
            edge = generator.choice(edges)
            theirs.apply_action(number[edge])
            ours, captured = ours.draw(edge)
            side ^= not captured
            captures += captured
        assert ours.is_over()
        assert theirs.returns()[side] == ours.margin == -theirs.returns()[1 - side]
    assert captures == size[0] * size[1] * max(1, GAMES // len(SIZES))


@pytest.mark.parametrize("size", SIZES)
def test_the_judges_rules(size):
    generator, number = random.Random(2), numbering(*size)
    for _ in range(max(1, GAMES // len(SIZES) // 20)):
        theirs, ours = new_state(*size), Dots(*size)
        while not theirs.is_terminal():
            assert theirs.current_player() == ours.to_move
            names = ours.legal_moves()
            assert sorted(theirs.legal_actions()) == sorted(number[edge_named(name)] for name in names)
            name = generator.choice(names)
            assert edge_name(edge_named(name)) == name
            theirs.apply_action(number[edge_named(name)])
            ours.play(name)
        assert ours.over
        assert theirs.returns() == [ours.counts[0] - ours.counts[1], ours.counts[1] - ours.counts[0]]
