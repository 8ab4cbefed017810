"""Ratings and their errors: what they must not depend on, players that win or lose all, and errors that hold."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.runs.tournament import FixedOrder, round_robin_order
from judge.statistics.ratings import ELO, QUANTILE, Game, rate
from judge.statistics.score import DRAW, LOSS, WIN
from tests.judge.helpers.simulated_tournaments import Course, World, covered, drawn_world

PLAYERS = 4
games = st.builds(
    lambda pair, result: Game(*pair, result),
    st.permutations(range(PLAYERS)).map(lambda order: order[:2]),
    st.sampled_from((LOSS, DRAW, WIN)),
)
boards = st.lists(games.map(lambda game: [game]), min_size=1, max_size=40)


def pairs_of(one, other, results):
    """Boards of two players: of each, the results of `one` as first and as second mover."""
    return [[Game(one, other, first), Game(other, one, WIN - second)] for first, second in results]


def figures(found):
    """All that is told of all players."""
    players = range(PLAYERS)
    return (
        [found.elo(player) for player in players],
        [found.error(player) for player in players],
        [found.superiority(player, (player + 1) % PLAYERS) for player in players],
        found.first_move,
        found.draws,
        found.dispersion,
        found.held,
    )


@settings(max_examples=60, deadline=None)
@given(boards, st.randoms(use_true_random=False))
def test_the_order_of_games_does_not_matter(played, chance):
    """Not in the last digit: what is played next depends on it."""
    shuffled = list(played)
    chance.shuffle(shuffled)
    assert figures(rate(PLAYERS, shuffled)) == figures(rate(PLAYERS, played))


@settings(max_examples=60, deadline=None)
@given(boards)
def test_any_results_have_ratings(played):
    """Finite ones, with errors, of whoever is linked to most; the mean of those that are not held is 0."""
    found = rate(PLAYERS, played)
    for player in range(PLAYERS):
        elo, error = found.elo(player), found.error(player)
        assert (elo is None) == (error is None) == (player not in found.rows)
        assert elo is None or (abs(elo) < 4000 and 0 < error < 4000)
    free = [player for player in found.rows if player not in found.held] or list(found.rows)
    assert sum(found.elo(player) for player in free) == pytest.approx(0.0, abs=1e-6)
    assert found.dispersion == 1.0  # there is no pair


@settings(max_examples=40, deadline=None)
@given(boards, st.sampled_from((LOSS, WIN)))
def test_a_better_result_does_not_lower_a_rating(played, result):
    """More points against the same opponents, relative to these."""
    # These games bound the first mover's advantage, so that no balancing game is added before or after.
    played = [*played, *([Game(*pair, won)] for pair in ((0, 1), (1, 0)) for won in (LOSS, WIN))]
    before = rate(PLAYERS, [*played, [Game(0, 1, DRAW)]])
    after = rate(PLAYERS, [*played, [Game(0, 1, result)]])
    if before.held or after.held:
        return
    change = (after.elo(0) - after.elo(1)) - (before.elo(0) - before.elo(1))
    assert change >= -1e-6 if result == WIN else change <= 1e-6


def rivals(seed=1, pairs=12):
    """Boards of three players who have won and lost against each other."""
    chance = random.Random(seed)
    results = [(chance.choice((LOSS, WIN)), chance.choice((LOSS, WIN))) for _ in range(3 * pairs)]
    return [
        board
        for number, (one, other) in enumerate(((0, 1), (0, 2), (1, 2)))
        for board in pairs_of(one, other, results[number::3])
    ]


def test_who_has_lost_all_stands_below_and_moves_the_others_little():
    """It is held by half a game; the zero is the others', and their errors do not grow by its own."""
    without = rate(3, rivals())
    beaten = [board for rival in range(3) for board in pairs_of(rival, 3, [(WIN, WIN)] * 4)]
    found = rate(4, rivals() + beaten)
    assert without.held == frozenset()
    assert found.held == {3}
    assert found.elo(3) < min(found.elo(player) for player in range(3)) - 300
    assert found.error(3) > 300
    for player in range(3):
        assert found.elo(player) == pytest.approx(without.elo(player), abs=6)
        assert found.error(player) == pytest.approx(without.error(player), rel=0.1)
    assert found.superiority(0, 3) > 0.97
    more = rate(4, rivals() + 4 * beaten)
    assert more.elo(3) < found.elo(3) - 100  # every further loss says more


