"""Games as errands: whole pairs, in order, and nothing of this machine in them."""

import pickle

from hypothesis import given
from hypothesis import strategies as st

from judge.cluster.errand import MOST_GAMES, Errands, scheduled
from judge.games import GAMES
from judge.play.scoresheet import GamePlan
from judge.play.walls import Sandbox
from judge.players.players import Contestant
from judge.runs.schedule import ScheduledGame, paired_games

PLAYERS = [Contestant("one", "./one"), Contestant("two", "./two"), Contestant("three", "./three")]
CONDITIONS = {"limit_s": 1.0, "sandbox": Sandbox("auto", ("record.jsonl",))}


def games_of(number):
    """The games of so many pairs, one way and the other."""
    return list(paired_games(PLAYERS[:2], 2 * number, 7, CONDITIONS, {}))


@given(st.integers(0, 6).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, max(0, 2 * n - 1))))))
def test_what_is_left_of_a_pair_is_one_errand(drawn):
    number, left_out = drawn
    games = [game for game in games_of(number) if game.plan.index not in left_out]
    errands = list(Errands(PLAYERS).of(games))
    assert [game.plan.index for errand in errands for game in errand.games] == [game.plan.index for game in games]
    pairs = [{game.plan.pair for game in errand.games} for errand in errands]
    assert all(len(pair) == 1 for pair in pairs)
    assert len({pair.pop() for pair in pairs}) == len(errands)
    assert all(len(errand.games) <= MOST_GAMES for errand in errands)


def test_a_game_that_is_not_known_yet_holds_no_pair_back():
    first, second, third, fourth = games_of(2)
    found = list(Errands(PLAYERS).of([first, second, None, third, None, fourth]))
    indexes = [None if errand is None else [game.plan.index for game in errand.games] for errand in found]
    assert indexes == [[0, 1], None, [2], None, [3]]


def test_an_errand_is_asked_for_as_late_as_it_can_be():
    """Of a pair that is whole nothing further is asked: who plays next may depend on it."""
    asked = []

    def games():
        for game in games_of(3):
            asked.append(game.plan.index)
            yield game

    errands = Errands(PLAYERS).of(games())
    next(errands)
    assert asked == [0, 1]


def test_an_errand_travels_and_is_the_same_game_there():
    game = games_of(1)[1]
    game = ScheduledGame(game.contestants, game.plan, attempts=2)
    (errand,) = pickle.loads(pickle.dumps(list(Errands(PLAYERS).of([game]))))
    (found,) = errand.games
    assert found.plan.sandbox == Sandbox("auto")  # what is protected here is not there
    there = {number: Contestant(name, f"there/{name}") for number, name in enumerate(("one", "two", "three"))}
    ready = scheduled(found, there)
    assert ready.contestants == [there[0], there[1]] and ready.attempts == 2
    assert GamePlan(**{**vars(ready.plan), "sandbox": game.plan.sandbox}) == game.plan
    assert set(GAMES) >= {ready.plan.game}
