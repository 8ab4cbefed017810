"""Single games with real processes: wires, starts, reports, measurements, and what is left when a game is over."""

import dataclasses
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from judge.games import DEFAULT_GAME
from judge.play import referee
from judge.play.referee import Interrupted, Observer, play_game
from judge.play.sandbox import OFF, Sandbox
from judge.players.players import Contestant
from judge.processes.process import MARKER
from tests.judge.helpers.scripted import (
    PLIES_OF_FIRST_LEGAL_PLAY,
    REPOSITORY,
    WIDE_LIMIT_S,
    bot,
    plan,
    play_unless_void,
    processes_with,
    running_bots,
)


@pytest.mark.parametrize("wire", ["saiblo-v1", "saiblo-v2"])
def test_older_wires_play_a_whole_game(wire):
    player = bot("other_wire", wire, wire=wire)
    launch = dataclasses.replace(player.launch(1.0, 0), environment={"PYTHONPATH": str(REPOSITORY)})
    player = dataclasses.replace(player, prepared=launch)
    sandbox = Sandbox(shown=(str(REPOSITORY / "protocol"),))
    record = play_unless_void((player, bot("first_legal")), plan(sandbox=sandbox))
    assert record.termination == "NORMAL", record.extra
    assert len(record.moves) == PLIES_OF_FIRST_LEGAL_PLAY[DEFAULT_GAME]


@pytest.mark.parametrize("free_start", [True, False])
def test_starting_is_measured_and_charged_to_the_first_mover_without_a_free_start(free_start):
    players = bot("first_legal", "--startup", 0.4), bot("first_legal")
    record = play_unless_void(players, plan(free_start=free_start))
    assert record.termination == "NORMAL"
    if free_start:
        assert record.moves[0].cpu_s < 0.3
    else:
        assert record.moves[0].wall_s >= 0.4 and record.moves[0].cpu_s >= 0.35
        assert record.extra["A"]["start_up_s"] <= record.moves[0].wall_s + 1
    assert record.moves[2].cpu_s < 0.3
    assert 0.4 <= record.extra["A"]["cpu_s"] < 1.6
    assert record.extra["A"]["start_up_s"] >= 0.4 and record.extra["B"]["start_up_s"] > 0
    assert all(5e6 < record.extra[side]["peak_rss_bytes"] < 60e6 for side in "AB")


def test_where_nothing_is_sent_at_the_start_it_is_not_known_how_long_that_took():
    """In reversi the second mover hears nothing before its first turn."""
    players = bot("first_legal", game="reversi"), bot("misbehave", "exit_3", game="reversi")
    record = play_unless_void(players, plan(game="reversi", free_start=False))
    assert "start_up_s" in record.extra["A"]
    assert "start_up_s" not in record.extra["B"]


def test_reports_belong_to_their_moves(monkeypatch):
    """The bot writes each report after its reply, on a busy machine some time after it."""
    monkeypatch.setattr(referee, "REPORT_WAIT_S", 4.0)  # B writes none, which takes so long
    monkeypatch.setattr(referee, "KNOWN_REPORT_WAIT_S", WIDE_LIMIT_S)
    record = play_unless_void((bot("first_legal", "--report"), bot("first_legal")), plan())
    for number, move in enumerate(record.moves[0::2]):
        assert move.report == {"value": number / 100, "move": move.move}
    assert all(move.report is None for move in record.moves[1::2])


@pytest.mark.parametrize("kind", ["missing", "folder", "not executable", "no format", "open quote", "empty"])
def test_what_cannot_be_executed_is_a_startup_failure(tmp_path, kind):
    (tmp_path / "not_executable").write_text("#!/bin/sh\n")
    (tmp_path / "no_format").write_bytes(b"\0\1\2\3")
    (tmp_path / "no_format").chmod(0o755)
    command = {
        "missing": str(tmp_path / "missing"),
        "folder": str(tmp_path),
        "not executable": str(tmp_path / "not_executable"),
        "no format": str(tmp_path / "no_format"),
        "open quote": "bot 'with an open quote",
        "empty": "  ",
    }[kind]
    record = play_game((bot("first_legal"), Contestant("broken", command)), plan())
    assert (record.termination, record.winner, record.at_fault) == ("STARTUP_FAILURE", "A", "B")
    assert processes_with(f"{MARKER}={record.extra['id']}") == []


def test_limit_and_seed_are_put_into_the_command():
    contestant = Contestant("x", "prog --limit={limit} '{seed} {seed}' {other}")
    assert contestant.launch(0.5, 17).argv == ("prog", "--limit=0.5", "17 17", "{other}")


def test_stopping_discards_the_game_and_its_processes():
    stop = threading.Event()
    markers = []

    class StopAtTheThirdPly(Observer):
        def begun(self, game_id):
            self.marker = game_id

        def moved(self, side, position, move):
            if len(position.moves) == 3:
                markers.append(self.marker)
                stop.set()

    with pytest.raises(Interrupted):
        play_game((bot("first_legal"), bot("first_legal")), plan(), StopAtTheThirdPly(), stop)
    assert len(markers) == 1
    assert processes_with(f"{MARKER}={markers[0]}") == []


def test_games_side_by_side_spare_each_others_children():
    """Without walls: the long game's bot keeps helpers outside its group while a short game begins and ends."""
    helpers = []

    class LookAfterTheShortGame(Observer):
        def moved(self, side, position, move):
            if len(position.moves) == 2:
                play_game((bot("first_legal"), bot("first_legal")), plan(sandbox=Sandbox(OFF)))
                helpers.extend(running_bots())

    keeper = bot("misbehave", "leave_children")
    record = play_game((keeper, bot("first_legal")), plan(sandbox=Sandbox(OFF)), LookAfterTheShortGame())
    assert record.termination == "NORMAL"
    assert len(helpers) == 4  # both bots, and what one of them has left
    assert [pid for pid in helpers if os.path.exists(f"/proc/{pid}")] == []


def test_many_games_at_once_end_alike():
    with ThreadPoolExecutor(6) as pool:
        games = [pool.submit(play_unless_void, (bot("first_legal"), bot("first_legal")), plan()) for _ in range(6)]
    assert {game.result().winner for game in games} == {"B"}
