"""Clocks, wires, reports and measurements of single games, with real processes."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from judge.games import DEFAULT_GAME
from judge.play import referee
from judge.play.recheck import disagreements
from judge.play.referee import Interrupted, Observer, play_game
from judge.play.seat import Seat
from judge.play.walls import OFF, Sandbox
from judge.players.players import Contestant
from judge.processes import descendants
from judge.processes.stderr_log import StderrLog
from protocol.records.record import GameRecord
from tests.judge.helpers.scripted import (
    BOARD,
    PLIES_OF_FIRST_LEGAL_PLAY,
    REPOSITORY,
    bot,
    moves_of,
    plan,
    play_unless_void,
    processes_with,
)


def test_a_whole_game_is_recorded():
    record = play_game((bot("first_legal"), bot("first_legal")), plan(first="B", pair=3, index=7))
    assert (record.termination, record.winner, record.at_fault) == ("NORMAL", "A", None)
    assert record.board == BOARD.as_json()
    assert moves_of(record) == [0] * 9 + [1] * 9 + [2] * 9 + [3]
    assert (record.first, record.pair, record.seed, record.extra["index"]) == ("B", 3, 1, 7)
    assert [player.name for player in record.players] == ["first_legal", "first_legal"]
    assert record.started < record.finished
    assert disagreements(record) == []
    assert GameRecord.from_json(record.to_json()) == record


@pytest.mark.parametrize("wire", ["saiblo-v1", "saiblo-v2"])
def test_older_wires_play_a_whole_game(wire, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    record = play_game((bot("other_wire", wire, wire=wire), bot("first_legal")), plan())
    assert record.termination == "NORMAL", record.extra
    assert len(record.moves) == PLIES_OF_FIRST_LEGAL_PLAY[DEFAULT_GAME]


def test_the_clock_belongs_to_the_side_to_move():
    """The other's clock stands still meanwhile, but for what its own replies take."""
    players = (bot("first_legal", "--delay", 3, "--delay-from", 13), bot("first_legal", "--delay", 0.05))
    record = play_game(players, plan())
    assert record.moves[26].wall_s >= 3
    assert all(0.05 <= move.wall_s < 3 for move in record.moves[1::2])


def test_starting_is_charged_to_the_first_mover():
    record = play_game((bot("first_legal", "--startup", 0.5), bot("first_legal")), plan(free_start=False))
    assert record.termination == "NORMAL"
    assert record.moves[0].wall_s >= 0.5
    assert record.moves[0].cpu_s >= 0.45
    assert record.moves[2].cpu_s < 0.4


def test_starting_beyond_the_limit_loses_the_game():
    players = (bot("first_legal", "--startup", 0.9), bot("first_legal"))
    record = play_unless_void(players, plan(0.4, free_start=False))
    # On a busy machine 0.9 s of computing take so long that it is a stall.
    assert record.termination in ("TIME_FORFEIT", "STALL")
    assert (record.at_fault, record.moves) == ("A", ())


def test_a_free_start_is_not_charged():
    record = play_game((bot("first_legal", "--startup", 0.9), bot("first_legal")), plan())
    assert record.termination == "NORMAL"
    assert record.extra["A"]["cpu_s"] >= 0.9
    assert record.moves[0].cpu_s < 0.45


def test_a_free_start_does_not_wait_for_ever():
    began = time.monotonic()
    players = (bot("first_legal", "--startup", 600), bot("first_legal"))
    record = play_unless_void(players, plan(0.3, idle_cap_s=0.4))
    assert (record.termination, record.at_fault) == ("STALL", "A")
    assert time.monotonic() - began < 120


@pytest.mark.parametrize("freeze", [False, True])
def test_reports_belong_to_their_moves(monkeypatch, freeze):
    """The bot writes each report after its reply, on a busy machine some time after it."""
    monkeypatch.setattr(referee, "REPORT_WAIT_S", 2.0)
    monkeypatch.setattr(referee, "KNOWN_REPORT_WAIT_S", 2.0)
    record = play_game((bot("first_legal", "--report"), bot("first_legal")), plan(freeze=freeze))
    for number, move in enumerate(record.moves[0::2]):
        assert move.report == {"value": number / 100, "move": move.move}
    assert all(move.report is None for move in record.moves[1::2])


def test_memory_and_cpu_time_are_measured():
    record = play_game((bot("first_legal", "--startup", 0.3), bot("first_legal")), plan())
    for side in "AB":
        assert 5e6 < record.extra[side]["peak_rss_bytes"] < 60e6
    assert 0.3 <= record.extra["A"]["cpu_s"] < 1.5


