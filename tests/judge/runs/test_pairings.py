"""Who meets whom, by results and the seed alone, and when ratings are known well enough to play no more."""

import collections
import itertools
import random

import pytest

from judge.runs.tournament import (
    PAIRS_OF_HELD,
    Adaptive,
    FixedOrder,
    NotYet,
    Pairing,
    Target,
    gauntlet_order,
    round_robin_order,
)
from judge.statistics.ratings import Game, Question, rate
from judge.statistics.score import LOSS, WIN
from tests.judge.helpers.simulated_tournaments import Course, World, adaptive, drawn_world, pairs_to_error

EVERY_PAIR = 10**6


def test_a_round_robin_has_every_two_once_and_everybody_in_every_round():
    for players in range(2, 12):
        order = round_robin_order(players)
        assert sorted(order) == sorted(Pairing(one, other) for other in range(players) for one in range(other))
        tables = players // 2
        for begin in range(0, len(order), tables):
            seated = list(itertools.chain.from_iterable(order[begin : begin + tables]))
            assert len(set(seated)) == len(seated)
    assert round_robin_order(4) == [(0, 3), (1, 2), (1, 3), (0, 2), (2, 3), (0, 1)]


def test_a_gauntlet_has_the_first_against_each():
    assert gauntlet_order(4) == [(0, 1), (0, 2), (0, 3)]


def played(plan, most=EVERY_PAIR, left_out=()):
    """The pairings of a plan to its end."""
    found = []
    while len(found) < most:
        pairing = plan.next(len(found), left_out)
        if pairing is None:
            break
        plan.note(len(found), pairing)
        found.append(pairing)
    return found


def test_rounds_come_one_after_the_other():
    order = round_robin_order(5)
    found = played(FixedOrder(order, 3))
    assert found == order * 3
    assert played(FixedOrder(order, 4))[: len(found)] == found
    assert FixedOrder(order, 3).pairs_to_come(found[:17]) == 13
    assert FixedOrder(order, 3).pairs_to_come(found + found) == 0


def test_a_pair_that_is_missing_is_filled_whatever_was_begun_behind_it():
    """The players may come in another order than before."""
    order = round_robin_order(3)
    begun = dict(enumerate(order * 2))
    missing = begun.pop(3)
    for now in (order, order[::-1]):
        plan = FixedOrder(now, 2, begun)
        for number in range(3):
            plan.note(number, begun[number])
        assert plan.next(3, ()) == missing
        plan.note(3, missing)
        for number in (4, 5):
            plan.note(number, begun[number])
        assert plan.next(6, ()) is None


def test_who_comes_later_catches_up():
    plan = FixedOrder(round_robin_order(4), 2)
    before = round_robin_order(3) * 2
    for number, pairing in enumerate(before):
        plan.note(number, pairing)
    found = []
    while (pairing := plan.next(len(before) + len(found), ())) is not None:
        plan.note(len(before) + len(found), pairing)
        found.append(pairing)
    assert collections.Counter(found) == {(0, 3): 2, (1, 3): 2, (2, 3): 2}
    assert len(set(found[:3])) == 3


def test_who_is_left_out_meets_nobody():
    found = played(FixedOrder(round_robin_order(4), 2), left_out={1})
    assert sorted(set(found)) == [(0, 2), (0, 3), (2, 3)]
    assert played(FixedOrder(gauntlet_order(4), 2), left_out={0}) == []


def tournament(at_once, seed=1, players=6, pairs=60):
    """(pairings, boards) of an adaptive tournament of which so many pairs are played at a time.

    The results of a pair are those of its number, whenever it is played.
    """
    chance = random.Random(7)
    world = drawn_world(players, 200.0, chance, first_move=0.2)

    class Numbered(Course):
        def play(self, plan, number):
            for _ in range(number):
                try:
                    pairing = plan.next(len(self.boards), ())
                except NotYet:
                    self._at_once = 0  # all that runs has ended by now
                    pairing = plan.next(len(self.boards), ())
                    self._at_once = at_once
                plan.note(len(self.boards), pairing)
                found.append(pairing)
                self.boards.append(world.board(*pairing, random.Random(f"{pairing} {len(self.boards)}")))

    found = []
    course = Numbered(world, chance, at_once)
    course.play(adaptive(world, course, EVERY_PAIR, seed), pairs)
    return found, course.boards


def test_how_many_games_run_at_a_time_does_not_matter():
    one, _ = tournament(1)
    assert tournament(2)[0] == one
    assert tournament(30)[0] == one
    assert tournament(1, seed=2)[0] != one


def question_of(players):
    return lambda boards: Question(range(players), [1.0 / players] * players)


