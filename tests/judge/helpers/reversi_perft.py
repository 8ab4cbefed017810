"""How many move sequences reversi has: a pass is a ply, and a finished game counts once at every depth.

COUNTS: size -> numbers for depth 1, 2, ... from the start. Those of 8 x 8 are the published ones.
VALUE_OF_4: discs of player 0 less those of player 1 after best play on 4 x 4.
"""

COUNTS = {
    4: [4, 12, 44, 128, 424, 1256, 3624, 9116],
    6: [4, 12, 56, 244, 1364, 7604, 47740],
    8: [
        4,
        12,
        56,
        244,
        1396,
        8200,
        55092,
        390216,
        3005288,
        24571284,
        212258800,
        1939886636,
        18429641748,
        184042084512,
    ],
}

VALUE_OF_4 = -8
