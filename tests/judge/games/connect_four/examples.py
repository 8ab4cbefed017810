"""What the judge says of connect four, for tests/contracts/test_game.py, which tells what the tables mean."""

import itertools

BOARD = {"rows": 9, "cols": 9, "forbidden": [7, 1]}
SMALL = {"rows": 4, "cols": 6, "forbidden": [3, 0]}
FOUR = [0, 1, 0, 1, 0, 1, 0]  # player 0 stacks four stones in column 0
WON = (BOARD, FOUR, 0)
BEFORE = (BOARD, FOUR[:-1])

DRAWN_BOARDS = {
    (1, 0): {"rows": 9, "cols": 11, "forbidden": [4, 0]},
    (1, 1): {"rows": 10, "cols": 9, "forbidden": [2, 7]},
    (1, 2): {"rows": 10, "cols": 11, "forbidden": [8, 5]},
}
BOARD_OPTIONS = [({}, True, {}), ({}, False, {}), ({"rows": 12}, True, {"rows": 12})]
IMPOSSIBLE_BOARD_OPTIONS = [
    ({"rows": 8}, "rows is 8, expected 9..12"),
    ({"cols": 13}, "cols is 13, expected 9..12"),
    ({"rows": 9, "forbidden": (9, 0)}, "forbidden cell 9,0 is off the board, expected rows 0..8 and columns 0.."),
    ({"cols": 9, "forbidden": (0, 9)}, "forbidden cell 0,9 is off the board"),
    ({"forbidden": (0, 12)}, "forbidden cell 0,12 is off the board"),
]
NO_BOARDS = [
    ({}, "the board has the keys [], expected [rows, cols, forbidden]"),
    ({"size": 8, "opening": []}, "the board has the keys [size, opening], expected [rows, cols, forbidden]"),
    ({**BOARD, "rows": 9.0}, "board: rows is 9.0, expected an integer"),
    ({**BOARD, "cols": True}, "board: cols is True, expected an integer"),
    ({**BOARD, "forbidden": [1]}, "board: forbidden is [1], expected null or [row, column]"),
    ({**BOARD, "forbidden": [1, 2.0]}, "board: forbidden is [1, 2.0], expected null or"),
    ({**BOARD, "forbidden": "1,2"}, "board: forbidden is '1,2', expected null or"),
    ({**BOARD, "rows": 3}, "rows is 3, expected 4..12"),
    ({**BOARD, "cols": 13}, "cols is 13, expected 4..12"),
    ({**BOARD, "forbidden": [9, 0]}, "forbidden cell (9, 0) is off the 9 x 9 board"),
    ({**BOARD, "forbidden": [0, -1]}, "forbidden cell (0, -1) is off the 9 x 9 board"),
]
BOARDS_IN_WORDS = [
    (BOARD, "9 rows x 9 columns, forbidden cell 7,1"),
    ({**BOARD, "forbidden": None}, "9 rows x 9 columns, no forbidden cell"),
]
FILLED = [0, 1, 1, 1, 1, 1, 1, 1, 1, 1]
ILLEGAL = [
    ({**BOARD, "forbidden": [4, 4]}, FILLED, 1, "column 1 is full, expected one of [0, 2, 3, 4, 5, 6, 7, 8]"),
    (BOARD, [], 9, "column 9 is off the board, expected 0..8"),
    (BOARD, [], -1, "column -1 is off the board, expected 0..8"),
    (BOARD, [], "d3", "'d3' is no column, expected an integer"),
    (BOARD, FOUR, 2, "column 2 was played after the end of the game"),
]
IN_WORDS = [(BOARD, [0, 1], "column 1 (row 8)"), (BOARD, [0, 1, 1], "column 1 (row 6)")]
ENDINGS = [(BOARD, FOUR, "has four in a line"), (BOARD, [], "the board is full")]
WORTHS = [(BOARD, FOUR, (None, None))]
PICTURES = [
    (
        SMALL,
        [3, 3, 4],
        "     0  1  2  3  4  5 \n"
        "  0  .  .  .  .  .  . \n"
        "  1  .  .  .  .  .  . \n"
        "  2  .  .  .  O  .  . \n"
        "  3  #  .  .  X [X] . \n"
        "     0  1  2  3  4  5 ",
    ),
    (
        {**SMALL, "forbidden": None},
        [3, 3, 4, 4, 5, 5, 2],
        "     0  1  2  3  4  5 \n"
        "  0  .  .  .  .  .  . \n"
        "  1  .  .  .  .  .  . \n"
        "  2  .  .  .  O  O  O \n"
        "  3  .  . *X**X**X**X*\n"
        "     0  1  2  3  4  5 ",
    ),
]
TYPED = {"0": 0, "11": 11}
NOT_TYPED = dict.fromkeys(("", "d3", "-1", "1.5", "³", "hint?"), "is no column, expected a number")
CELLS = [
    (SMALL, [3, 3, 4], (4, 6), "...............1..#..00.", 22, []),
    ({**SMALL, "forbidden": None}, [3, 3, 4, 4, 5, 5, 2], (4, 6), "...............111..0000", 20, [20, 21, 22, 23]),
]
READ_WORDS = {"4": [4], "11": [11]}
UNREAD_WORDS = {"d3": "'d3' is no move of connect_four, expected a move such as 4", "1234": "'1234' is no move"}
BOARD_TEXTS = [
    (9, 12, "forbidden 0,8", {"rows": 9, "cols": 12, "forbidden": [0, 8]}, "9x12 forbidden 0,8"),
    (9, 12, "Forbidden 0 , 8", {"rows": 9, "cols": 12, "forbidden": [0, 8]}, "9x12 forbidden 0,8"),
    (4, 5, "forbidden none", {"rows": 4, "cols": 5, "forbidden": None}, "4x5 forbidden none"),
    (4, 5, "", {"rows": 4, "cols": 5, "forbidden": None}, "4x5 forbidden none"),
]
NO_BOARD_TEXTS = [
    (9, 9, "prohibited 3", "'prohibited 3' follows the size of the board, expected text such as: forbidden 0,8")
]
POSITION_WORDS = [
    (BOARD, [0, 8], ["--rows=9", "--cols=9", "--forbidden=7,1", "--moves=0,8"]),
    ({**BOARD, "forbidden": None}, [], ["--rows=9", "--cols=9"]),
]
EMPTY, ALL_BUT_ONE = "." * 81, "." * 80
# Stones say who moves, whoever began.
DRAWINGS = [
    ((4, 6), "...............1..#..00.", 1, ["--board"], b"......\n......\n...O..\n#..XX.\n"),
    ((9, 9), EMPTY, 1, ["--board"], b".........\n" * 9),
    ((9, 9), ALL_BUT_ONE + "1", 0, ["--board"], b".........\n" * 8 + b"........X\n"),
]
NO_DRAWINGS = [
    (
        (9, 9),
        ALL_BUT_ONE + "0",
        0,
        "The side to move has 1 stones and the other side 0: the other",
    ),
    ((9, 9), "." * 79 + "00", 1, "The side to move has 0 stones and the other side 2: the other"),
    ((3, 9), "." * 27, 0, "rows is 3, expected 4..12"),
    ((9, 13), "." * 117, 0, "columns is 13, expected 4..12"),
    ((9, 9), ALL_BUT_ONE + "-", 0, "a cell is '-', expected one of . # 0 1"),
    ((9, 9), ALL_BUT_ONE + "\n", 0, "a cell is '\\n'"),
]
NO_POSITIONS = [
    ((4, 5), "." * 15 + "0000.", 1, "Somebody has four in a line: the game is over."),
    ((4, 4), "0011110000111100", 0, "The board is full: the game is over."),
    ((4, 4), "." * 6 + "0" + "." * 9, 1, "The stone in column 2 (row 1) has nothing below it."),
    ((4, 4), "." * 14 + "00", 1, "The side to move has 0 stones and the other side 2: the other"),
]
EMPTY_TURN = b"-1 -1 " + b"9 " * 9 + b"0 " * 80 + b"0\n"
SECOND_TURN = b"8 0 8 " + b"9 " * 8 + b"0 " * 72 + b"1 " + b"0 " * 7 + b"0\n"
WIRES = [
    (
        "saiblo",
        BOARD,
        [
            ("opening", 0, b"9 9 7 1\n"),
            ("opening", 1, b"9 9 7 1\n"),
            ("turn", EMPTY_TURN),
            ("reply", b"\0\0\0\0038 0", [0]),
            ("turn", SECOND_TURN),
            ("illegal", b"\0\0\0\0038 0", "row 8 in column 0 is taken"),
            ("illegal", b"\0\0\0\0039 9", "column 9 is off the board, expected 0..8"),
            ("reply", b"\0\0\0\0038 1", [1]),
            ("illegal", b"\0\0\0\0037 1", "row 7 in column 1 is the forbidden cell"),
            ("end", b""),
        ],
    ),
    (
        "saiblo-v1",
        BOARD,
        [("opening", 0, b'0042{"type":0,"row":9,"col":9,"nox":7,"noy":1}'), ("end", b'0010{"type":2}')],
    ),
]
FOREIGN_WIRE = ("botzone", "wire: expected ")


def hints(position):
    """The threats, found by trying stones on each free cell: (cell, whose, whether a stone lands there)."""
    found = []
    for row, column in itertools.product(range(position.rows), range(position.cols)):
        if position.owner[row][column] is None and (row, column) != position.forbidden:
            is_now = position.landing_row(column) == row
            for player in (0, 1):
                position.owner[row][column] = player
                if position.completes_line(row, column):
                    found.append((row * position.cols + column, str(player), is_now))
            position.owner[row][column] = None
    return found


def reply(moves, position):
    """The bytes of a bot's reply that makes these moves of a turn."""
    (column,) = moves
    text = b"%d %d" % (position.landing_row(column), column)
    return len(text).to_bytes(4, "big") + text
