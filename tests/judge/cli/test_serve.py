"""`serve` as a user starts it: its address, its end, however it comes, and what is left of it then."""

import contextlib
import importlib.util
import json
import os
import signal
import socket
import struct
import subprocess
import time

import psutil
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from protocol.records.record import read_records
from tests.judge.helpers.scripted import (
    PATIENCE_S,
    command,
    judge_command,
    judge_environment,
    processes_with,
    run_judge,
    wait_until,
)
from tests.judge.web.serve.helpers.application import engine, write_players
from tests.judge.web.serve.helpers.served import Served

HANDSHAKE = (
    "GET /ws/position HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nConnection: Upgrade\r\n"
    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
SLOW = engine("first_legal", "--delay", 600, "--delay-from", 1)
UNENDING = """
import threading
from judge.web.tables import Tables
lock = threading.Lock()
lock.acquire()
Tables.close = lambda self: lock.acquire()
"""


def heard(connection, holds):
    """Hear until a message is as wanted; returns that."""
    while not holds(message := json.loads(connection.recv(timeout=PATIENCE_S))):
        pass
    return message


def is_my_turn(plies):
    return lambda state: state.get("turn") == "human" and len(state["game"]["moves"]) == plies


def play_until_the_player_thinks(connection):
    """Two moves; the player replies to the first alone."""
    heard(connection, is_my_turn(0))
    connection.send(json.dumps({"type": "move", "move": "4"}))
    heard(connection, is_my_turn(2))
    connection.send(json.dumps({"type": "move", "move": "4"}))
    heard(connection, lambda state: state.get("turn") == "player")


@pytest.fixture
def folder(tmp_path):
    """A folder with a players file."""
    write_players(tmp_path, first=engine("first_legal"), slow=SLOW)
    return tmp_path


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGHUP,
        pytest.param(signal.SIGINT, marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, marks=pytest.mark.slow),
    ],
)
def test_a_signal_ends_it_in_order_with_its_players_and_pages(folder, number):
    with Served(folder) as served:
        table_id = served.table("slow")
        with served.socket(f"/ws/tables/{table_id}") as page, served.socket("/ws/position") as other:
            play_until_the_player_thinks(page)
            assert len(served.bots()) == 1
            served.process.send_signal(number)
            for connection in (page, other):
                with pytest.raises(ConnectionClosed):
                    heard(connection, lambda message: False)
            said, complained = served.process.communicate(timeout=PATIENCE_S)
        assert (served.process.returncode, complained) == (0, "")
        assert said.splitlines() == ["the server has ended, and nothing is left running"]
        wait_until(lambda: processes_with(served.token) == [])


def test_a_killed_server_takes_its_players_along_and_leaves_a_sound_record(folder):
    with Served(folder) as served:
        with served.socket(f"/ws/tables/{served.table('first')}") as page:
            heard(page, is_my_turn(0))
            page.send('{"type": "resign"}')
            heard(page, lambda state: state["over"] is not None)
        with served.socket(f"/ws/tables/{served.table('slow')}") as page:
            play_until_the_player_thinks(page)
            assert len(served.bots()) == 1
            served.process.kill()
            with pytest.raises(ConnectionClosed):
                heard(page, lambda message: False)
        served.process.wait()
        wait_until(lambda: processes_with(served.token) == [])
    records, torn = read_records(folder / "records" / "serve.jsonl")
    assert (len(records), torn) == (1, [])


def test_a_second_signal_does_not_wait(folder):
    """Where something does not end everything is killed."""
    with Served(folder, before=UNENDING) as served:
        with served.socket(f"/ws/tables/{served.table('slow')}") as page:
            play_until_the_player_thinks(page)
        os.kill(served.process.pid, signal.SIGSTOP)
        for _ in range(2):
            served.process.send_signal(signal.SIGTERM)
            served.process.send_signal(signal.SIGINT)
        os.kill(served.process.pid, signal.SIGCONT)
        said, complained = served.process.communicate(timeout=PATIENCE_S)
        assert (served.process.returncode, said) == (130, "")
        assert complained == "interrupted: nothing is left running\n"
        wait_until(lambda: processes_with(served.token) == [])


def test_a_page_that_vanishes_disturbs_nobody(folder):
    with Served(folder) as served:
        table_id = served.table("first")
        with served.socket(f"/ws/tables/{table_id}") as page:
            heard(page, is_my_turn(0))
            page.send('{"type": "move", "move": "4"}')
            heard(page, is_my_turn(2))
            for _ in range(20):
                page.send("?")  # to whose answers nobody listens any more
            # A reset, as of a browser that was killed, not the closing words of a socket.
            page.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            page.socket.close()
        with served.socket(f"/ws/tables/{table_id}") as again:
            heard(again, is_my_turn(2))
            again.send('{"type": "move", "move": "4"}')
            heard(again, is_my_turn(4))
        served.process.send_signal(signal.SIGTERM)
        assert served.process.communicate(timeout=PATIENCE_S)[1] == ""


def test_a_foreign_host_or_origin_gets_403_by_http_too(folder):
    """Which requests are refused is tried in tests/judge/web/serve/test_gate.py."""
    with Served(folder) as served:
        assert served.ask("/api/start", Host=f"evil.example:{served.port}")[0] == 403
        with pytest.raises(InvalidStatus) as refused, served.socket("/ws/position", origin="https://evil.example"):
            pass
        assert refused.value.response.status_code == 403
        for request, status in (
            (HANDSHAKE.format(host=f"evil.example:{served.port}").encode(), b" 403 "),
            (b"GET /api/start HTTP/1.1\r\n\r\n", b" 40"),  # no host at all
            (b"\x16\x03\x01 not HTTP\r\n\r\n", b" 400 "),
        ):
            with socket.create_connection(("127.0.0.1", served.port)) as raw:
                raw.sendall(request)
                assert status in raw.recv(100)
        assert served.ask("/")[0] == 200


