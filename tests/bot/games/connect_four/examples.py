"""Connect four for tests/contracts/test_engine.py: its games, words and what its searches come to."""

from bot.games.connect_four.plain import empty_position
from protocol.games.connect_four import ReplyDecoder
from tests.bot.games.connect_four.helpers.exhaustive import position_from_picture
from tests.bot.games.connect_four.helpers.wire_games import WireGame

# Of the side that is asked, on each wire: a game whose turns stand for themselves.
STATELESS_WIRES = ("saiblo", "saiblo-v1", "saiblo-v2")


def game(wire, side, seed=1):
    return WireGame(wire=wire, first=side == 0, seed=seed)


def first_bytes(game):
    return game.opening() + game.turn()


def decoder(wire):
    return ReplyDecoder(wire)


# For each engine settings with which it never comes to an end, and a position for that.
ENDLESS = {
    "uct": ((), empty_position(12, 12, (3, 3))),
    "alphabeta": (("depth=40", "adaptive_depth=off"), empty_position(12, 12, (4, 4))),
}
NO_TIME = position_from_picture("......... ......... ......... .........  .ooo..x.x")
ROLLOUT_PLIES = (100, 1440)  # of ten rollouts on the first position of the bench: at least and at most

START = empty_position(6, 7)


def is_over(position):
    return not position.floor or position.opponent_has_won()


def result(position):
    """Of a finished game, for the side that would be to move."""
    return -1 if position.opponent_has_won() else 0


WRONG_SETTINGS = {
    "engine=pvs": "setting engine: expected one of uct, alphabeta, got 'pvs'",
    "colour=red": "setting 'colour': unknown; expected one of engine, move_seconds",
    "exploration=-1": "exploration: expected a number from 0.0 to 100.0, got '-1'",
    "expand_visits=0": "expand_visits: expected a whole number from 1 to 1000000, got '0'",
    "depth=61": "depth: expected a whole number from 1 to 60, got '61'",
}
UNKNOWN_PRESET = "preset 'fastest': unknown; expected one of alphabeta, alphabeta-basic"

FIRST_TURN = WireGame().opening() + WireGame().turn()
MALFORMED = [
    ("saiblo", b"9 10 8", "end of input"),
    ("saiblo", b"9 10 8 3\n-1 -1 9 9", "end of input"),
    ("saiblo", FIRST_TURN[:-2], "end of input"),
    ("saiblo-v2", b"9 10 8 3\n-1 -1 10 9", "end of input"),
    ("saiblo-v1", b'0043{"type":0', "end of input"),
    ("saiblo", b"hello\n", "hello"),
    ("saiblo", b"13 10 8 3\n", "13"),
    ("saiblo", FIRST_TURN.replace(b" 0 ", b" 3 ", 1), "3"),
    ("saiblo-v2", b"9 10 8 3\n" + WireGame(wire="saiblo-v2").turn().replace(b" 90 ", b" 91 "), "91"),
    ("saiblo-v1", b"00x3{}", "00x3"),
    ("saiblo-v1", b"0043not json" + b" " * 35, "JSON"),
]
FULL = " ".join(("1 2 2 1 1 2 2 1 1 2", "2 1 1 2 2 1 1 2 2 1") * 4 + ("1 2 2 0 1 2 2 1 1 2",))
EMPTY_ROWS = "0 " * 80
# (what comes in, what is wrong with the turn, whether it is answered)
IMPOSSIBLE = [
    (b"9 10 8 3\n8 4 9 9 9 8 9 9 9 9 9 9 " + f"{EMPTY_ROWS}0 0 0 0 1 0 0 0 0 0\n".encode(), "top[4] is 9", True),
    (
        b"9 10 8 3\n8 4 9 9 9 8 8 8 9 9 9 9 " + f"{EMPTY_ROWS}0 0 0 0 1 1 0 0 0 0\n".encode(),
        "one side is 2 stones ahead",
        True,
    ),
    (b"9 10 8 3\n0 0 " + b"0 " * 10 + FULL.encode() + b"\n", "every column is full", False),
]

DRAWING = """
     0 1 2 3
 0   . . . #
 1   . O . .
 2   . X . .
 3   X O X O
"""
# (words, drawing, moves that lead to it from the start in `start`'s words, whose move it is)
NOTATION = [
    (("--rows", "6", "--cols", "7"), "", empty_position(6, 7), 0),
    (("--rows", "6", "--cols", "7", "--moves"), "", empty_position(6, 7), 0),
    (
        ("--rows", "9", "--cols", "10", "--forbidden", "8,3", "--moves", "3, 4,4"),
        "",
        empty_position(9, 10, (0, 3)).play(3).play(4).play(4),
        1,
    ),
    (("--board",), DRAWING, empty_position(4, 4, (3, 3)).play(0).play(1).play(2).play(3).play(1).play(1), 0),
]
WRONG_NOTATION = [
    ((), "", "expected --rows and --cols, or --board"),
    (("--rows", "3", "--cols", "7"), "", "expected 4 to 12, got '3'"),
    (("--rows", "6", "--cols", "13"), "", "expected 4 to 12, got '13'"),
    (("--rows", "6", "--cols", "7", "--forbidden", "6,0"), "", "6,0 is not on a board of 6 rows and 7 columns"),
    (("--rows", "6", "--cols", "7", "--forbidden", "0"), "", "expected r,c such as 0,3, got '0'"),
    (("--rows", "6", "--cols", "7", "--moves", "0,7"), "", "move 2 is '7'; expected one of the columns 0, 1"),
    (("--rows", "6", "--cols", "7", "--moves", "0,1,0,1,0,1,0"), "", "over after move 7 (0 completes four)"),
    (("--board", "--rows", "6"), DRAWING, "leave --rows, --cols, --forbidden out"),
    (("--board",), "X O\nO X", "got 2 rows and 2 columns"),
    (("--board",), "....\n...\n....\n....", "row 1 has 3 cells, row 0 has 4"),
    (("--board",), "....\n....\n.Z..\n....", "unexpected 'Z'"),
    (("--board",), "#...\n....\n....\n#...", "expected at most one '#', got 2"),
    (("--board",), "....\n....\n....\n..XX", "expected as many X as O or one more, got 2 X and 0 O"),
    (("--board",), "....\nX...\n....\n....", "a stone floats in column 0"),
]

# What fixed searches come to: anything that changes a search changes these. Meant? Then write down what is found.
SELF_TEST = 1178237069
PLAIN_SEARCH = "cfe04766"
SETTINGS_TABLE = "3c05c507"
PRESETS = {
    "default": ("4582b5bf", "f24274d6"),
    "puct-basic": ("25f5894c", "5af197a4"),
    "uct-plain": ("54297635", "f3c2aa57"),
    "uct-forced": ("8a4bc395", "2dad0101"),
    "uct-proofs": ("5ed51466", "a54a4b7e"),
    "uct-fresh-tree": ("dda8928b", "3493393a"),
    "alphabeta-basic": ("413aadc0", "abb63d7f"),
    "alphabeta": ("099790eb", "57b4c235"),
    "mcts": ("0646bcd0", "028b13bd"),
}
OPINIONS = {"uct": "e89d9706", "alphabeta": "913c4e0a"}
SOLUTIONS = "5cdffa9a"
