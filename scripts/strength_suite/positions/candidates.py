"""Where positions come from: random legal play, and the last part of games between strong players.

Candidate number k of a kind follows from the seed alone, so that a run can be taken up anywhere.
"""

import random

from strength_suite.positions.exact_positions import empty_cells, position_of, start_of, wins_at_once

# (rows, columns), small enough that a random position of them is solved within minutes at most.
SMALL_SIZES = ((4, 4), (4, 5), (5, 4), (4, 6), (6, 4), (5, 5), (4, 7), (5, 6), (6, 5), (5, 7), (6, 6))
SMALL_LEAST_EMPTY = 6
STANDARD_ROWS, STANDARD_COLUMNS = 6, 7
STANDARD_PLIES = (8, 24)
ENDGAME_EMPTY = (24, 50)


def small(generator):
    """A position of a board of SMALL_SIZES, the empty one too; half of them have a forbidden cell."""
    rows, columns = generator.choice(SMALL_SIZES)
    forbidden = [generator.randrange(rows), generator.randrange(columns)] if generator.random() < 0.5 else None
    plies = generator.randint(0, rows * columns - SMALL_LEAST_EMPTY)
    return random_play(generator, rows, columns, forbidden, plies)


def standard(generator, plies=STANDARD_PLIES):
    """A position of 6 rows x 7 columns after so many plies (least, most)."""
    return random_play(generator, STANDARD_ROWS, STANDARD_COLUMNS, None, generator.randint(*plies))


def endgame(generator, games):
    """A position of a game, cut at a random number of empty cells; None where it had ended before."""
    return generator.choice(games).entry_with(generator.randint(*ENDGAME_EMPTY))


def random_play(generator, rows, columns, forbidden, plies):
    """The FIELDS of a position after random legal moves; None where the game is over by then."""
    position, moves = start_of(rows, columns, forbidden), []
    for _ in range(plies):
        if not position.floor or position.opponent_has_won():
            return None
        moves.append(generator.choice(position.legal_moves()))
        position = position.play(moves[-1])
    if not position.floor or position.opponent_has_won():
        return None
    return {"rows": rows, "columns": columns, "forbidden": forbidden, "moves": moves}


def numbered(kind, make, seed, number):
    """(entry, Position) of candidate `number` of a kind; None where it comes to nothing or wins at once."""
    entry = make(random.Random(f"dropfour/{seed}/{kind}/{number}"))
    if entry is None:
        return None
    position = position_of(entry)
    return None if wins_at_once(position) else ({**entry, "empty": empty_cells(position)}, position)