def test_half_a_game_is_counted_in_all():
    """Ten wins of ten against one rival, with no advantage to find: the odds are about those of 10 to 1/2."""
    played = [*pairs_of(0, 1, [(WIN, LOSS), (LOSS, WIN)] * 30), *pairs_of(0, 2, [(WIN, WIN)] * 5)]
    found = rate(3, played)
    assert found.held == {2}
    assert found.elo(0) - found.elo(2) == pytest.approx(ELO * math.log(10 / 0.5), rel=0.03)


def test_two_groups_of_one_size_are_both_held():
    found = rate(2, pairs_of(0, 1, [(WIN, WIN)] * 3))
    assert found.held == {0, 1}
    assert found.elo(0) == pytest.approx(-found.elo(1))
    assert found.elo(0) > 100


def test_who_is_not_linked_has_no_rating():
    found = rate(5, [*rivals(), [Game(3, 4, WIN)]])
    assert [found.elo(player) is None for player in range(5)] == [False, False, False, True, True]
    assert found.superiority(0, 3) is None
    assert rate(3, []) is None


def test_an_anchor_moves_all_ratings_and_takes_its_own_error():
    free = rate(3, rivals())
    found = free.anchored(1, 1500.0)
    assert (found.elo(1), found.error(1)) == (1500.0, 0.0)
    for one, other in ((0, 1), (1, 2)):
        assert found.elo(one) - found.elo(other) == pytest.approx(free.elo(one) - free.elo(other))
        assert found.superiority(one, other) == pytest.approx(free.superiority(one, other))
    fit, row = free.fit, free.rows
    spread = fit.covariance[row[0]][row[0]] + fit.covariance[row[1]][row[1]] - 2 * fit.covariance[row[0]][row[1]]
    assert found.error(0) == pytest.approx(QUANTILE * ELO * math.sqrt(free.dispersion * spread))
    assert rate(4, rivals()).anchored(3, 0.0).elo(0) == rate(4, rivals()).elo(0)  # nobody knows the anchor


def test_two_players_by_hand():
    """30 of 50 games from either side: 400 log10(1.5) apart, each with half the error of the difference."""
    results = [(WIN, WIN)] * 18 + [(WIN, LOSS)] * 12 + [(LOSS, WIN)] * 12 + [(LOSS, LOSS)] * 8
    found = rate(2, pairs_of(0, 1, results))
    assert found.elo(0) - found.elo(1) == pytest.approx(400 * math.log10(1.5), abs=0.01)
    assert found.first_move[0] == pytest.approx(0.0, abs=1e-6)
    half = QUANTILE * ELO * math.sqrt(found.dispersion * (1 / 60 + 1 / 40)) / 2
    assert found.error(0) == pytest.approx(half)
    assert found.dispersion == pytest.approx(1.0, abs=0.02)  # as many of each as independent games give


@pytest.mark.parametrize(
    "results, expected",
    [
        ([(WIN, LOSS), (LOSS, WIN)] * 60, 5.0 / (5.0 + 59.5)),  # the board decides: pairs do not vary at all
        (
            [(WIN, WIN), (LOSS, LOSS)] * 60,
            (120 + 5.0) / (5.0 + 59.5),
        ),  # it does not matter who moves first: twice as much
    ],
)
def test_pairs_that_vary_less_or_more_have_errors_that_are_smaller_or_larger(results, expected):
    """Of 120 pairs of variance 1/2 the fit has taken up one game's worth by each of its two parameters."""
    found = rate(2, pairs_of(0, 1, results))
    assert found.dispersion == pytest.approx(expected, rel=0.01)
    # What the two have in common varies the more, the less what tells them apart does: a pair has two points to give.
    assert found.first_move_dispersion == pytest.approx((120 + 2 * 5.0) / (5.0 + 59.5) - expected, rel=0.01)
    alone = rate(2, [[game] for board in pairs_of(0, 1, results) for game in board])
    assert alone.dispersion == 1.0
    assert found.error(0) / alone.error(0) == pytest.approx(math.sqrt(expected), rel=0.01)


TOURNAMENTS, EVERY_PAIR = 60, 10**6
HELD_SHARE = 0.95


