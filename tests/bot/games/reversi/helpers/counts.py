"""The seed's Othello program written slowly: its leaf values and its minimax; and positions to try it on."""

from bot.games.reversi.board import cell
from bot.games.reversi.plain import Position, cells_of, reached_cells, start_position


def position_from_picture(picture):
    """The Position of a drawn board, top row first: x own, o the opponent's, . free."""
    lines = picture.split()
    stones = {
        mark: sum(
            cell(row, column) for row, line in enumerate(lines) for column, found in enumerate(line) if found == mark
        )
        for mark in "xo"
    }
    return Position(len(lines), stones["x"], stones["o"])


def drawn_position(generator, size):
    """A position of a random game in which the side to move can play a cell."""
    while True:
        position = start_position(size)
        for _ in range(generator.randrange(size * size - 4)):
            if not position.legal_moves():
                break
            position = position.play(generator.choice(position.legal_moves()))
        if position.legal_cells():
            return position


def slow_value(own, other, size, evaluation):
    """What a leaf is worth to the side with the `own` discs."""
    if evaluation == "discs":
        return len(cells_of(own)) - len(cells_of(other))
    places = worth_of_places(own, size) - worth_of_places(other, size)
    own_moves, other_moves = (len(cells_of(reached_cells(size, *sides))) for sides in ((own, other), (other, own)))
    return {
        "stable": places,
        "mobility": own_moves - other_moves,
        "restricting": own_moves - 2 * other_moves,
        "combined": places + own_moves - other_moves,
    }[evaluation]


def worth_of_places(cells, size):
    """Each disc 1, `size` more in row 0 or column 0, and `size` more in the last row or column."""
    total = 0
    for number in cells_of(cells):
        row, column = divmod(number, 16)
        total += 1
        if row == 0 or column == 0:
            total += size
        if row == size - 1 or column == size - 1:
            total += size
    return total


def minimax(position, depth, evaluation, is_programs_turn=True):
    """(value for the program, best line): the mover takes the most or leaves the least, the first of equals.

    Where the mover has no reply, and at the end of the depth, the board is evaluated as the program sees it.
    """
    moves = cells_of(position.legal_cells())
    if depth == 0 or not moves:
        discs = (position.own, position.opponent) if is_programs_turn else (position.opponent, position.own)
        return slow_value(*discs, position.size, evaluation), []
    best = None
    for move in moves:
        value, line = minimax(position.play(move), depth - 1, evaluation, not is_programs_turn)
        if best is None or (value > best[0] if is_programs_turn else value < best[0]):
            best = value, [move, *line]
    return best
