"""Dots and boxes for tests/contracts/test_engine.py: its games, words and what its searches come to."""

from bot.games.dots.notation import edges_named
from bot.games.dots.plain import Position, start_position
from tests.bot.games.dots.helpers.wire_games import BOTZONE, DotsGame, reply_decoder

STATELESS_WIRES = BOTZONE


def game(wire, side, seed=1):
    return DotsGame(wire, side, seed)


def first_bytes(game):
    game._asked = False  # on Botzone all of the history again
    return game.turn()


def decoder(wire):
    return reply_decoder(wire)


def after(size, names):
    position = start_position(*size)
    for edge in edges_named(names):
        position, _ = position.draw(edge)
    return position


ENDLESS = {
    "uct": ((), start_position(6, 6)),
    "alphabeta": ((), start_position(7, 7)),
    "random": None,
}
NO_TIME = after((5, 5), "ABDBBBBCEBFDBCDAAEADDABEBCBBABBBCBEE")
ROLLOUT_PLIES = (300, 600)

START = start_position(3, 3)


def is_over(position):
    return position.is_over()


def result(position):
    """Of a finished game, for the side that would be to move."""
    return position.margin


WRONG_SETTINGS = {
    "engine=pvs": "setting engine: expected one of uct, alphabeta, random, got 'pvs'",
    "colour=red": "setting 'colour': unknown; expected one of engine, move_seconds, sim_min",
    "alpha=1.5": "setting alpha: expected a number from 0.0 to 1.0, got '1.5'",
    "depth=61": "setting depth: expected a whole number from 1 to 60, got '61'",
    "evaluation=discs": "expected one of boxes, chains, got 'discs'",
    "merged=maybe": "setting merged: expected true or false, got 'maybe'",
}
UNKNOWN_PRESET = "preset 'fastest': unknown; expected one of alphabeta, amaf, default"

MALFORMED = [
    ("auto", b"#0222#", "first byte"),
    ("auto", b"new red\n", "black or white"),
    ("auto", b"move 2 AAA\n", "move"),
    ("auto", b"board 9x9\n", "RxC"),
    ("auto", b"{]}\n", "JSON"),
    ("auto", b'{"requests":[{"x":0,"y":0,"pass":0}],"responses":[]}', "x + y odd"),
    ("auto", b"1\n2", "end of input"),
    ("auto", b"new bla", "end of input"),
]
IMPOSSIBLE = [
    (b"new white\nmove 2 AAAAAA\n", "AAA after the turn's end", True),
    (b"board 1x1\nnew white\nmove 1 ACA\n", "ACA is drawn already or off the board", True),
    (b"move 1 AAA\n", "a turn before the game has begun", False),
    (b"board 2x2 AAAAAA\nnew black\n", "AAA is drawn already", False),
]

DRAWING = """
   A   B
 +---+   .
 | X |
 +---+---+
 |       |
 +   +---+
"""
_DRAWN = after((2, 2), "AAAABAABBACBBAABBABABBCB").edges
_THREE = after((1, 3), "AAAABABAABBAAAB")
NOTATION = [
    ((), "", start_position(5, 5), 0),
    (("--moves", ""), "", start_position(5, 5), 0),
    (("--moves",), "", start_position(5, 5), 0),
    (("--size", "2x7"), "", start_position(2, 7), 0),
    *[
        (("--size", "1x3", "--moves", moves), "", _THREE, 0)
        for moves in ("AAA,ABA,BAA,BBAAAB", "AAA,ABA,BAA,BBA,AAB", "aaaaba,baabba, aab", "AAAABABAABBAAAB")
    ],
    (("--board",), DRAWING, Position(2, 2, _DRAWN, 1), 0),
    (("--board", "--to-move", "X"), DRAWING, Position(2, 2, _DRAWN, 1), 0),
    (("--board", "--to-move", "O"), DRAWING, Position(2, 2, _DRAWN, -1), 1),
]
WRONG_NOTATION = [
    *[(("--size", text), "", "expected RxC, 1 to 7 boxes each") for text in ("5", "0x5", "8x5", "5x8", "axb", "5x5x5")],
    (("--moves", "AAA,AAA"), "", "edge 2, in 'AAA': expected one of AAB"),
    (("--moves", "AAAA"), "", "edge 1, in 'AAAA'"),
    (("--size", "1x1", "--moves", "ACA"), "", "edge 1, in 'ACA'"),
    (("--size", "1x1", "--moves", "AAA,ABA,BAA,BBA"), "", "the game is over"),
    (("--to-move", "X"), "", "--to-move: only for --board"),
    (("--board", "--size", "2x2"), "", "leave --size out"),
    (("--board",), "", "expected 2 to 8 lines of as many dots, got 0 lines of 0 dots"),
    (("--board",), "+-+\n", "got 1 lines of 2 dots"),
    (("--board",), "+\n|\n+\n", "got 2 lines of 1 dots"),
    (("--board",), "+-+\n\n+-+-+", "line 2 of dots: expected them below those of the first"),
    (("--board",), "+-+\n\n +-+", "line 2 of dots"),
    (("--board",), "+-+\n|X\n+-+", "0 boxes are complete; more have owners"),
    (("--board",), "+-+\n| |\n+-+", "the game is over"),
]

# What fixed searches come to: anything that changes a search changes these. Meant? Then write down what is found.
SELF_TEST = 1339261946
PLAIN_SEARCH = "fdeda06c"
SETTINGS_TABLE = "a791ba83"
PRESETS = {
    "default": ("35c3b670", "90e60137"),
    "random": ("42b7d30c", "e0475b90"),
    "mc": ("eb9dabf8", "fcd66018"),
    "uct": ("76ba43e6", "12154993"),
    "merged": ("1dfeaf05", "0b757a4f"),
    "amaf": ("a641d74c", "c684162d"),
    "alphabeta": ("f2ae6b97", "8ec6ba83"),
}
OPINIONS = {"uct": "bc120225", "alphabeta": "75454e04"}
SOLUTIONS = "4c0ef50a"
