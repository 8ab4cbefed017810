"""What a player was sent is written byte for byte as the referee sent it, and its program does the same again."""

import os
import shlex
import subprocess

import pytest
from msgspec import structs

from judge.games.boards import player_seed
from judge.games.dots.board import Board
from judge.play.recheck import NothingAsked, questions, sent_until
from judge.play.referee import play_game
from judge.players.players import Contestant, contestant
from judge.processes import process
from protocol.records.record import Termination, append_record, read_records
from tests.contracts.games import GAMES
from tests.judge.helpers.projects import STRATEGY, library_project, needs_compiler, program_project
from tests.judge.helpers.scripted import bot, command, plan, run_judge
from tests.judge.helpers.virtual_table import Player, Table, ends


@pytest.fixture
def sent(monkeypatch):
    """[process, bytes] for everything that the referee sends."""
    found = []
    send = process.BotProcess.send

    def remember(self, data):
        found.append((self, data))
        send(self, data)

    monkeypatch.setattr(process.BotProcess, "send", remember)
    return found


def sent_to_each(sent):
    """{process id: all that it was sent}."""
    all_sent = {}
    for receiver, data in sent:
        all_sent[receiver.pid] = all_sent.get(receiver.pid, b"") + data
    return list(all_sent.values())


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))])
def test_it_is_what_the_referee_sent(sent, game, seed):
    players = [bot("random_mover", "--seed", number, game=game) for number in (seed, seed + 10)]
    record = play_game(players, plan(game=game, seed=seed))
    written = sorted(sent_until(record, side)[1] for side in "AB")
    # After its last question a player is told of the end alone, or of nothing.
    for mine, theirs in zip(written, sorted(sent_to_each(sent)), strict=True):
        assert theirs.startswith(mine)
        assert len(theirs) - len(mine) < 20


@pytest.mark.parametrize("game", ["reversi", "dots"])
def test_a_question_that_was_not_answered_is_the_last(sent, game):
    record = play_game(
        (bot("first_legal", game=game), bot("misbehave", "exit_3", "--at", 2, game=game)), plan(game=game)
    )
    ply, written = sent_until(record, "B")
    assert ply == len(record.moves) + 1
    assert any(data.startswith(written) for data in sent_to_each(sent))
    assert [number for number, _ in questions(record, "B")][-1] == ply
    assert all(written.startswith(earlier) for _, earlier in questions(record, "B"))


def test_a_turn_that_went_wrong_after_its_first_edge_was_asked_for_once(sent):
    """Of a turn of several edges those before the wrong one are recorded, and the side is still to move."""
    players = bot("first_legal", game="dots"), bot("misbehave", "stops_short", game="dots")
    record = play_game(players, plan(board=Board(1, 2, ("AAA", "ABA", "BAA")), game="dots"))
    assert (record.termination, record.at_fault) == ("ILLEGAL_MOVE", "B")
    assert record.moves[-1].side == "B"
    ply, written = sent_until(record, "B")
    assert ply == len(record.moves)
    (theirs,) = [data for data in sent_to_each(sent) if data.startswith(written)]
    assert theirs[len(written) :] == b"end\nquit\n"


def test_the_player_is_started_as_in_the_game(tmp_path):
    """A player's seed is its own, made of the match's, the pair's and its side."""
    mover = command("random_mover", "--seed", "{seed}")
    run_judge(tmp_path, "play", mover, mover, "--seed", 7, "--limit", 20, "--free-start", "--quiet")
    done = run_judge(tmp_path, "repro", "records/play.jsonl", "--side", "B", "--ply", 2)
    assert f"--seed {player_seed(7, 0, 'B')} < " in done.stdout


def test_a_command_of_a_players_file_runs_in_its_folder(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "players.toml").write_text(f"[mine]\ncommand = '''{command('first_legal')}'''\n")
    players = ("--players", "mine/players.toml")
    run_judge(tmp_path, "play", "mine", command("first_legal"), *players, "--limit", 20, "--free-start", "--quiet")
    assert (
        f"to run the player on this input: cd {tmp_path}/mine && "
        in run_judge(tmp_path, "repro", "records/play.jsonl").stdout
    )


def test_a_ply_that_was_not_asked_for_is_named(monkeypatch):
    record = Table(monkeypatch, B=Player({2: [ends(3)]})).play()
    assert sent_until(record, "A", 3)[0] == 3
    with pytest.raises(NothingAsked, match="^A was asked for a move only at ply 1, 3, 5: choose one of these plies$"):
        sent_until(record, "A", 4)