BEGINNINGS = (
    "",
    "GET /api/start HTTP/1.1\r\nHost: {host}",
    "GET /api/start HTTP/1.1\r\nHost: {host}\r\n\r\nGET /api/start HTTP/1.1\r\n",
    "POST /api/tables HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Type: application/json\r\n"
    "Content-Length: 100\r\n\r\n{{",
)


def begun(served, beginning):
    """A connection on which a request has begun."""
    raw = socket.create_connection((served.host.partition(":")[0], served.port), PATIENCE_S)
    raw.sendall(beginning.format(host=served.host).encode())
    return raw


@pytest.mark.parametrize(
    "beginning", [*(pytest.param(each, marks=pytest.mark.slow) for each in BEGINNINGS[:-1]), BEGINNINGS[-1]]
)
def test_requests_that_are_never_complete_keep_nobody_out(folder, beginning):
    with Served(folder) as served, served.socket("/ws/position") as page:
        with contextlib.ExitStack() as stack:
            for _ in range(200):
                stack.enter_context(begun(served, beginning))
            assert served.ask("/api/start")[0] == 200
            page.send("?")
            assert json.loads(page.recv(timeout=PATIENCE_S))["type"] == "refused"
            with begun(served, f"{HANDSHAKE[:-2]}X: {'x' * 9000}\r\n\r\n") as unreadable:
                assert unreadable.recv(100) == b""
        served.process.send_signal(signal.SIGTERM)
        assert served.process.communicate(timeout=PATIENCE_S)[1] == ""


def test_nobody_else_on_the_network_can_reach_it(folder):
    with Served(folder) as served:
        found = psutil.Process(served.process.pid).net_connections()
        assert [each.laddr.ip for each in found if each.status == psutil.CONN_LISTEN] == ["127.0.0.1"]
        done = run_judge(folder, "serve", "--port", served.port, "--sandbox", "off")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: port {served.port} is in use") and "--port" in done.stderr


def test_a_match_of_another_process_is_followed_to_its_end(folder):
    words = [command("first_legal", "--delay", 0.01)] * 2
    enough = 1000  # games: nobody waits for their end
    with Served(folder) as served:
        match = subprocess.Popen(
            judge_command(
                "match", *words, "--games", enough, "--jobs", 2, "--oversubscribe", "--record", "records/m.jsonl"
            ),
            cwd=folder,
            env=judge_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_until(lambda: served.ask("/api/records/m.jsonl")[0] == 200)
            with served.socket("/ws/follow/m.jsonl") as page:
                first = json.loads(page.recv(timeout=PATIENCE_S))
                assert first["type"] == "summary"
                plies, kinds = 0, set()
                while not ({"begun", "moved", "ended"} <= kinds and plies > 20):
                    message = json.loads(page.recv(timeout=PATIENCE_S))
                    kinds.add(message["type"])
                    plies += len(message.get("moves", ()))
                match.send_signal(signal.SIGINT)
                heard(page, lambda message: message["type"] == "running" and not message["is_running"])
        finally:
            match.kill()
            match.wait()


def test_bad_arguments(folder):
    for words, error in (
        (("--port", "x"), "'x' is not a TCP port, expected a number from 0 to 65535"),
        (("--port", "65536"), "'65536' is not a TCP port"),
        (("--port", "-1"), "is not a TCP port"),
        (("--records", "players.toml"), "--records players.toml: expected a folder"),
        (("--players", "none.toml"), "players file none.toml"),
        (
            ("--bots", ".", "--bots", "players.toml"),
            "argument --bots: 'players.toml' is not a folder, expected an existing folder",
        ),
        (("--host", "0.0.0.0"), "unrecognized arguments: --host"),
    ):
        done = run_judge(folder, "serve", *words)
        assert done.returncode == 2 and error in done.stderr and "Traceback" not in done.stderr, words


def test_without_its_packages_it_says_how_to_get_them(folder, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "uvicorn" else find(name, *more)
    )
    done = run_judge(folder, "serve")
    assert (done.returncode, done.stdout) == (2, "")
    first, second = done.stderr.splitlines()
    assert first.endswith("has no package uvicorn")
    assert "scripts/setup serve" in second and "pip install starlette uvicorn websockets" in second


def test_the_browser_that_it_opens_is_none_of_its_own(folder):
    browser, opened = folder / "browser", folder / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1 $$" > {opened}.part && mv {opened}.part {opened}\nexec sleep 600\n')
    browser.chmod(0o755)
    with Served(folder, "--open", BROWSER=f"{browser} %s &") as served:
        wait_until(opened.exists)
        address, pid = opened.read_text().split()
        assert address == f"{served.origin}/"
        with served.socket(f"/ws/tables/{served.table('first')}") as page:
            heard(page, is_my_turn(0))
        served.process.kill()
        served.process.wait()
        wait_until(lambda: served.bots() == [])
        time.sleep(0.2)  # for a watcher that would end it too
        assert psutil.pid_exists(int(pid)) and psutil.Process(int(pid)).status() != psutil.STATUS_ZOMBIE
