"""When ratings are known well enough to play no more."""

from judge.runs.target import PAIRS_OF_HELD, Target
from judge.statistics.ratings import Game, rate
from judge.statistics.score import LOSS, WIN


def boards_of(results):
    """Boards of two players by the first one's results as first and as second mover."""
    return [[Game(0, 1, first), Game(1, 0, WIN - second)] for first, second in results]


def test_a_target_is_reached_when_all_errors_are_small():
    results = [(WIN, LOSS), (LOSS, WIN), (WIN, WIN), (LOSS, LOSS)]
    target = Target(60.0, lambda boards: rate(3, boards))
    assert target.in_need(range(2), boards_of(results)) == [0, 1]
    assert target.in_need(range(2), boards_of(results * 20)) == []
    assert target.in_need(range(3), boards_of(results * 20)) == [2]  # it has not played
    question = target.question(range(3), 3, boards_of(results * 20))
    assert question == ([2], [0.5, 0.5, 0.0])
    assert target.question(range(2), 3, boards_of(results * 20)).players == range(2)


def test_players_who_are_held_are_known_among_their_rivals_first():
    """Two strong ones that trade wins, two weak ones that do too: nobody is in the larger group."""
    among = [(WIN, LOSS), (LOSS, WIN), (WIN, WIN), (LOSS, LOSS)]

    def boards(pairs_across, rounds_among):
        strong = boards_of(among * rounds_among)
        weak = [[Game(2 + first, 2 + other, result) for first, other, result in board] for board in strong]
        across = [[Game(one, other, WIN), Game(other, one, LOSS)] for one in (0, 1) for other in (2, 3)]
        return [*strong, *weak, *across * pairs_across]

    target = Target(60.0, lambda boards: rate(4, boards))
    assert rate(4, boards(8, 1)).held == {0, 1, 2, 3}
    assert target.in_need(range(4), boards(8, 1)) == [0, 1, 2, 3]
    assert target.in_need(range(4), boards(8, 20)) == []
    assert rate(4, boards(8, 20)).error_among_rivals(0) <= 60.0 < rate(4, boards(8, 20)).error(0)


def test_a_target_does_not_wait_for_who_loses_all_for_ever():
    target = Target(60.0, lambda boards: rate(2, boards))
    assert target.in_need(range(2), boards_of([(WIN, WIN)] * (PAIRS_OF_HELD - 1))) == [0, 1]
    assert target.in_need(range(2), boards_of([(WIN, WIN)] * PAIRS_OF_HELD)) == []
