"""Dots and boxes' positions as texts of one character for each cell: the edges as rules.edges_of_board() has them, then
the boxes row by row from the top.
"""

from judge.games.cells import FREE, OF_OPENING, OF_PLAYER, Cells, code
from judge.games.dots.rules import Dots, edges_of_board


def codes(position: Dots) -> str:
    """Every edge's and box's character."""
    opening = len(position.drawn) - len(position.moves)
    drawers = {
        edge: OF_OPENING if number < opening else OF_PLAYER[drawer]
        for number, (edge, drawer) in enumerate(zip(position.drawn, position.drawers, strict=True))
    }
    edges = [drawers.get(edge, FREE) for edge in edges_of_board(position.rows, position.columns)]
    return "".join([*edges, *(code(owner) for row in position.owner for owner in row)])


CELLS = Cells[Dots](
    size=lambda position: (position.rows, position.columns),
    codes=codes,
    last=lambda position: edges_of_board(position.rows, position.columns).index(position.moves[-1]),
    line=lambda position: [],
)
