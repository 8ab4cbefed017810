"""Random positions, and what lies in the lines through a cell, by network.py's words."""

import random

from bot.games.connect_four.board import COLUMN_BITS
from bot.games.connect_four.plain import empty_position

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
IN_A_ROW, IN_A_COLUMN = 4, 5


def has(cells, column, row):
    return cells >> (COLUMN_BITS * column + row) & 1


def code(position, stones, others, column, row):
    """The code of a free cell by network.py's words."""
    singles, pairs, triples, is_open = 0, [], 0, False
    for number, (right, up) in enumerate(DIRECTIONS):
        most = 0
        for start in range(-3, 1):
            line = [(column + (start + step) * right, row + (start + step) * up) for step in range(4)]
            closed = others | position.forbidden
            if all(0 <= x < position.columns and 0 <= y < position.rows and not has(closed, x, y) for x, y in line):
                held = sum(has(stones, x, y) for x, y in line)
                is_open, most, singles = True, max(most, held), singles + (held == 1)
        if most == 3:
            triples += 1
        if most == 2:
            pairs.append(number)
    if triples:
        return 8 + min(len(pairs), 2) + (triples > 1)
    if len(pairs) > 1:
        return 7
    if pairs:
        return {0: IN_A_ROW, 1: IN_A_COLUMN}.get(pairs[0], 6)
    return 1 + min(singles, 2) if is_open else 0


def free_rows(position, column):
    """Rows of a column's free cells, from the floor up."""
    taken = position.own | position.opponent | position.forbidden
    return [row for row in range(position.rows) if not has(taken, column, row)]


def played(seed):
    """A position after some random plies, whoever may have won on the way."""
    generator = random.Random(seed)
    rows, columns = generator.randint(4, 12), generator.randint(4, 12)
    forbidden = (generator.randrange(rows), generator.randrange(columns)) if generator.random() < 0.75 else None
    position = empty_position(rows, columns, forbidden)
    for _ in range(generator.randrange(rows * columns - 1)):
        position = position.play(generator.choice(position.legal_moves()))
    return position
