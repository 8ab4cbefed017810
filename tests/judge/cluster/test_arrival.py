"""A player that has come to a worker starts there as it does at home, or the run is told."""

import threading

import pytest

from judge.cluster.arrival import arrived
from judge.cluster.parcels import BUNDLE_MAIN, OWN_BOT, PLAIN, File, Parcel
from judge.games.connect_four.checks import PLAIN_BOARD
from judge.play.scoresheet import GamePlan
from judge.play.walls import OFF, Sandbox
from judge.players.launch import PlayerError
from judge.players.players import Contestant
from tests.places import ENGINES

PLAN = GamePlan(board=PLAIN_BOARD, limit_s=20.0, seed=1, sandbox=Sandbox(OFF))
# Plays any legal move, and says what the bot says of its engine.
MAIN = f"""
import sys
sys.path.insert(0, {str(ENGINES)!r})
from wires import open_game
print("engine {{}} (a reason)", file=sys.stderr, flush=True)
game = open_game("connect_four")
while True:
    game.read_turn()
    game.reply(*game.legal_cells()[0])
"""


def own_bot(engine, *words):
    """A zip that says it plays by this engine."""
    file = File(BUNDLE_MAIN, PLAIN, MAIN.format(engine).encode())
    return Parcel(OWN_BOT, Contestant("bot", "bot", is_tried=True), (file,), BUNDLE_MAIN, words)


def test_the_bot_with_its_engine_has_arrived(tmp_path):
    player = arrived(own_bot("x86-64-v3"), tmp_path, PLAN, threading.Event())
    assert player.launch(1.0, 1).folder.startswith(str(tmp_path))


def test_the_bot_without_its_engine_is_refused_unless_that_is_asked_for(tmp_path):
    with pytest.raises(PlayerError, match=r"no compiled engine here and would play weaker: engine python \(a reason\)"):
        arrived(own_bot("python"), tmp_path, PLAN, threading.Event())
    assert arrived(own_bot("python", "--backend", "python"), tmp_path, PLAN, threading.Event())


def test_a_player_that_ends_at_once_is_refused(tmp_path):
    file = File(BUNDLE_MAIN, PLAIN, b"raise SystemExit(3)")
    parcel = Parcel(OWN_BOT, Contestant("bot", "bot", is_tried=True), (file,), BUNDLE_MAIN)
    with pytest.raises(PlayerError, match="it ended with status 3 before its first turn"):
        arrived(parcel, tmp_path, PLAN, threading.Event())
