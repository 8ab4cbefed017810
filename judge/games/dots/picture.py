"""Dots and boxes' board drawn for a terminal."""

from rich.text import Text

from judge.games.dots.rules import LARGEST_SIDE, LETTERS, Dots, edges_of_board, horizontal, vertical
from judge.games.positions import Cell, IllegalMove
from judge.language import _, recorded

OWNERS = ("X", "O")  # the first mover's and the second mover's boxes
STYLES = ("bold bright_green", "bold bright_white")
LAST_STYLE = "bold bright_yellow"
EDGES_OF_A_BOX = 4
MARGIN = 6  # columns of the screen left of the first dot
STEP = 4  # from one dot to the next
# Endings, as records keep them.
DRAW = recorded("{boxes} boxes each")
DRAW_OF_ONE = recorded("{boxes} box each")
WIN = recorded("has {boxes} boxes to {others}")
NO_EDGE = recorded("{edge} is no edge, expected the letters of its line and its place, such as AAB or BCA")


def picture(position: Dots) -> Text:
    """The board as rich Text: drawn edges as lines, owners' letters in boxes.

    The edges that the side which moved last has drawn running are lines of #, and the boxes that these have completed
    stand in brackets.
    An edge's name is read off the margins: a horizontal one's is the two letters left of its line and the one above
    it, a vertical one's the two letters above its line and the one left of it. Below stands how many boxes each has.

                  A   B
              BA  BB  BC
          AA  .---.   .      AAA is drawn, AAB is free
           A  |   #          BBA has been drawn last
          AB  .   .   .
    """
    drawn = Text(no_wrap=True)
    turn = position.last_turn(position.drawers[-1]) if position.moves else []
    captured = {
        box for edge in turn for box in position.boxes_beside(edge) if position.edges_drawn(*box) == EDGES_OF_A_BOX
    }
    places = [f"{letter:<{STEP}}" for letter in LETTERS[: position.columns]]
    lines = [f"B{letter:<{STEP - 1}}" for letter in LETTERS[: position.columns + 1]]
    drawn.append(f"{' ' * (MARGIN + STEP // 2)}{''.join(places)}\n", style="dim")
    drawn.append(f"{' ' * MARGIN}{''.join(lines)}\n", style="dim")
    for row in range(position.rows):
        _append_dots(drawn, position, row, turn)
        _append_boxes(drawn, position, row, turn, captured)
    _append_dots(drawn, position, position.rows, turn)
    for player, (letter, count) in enumerate(zip(OWNERS, position.counts, strict=True)):
        drawn.append(f"{' ' * MARGIN}{letter} {count}", STYLES[player])
    return drawn


def _append_dots(drawn: Text, position: Dots, row: int, turn: list[str]) -> None:
    """A line of dots with the horizontal edges between them."""
    drawn.append(f"{'A' + LETTERS[row]:>{MARGIN - 2}}  ", style="dim")
    for column in range(position.columns):
        drawn.append(".", "dim")
        _append_edge(drawn, position, horizontal(row, column), "-" * (STEP - 1), turn)
    drawn.append(".\n", "dim")


def _append_boxes(drawn: Text, position: Dots, row: int, turn: list[str], captured: set[Cell]) -> None:
    """A line of boxes with the vertical edges between them."""
    drawn.append(f"{LETTERS[row]:>{MARGIN - 2}}  ", style="dim")
    for column in range(position.columns):
        _append_edge(drawn, position, vertical(row, column), "|", turn)
        owner = position.owner[row][column]
        if owner is None:
            drawn.append(" " * (STEP - 1))
        elif (row, column) in captured:
            drawn.append(f"[{OWNERS[owner]}]", STYLES[owner] + " reverse")
        else:
            drawn.append(f" {OWNERS[owner]} ", STYLES[owner])
    _append_edge(drawn, position, vertical(row, position.columns), "|", turn)
    drawn.append("\n")


def _append_edge(drawn: Text, position: Dots, edge: str, line: str, turn: list[str]) -> None:
    if edge in turn:
        drawn.append("#" * len(line), LAST_STYLE + (" reverse" if edge == position.last else ""))
    elif edge in position.drawn:
        drawn.append(line, STYLES[position.drawers[position.drawn.index(edge)]])
    else:
        drawn.append(" " * len(line))


def move_in_words(position: Dots) -> str:
    """The edge that has just been drawn, and what it has completed."""
    last = position.moves[-1]
    completed = [box for box in position.boxes_beside(last) if position.edges_drawn(*box) == EDGES_OF_A_BOX]
    forms = ("{edge}", _("{edge}, which completes a box"), _("{edge}, which completes two boxes"))
    return forms[len(completed)].format(edge=last)


def ending(position: Dots) -> str:
    """What ended a game, to be said of its winner or as the reason of a draw."""
    first, second = position.counts
    if position.winner is None:
        return (DRAW_OF_ONE if first == 1 else DRAW).format(boxes=first)
    return WIN.format(boxes=max(first, second), others=min(first, second))


def read_move(text: str) -> str:
    """The edge that somebody has typed, such as AAB or aab. Raises IllegalMove for what is no edge of any board."""
    if text.upper() not in edges_of_board(LARGEST_SIDE, LARGEST_SIDE):
        raise IllegalMove(NO_EDGE.format(edge=repr(text)))
    return text.upper()


def worth(position: Dots, player: int) -> int:
    """How the board stands for the player: its boxes less the other side's."""
    return position.counts[player] - position.counts[1 - player]
