"""Alpha-beta's leaf value and minimax, slow and obvious: what the compiled search is compared with."""

from bot.games.connect_four.alphabeta import THREE_WEIGHT, TWO_WEIGHT
from bot.games.connect_four.alphabeta_engine import CENTRE_WORTH, OPENING_STONES
from bot.games.connect_four.board import cell
from bot.search.alphabeta_engine import WIN

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (-1, 1))
WEIGHTS = {2: TWO_WEIGHT, 3: THREE_WEIGHT}


def cells_of(position, cells):
    """A set of cells as a set of (row from the bottom, column)."""
    return {
        (row, column) for row in range(position.rows) for column in range(position.columns) if cells & cell(row, column)
    }


def slow_value(position, evaluation):
    """F(own) - F(opponent) for the side to move."""
    return side_value(position, cells_of(position, position.own), evaluation) - side_value(
        position, cells_of(position, position.opponent), evaluation
    )


def side_value(position, stones, evaluation):
    """F of one side's stones."""
    total = 0
    for row, column in stones:
        for step in DIRECTIONS:
            for length, weight in WEIGHTS.items():
                line = [(row + step[0] * index, column + step[1] * index) for index in range(length)]
                if stones.issuperset(line):
                    before = (row - step[0], column - step[1])
                    after = (line[-1][0] + step[0], line[-1][1] + step[1])
                    total += weight * (
                        1 if evaluation == "runs" else worth_of_ends(position, stones, before, after, step == (1, 0))
                    )
    return total


def worth_of_ends(position, stones, before, after, is_upright):
    """How many ends of a run count: none unless both are free, then those that can be reached soon."""
    if is_upright:
        return 1 if is_free(position, after) and before not in stones else 0
    if not (is_free(position, before) and is_free(position, after)):
        return 0
    return can_be_reached_soon(position, before) + can_be_reached_soon(position, after)


def is_free(position, place):
    """Whether a cell is on the board, empty and not forbidden."""
    row, column = place
    if not (0 <= row < position.rows and 0 <= column < position.columns):
        return False
    return not (position.own | position.opponent | position.forbidden) & cell(row, column)


def can_be_reached_soon(position, place):
    """Whether a free cell is its column's floor or one of the two above it."""
    return place[0] - position.floor_row(place[1]) <= 2


def minimax(position, ply, depth, whole_depth, settings):
    """Value for the side to move of a position `ply` plies below the root."""
    if position.opponent_has_won():
        return -WIN * (1 + whole_depth - ply) if settings.nearest_win else -WIN
    if not position.floor:
        return 0
    if ply == depth:
        return slow_value(position, settings.evaluation)
    return max(
        -minimax(position.play(column), ply + 1, depth, whole_depth, settings) for column in position.legal_moves()
    )


def root_values(position, depth, settings):
    """Column -> value of every root move, the centre's bonus in the opening included."""
    values = {}
    for column in position.legal_moves():
        values[column] = -minimax(position.play(column), 1, depth, depth, settings)
        if settings.centre_opening and position.plies() < OPENING_STONES and abs(values[column]) < WIN:
            values[column] += CENTRE_WORTH * min(column, position.columns - 1 - column)
    return values


def choice(position, settings):
    """(column, value) that the search of settings.depth plies must choose: the first of the best."""
    order = position.legal_moves()
    if settings.centre_opening:
        order.sort(key=lambda column: abs(2 * column - position.columns + 1))
    depth = min(
        settings.depth,
        len(cells_of(position, position.board & ~(position.own | position.opponent | position.forbidden))),
    )
    if 0 < settings.trial_depth < depth:
        trial = root_values(position, settings.trial_depth, settings)
        order.sort(key=lambda column: -trial[column])
    values = root_values(position, depth, settings)
    return max(((column, values[column]) for column in order), key=lambda move: move[1])
