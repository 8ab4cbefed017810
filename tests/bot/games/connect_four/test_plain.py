"""The plain search from turn to turn; what it plays is tested with the bots that use it."""

import itertools

from bot.games.connect_four.plain import PlainSearch, empty_position

LOOKS = 300  # at the clock, in a turn


def thinking(looks=LOOKS):
    """A deadline, and the clock for it: one that goes on whenever it is looked at."""
    return looks, itertools.count().__next__


def test_what_the_last_tree_knows_of_a_position_is_kept():
    """With no time left a fresh search could only name a safe column; the kept tree has a value and a line."""
    search, position = PlainSearch(seed=1), empty_position(9, 9)
    column = search.think(position, *thinking()).move
    for reply in (4, 0):
        later = position.play(column).play(reply)
        kept = PlainSearch(seed=1)
        kept.think(position, *thinking())
        known = kept.think(later, *thinking(0))
        fresh = PlainSearch(seed=1).think(later, *thinking(0))
        assert (known.iterations, fresh.iterations) == (0, 0)
        assert known.pv == [known.move] and known.move in later.legal_moves() and known.value != 0
        assert fresh.pv == [] and fresh.value == 0


def test_a_position_that_does_not_follow_starts_afresh():
    search, position = PlainSearch(seed=1), empty_position(9, 9)
    search.think(position, *thinking())
    other = empty_position(9, 9, (3, 3)).play(4).play(4)
    assert search.think(other, *thinking(0)).pv == []
