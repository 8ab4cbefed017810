"""Edges and turns as the contest platform and people write them. Standard library only.

Three letters: A for a horizontal edge and B for a vertical one; then its line, A..H: of a horizontal edge the row of
dots from the top, of a vertical one the column of dots from the left; then its place on that line, A..G, from the
left or from the top. A turn is its edges' names one after another.
"""

from .rules.board import LARGEST, ROW_BITS, VERTICAL, edges_of

LETTERS = "ABCDEFGH"


def edge_name(edge):
    """The name of an edge, such as "AAB"."""
    row, column = divmod(edge % VERTICAL, ROW_BITS)
    return "B" + LETTERS[column] + LETTERS[row] if edge >= VERTICAL else "A" + LETTERS[row] + LETTERS[column]


def name_of(turn):
    """The name of a turn, such as "AABBCD"."""
    return "".join(map(edge_name, edges_of(turn)))


def edge_named(text):
    """The edge of that name, on the board or off it; None for what is no name."""
    text = text.upper()
    if len(text) != 3 or text[0] not in "AB" or text[1] not in LETTERS or text[2] not in LETTERS[:LARGEST]:
        return None
    line, place = LETTERS.index(text[1]), LETTERS.index(text[2])
    return VERTICAL + ROW_BITS * place + line if text[0] == "B" else ROW_BITS * line + place


def edges_named(text):
    """The edges of names one after another; None where one of them is no name."""
    edges = [edge_named(text[start : start + 3]) for start in range(0, len(text), 3)]
    return None if None in edges else edges
