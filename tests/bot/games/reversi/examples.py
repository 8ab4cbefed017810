"""Reversi for tests/contracts/test_engine.py: its games, words and what its searches come to."""

from bot.games.reversi.notation import move_named
from bot.games.reversi.plain import Position, start_position
from protocol.games.reversi import RuleQuery, encode_rule_query
from tests.bot.games.reversi.helpers.wire_games import BOTZONE, ReversiGame, reply_decoder

STATELESS_WIRES = ("saiblo", *BOTZONE)


def game(wire, side, seed=1):
    return ReversiGame(wire, side, seed)


def first_bytes(game):
    game._asked = False  # on Botzone all of the history again
    return game.turn()


def decoder(wire):
    return reply_decoder(wire)


def after(size, names):
    position = start_position(size)
    for name in names.split():
        position = position.play(move_named(name))
    return position


ENDLESS = {
    "pvs": ((), start_position(8).play(move_named("d3"))),
    "alphabeta": (("depth=60", "evaluation=mobility", "pruning=off"), start_position(10)),
    "random": None,
}
NO_TIME = after(8, "f5 d6 c5 f4 e3 c6 d3 f6 e6 d7")
ROLLOUT_PLIES = (0, 0)

START = start_position(6)


def is_over(position):
    return position.is_over()


def result(position):
    """Of a finished game, for the side that would be to move."""
    return position.disc_difference()


WRONG_SETTINGS = {
    "engine=uct": "setting engine: expected one of pvs, alphabeta, random, got 'uct'",
    "colour=red": "setting 'colour': unknown; expected one of engine, move_seconds, depth",
    "depth=61": "setting depth: expected a whole number from 1 to 60, got '61'",
    "depth=0": "setting depth: expected a whole number from 1 to 60, got '0'",
    "evaluation=runs": "expected one of discs, stable, mobility, restricting, combined, got 'runs'",
    "pruning=maybe": "setting pruning: expected true or false, got 'maybe'",
}
UNKNOWN_PRESET = "preset 'fastest': unknown; expected one of alphabeta-combined"

MALFORMED = [
    ("auto", b"hello", "first byte"),
    ("auto", b"#0222#", "cells"),
    ("auto", b"#3" + b"2" * 64 + b"#", "expected"),
    ("auto", b"{]}\n", "JSON"),
    ("auto", b'{"requests":[{"x":9,"y":0}],"responses":[]}', "9"),
    ("auto", b'{"requests":[],"responses":[]}', "requests"),
    ("auto", b"1\n2", "end of input"),
    ("auto", b"#02222", "end of input"),
    ("auto", encode_rule_query(RuleQuery(0, 8, (2,) * 64)), "first byte"),
]
IMPOSSIBLE = [
    (b"#0" + b"0" + b"2" * 63 + b"#", "the side to move has no move", False),
    (b'{"requests":[{"x":0,"y":0}],"responses":[]}\n', "a1 is no legal move", True),
]

# White has taken a corner; X, to move, has b8 alone to play.
DRAWING = """
    a b c d
 1  O O O O
 2  O X O O
 3  O O O .
 4  . X . .
"""
_FIRST, _SECOND = 1 << 17 | 1 << 49, 0xF | 1 << 16 | 3 << 18 | 7 << 32
NOTATION = [
    ((), "", start_position(8), 0),
    (("--size", "4"), "", start_position(4), 0),
    (("--size", "10", "--moves"), "", start_position(10), 0),
    (("--moves", "d3,C3, c4"), "", after(8, "d3 c3 c4"), 1),
    (("--board",), DRAWING, Position(4, _FIRST, _SECOND), 0),
    (("--board", "--to-move", "X"), DRAWING, Position(4, _FIRST, _SECOND), 0),
    (("--board", "--to-move", "O"), DRAWING.replace("X", "[X]"), Position(4, _SECOND, _FIRST), 1),
]
WRONG_NOTATION = [
    (("--moves", "d3,d3"), "", "move 2 is 'd3'; expected one of"),
    (("--moves", "z9"), "", "move 1 is 'z9'"),
    (("--size", "11"), "", "expected 4 to 10, got '11'"),
    (("--size", "3"), "", "expected 4 to 10, got '3'"),
    (("--to-move", "X"), "", "--to-move: only for --board"),
    (("--board", "--size", "4"), DRAWING, "leave --size out"),
    (("--board",), "X O\nO X", "expected 4 to 10 rows, got 2"),
    (("--board",), "....\n...\n....\n....", "row 2 has 3 cells, expected 4"),
    (("--board",), "....\n.Z..\n....\n....", "unexpected 'Z'"),
    (("--board",), "....\n.XX.\n....\n....", "the game is over"),
]

# What fixed searches come to: anything that changes a search changes these. Meant? Then write down what is found.
SELF_TEST = 3053710466
PLAIN_SEARCH = "6a313df5"
SETTINGS_TABLE = "73ab8356"
PRESETS = {
    "default": ("e97bc4f8", "612400d3"),
    "random": ("4c6e1dd8", "f144d16e"),
    "minimax-discs": ("eea9e688", "e2a30a5e"),
    "alphabeta-discs": ("8696e8c9", "fc6e9abb"),
    "minimax-stable": ("f99d9082", "dc0f0f63"),
    "alphabeta-stable": ("055ea157", "93ba7c88"),
    "minimax-mobility": ("f54dc60f", "e8a5dde6"),
    "alphabeta-mobility": ("6313149c", "923af15b"),
    "minimax-restricting": ("4bca0f81", "1a52286c"),
    "alphabeta-restricting": ("efca8aee", "9af5865b"),
    "minimax-combined": ("9f81fe36", "afd2cdb9"),
    "alphabeta-combined": ("1f0bdf8d", "fc312335"),
}
OPINIONS = {"pvs": "0c762a5e", "alphabeta": "0ededa81"}
SOLUTIONS = "efd322b1"