@pytest.mark.parametrize(
    "others",
    [
        {"board_deviation": 2.0, "first_move": 0.3},
        pytest.param({}, marks=pytest.mark.slow),
        pytest.param({"first_move": 0.4, "draw": 0.4}, marks=pytest.mark.slow),
    ],
    ids=["boards that favour one side", "independent games", "with an advantage and draws"],
)
def test_errors_hold_as_often_as_they_say(others):
    """Strengths are drawn, tournaments played by chance. 480 errors, 4 standard deviations either way of 95 %."""
    held = []
    for seed in range(TOURNAMENTS):
        chance = random.Random(seed)
        world = drawn_world(8, 150.0, chance, **others)
        course = Course(world, chance)
        course.play(FixedOrder(round_robin_order(8), 6), 10**6)
        held += [one for one in covered(world, course.boards) if one is not None]
    deviation = math.sqrt(HELD_SHARE * (1 - HELD_SHARE) / len(held))
    assert abs(sum(held) / len(held) - HELD_SHARE) < 4 * deviation


def test_the_error_of_the_first_move_holds_where_boards_favour_one_side():
    held, tournaments = [], 200
    for seed in range(tournaments):
        chance = random.Random(seed)
        world = World((0.0,) * 4, board_deviation=3.0)
        course = Course(world, chance)
        course.play(FixedOrder(round_robin_order(4), 6), EVERY_PAIR)
        advantage, error = rate(4, course.boards).first_move
        held.append(abs(advantage) <= error)  # there is none
    deviation = math.sqrt(HELD_SHARE * (1 - HELD_SHARE) / tournaments)
    assert abs(sum(held) / tournaments - HELD_SHARE) < 4 * deviation


def test_the_mean_is_that_of_those_who_are_meant():
    """However few games another has, who plays no more."""
    results = [(WIN, LOSS), (LOSS, WIN), (WIN, WIN), (LOSS, LOSS)] * 40
    former = [[Game(0, 2, WIN), Game(2, 0, WIN)]]
    found = rate(3, [*pairs_of(0, 1, results), *former])
    around = found.around([0, 1])
    assert around.elo(0) + around.elo(1) == pytest.approx(0.0, abs=1e-6)
    assert around.error(0) < 30 < found.error(0)
    assert found.around([]).elo(0) == found.elo(0)


def test_of_groups_that_have_not_met_the_one_is_rated_that_is_meant():
    boards = [*pairs_of(0, 1, [(WIN, LOSS), (LOSS, WIN)]), *pairs_of(1, 2, [(WIN, LOSS)])]
    boards += pairs_of(3, 4, [(WIN, LOSS), (LOSS, WIN)])
    assert set(rate(5, boards).rows) == {0, 1, 2}
    assert set(rate(5, boards, preferred=[3, 4]).rows) == {3, 4}
    assert set(rate(6, boards, preferred=[5]).rows) == {0, 1, 2}  # who has met nobody is no group


def test_errors_are_narrower_where_boards_decide():
    """By half and more than those that take the two games of a pair for independent."""
    chance = random.Random(3)
    course = Course(World((0.0,) * 6, board_deviation=4.0), chance)
    course.play(FixedOrder(round_robin_order(6), 12), 10**6)
    found, alone = rate(6, course.boards), rate(6, [[game] for board in course.boards for game in board])
    assert found.error(0) < 0.75 * alone.error(0)
    assert found.elo(0) == pytest.approx(alone.elo(0))


def test_superiority_of_equals_is_said_no_more_often_than_chance_allows():
    """Of two who are alike it is below 5 % or above 95 % in one case of ten: 180 cases, 4 standard deviations."""
    likely = []
    for seed in range(TOURNAMENTS):
        chance = random.Random(1000 + seed)
        world = World((0.0,) * 6, first_move=0.3, board_deviation=1.0)
        course = Course(world, chance)
        course.play(FixedOrder(round_robin_order(6), 4), 10**6)
        found = rate(6, course.boards)
        likely += [found.superiority(one, one + 1) for one in (0, 2, 4)]
    surprising = sum(not 0.05 < each < 0.95 for each in likely) / len(likely)
    assert abs(surprising - 0.1) < 4 * math.sqrt(0.1 * 0.9 / len(likely))
