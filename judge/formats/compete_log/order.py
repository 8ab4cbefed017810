"""An order of moves that leads to a board of connect four: who prints the board alone does not tell it.

Before the last stone nobody has four in a line. So where a board has none without its last stone, no earlier one has
any, and all that an order has to do is to alternate, each column from below.
"""

from collections.abc import Sequence

MOST_STEPS = 200_000  # real games need a few hundred

Columns = Sequence[Sequence[int]]  # for each column its stones' owners from below, 0 and 1


class NoOrder(Exception):
    """No order of the stones was found."""


def alternating(columns: Columns, below: Sequence[int], first: int) -> list[int]:
    """The columns in which stones are dropped in turn, player `first` beginning, above the `below` lowest of each.

    Raises NoOrder.
    """
    heights = list(below)
    to_place = sum(map(len, columns)) - sum(heights)
    order: list[int] = []
    tried: list[list[int]] = []  # for each ply the columns not tried yet, the best one last
    dead: set[tuple[int, ...]] = set()
    steps = 0
    while len(order) < to_place:
        if len(tried) == len(order):
            tried.append(_candidates(columns, heights, (first + len(order)) % 2))
        steps += 1
        if steps > MOST_STEPS:
            raise NoOrder
        if tried[-1]:
            column = tried[-1].pop()
            heights[column] += 1
            if tuple(heights) in dead:
                heights[column] -= 1
                continue
            order.append(column)
            continue
        tried.pop()
        if not order:
            raise NoOrder
        dead.add(tuple(heights))
        heights[order.pop()] -= 1
    return order


def _candidates(columns: Columns, heights: Sequence[int], player: int) -> list[int]:
    """The columns whose next stone is the player's, the most promising last.

    Where many stones are left on top of it, a column is in the way the longest; of columns as high, one whose stone
    uncovers the other player's lets the game go on.
    """
    found = [
        column
        for column, owners in enumerate(columns)
        if heights[column] < len(owners) and owners[heights[column]] == player
    ]
    return sorted(found, key=lambda column: _urgency(columns[column], heights[column], player))


def _urgency(owners: Sequence[int], height: int, player: int) -> tuple[int, int]:
    rest = owners[height + 1 :]
    uncovers = bool(rest) and rest[0] != player
    return len(rest), int(uncovers)
