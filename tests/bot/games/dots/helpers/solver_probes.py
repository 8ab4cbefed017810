"""Small kernels that run the exact solver of dots and boxes without a cache, and positions for it.

The module itself is what a SolverEngine takes as its kernels.
"""

from bot.games.dots import solver, solver_positions
from bot.games.dots import solver_engine as layout
from bot.games.dots.plain import Position, numbers_of, safe_edges, start_position
from tests.bot.helpers.probe import probe

WORD = (1 << 64) - 1


@probe
def solve(address):
    return solver.solve_in(address)


@probe
def solve_within(address, horizontal, vertical, alpha, beta, max_nodes):
    return solver.solve_within(address, horizontal, vertical, alpha, beta, max_nodes)


@probe
def listed_and_mistaken(address, horizontal, vertical, left, bound):
    """(moves listed, those whose key is not the one of their position): of a position without takeable boxes."""
    solver.enter(address, 1, horizontal, vertical, left, bound)
    frame, words = solver_positions.frame_at(address, 1), solver_positions.frame_words_at(address, 1)
    solver_positions.survey(
        address, solver_positions.OF_FRAME, words[layout.FRAME_HORIZONTAL], words[layout.FRAME_VERTICAL]
    )
    solver.list_moves(address, 1)
    mistaken, place = 0, layout.MOVES
    while place < frame[layout.MOVES_END]:
        across, beside = words[place + layout.MOVE_HORIZONTAL], words[place + layout.MOVE_VERTICAL]
        settled = solver.canonical_image(address, across, beside)
        key, _, _ = solver_positions.surveyed_whole(address, across, beside)
        mistaken += settled != (across, beside) or key != words[place + layout.MOVE_KEY]
        place += layout.MOVE_WORDS
    return (frame[layout.MOVES_END] - layout.MOVES) // layout.MOVE_WORDS, mistaken


@probe
def key_of(address, horizontal, vertical):
    """The key of a position without takeable boxes."""
    horizontal, vertical = solver.canonical_image(address, horizontal, vertical)
    return solver_positions.surveyed_whole(address, horizontal, vertical)[0]


@probe
def loony_value(address, chains, loops):
    """Of chains and loops of those lengths, int64 arrays."""
    solver_positions.clear_lengths(address)
    for length in chains:
        solver_positions.add_chain(address, length)
    for length in loops:
        solver_positions.add_loop(address, length)
    return solver_positions.loony_value(address)


@probe
def normal_image(horizontal, vertical, rows, columns):
    return solver_positions.normal_image(horizontal, vertical, rows, columns)


@probe
def image_of(horizontal, vertical, rows, columns, image):
    return solver_positions.image_of(horizontal, vertical, rows, columns, image)


@probe
def store_bounds(address, key, lower, upper, move, work):
    solver.store(address, key, lower, upper, move, work)


@probe
def probe_bounds(address, key):
    """(lower, upper, move) that the table has for a key."""
    entry = solver.probe(address, key)
    return solver.lower_bound(entry), solver.upper_bound(entry), solver.stored_move(entry)


def drawn_at_random(generator, rows, columns, free):
    """A Position with so many free edges, any of them."""
    edges = start_position(rows, columns).legal_edges()
    drawn = generator.sample(edges, len(edges) - free)
    return Position(rows, columns, sum(1 << edge for edge in drawn), 0)


def safely_drawn(generator, rows, columns, free):
    """A Position with so many free edges, or a few more where no edge was safe any longer."""
    position = start_position(rows, columns)
    while position.free_edges() > free and safe_edges(position):
        position, _ = position.draw(generator.choice(numbers_of(safe_edges(position))))
    return position
