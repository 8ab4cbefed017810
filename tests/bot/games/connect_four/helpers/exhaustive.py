"""Connect four solved by trying everything (few free cells) and positions to try it on."""

import random

from bot.games.connect_four.board import cell
from bot.games.connect_four.plain import Position, empty_position, tactical_columns, winning_cells
from bot.search.scores import PROVEN_DRAW, WIN_BASE, is_loss, is_win


def plies_to_end(score):
    """The plies until a proven win or loss; None for a draw or an unproven score."""
    return WIN_BASE - abs(score) if is_win(score) or is_loss(score) else None


class Solver:
    """Scores as in bot/search/scores.py with exact distances; positions already seen are remembered."""

    def __init__(self):
        self._known = {}

    def score(self, position):
        """The score for the side to move: fastest win, else draw, else slowest loss."""
        if winning_cells(position.opponent) & position.opponent:
            return -WIN_BASE
        if not position.floor:
            return PROVEN_DRAW
        key = position.key()
        if key not in self._known:
            self._known[key] = max(self.move_scores(position).values())
        return self._known[key]

    def move_scores(self, position):
        """Column -> score of playing it, for the side that plays."""
        return {column: seen_by_mover(self.score(position.play(column))) for column in position.legal_moves()}


def seen_by_mover(score):
    """A position's score for the side that has just moved into it, one ply earlier."""
    if score == PROVEN_DRAW:
        return PROVEN_DRAW
    return 1 - score if score > 0 else -1 - score


def random_position(generator, rows, columns, forbidden, plies):
    """An undecided position with a legal move after so many random plies; rows count from the bottom.

    For boards of some twenty cells: on large ones random games are seldom undecided for long.
    """
    while True:
        position = empty_position(rows, columns, forbidden)
        for _ in range(plies):
            if not position.floor or position.opponent_has_won():
                break
            position = position.play(generator.choice(position.legal_moves()))
        if position.plies() == plies and position.floor and not position.opponent_has_won():
            return position


def random_positions(seed, count, sizes=((4, 4, 4), (4, 5, 11), (5, 4, 11))):
    """Positions of the given (rows, columns, least plies), every second one with a forbidden cell."""
    generator = random.Random(seed)
    for index in range(count):
        rows, columns, least = sizes[index % len(sizes)]
        forbidden_cell = (generator.randrange(rows), generator.randrange(columns)) if index % 2 else None
        yield random_position(generator, rows, columns, forbidden_cell, generator.randint(least, rows * columns - 4))


def quiet_positions(seed, games, most_free_cells=13):
    """The last undecided positions of random games without a missed win, a missed block or a move below a win.

    So winning cells wait, and neither side wants to fill the cells below them.
    """
    generator = random.Random(seed)
    for number in range(games):
        rows, columns = generator.choice(((5, 5), (5, 6), (6, 6), (6, 7), (7, 7), (7, 6)))
        forbidden = (generator.randrange(rows), generator.randrange(columns)) if number % 2 else None
        position = empty_position(rows, columns, forbidden)
        while True:
            decided, choice = tactical_columns(position)
            if decided is not None or not choice:
                break
            position = position.play(generator.choice(choice))
            if 0 < position.free_cells() <= most_free_cells and tactical_columns(position)[0] is None:
                yield position


def late_position(generator, rows, columns, forbidden, free_columns, depth):
    """A position of any size, undecided, with `depth` free cells on top of each of so many random columns.

    The other cells are filled with a pattern in which nobody has four: pairs in a row, alternating upwards.
    """
    start = empty_position(rows, columns, forbidden)
    free = generator.sample(range(columns), free_columns)
    shift = generator.randrange(4)
    stones = [0, 0]
    floor = 0
    for column in range(columns):
        first_free = rows - depth if column in free else rows
        for row in range(first_free):
            stones[((column + shift) // 2 + row) % 2] |= cell(row, column)
        if first_free < rows:
            floor |= cell(first_free, column)
    floor += floor & start.forbidden
    own, opponent = (part & ~start.forbidden for part in stones)
    return Position(rows, columns, start.board, start.forbidden, own, opponent, floor & start.board)


def late_positions(seed, count, free_columns=3, depth=3):
    """Late positions of all sizes from 6 x 6 to 12 x 12, most with a forbidden cell near the top."""
    generator = random.Random(seed)
    for index in range(count):
        rows, columns = generator.randint(6, 12), generator.randint(6, 12)
        forbidden_cell = (rows - 1 - generator.randrange(depth + 1), generator.randrange(columns))
        yield late_position(generator, rows, columns, forbidden_cell if index % 3 else None, free_columns, depth)


def position_from_picture(picture):
    """The Position of a drawn board, top row first: x own, o the opponent's, # forbidden, . free."""
    lines = picture.split()
    rows, columns = len(lines), len(lines[0])
    drawn = {(rows - 1 - row, column): mark for row, line in enumerate(lines) for column, mark in enumerate(line)}
    forbidden_cell = next((where for where, mark in drawn.items() if mark == "#"), None)
    start = empty_position(rows, columns, forbidden_cell)
    stones = {mark: sum(cell(row, column) for (row, column), own in drawn.items() if own == mark) for mark in "xo"}
    floor = 0
    for column in range(columns):
        free = [row for row in range(rows) if drawn[row, column] == "."]
        assert all((row, column) == forbidden_cell or row in free for row in range(min(free, default=rows), rows))
        floor |= cell(free[0], column) if free else 0
    return Position(rows, columns, start.board, start.forbidden, stones["x"], stones["o"], floor)
