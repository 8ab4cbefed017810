"""What the judge says of reversi, for tests/contracts/test_game.py, which tells what the tables mean."""

from judge.games.reversi.rules import cell_of, cells_to_play

BOARD = {"size": 8, "opening": []}
FOUR = {"size": 4, "opening": []}
WIPE_OUT = ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"]  # player 1 has no disc left
DRAW = ["a2", "c1", "d4", "a3", "b1", "a1", "d1", "d3", "d2", "c4", "a4", "b4"]
# a2 of player 1 leaves the other without a move
FORCED_PASS = ["d3", "c3", "b3", "f4", "f6", "c2", "g4", "a4", "b1", "d1", "a3", "f5", "g6"]
WON = (BOARD, WIPE_OUT, 0)
BEFORE = (BOARD, WIPE_OUT[:-1])

DRAWN_BOARDS = {
    (1, 0): {"size": 8, "opening": ["f5", "f4", "c3", "e6", "f3", "g3", "h3", "b2"]},
    (1, 1): {"size": 8, "opening": ["c4", "c3", "f5", "f4", "e3", "d6", "g5", "f3"]},
    (1, 2): {"size": 8, "opening": ["e6", "f4", "g3", "e7", "f3", "c4", "b4", "e3"]},
}
BOARD_OPTIONS = [
    ({}, True, {"size": 8, "opening_plies": 0}),
    ({}, False, {"size": 8, "opening_plies": 8}),
    ({"size": 10}, False, {"size": 10, "opening_plies": 8}),
    ({"size": 4}, False, {"size": 4, "opening_plies": 3}),
    ({"opening_plies": 0}, False, {"size": 8, "opening_plies": 0}),
    ({"opening_plies": 30}, True, {"size": 8, "opening_plies": 30}),
]
IMPOSSIBLE_BOARD_OPTIONS = [({"opening_plies": 31}, "opening-plies is 31, expected 0..30 for size 8")]
NO_BOARDS = [
    ({}, "the board has the keys [], expected [size, opening]"),
    ({"size": 8}, "the board has the keys [size], expected [size, opening]"),
    (
        {"rows": 9, "cols": 9, "forbidden": None},
        "the board has the keys [rows, cols, forbidden], expected [size, opening]",
    ),
    ({"size": 8.0, "opening": []}, "expected a size, and an opening that is a list of moves"),
    ({"size": True, "opening": []}, "expected a size, and an opening that is a list of moves"),
    ({"size": 8, "opening": "d3"}, "expected a size, and an opening that is a list of moves"),
    ({"size": 8, "opening": ["d3", 4]}, "expected a size, and an opening that is a list of moves"),
    ({"size": 3, "opening": []}, "size is 3, expected 4..10"),
    ({"size": 11, "opening": []}, "size is 11, expected 4..10"),
    ({"size": 8, "opening": ["d3", "d3"]}, "ply 2 of the opening is not legal: d3 is taken"),
    ({"size": 8, "opening": WIPE_OUT}, "the game is over after the opening: expected a shorter opening"),
]
BOARDS_IN_WORDS = [(BOARD, "8 x 8"), ({"size": 8, "opening": ["d3", "c5"]}, "8 x 8 after the opening d3 c5")]
ILLEGAL = [
    (BOARD, [], "d4", "d4 is taken"),
    (BOARD, [], "a1", "a1 turns no disc, expected one of d3 c4 f5 e6"),
    (BOARD, [], "j1", "row 0, column 9 is off the board, expected rows and columns 0..7"),
    (BOARD, [], "a9", "row 8, column 0 is off the board, expected rows and columns 0..7"),
    (BOARD, [], "k1", "'k1' is no cell, expected a letter and a number such as d3"),
    *((BOARD, [], move, f"{move!r} is no cell") for move in ("a0", "a11", "a01", "D3", "d³", "d", "", 19)),
    (BOARD, WIPE_OUT, "a1", "a1 was played after the end of the game"),
    (BOARD, WIPE_OUT, "j1", "row 0, column 9 was played after the end of the game"),
]
IN_WORDS = [
    (BOARD, ["d3"], "d3"),
    ({"size": 8, "opening": FORCED_PASS}, ["a2"], "a2, the other side has no move"),
    (BOARD, WIPE_OUT, "c5"),
]
ENDINGS = [(BOARD, WIPE_OUT, "has 13 discs to 0"), (FOUR, DRAW, "each player has 8 discs")]
WORTHS = [(FOUR, ["b1"], (7, -7)), (FOUR, ["b1", "a1"], (0, 0)), (BOARD, WIPE_OUT, (13, -13))]
PICTURES = [
    (
        BOARD,
        [],
        "     a  b  c  d  e  f  g  h \n"
        "  1  .  .  .  .  .  .  .  . \n"
        "  2  .  .  .  .  .  .  .  . \n"
        "  3  .  .  .  +  .  .  .  . \n"
        "  4  .  .  +  O  X  .  .  . \n"
        "  5  .  .  .  X  O  +  .  . \n"
        "  6  .  .  .  .  +  .  .  . \n"
        "  7  .  .  .  .  .  .  .  . \n"
        "  8  .  .  .  .  .  .  .  . \n"
        "     a  b  c  d  e  f  g  h \n"
        "    X 2    O 2",
    ),
    (
        FOUR,
        ["b1", "a1"],
        "     a  b  c  d \n"
        "  1 [O] X  .  . \n"
        "  2  +  O  X  . \n"
        "  3  .  X  O  + \n"
        "  4  .  .  +  . \n"
        "     a  b  c  d \n"
        "    X 3    O 3",
    ),
]
TYPED = {"d3": "d3", "j10": "j10"}
NOT_TYPED = dict.fromkeys(("", "k1", "D3", "d11", "3", "hint?"), "is no cell, expected a letter and a number")
CELLS = [(FOUR, ["b1", "a1"], (4, 4), "10...10..01.....", 0, []), (FOUR, ["b1"], (4, 4), ".0...00..01.....", 1, [])]
READ_WORDS = {"d3": ["d3"], "J10": ["j10"]}
UNREAD_WORDS = {"4": "'4' is no move of reversi, expected a move such as d3", "d³": "'d³' is no move of reversi"}
BOARD_TEXTS = [
    (8, 8, "", BOARD, "8x8"),
    (6, 6, "opening C2, d2", {"size": 6, "opening": ["c2", "d2"]}, "6x6 opening c2,d2"),
]
NO_BOARD_TEXTS = [
    (8, 9, "", "8x9 is no board of reversi, expected as many rows as columns"),
    (8, 8, "forbidden 0,8", "'forbidden 0,8' follows the size of the board, expected text such as: opening d3,c3"),
    (8, 8, "opening 4", "'4' is no move of reversi, expected a move such as d3"),
]
POSITION_WORDS = [
    ({"size": 8, "opening": ["d3"]}, ["c3"], ["--size=8", "--moves=d3,c3"]),
    ({"size": 8, "opening": []}, ["--exact", "d3"], ["--size=8", "--moves=--exact,d3"]),
    (FOUR, [], ["--size=4"]),
]
DRAWINGS = [((4, 4), "10...10..01.....", 1, ["--board", "--to-move=O"], b"OX..\n.OX.\n.XO.\n....\n")]
NO_DRAWINGS = [
    ((8, 8), "." * 63, 0, "the position has 63 cells, expected 64"),
    ((8, 9), "." * 72, 0, "the board has 8 rows and 9 columns, expected as many rows as columns"),
    ((3, 3), "." * 9, 0, "rows is 3, expected 4..10"),
    ((10**9, 10**9), "", 0, "rows is 1000000000, expected 4..10"),
    ((8, 8), "#" + "." * 63, 0, "a cell is '#', expected one of . 0 1"),
]
NO_POSITIONS = [
    ((4, 4), "0" + "." * 15, 0, "Neither side has a legal move: the game is over."),
    ((4, 4), "01" + "." * 14, 1, "The side to move has no legal move and must pass: let the other side move."),
]
FIRST_TURN = b"#0" + b"2" * 27 + b"10" + b"2" * 6 + b"01" + b"2" * 27 + b"#"
WIRES = [
    (
        "saiblo",
        BOARD,
        [
            ("opening", 0, b""),
            ("turn", FIRST_TURN),
            ("illegal", b"\0\0\0\00233", "d4 is taken"),
            ("illegal", b"\0\0\0\00209", "row 0, column 9 is off the board"),
            ("reply", b"\0\0\0\00223", ["d3"]),
            ("turn", b"#1" + b"2" * 19 + b"0" + b"2" * 7 + b"00" + b"2" * 6 + b"01" + b"2" * 27 + b"#"),
            ("end", b""),
        ],
    ),
    ("saiblo", FOUR, [("turn", b"#0" + b"2" * 5 + b"1022" + b"01" + b"2" * 5 + b"#")]),
]
FOREIGN_WIRE = ("botzone", "wire: expected saiblo")


def hints(position):
    """The legal moves: (cell, whose, whether for the next move)."""
    cells = [] if position.over else cells_to_play(position.owner, position.to_move)
    return [(row * position.size + column, str(position.to_move), True) for row, column in cells]


def reply(moves, position):
    """The bytes of a bot's reply that makes these moves of a turn."""
    (move,) = moves
    return b"\0\0\0\2" + b"%d%d" % cell_of(move)
