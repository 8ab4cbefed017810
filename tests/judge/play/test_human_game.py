"""A human's game and its player's process: started again, taken back, hinted at, resigned."""

import threading

import pytest

from judge.games.positions import IllegalMove
from judge.play.human_game import HUMAN, PLAYER, HumanGame, HumanSession, Opponent, resignation_verdict
from judge.play.recheck import disagreements
from judge.play.referee import Interrupted, verdict_on
from judge.play.sandbox import OFF, Sandbox
from judge.play.seat import Forfeit
from protocol.records.record import Termination
from tests.judge.helpers import scripted
from tests.judge.helpers.scripted import BOARDS, WIDE_LIMIT_S, bot, running_bots


def plan(**others):
    return scripted.plan(sandbox=Sandbox(OFF), **others)


@pytest.fixture
def opponent():
    """Makes Opponents, which are ended after the test."""
    made = []

    def make(contestant, stop=None, **others):
        made.append(Opponent(contestant, stop or threading.Event(), **others))
        return made[-1]

    yield make
    for each in made:
        each.end()


@pytest.mark.parametrize("game", BOARDS)
def test_a_player_that_is_started_again_goes_on_with_the_game(opponent, game):
    played = HumanGame(plan(game=game))
    player = opponent(bot("first_legal", game=game))
    for _ in range(2):
        while played.side_to_move == HUMAN:
            played.play(played.position.legal_moves()[-1], 1.0)
        player.start(played)
        before = len(played.moves)
        played.add(player.ask(played))
        assert {move.side for move in played.moves[before:]} == {PLAYER}
        player.end()
        player.end()
        assert not player.is_running and running_bots() == []


def test_the_time_that_a_player_takes_to_start_is_not_on_its_clock(opponent):
    played = HumanGame(plan(first=PLAYER))
    player = opponent(bot("first_legal", "--startup", 0.7))
    player.start(played)
    (move,) = player.ask(played)
    assert move.cpu_s < 0.3


def test_a_player_that_is_interrupted_ends(opponent):
    played = HumanGame(plan(limit_s=600, first=PLAYER))
    stop = threading.Event()
    player = opponent(bot("first_legal", "--delay", 600), stop)
    player.start(played)
    timer = threading.Timer(0.2, stop.set)
    timer.start()
    with pytest.raises(Interrupted):
        player.ask(played)
    player.end()
    assert running_bots() == []
    timer.join()


def test_a_hint_leaves_the_game_as_it_is(opponent):
    played = HumanGame(plan())
    adviser = opponent(bot("first_legal"), plays=HUMAN)
    adviser.start(played)
    (move,) = adviser.ask(played)
    assert (move.side, move.move, played.moves) == (HUMAN, 0, [])
    assert len(adviser.driver.position.moves) == 1


def test_what_a_player_does_wrong_is_its_own_fault(opponent):
    played = HumanGame(plan(first=PLAYER))
    player = opponent(bot("misbehave", "wrong_row"))
    player.start(played)
    with pytest.raises(Forfeit) as found:
        player.ask(played)
    verdict = verdict_on(found.value)
    assert (verdict.termination, verdict.winner, verdict.at_fault) == (Termination.ILLEGAL_MOVE, HUMAN, PLAYER)
    seat = player.driver.seat
    player.end()
    record = played.record_with(verdict, seat)
    assert disagreements(record) == [] and record.extra["player_limit_s"] == WIDE_LIMIT_S


def test_moves_that_a_game_begins_with_are_nobodys_to_take_back():
    played = HumanGame(plan(), [4, 4, 3])
    assert [move.side for move in played.moves] == [HUMAN, PLAYER, HUMAN]
    assert not played.can_undo and not played.undo()
    played.play(2, 0.5)
    played.play(5, 0.5)
    assert played.undo()
    assert [move.move for move in played.moves] == [4, 4, 3, 2]
    assert not played.undo()
    with pytest.raises(IllegalMove):
        HumanGame(plan(), [99])
    with pytest.raises(IllegalMove):
        played.play(99, 0.0)
    assert len(played.moves) == 4


@pytest.mark.parametrize("side, winner", [(HUMAN, PLAYER), (PLAYER, HUMAN)])
def test_who_resigns_has_lost_without_a_fault(side, winner):
    verdict = resignation_verdict(side)
    assert (verdict.termination, verdict.winner, verdict.at_fault) == (Termination.RESIGNATION, winner, None)
    assert verdict.reason == f"{side} resigned"


def test_a_sitting_ends_both_of_its_processes():
    with HumanSession(bot("first_legal"), plan(), threading.Event()) as session:
        moves, position = session.hint()
        assert (moves, len(position.moves), session.moves) == ([0], 1, [])
        session.play(4, 1.0)
        assert [move.move for move in session.answer()] == [0]
        assert session.hint()[0] == [0]
        assert len(running_bots()) == 2
    assert running_bots() == []