def test_the_command_printed_runs_the_program_on_it(tmp_path):
    record = play_game((bot("first_legal"), bot("misbehave", "abort_with_words", "--at", 2)), plan())
    append_record(tmp_path / "games.jsonl", record)
    done = run_judge(tmp_path, "repro", "games.jsonl")
    assert done.returncode == 0, done.stderr
    told, run, debug = done.stdout.splitlines()
    assert told.startswith("repro-1.txt contains what player B was sent until it was asked for ply 6: ")
    shell = subprocess.run(
        run.removeprefix("to run the player on this input: "),
        shell=True,
        capture_output=True,
        cwd=tmp_path,
        check=False,
    )
    assert b"Assertion `free[x]' failed." in shell.stderr
    # In gdb's place a program that does with gdb's words what gdb does, as far as they start the player.
    gdb = tmp_path / "gdb"
    gdb.write_text("#!/bin/sh\neval \"'$7' ${2#set args}\"\n")
    gdb.chmod(0o755)
    words, path = debug.removeprefix("to run the player under gdb: "), f"{tmp_path}:{os.environ['PATH']}"
    shell = subprocess.run(words, shell=True, capture_output=True, cwd=tmp_path, env={**os.environ, "PATH": path})
    assert b"Assertion `free[x]' failed." in shell.stderr


@needs_compiler
@pytest.mark.parametrize("kind", [program_project, library_project])
def test_gdb_stops_a_project_where_it_is_asked_for_the_illegal_move(tmp_path, kind):
    """The project is built with its lines for gdb, whatever it was played with."""
    wrong = STRATEGY.replace("for (int column", "if (top[0] < M) return new Point{M - 1, 0};\n    for (int column")
    record = play_game(
        (contestant(f"src:{kind(tmp_path / 'v8', {'Strategy.cpp': wrong})}"), bot("first_legal")), plan()
    )
    assert (record.termination, record.at_fault, len(record.moves)) == ("ILLEGAL_MOVE", "A", 2)
    append_record(tmp_path / "games.jsonl", record)
    done = run_judge(tmp_path, "repro", "games.jsonl")
    words = shlex.split(done.stdout.splitlines()[-1].removeprefix("to run the player under gdb: "))
    assert "break getPoint" in words and "ignore 1 1" in words
    assert words.index("ignore 1 1") < words.index("run") < words.index("bt")
    (tmp_path / "games.jsonl").unlink()
    append_record(tmp_path / "games.jsonl", structs.replace(record, termination=Termination.CRASH))
    assert "break getPoint" not in run_judge(tmp_path, "repro", "games.jsonl", "--output", "other.txt").stdout


def test_what_cannot_be_written_is_an_error(tmp_path, monkeypatch):
    record = Table(monkeypatch).play()
    append_record(tmp_path / "games.jsonl", record)
    for words, reason in (
        (("--ply", 2), "game 1: A was asked for a move only at ply 1, 3, "),
        (("--output", "no/such/folder"), "No such file or directory"),
        (("--number", 2), "--number 2: games.jsonl holds 1 games"),
    ):
        done = run_judge(tmp_path, "repro", "games.jsonl", *words)
        assert done.returncode == 2
        assert reason in done.stderr
    assert read_records(tmp_path / "games.jsonl")[0] == [record]


def test_a_name_that_is_taken_gets_a_number(tmp_path, monkeypatch):
    append_record(tmp_path / "games.jsonl", Table(monkeypatch).play())
    kept = (tmp_path / "games.jsonl").read_bytes()
    for words, path in (
        ((), "repro-1.txt"),
        ((), "repro-1-2.txt"),
        ((), "repro-1-3.txt"),
        (("--output", "games.jsonl"), "games-2.jsonl"),
    ):
        done = run_judge(tmp_path, "repro", "games.jsonl", *words)
        told, run, *_ = done.stdout.splitlines()
        assert (done.returncode, told.partition(" contains ")[0]) == (0, path), done.stderr
        assert (
            run.startswith("to run the player on this input: ")
            and run.endswith(f"/{path}")
            and (tmp_path / path).exists()
        )
    assert (tmp_path / "games.jsonl").read_bytes() == kept


def test_a_player_that_was_never_asked_has_what_is_sent_at_the_start(tmp_path):
    record = play_game((bot("first_legal"), Contestant("none", "no-such-program")), plan())
    append_record(tmp_path / "games.jsonl", record)
    done = run_judge(tmp_path, "repro", "games.jsonl")
    assert (done.returncode, (tmp_path / "repro-1.txt").read_bytes()) == (0, b"9 9 0 8\n")
    assert "what player B is sent at the start: 8 bytes; the player was never asked for a move" in done.stdout
    with pytest.raises(NothingAsked, match="^B was never asked for a move$"):
        sent_until(record, "B", 2)
