"""What differs from game to game: a bundle's name, and the boards it is tried on, as options of `judge play`."""

ZIP_NAMES = {
    "connect_four": "dropfour-saiblo.zip",
    "reversi": "dropfour-saiblo-reversi.zip",
    "dots": "dropfour-dots.zip",
}

SMALL, LARGE = 0, 1
# For each game a small and a large board.
BOARDS = {
    "connect_four": ("--rows 9 --cols 9", "--rows 12 --cols 12"),
    "reversi": ("--size 6", "--size 8"),
    "dots": ("--size 3x3", "--size 5x5"),
}
