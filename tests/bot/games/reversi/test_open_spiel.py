"""Both rule sets of reversi against OpenSpiel's othello, written by others. `pip install -e '.[oracle]'` brings it.

OPEN_SPIEL_GAMES says how many games the bot's rules play (10,000); the judge's slower ones play a twentieth of them.
"""

import os
import random

import pytest

from bot.games.reversi.plain import start_position
from bot.games.reversi.rules.board import PASS
from judge.games.reversi.rules import Reversi

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install -e '.[oracle]'")

GAMES = int(os.environ.get("OPEN_SPIEL_GAMES", "10000"))
OTHELLO_PASS = 64


def number_of(move):
    """OpenSpiel's number of a move of ours."""
    return OTHELLO_PASS if move == PASS else 8 * (move // 16) + move % 16


def test_the_bots_rules():
    game, generator, passes = pyspiel.load_game("othello"), random.Random(1), 0
    for _ in range(GAMES):
        theirs, ours, side = game.new_initial_state(), start_position(8), 0
        while not theirs.is_terminal():
            assert theirs.current_player() == side
            moves = ours.legal_moves()
            assert sorted(theirs.legal_actions()) == [number_of(move) for move in moves]
            move = generator.choice(moves)
            passes += move == PASS
            theirs.apply_action(number_of(move))
            ours, side = ours.play(move), 1 - side
        assert ours.is_over()
        difference = ours.disc_difference() * (1 - 2 * side)
        assert theirs.returns()[0] == (difference > 0) - (difference < 0)
    assert passes > GAMES // 10


def test_the_judges_rules():
    game, generator = pyspiel.load_game("othello"), random.Random(2)
    for _ in range(max(1, GAMES // 20)):
        theirs, ours = game.new_initial_state(), Reversi(8)
        while not theirs.is_terminal():
            if theirs.legal_actions() == [OTHELLO_PASS]:  # the judge's rules pass over a side without a move
                theirs.apply_action(OTHELLO_PASS)
                continue
            assert theirs.current_player() == ours.to_move
            cells = ours.legal_cells()
            assert sorted(theirs.legal_actions()) == [8 * row + column for row, column in cells]
            cell = generator.choice(cells)
            theirs.apply_action(8 * cell[0] + cell[1])
            ours.play_cell(*cell)
        assert ours.over
        assert theirs.returns() == [{0: 1, 1: -1, None: 0}[ours.winner], {0: -1, 1: 1, None: 0}[ours.winner]]
