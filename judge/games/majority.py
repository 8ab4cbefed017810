"""Games that are won by whoever owns more cells."""

from collections.abc import Sequence


def counts_of(owner: Sequence[Sequence[int | None]]) -> tuple[int, int]:
    """How many cells players 0 and 1 own, on a board that holds row by row 0, 1 or None."""
    owners = [player for row in owner for player in row]
    return owners.count(0), owners.count(1)


def leader(counts: tuple[int, int]) -> int | None:
    """The player with more cells; None if both have as many."""
    first, second = counts
    if first == second:
        return None
    return 0 if first > second else 1
