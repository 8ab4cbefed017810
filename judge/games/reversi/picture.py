"""Reversi's board drawn for a terminal."""

from rich.text import Text

from judge.games.positions import Cell
from judge.games.reversi.rules import LETTERS, Reversi, cell_name, cell_of
from judge.language import _, recorded

DISCS = ("X", "O")  # the first mover's and the second mover's
STYLES = ("bold bright_green", "bold bright_white")
LEGAL = "+"
# Endings, as records keep them.
DRAW = recorded("{discs} discs each")
WIN = recorded("has {discs} discs to {others}")


def picture(position: Reversi) -> Text:
    """The board as rich Text: the cells that the side to move may play '+', the last disc in brackets.

    Below it stands how many discs the two have.
    """
    legal = position.legal_cells()
    drawn = Text(no_wrap=True)
    letters = "".join(f"{letter:^3}" for letter in LETTERS[: position.size])
    drawn.append(f"    {letters}\n", style="dim")
    for row in range(position.size):
        drawn.append(f"{row + 1:>3} ", style="dim")
        for column in range(position.size):
            drawn.append(*_cell(position, row, column, legal))
        drawn.append("\n")
    drawn.append(f"    {letters}\n", style="dim")
    for player, (disc, count) in enumerate(zip(DISCS, position.counts, strict=True)):
        drawn.append(f"    {disc} {count}", STYLES[player])
    return drawn


def _cell(position: Reversi, row: int, column: int, legal: list[Cell]) -> tuple[str, str]:
    player = position.owner[row][column]
    if player is None:
        return (f" {LEGAL} ", "dim green") if (row, column) in legal else (" . ", "dim")
    if (row, column) == position.last:
        return f"[{DISCS[player]}]", STYLES[player] + " reverse"
    return f" {DISCS[player]} ", STYLES[player]


def move_in_words(position: Reversi) -> str:
    """The move that has just been made, and whether the other side has to pass."""
    row, column = position.moves[-1]
    move = cell_name(row, column)
    return _("{move}, the other side has no move").format(move=move) if position.passed else move


def ending(position: Reversi) -> str:
    """What ended a game, to be said of its winner or as the reason of a draw."""
    first, second = position.counts
    if position.winner is None:
        return DRAW.format(discs=first)
    return WIN.format(discs=max(first, second), others=min(first, second))


def read_move(text: str) -> str:
    """The cell that somebody has typed, such as d3. Raises IllegalMove for what is no cell."""
    return cell_name(*cell_of(text))


def worth(position: Reversi, player: int) -> int:
    """How the board stands for the player: discs, with so much more as the board is wide for those at an edge.

    That is the measure of the Othello program which the project's second seed documents: the size for a disc in the
    first row or column, and once more in the last row or column.
    """
    last = position.size - 1
    total = 0
    for row, discs in enumerate(position.owner):
        for column, owner in enumerate(discs):
            edges = (row == 0 or column == 0) + (row == last or column == last)
            if owner is not None:
                total += (1 + edges * position.size) * (1 if owner == player else -1)
    return total
