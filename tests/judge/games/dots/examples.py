"""What the judge says of dots and boxes, for tests/contracts/test_game.py, which tells what the tables mean."""

from judge.games.dots.rules import edges_of_board, edges_of_box

BOARD = {"rows": 5, "columns": 5, "opening": []}
TWO_BOXES = {"rows": 1, "columns": 2, "opening": []}
ONE_BOX_OPEN = {"rows": 1, "columns": 2, "opening": ["AAA", "ABA", "BAA"]}  # player 1 may complete a box with BBA
TAKEN = ["BBA", "AAB", "ABB", "BCA"]  # and does, and gets the other one too
WON = (ONE_BOX_OPEN, TAKEN, 1)
BEFORE = (ONE_BOX_OPEN, TAKEN[:-1])

DRAWN_BOARDS = {
    (1, 0): {**BOARD, "opening": ["ABE", "ABA", "ACD", "ABB", "BBB", "BCD"]},
    (1, 1): {**BOARD, "opening": ["BFD", "BFB", "BCD", "ACB", "BEC", "AFD"]},
    (1, 2): {**BOARD, "opening": ["BAC", "BDA", "AED", "BFE", "BEC", "AFC"]},
}
EVEN = "expected an even number 0..20 for size 5x5"
BOARD_OPTIONS = [
    ({}, True, {"size": "5x5", "opening_plies": 0}),
    ({}, False, {"size": "5x5", "opening_plies": 6}),
    ({"size": "7x7"}, False, {"size": "7x7", "opening_plies": 6}),
    ({"size": "3x3"}, False, {"size": "3x3", "opening_plies": 4}),
    ({"size": "1x1"}, False, {"size": "1x1", "opening_plies": 0}),
    ({"opening_plies": 0}, False, {"size": "5x5", "opening_plies": 0}),
    ({"opening_plies": 20}, True, {"size": "5x5", "opening_plies": 20}),
    ({"size": "1x1", "opening_plies": 2}, True, {"size": "1x1", "opening_plies": 2}),
]
IMPOSSIBLE_BOARD_OPTIONS = [({"opening_plies": plies}, f"opening-plies is {plies}, {EVEN}") for plies in (22, 7, 1)]
LIST_OF_EDGES = "expected rows, columns, and an opening that is a list of edges"
NO_BOARDS = [
    ({}, "the board has the keys [], expected [rows, columns, opening]"),
    ({"size": 5, "opening": []}, "the board has the keys [size, opening], expected [rows, columns, opening]"),
    ({**BOARD, "rows": 5.0}, LIST_OF_EDGES),
    ({**BOARD, "columns": True}, LIST_OF_EDGES),
    ({**BOARD, "opening": "AAA"}, LIST_OF_EDGES),
    ({**BOARD, "rows": 0}, "rows is 0, expected 1..7"),
    ({**BOARD, "columns": 8}, "columns is 8, expected 1..7"),
    ({**BOARD, "opening": ["AAA", "AAA"]}, "ply 2 of the opening is not legal: AAA is drawn already"),
    ({**BOARD, "opening": ["XYZ"]}, "ply 1 of the opening is not legal: 'XYZ' is no edge"),
    (
        {"rows": 1, "columns": 1, "opening": ["AAA", "ABA", "BAA", "BBA"]},
        "the game is over after the opening: expected a shorter opening",
    ),
]
BOARDS_IN_WORDS = [
    (BOARD, "5 x 5 boxes"),
    ({"rows": 2, "columns": 3, "opening": ["AAA", "BCA"]}, "2 x 3 boxes after the opening AAA BCA"),
]
FOUR_BOXES = {"rows": 2, "columns": 2, "opening": []}
ILLEGAL = [
    (FOUR_BOXES, ["AAA"], "AAA", "AAA is drawn already, expected one of AAB ABA ABB ACA ACB BAA"),
    *(
        (FOUR_BOXES, ["AAA"], edge, f"{edge!r} is no edge of 2 x 2 boxes, expected three letters such as AAA")
        for edge in ("ADA", "AAC", "BDA", "aab", "", 3, None, ["AAB"])
    ),
    (ONE_BOX_OPEN, TAKEN, "AAA", "AAA was played after the end of the game"),
]
IN_WORDS = [
    (ONE_BOX_OPEN, ["BBA"], "BBA, which completes a box"),
    (TWO_BOXES, ["AAA", "AAB", "ABA", "ABB", "BAA", "BCA"], "BCA"),
    (TWO_BOXES, ["AAA", "AAB", "ABA", "ABB", "BAA", "BCA", "BBA"], "BBA, which completes two boxes"),
]
ENDINGS = [
    (TWO_BOXES, ["AAA", "AAB", "ABA", "ABB", "BAA", "BCA", "BBA"], "has 2 boxes to 0"),
    (TWO_BOXES, ["AAA", "AAB", "ABA", "BAA", "BBA", "ABB", "BCA"], "each player has 1 box"),
]
WORTHS = [(ONE_BOX_OPEN, ["BBA"], (-1, 1)), (TWO_BOXES, ["AAA"], (0, 0))]
SIX_BOXES = {"rows": 2, "columns": 3, "opening": []}
PICTURES = [
    (
        SIX_BOXES,
        [],
        "        A   B   C   \n"
        "      BA  BB  BC  BD  \n"
        "  AA  .   .   .   .\n"
        "   A               \n"
        "  AB  .   .   .   .\n"
        "   B               \n"
        "  AC  .   .   .   .\n"
        "      X 0      O 0",
    ),
    (
        SIX_BOXES,
        ["AAA", "ABA", "BAA", "BBA", "ACC"],
        "        A   B   C   \n"
        "      BA  BB  BC  BD  \n"
        "  AA  .---.   .   .\n"
        "   A  |[O]#        \n"
        "  AB  .---.   .   .\n"
        "   B               \n"
        "  AC  .   .   .###.\n"
        "      X 0      O 1",
    ),
    (
        SIX_BOXES,
        ["AAA", "ABA", "BAA", "BBA", "ACC", "BDB"],
        "        A   B   C   \n"
        "      BA  BB  BC  BD  \n"
        "  AA  .---.   .   .\n"
        "   A  | O |        \n"
        "  AB  .---.   .   .\n"
        "   B              #\n"
        "  AC  .   .   .---.\n"
        "      X 0      O 1",
    ),
]
TYPED = {"aab": "AAB", "AAB": "AAB", "bHg": "BHG"}
NO_EDGE = "is no edge, expected three letters such as AAB or BCA"
NOT_TYPED = dict.fromkeys(("", "ab", "aabb", "a1b", "cab", "aia", "aah", "hint?"), NO_EDGE)
CELLS = [
    (ONE_BOX_OPEN, ["BBA"], (1, 2), "-.-.-1.1.", 5, []),
    (TWO_BOXES, ["AAA", "BCA"], (1, 2), "0.....1..", 6, []),
]
READ_WORDS = {"aab": ["AAB"], "BBAaca": ["BBA", "ACA"], "BHG": ["BHG"]}
UNREAD_WORDS = {"AA": "'AA' is no move of dots, expected a move such as AAB", "AIA": "'AIA' is no move of dots"}
BOARD_TEXTS = [
    (5, 5, "", BOARD, "5x5"),
    (
        2,
        3,
        "opening aab,BCABAA",
        {"rows": 2, "columns": 3, "opening": ["AAB", "BCA", "BAA"]},
        "2x3 opening AAB,BCA,BAA",
    ),
]
NO_BOARD_TEXTS = [
    (5, 5, "forbidden 0,8", "'forbidden 0,8' follows the size of the board, expected text such as: opening AAB,BCD")
]
POSITION_WORDS = [
    (ONE_BOX_OPEN, ["BBA"], ["--size=1x2", "--moves=AAA,ABA,BAA,BBA"]),
    (BOARD, [], ["--size=5x5"]),
]
DRAWINGS = [
    ((1, 2), "-.-.-1.1.", 1, ["--board", "--to-move=O"], b"+---+   +\n| O |    \n+---+   +\n"),
    ((1, 2), "------." + "0.", 0, ["--board", "--to-move=X"], b"+---+---+\n| X |    \n+---+---+\n"),
]
NO_DRAWINGS = [
    ((0, 5), "", 0, "rows is 0, expected 1..7"),
    ((5, 8), "", 0, "columns is 8, expected 1..7"),
    ((1, 1), "....", 0, "the position has 4 cells, expected 5"),
    ((1, 1), "...-0", 0, "the box in row 0, column 0 is '0': only a box with four drawn edges"),
    ((1, 1), "-----", 0, "the box in row 0, column 0 is '-'"),
    ((1, 1), "#....", 0, "a cell is '#', expected one of . - 0 1"),
]
NO_POSITIONS = [((1, 1), "----0", 1, "Every edge is drawn: the game is over.")]
# On the usual board there is nothing but what the contest's platform says.
WIRES = [
    (
        "saiblo",
        BOARD,
        [
            ("opening", 0, b"name?\n"),
            ("turn", b"new black\n"),
            ("reply", b"name X\nmove 1 AAA\n", ["AAA"]),
            ("moves", ["ABA"]),
            ("turn", b"move 1 ABA\n"),
            ("reply", b"move BAA\0", ["BAA"]),
            ("moves", ["BBA", "AAB"]),
            ("turn", b"move 2 BBAAAB\n"),
            ("illegal", b"move 1 AAB\n", "AAB is drawn already"),
            ("end", b"end\nquit\n"),
        ],
    ),
    (
        "saiblo",
        {"rows": 2, "columns": 7, "opening": ["AAB", "BCA"]},
        [
            ("opening", 1, b"name?\nboard 2x7 AABBCA\nnew white\n"),
            ("moves", ["AAA"]),
            ("turn", b"move 1 AAA\n"),
            ("reply", b"move 1 ABB\n", ["ABB"]),
        ],
    ),
]
FOREIGN_WIRE = None  # there is but one


def hints(position):
    """The boxes of chains, found by flooding from each: (cell, length of its chain, whether it can be completed)."""
    left = {
        (row, column): set(edges_of_box(row, column)).difference(position.drawn)
        for row in range(position.rows)
        for column in range(position.columns)
    }
    part = {box: edges for box, edges in left.items() if 1 <= len(edges) <= 2}
    number = len(edges_of_board(position.rows, position.columns))
    found = []
    for row, column in part:
        reached, waiting = set(), [(row, column)]
        while waiting:
            box = waiting.pop()
            if box not in reached:
                reached.add(box)
                waiting += [other for other in part if part[other] & part[box]]
        is_now = len(part[row, column]) == 1
        found.append((number + row * position.columns + column, str(len(reached)), is_now))
    return found


def reply(moves, position):
    """The bytes of a bot's reply that makes these moves of a turn."""
    return b"move %d %s\n" % (len(moves), "".join(moves).encode())
