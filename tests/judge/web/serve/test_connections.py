"""Connections to the server that wait for long, or take no answer: each ends, and others are served meanwhile."""

import contextlib
import socket
import threading
import time

import pytest
import uvicorn

from judge.web import serving
from judge.web.serving import LOOPBACK, Connection, listening
from tests.judge.helpers.scripted import PATIENCE_S, wait_until

LARGE = bytes(16 * 2**20)  # more than the system keeps of an answer
TRIES = 5  # of what comes or is taken slowly, and too slowly where it has no core
ASK = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def large(scope, receive, send):
    """An application whose answers are large, and come once it has the request."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(LARGE))]})
    await send({"type": "http.response.body", "body": LARGE})


@pytest.fixture
def connect(monkeypatch):
    """A function that connects to a server that waits for a few seconds."""
    monkeypatch.setattr(serving, "REQUEST_S", 3.0)
    monkeypatch.setattr(serving, "TAKE_S", 2.0)
    monkeypatch.setattr(serving, "MOST_WAITING", 3)
    server = uvicorn.Server(uvicorn.Config(large, http=Connection, lifespan="off", log_config=None))
    listener = listening(0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    wait_until(lambda: server.started)

    def connected(data):
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        raw.settimeout(PATIENCE_S)
        raw.connect((LOOPBACK, listener.getsockname()[1]))
        raw.sendall(data)
        return raw

    connected.server = server
    try:
        yield connected
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)
        listener.close()


def taken(raw, pause_s=0.0):
    """All bytes that come, taken in parts with pauses."""
    found = 0
    with contextlib.suppress(ConnectionError):
        while data := raw.recv(1 << 20):
            found += len(data)
            time.sleep(pause_s)
    return found


@pytest.mark.parametrize("data", [b"", ASK[:10], b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1"])
def test_a_request_that_does_not_come_to_its_end_is_given_up(connect, monkeypatch, data):
    monkeypatch.setattr(serving, "REQUEST_S", 0.5)
    with connect(data) as raw:
        assert taken(raw) == 0


def test_an_answer_that_nobody_takes_is_given_up(connect):
    with connect(ASK) as raw:
        assert raw.recv(12) == b"HTTP/1.1 200"
        wait_until(lambda: not connect.server.server_state.connections)
        assert 0 < taken(raw) < len(LARGE)


def test_an_answer_that_is_taken_slowly_is_not(connect):
    for _ in range(TRIES):
        with connect(ASK) as raw:
            if (found := taken(raw, 0.02)) > len(LARGE):  # over many seconds
                break
    assert found > len(LARGE)


def test_a_large_request_that_comes_slowly_is_not(connect, monkeypatch):
    monkeypatch.setattr(serving, "LEAST_PART", 10)
    monkeypatch.setattr(serving, "REQUEST_S", 0.5)
    for _ in range(TRIES):
        with connect(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200\r\n\r\n") as raw:
            with contextlib.suppress(ConnectionError):
                for _ in range(20):
                    time.sleep(0.1)
                    raw.sendall(bytes(10))
            if (found := taken(raw)) > len(LARGE):
                break
    assert found > len(LARGE)


def test_of_many_that_wait_the_oldest_is_given_up(connect, monkeypatch):
    monkeypatch.setattr(serving, "REQUEST_S", 2 * PATIENCE_S)
    with contextlib.ExitStack() as stack:
        first, *others = [stack.enter_context(connect(ASK[:10])) for _ in range(4)]
        assert taken(first) == 0
        for raw in others:
            raw.sendall(ASK[10:])
            assert raw.recv(12) == b"HTTP/1.1 200"
