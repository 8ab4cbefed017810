"""Connect four's board drawn for a terminal."""

from rich.text import Text

from judge.games.connect_four.rules import ConnectFour
from judge.games.positions import Cell
from judge.language import _, recorded

STONES = ("X", "O")  # the first mover's and the second mover's
STYLES = ("bold bright_red", "bold bright_yellow")
FORBIDDEN = "#"
# Endings, as records keep them.
FULL = recorded("the board is full")
FOUR_IN_A_LINE = recorded("has four in a line")


def picture(position: ConnectFour) -> Text:
    """The board as rich Text: columns numbered, forbidden cell '#', the last stone in brackets.

    The stones of a completed line stand between stars: "*X*".
    """
    line = position.winning_cells()
    drawn = Text(no_wrap=True)
    numbers = "".join(f"{column:^3}" for column in range(position.cols))
    drawn.append(f"    {numbers}\n", style="dim")
    for row in range(position.rows):
        drawn.append(f"{row:>3} ", style="dim")
        for column in range(position.cols):
            drawn.append(*_cell(position, row, column, line))
        drawn.append("\n")
    drawn.append(f"    {numbers}", style="dim")
    return drawn


def move_in_words(position: ConnectFour) -> str:
    """The move that has just been made."""
    row, column = position.moves[-1]
    return _("column {column} (row {row})").format(column=column, row=row)


def ending(position: ConnectFour) -> str:
    """What ended a game, to be said of its winner or as the reason of a draw."""
    return FULL if position.winner is None else FOUR_IN_A_LINE


def _cell(position: ConnectFour, row: int, column: int, line: set[Cell]) -> tuple[str, str]:
    player = position.owner[row][column]
    if player is None:
        return (f" {FORBIDDEN} ", "bold") if (row, column) == position.forbidden else (" . ", "dim")
    if (row, column) in line:
        return f"*{STONES[player]}*", STYLES[player] + " reverse"
    if (row, column) == position.last:
        return f"[{STONES[player]}]", STYLES[player] + " reverse"
    return f" {STONES[player]} ", STYLES[player]


def read_move(text: str) -> int:
    """The column that somebody has typed. Raises ValueError for what is no number."""
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(_("{text!r} is no column, expected a number").format(text=text))
    return int(text)
