"""Games that are played at once in this process, where a run of games is the point and no player is."""

import collections
import json
import random
import uuid

import pytest
from msgspec import structs

from judge.cli import playing
from judge.games import GAMES
from judge.play.referee import Interrupted
from judge.play.scoresheet import in_order, opponent
from protocol.records.record import GameRecord, Move, Player, Termination
from tests.judge.helpers.scripted import PATIENCE_S, run_judge

EVERY_TIME = 1000
FAILING = {
    "crashing": (Termination.CRASH, "{side} was ended by signal 6"),
    "illegal": (Termination.ILLEGAL_MOVE, "{side} plays off the board"),
}
ADA, BOB, CRASHING, ILLEGAL = "./ada", "./bob", "./crashing", "./illegal"


class AtOnce:
    """Plays in place of play_game: legal moves by chance, the same for the same board, seed, players and side.

    A player whose command names a failure fails at its first move. voids: {a game's index: how many attempts at it end
    VOID}; `played` counts attempts. before(contestants, plan, stop) is called before each.
    """

    def __init__(self, voids=(), before=lambda contestants, plan, stop: None):
        self.voids, self.before = dict(voids), before
        self.played = collections.Counter()

    def __call__(self, contestants, plan, observer, stop, events=None):
        self.before(contestants, plan, stop)
        record = played(contestants, plan, observer)
        self.played[plan.index] += 1
        if self.played[plan.index] > self.voids.get(plan.index, 0):
            return record
        return structs.replace(record, termination=Termination.VOID, winner=None, at_fault=None)


def played(contestants, plan, observer=None):
    """The record of the game, as AtOnce has it."""
    position = GAMES[plan.game].new_position(plan.board)
    chance = random.Random(f"{[player.command for player in contestants]} {plan.seed} {plan.pair} {plan.first}")
    moves, ending, at_fault, reason = [], Termination.NORMAL, None, "by chance"
    game_id = uuid.UUID(int=chance.getrandbits(128)).hex if observer is None else uuid.uuid4().hex
    if observer is not None:
        observer.begun(game_id)
        observer.started(plan, position)
    while not position.over:
        side = in_order(plan.first)[position.to_move]
        command = contestants["AB".index(side)].command
        failure = next((found for word, found in FAILING.items() if word in command), None)
        if failure is not None:
            ending, at_fault, reason = failure[0], side, failure[1].format(side=side)
            break
        move = Move(side, chance.choice(position.legal_moves()), 0.25, 0.125)
        position.play(move.move)
        moves.append(move)
        if observer is not None:
            observer.moved(side, position, move)
    winner = None if position.winner is None else in_order(plan.first)[position.winner]
    return GameRecord(
        game=plan.game,
        board=plan.board.as_json(),
        players=tuple(Player(player.name, player.command, player.version) for player in contestants),
        first=plan.first,
        moves=tuple(moves),
        winner=opponent(at_fault) if at_fault else winner,
        termination=ending,
        at_fault=at_fault,
        started="2026-01-01T00:00:00.000+00:00",
        finished="2026-01-01T00:00:01.000+00:00",
        judge_version="1",
        seed=plan.seed,
        pair=plan.pair,
        extra={"id": game_id, "index": plan.index, "limit_s": plan.conditions.limit_s, "reason": reason},
    )


def stopped_before(number):
    """For AtOnce: games from this number on wait until they are discarded, as they must be."""

    def before(contestants, plan, stop):
        if plan.index >= number:
            assert stop.wait(PATIENCE_S)
            raise Interrupted

    return before


def run_at_once(folder, *words, play=None):
    """As run_judge(), for a command that plays many games, of which no player is started."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(playing, "play_game", play or AtOnce())
        patch.setattr(playing, "require_start", lambda *_: None)
        return run_judge(folder, *words)


def outcome_of(folder, *words, play=None, status=0):
    """(the JSON object, stdout) of such a command, which is to end with this status."""
    done = run_at_once(folder, *words, "--json", play=play)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stdout


def told(outcome):
    """What of a JSON object does not depend on the machine, nor on where the record lies."""
    of_machine = ("record", "times", "short_of_core", "machine", "void_attempts")
    return {name: value for name, value in outcome.items() if name not in of_machine}
