"""`judge connect`: a player at somebody else's judger, its end told by closing, and nothing left of it."""

import signal
import socket
import threading
import time
import uuid

import pytest

from tests.judge.cli.helpers.tcp_judger import FIRST_TURN, OPENING, REPLY, TcpJudger, ask, read_to_end, unused_port
from tests.judge.helpers.scripted import PATIENCE_S, command, processes_with, run_judge, wait_until
from tests.judge.helpers.started import started

LEFTMOST = command("first_legal")
HOST = "127.0.0.1"


@pytest.fixture
def left(monkeypatch):
    """A function: the processes that are left of what the test has started."""
    value = uuid.uuid4().hex
    monkeypatch.setenv("DROPFOUR_TEST", value)
    return lambda: processes_with(f"DROPFOUR_TEST={value}")


def asked_to_the_end(connection):
    return ask(connection) + read_to_end(connection)


def join(tmp_path, talk, player, *words):
    """(what the judger's talk came to, the command's CompletedProcess)."""
    with TcpJudger(talk) as judger:
        done = run_judge(tmp_path, "connect", HOST, judger.port, player, *words)
        return judger.result(), done


def test_a_player_plays_until_the_judger_closes(tmp_path, left):
    reply, done = join(tmp_path, ask, LEFTMOST)
    assert reply == REPLY
    assert done.returncode == 0, done.stderr
    first, last = done.stdout.splitlines()
    assert first.startswith("first_legal.py has joined the judger at 127.0.0.1:")
    assert last == "the judger has closed the connection: the match is over"
    assert left() == []


def test_reversi_is_played_too(tmp_path):
    def talk(connection):
        connection.sendall(b"#0" + b"2" * 27 + b"10" + b"2" * 6 + b"01" + b"2" * 27 + b"#")
        return connection.recv(100)

    reply, done = join(tmp_path, talk, command("first_legal", game="reversi"), "--game", "reversi")
    assert (reply, done.returncode) == (b"\0\0\0\x0223", 0), done.stderr


@pytest.mark.parametrize(
    "mode, end",
    [
        ("exit_3", "ended with status 3"),
        ("close_stdout", "closed its stdout"),
        ("die_leaving_children", "ended with status 0"),
    ],
)
def test_a_bot_that_ends_is_told_by_closing(tmp_path, left, mode, end):
    sent, done = join(tmp_path, asked_to_the_end, command("misbehave", mode, "--at", 0))
    assert (sent, done.returncode) == (b"", 4)
    assert done.stderr.splitlines()[0] == f"error: the bot {end}; its connection to the judger is closed"
    assert left() == []


def test_the_end_of_its_stderr_is_shown_without_what_a_terminal_would_obey(tmp_path):
    _sent, done = join(tmp_path, asked_to_the_end, command("misbehave", "abort_with_words", "--at", 0))
    first, *others = done.stderr.splitlines()
    assert "SIGABRT" in first
    assert others == [
        "the last lines of the bot's stderr:",
        '  {"value": 0.5}',
        "  board.cpp:17: \\x1b[2Jplace: Assertion `free[x]' failed.",
    ]


@pytest.mark.parametrize("mode", ["ignore_sigterm", "leave_children"])
def test_a_bot_that_goes_on_is_ended_with_the_match(tmp_path, left, mode):
    def talk(connection):
        if mode == "leave_children":
            ask(connection)
        else:
            connection.sendall(OPENING + FIRST_TURN)
            time.sleep(0.3)

    _found, done = join(tmp_path, talk, command("misbehave", mode, "--at", 0))
    assert done.returncode == 0, done.stderr
    assert left() == []


def test_a_command_that_is_stopped_ends_its_bot_and_closes(tmp_path):
    variable = uuid.uuid4().hex

    def talk(connection):
        try:
            return ask(connection) + read_to_end(connection)
        except ConnectionResetError:  # it was stopped before it had read the turn
            return b""

    with TcpJudger(talk) as judger:
        running = started(tmp_path, "connect", HOST, judger.port, LEFTMOST, DROPFOUR_TEST=variable)
        assert "has joined" in running.stdout.readline()
        running.send_signal(signal.SIGTERM)
        output, _ = running.communicate(timeout=PATIENCE_S)
        assert judger.result() in (b"", REPLY)
    assert (running.returncode, output) == (
        130,
        "interrupted: the bot was ended, and its connection to the judger is closed\n",
    )
    wait_until(lambda: processes_with(f"DROPFOUR_TEST={variable}") == [])


def test_a_judger_that_cannot_be_reached_is_an_error(tmp_path, left):
    with unused_port() as port:
        done = run_judge(tmp_path, "connect", HOST, port, LEFTMOST)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-2:] == [
        f"error: no judger can be reached at 127.0.0.1:{port}: Connection refused",
        "python -m judge connect --help explains the arguments",
    ]
    assert left() == []


def test_it_waits_for_a_judger_that_is_not_there_yet(tmp_path):
    with socket.socket() as server:
        server.bind((HOST, 0))
        later = threading.Timer(0.5, server.listen)
        later.start()
        accepted = threading.Thread(target=lambda: (later.join(), server.accept()[0].close()))
        accepted.start()
        done = run_judge(tmp_path, "connect", HOST, server.getsockname()[1], LEFTMOST, "--wait", PATIENCE_S)
        accepted.join(PATIENCE_S)
    assert done.returncode == 0, done.stderr


BAD_WORDS = (
    ((HOST, 0, LEFTMOST), "error: argument PORT: '0' is not a TCP port, expected a number from 1 to 65535"),
    ((HOST, "x", LEFTMOST), "error: argument PORT: 'x' is not a TCP port, expected a number from 1 to 65535"),
    ((HOST, 65536, LEFTMOST), "error: argument PORT: '65536' is not a TCP port, expected a number from 1 to 65535"),
    ((HOST, 7), "error: the following arguments are required: PLAYER"),
    (("no host.", 7, LEFTMOST), "error: no judger can be reached at no host.:7: "),
    (("x" * 300, 7, LEFTMOST), "error: no judger can be reached at xxx"),
    ((HOST, 7, "bot:nosuch"), "error: player 'bot:nosuch': "),
)


def test_bad_arguments_are_told_in_two_lines(tmp_path, left):
    for words, message in BAD_WORDS:
        done = run_judge(tmp_path, "connect", *words)
        assert done.returncode == 2, words
        *_notes, error, more = done.stderr.splitlines()
        assert error.startswith(message), words
        assert more == "python -m judge connect --help explains the arguments"
    assert left() == []


def test_a_bot_that_cannot_start_takes_no_seat(tmp_path):
    with socket.create_server((HOST, 0)) as server:
        done = run_judge(tmp_path, "connect", HOST, server.getsockname()[1], "/no/such/program")
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert done.returncode == 2
    assert done.stderr.startswith("error: player '/no/such/program' cannot start: /no/such/program: No such file")