def test_a_dead_opponent_does_not_spoil_the_last_move():
    """A's 14th reply is followed by its exit; B's reply to it wins."""
    mover = bot("misbehave", "reply_and_exit", "--at", PLIES_OF_FIRST_LEGAL_PLAY[DEFAULT_GAME] // 2 - 1)
    record = play_game((mover, bot("first_legal", "--delay", 0.1)), plan())
    assert (record.termination, record.winner) == ("NORMAL", "B")


def test_bytes_behind_the_winning_move_do_not_matter():
    winner = bot("misbehave", "extra_bytes", "--at", PLIES_OF_FIRST_LEGAL_PLAY[DEFAULT_GAME] // 2 - 1)
    record = play_game((bot("first_legal"), winner), plan())
    assert (record.termination, record.winner) == ("NORMAL", "B")


@pytest.fixture(scope="module")
def no_programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    (folder / "not_executable").write_text("#!/bin/sh\n")
    (folder / "no_format").write_bytes(b"\0\1\2\3")
    (folder / "no_format").chmod(0o755)
    return {
        "missing": str(folder / "missing"),
        "folder": str(folder),
        "not executable": str(folder / "not_executable"),
        "no format": str(folder / "no_format"),
        "open quote": "bot 'with an open quote",
        "empty": "  ",
    }


@pytest.mark.parametrize("kind", ["missing", "folder", "not executable", "no format", "open quote", "empty"])
@pytest.mark.parametrize("side", "AB")
@pytest.mark.parametrize("first", "AB")
def test_what_cannot_be_executed_is_a_startup_failure(no_programs, kind, side, first):
    broken, sound = Contestant("broken", no_programs[kind]), bot("first_legal")
    record = play_game((broken, sound) if side == "A" else (sound, broken), plan(first=first))
    assert (record.termination, record.at_fault) == ("STARTUP_FAILURE", side)
    assert record.winner != side
    assert processes_with(f"{descendants.MARKER}={record.extra['id']}") == []


@pytest.mark.parametrize("first", "AB")
def test_of_two_broken_commands_the_first_mover_is_at_fault(first):
    players = (Contestant("broken", "no-such-program-a"), Contestant("broken", "no-such-program-b"))
    record = play_game(players, plan(first=first))
    assert (record.termination, record.at_fault) == ("STARTUP_FAILURE", first)


def test_limit_and_seed_are_put_into_the_command():
    contestant = Contestant("x", "prog --limit={limit} '{seed} {seed}' {other}")
    assert contestant.launch(0.5, 17).argv == ("prog", "--limit=0.5", "17 17", "{other}")


def test_stopping_discards_the_game_and_its_processes():
    stop = threading.Event()
    markers = []

    class StopAtTheThirdPly(Observer):
        def moved(self, side, position, move):
            if len(position.moves) == 3:
                markers.extend(set(descendants.registered_bots.values()))
                stop.set()

    with pytest.raises(Interrupted):
        play_game((bot("first_legal"), bot("first_legal")), plan(), StopAtTheThirdPly(), stop)
    assert len(markers) == 1
    assert processes_with(f"{descendants.MARKER}={markers[0]}") == []


def test_games_side_by_side_spare_each_others_children():
    """Without walls: the long game's bot keeps helpers outside its group while a short game begins and ends."""
    helpers = []

    class LookAfterTheShortGame(Observer):
        def moved(self, side, position, move):
            if len(position.moves) == 2:
                play_game((bot("first_legal"), bot("first_legal")), plan(sandbox=Sandbox(OFF)))
                helpers.extend(descendants.strays())

    keeper = bot("misbehave", "leave_children")
    record = play_game((keeper, bot("first_legal")), plan(sandbox=Sandbox(OFF)), LookAfterTheShortGame())
    assert record.termination == "NORMAL"
    assert len(helpers) == 2
    assert [pid for pid in helpers if os.path.exists(f"/proc/{pid}")] == []


def test_many_games_at_once_end_alike():
    with ThreadPoolExecutor(8) as pool:
        games = [pool.submit(play_game, (bot("first_legal"), bot("first_legal")), plan()) for _ in range(16)]
    assert {game.result().winner for game in games} == {"B"}


def test_a_late_report_is_not_the_next_moves_but_shows_that_there_are_reports():
    log = StderrLog()
    log.begin_turn()
    assert log.report() is None and not log.has_reported
    log.feed(b'{"value": 0.5}\n')
    log.begin_turn()
    assert log.report() is None and log.has_reported


def test_a_judge_stopped_just_after_a_clock_began_calls_the_game_void(monkeypatch):
    def send_and_stop(seat, position):
        real_send_turn(seat, position)
        time.sleep(1.0)

    real_send_turn = Seat.send_turn
    monkeypatch.setattr(Seat, "send_turn", send_and_stop)
    record = play_game((bot("first_legal", "--delay", 60), bot("first_legal")), plan(0.5))
    assert record.termination == "VOID" and "the judge woke up" in record.extra["reason"]
