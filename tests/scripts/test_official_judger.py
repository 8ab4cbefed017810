"""Whole matches under Saiblo's own local judger, where it is installed: our logic, bot and bundle, and bad bots."""

import json
import shlex
import sys

import pytest

from bundle import games
from protocol.records.record import Termination
from tests.judge.helpers.logged_games import imported
from tests.judge.helpers.scripted import command
from tests.scripts.helpers import official_judger
from tests.scripts.helpers.official_judger import play

QUICK = "--set move_seconds=0.1"
BOT = f"bot {QUICK}"
LIMIT_S = 20  # nobody reaches it on any machine
SHORT_S = 5  # waited for where a bot says nothing
BOARD = {"rows": 9, "cols": 9, "forbidden": [7, 1], "time": LIMIT_S}
REVERSI = {"game": "reversi", "time": LIMIT_S}
TOLD = ("--limit", LIMIT_S)

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(autouse=True)
def installed():
    """Before anything is built for a test that is skipped."""
    official_judger.python()


@pytest.fixture
def bundled(request, tmp_path):
    """A function: the player that a game's unpacked bundle is."""

    def player(game):
        folder = games.unpack(request.getfixturevalue("zips")(game), tmp_path / "bundle")
        return shlex.join([sys.executable, str(folder / "main.py"), *shlex.split(QUICK)])

    return player


def check_normal(match):
    """The record of a match that was played to its end, which all that is left of it agree on."""
    (record,), problems, _name = imported(match.replay)
    assert problems == []
    assert record.termination is Termination.NORMAL, match.replay
    scores = {"A": (1, 0), "B": (0, 1), None: (1, 1)}[record.winner]
    assert match.scores == scores, match.log[-2000:]
    assert match.statuses == [0, 0], match.errors
    assert "Traceback" not in match.said
    return record


def test_bot_against_bot(tmp_path):
    record = check_normal(play(tmp_path, BOARD, BOT, BOT, *TOLD))
    assert record.board == {"rows": 9, "cols": 9, "forbidden": [7, 1]}
    assert len(record.moves) >= 7


def test_bot_against_bot_with_the_opening_in_the_first_turn(tmp_path):
    check_normal(play(tmp_path, {**BOARD, "opening": "joined"}, BOT, command("first_legal"), *TOLD))


def test_bundle_against_bot(tmp_path, bundled):
    check_normal(play(tmp_path, {"time": LIMIT_S, "seed": 3}, bundled("connect_four"), BOT, *TOLD))


def test_bot_against_bot_at_reversi(tmp_path):
    record = check_normal(play(tmp_path, REVERSI, BOT, BOT, "--game", "reversi", *TOLD))
    assert record.game == "reversi"


def test_bundle_against_bot_at_reversi(tmp_path, bundled):
    check_normal(play(tmp_path, REVERSI, bundled("reversi"), BOT, "--game", "reversi", *TOLD))


def test_a_bot_that_asks_for_the_rules_of_reversi(tmp_path):
    asking = command("misbehave", "asks", "--at", 0, game="reversi")
    check_normal(play(tmp_path, REVERSI, asking, command("first_legal", game="reversi"), "--game", "reversi"))


@pytest.mark.parametrize(
    "mode, ends, status",
    [
        ("sleep_forever", ["STALL"], 0),
        ("late", ["TIME_FORFEIT", "STALL"], 0),  # by the judger's time, or by ours already
        ("exit_3", ["CRASH"], 4),
        ("die_leaving_children", ["CRASH"], 4),
        ("length_2049", ["OUTPUT_LIMIT"], 0),
        ("wrong_row", ["ILLEGAL_MOVE"], 0),
        ("no_integers", ["BAD_FRAME"], 0),
    ],
)
def test_a_bot_at_fault_loses(tmp_path, monkeypatch, mode, ends, status):
    monkeypatch.setenv("DROPFOUR_TEST", str(tmp_path))
    bad = command("misbehave", mode, "--at", 2, "--limit", SHORT_S)
    match = play(tmp_path, {**BOARD, "time": SHORT_S}, command("first_legal"), bad)
    assert match.scores == (1, 0), match.log[-2000:]
    content = json.loads(match.replay)
    assert content["win"] == 0
    assert content["gameend_reason"].partition(":")[0] in ends
    assert match.statuses == [0, status], match.errors
    assert official_judger.left_with(f"DROPFOUR_TEST={tmp_path}") == []


def test_a_config_that_is_none_ends_the_match(tmp_path):
    match = play(tmp_path, {"game": "chess"}, command("first_legal"), command("first_legal"))
    assert match.replay is None
    assert "error: config: game is 'chess', expected one of connect_four, reversi" in match.said
    assert match.scores == (0, 0)
    assert match.statuses == [0, 0], match.errors
