"""Positions of dots and boxes from random safe play: nobody has given a box away yet."""

from bot.games.dots.plain import numbers_of, safe_edges, start_position

MOST_TRIES = 10000


def safely_drawn(generator, rows, columns, free):
    """A Position after random safe edges that leave so many free; None where play hardly ever gets that far.

    rows, columns: of boxes; generator: random.Random.
    """
    for _ in range(MOST_TRIES):
        position = start_position(rows, columns)
        while position.free_edges() > free:
            safe = numbers_of(safe_edges(position))
            if not safe:
                break
            position, _ = position.draw(generator.choice(safe))
        else:
            return position
    return None