@pytest.mark.parametrize("stopped_after", [1, 8, 23])
def test_a_run_that_is_taken_up_goes_on_alike(stopped_after):
    """Its plan is told of the pairs that were begun, and asked for the others."""
    pairings, boards = tournament(2, players=5)
    chance = random.Random(stopped_after)
    missing = {number for number in range(len(pairings)) if number >= stopped_after or chance.random() < 0.1}
    world = drawn_world(5, 200.0, random.Random(7), first_move=0.2)
    course = Course(world, chance, 0)
    course.boards = boards
    plan = adaptive(world, course, EVERY_PAIR, 1)
    for number, pairing in enumerate(pairings):
        if number in missing:
            assert plan.next(number, ()) == pairing
        plan.note(number, pairing)


def test_a_plan_waits_for_the_block_before_the_last():
    """While one block is played the next can be chosen, and no more."""

    def before(number):
        if number > 0:
            raise NotYet
        return []

    plan = Adaptive(4, 4, EVERY_PAIR, 1, before, question_of(4))
    found = []
    with pytest.raises(NotYet):
        for number in itertools.count():
            pairing = plan.next(number, ())
            plan.note(number, pairing)
            found.append(pairing)
    assert len(found) == 2 * Adaptive.BLOCK
    counts = collections.Counter(player for pairing in found for player in pairing)
    assert max(counts.values()) - min(counts.values()) <= 1  # as nothing is known of anybody


def test_pairs_are_counted_of_those_who_play_on():
    plan = Adaptive(3, 5, 4, 1, lambda number: [], question_of(5))
    assert plan.pairs_to_come([Pairing(0, 4), Pairing(0, 1)]) == 3
    for number, pairing in enumerate([Pairing(3, 4), Pairing(0, 3), Pairing(0, 1)]):
        plan.note(number, pairing)
    found = []
    while (pairing := plan.next(3 + len(found), ())) is not None:
        plan.note(3 + len(found), pairing)
        found.append(pairing)
    assert len(found) == 3
    assert max(map(max, found)) < 3


def test_neighbours_meet_more_often():
    """Strengths 300 Elo apart: who is next to each other meets most, once something is known."""
    world = World(tuple(-1.7 * player for player in range(6)))
    course = Course(world, random.Random(2))
    course.play(adaptive(world, course, EVERY_PAIR, 1), 150)
    late = collections.Counter(tuple(sorted(board[0][:2])) for board in course.boards[50:])
    next_to_each_other = sum(count for (one, other), count in late.items() if other == one + 1)
    assert next_to_each_other > 0.6 * late.total()


@pytest.mark.slow
def test_an_adaptive_tournament_needs_fewer_games():
    """For errors of 60 Elo, of strengths that are normal with 250: by a third at least."""
    pairs = collections.Counter()
    for seed in range(4):
        for mode in ("in turn", "adaptive"):
            chance = random.Random(seed)
            world = drawn_world(8, 250.0, chance, first_move=0.3, draw=0.1)
            course = Course(world, chance)
            in_turn = FixedOrder(round_robin_order(8), 1000)
            plan = in_turn if mode == "in turn" else adaptive(world, course, EVERY_PAIR, seed, 60.0)
            pairs[mode] += pairs_to_error(world, plan, course, 60.0, 3000, 8) or 3000
            ratings = rate(8, course.boards)
            assert max(ratings.error(player) for player in range(8) if player not in ratings.held) <= 60.0
    assert pairs["adaptive"] < 0.67 * pairs["in turn"]


def boards_of(results):
    """Boards of two players by the first one's results as first and as second mover."""
    return [[Game(0, 1, first), Game(1, 0, WIN - second)] for first, second in results]


def test_a_target_is_reached_when_all_errors_are_small():
    results = [(WIN, LOSS), (LOSS, WIN), (WIN, WIN), (LOSS, LOSS)]
    target = Target(60.0, lambda boards: rate(3, boards))
    assert target.players_in_need(range(2), boards_of(results)) == [0, 1]
    assert target.players_in_need(range(2), boards_of(results * 20)) == []
    assert target.players_in_need(range(3), boards_of(results * 20)) == [2]  # it has not played
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
    assert target.players_in_need(range(4), boards(8, 1)) == [0, 1, 2, 3]
    assert target.players_in_need(range(4), boards(8, 20)) == []
    assert rate(4, boards(8, 20)).error_among_rivals(0) <= 60.0 < rate(4, boards(8, 20)).error(0)


def test_a_target_does_not_wait_for_who_loses_all_for_ever():
    target = Target(60.0, lambda boards: rate(2, boards))
    assert target.players_in_need(range(2), boards_of([(WIN, WIN)] * (PAIRS_OF_HELD - 1))) == [0, 1]
    assert target.players_in_need(range(2), boards_of([(WIN, WIN)] * PAIRS_OF_HELD)) == []
