"""The application of `serve` without a port: asked as a browser asks it, with scripted bots as players."""

import contextlib
import json
import logging
import shlex
import sys
import warnings

from judge.play.sandbox import OFF, Sandbox
from judge.play.scoresheet import Conditions
from judge.web.application import Server, application
from judge.web.opponents import Opponents
from judge.web.tables import TableService
from tests.places import ENGINES

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that httpx has a successor
    from starlette.testclient import TestClient

PORT = 8400
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"
OWN = {"host": HOST, "origin": ORIGIN}
SMALL = {"rows": 9, "cols": 9, "forbidden": "0,8"}


class Clock:
    """Seconds that a test lets pass."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now

    def pass_by(self, seconds):
        """Let so many seconds pass."""
        self.now += seconds


def engine(script, *words):
    """A scripted bot's line in a players file."""
    command = shlex.join([sys.executable, "-S", "-s", str(ENGINES / f"{script}.py"), *map(str, words)])
    return f"command = {json.dumps(command)}\n"


def write_players(folder, **lines):
    """A players file with these names."""
    path = folder / "players.toml"
    path.write_text("".join(f'["{name}"]\n{line}' for name, line in lines.items()))
    return path


class Log(logging.Handler):
    """Keeps what is logged, one line each, as `lines`."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        """Keep a line."""
        error = record.exc_info[1] if record.exc_info else None
        self.lines.append(f"{record.getMessage()} {type(error).__name__}: {error}")


class Application:
    """A server's application, its client and what it has logged, as `told`."""

    def __init__(self, folder, memory_limit_bytes=None, clock=None, slots=None, bots=(), **players):
        self.folder = folder
        self._log = Log()
        self.told = self._log.lines
        names = write_players(folder, **(players or {"first": engine("first_legal")}))
        others = {name: value for name, value in (("clock", clock), ("slots", slots)) if value is not None}
        play = Conditions(free_start=True, memory_limit_bytes=memory_limit_bytes, sandbox=Sandbox(OFF))
        service = TableService(folder / "records", Opponents(names, bots), play, **others)
        self.server = Server(service)
        self.client = TestClient(application(self.server, PORT), base_url=ORIGIN, raise_server_exceptions=False)

    def __enter__(self):
        logging.getLogger().addHandler(self._log)
        self.client.__enter__()
        return self

    def __exit__(self, *error):
        try:
            self.client.__exit__(*error)
        finally:
            logging.getLogger().removeHandler(self._log)

    def get(self, address, **headers):
        """The answer to GET."""
        return self.client.get(address, headers=headers)

    def post(self, address, content, **headers):
        """The answer to POST of a page of ours; content: JSON, or bytes."""
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        own = {"origin": ORIGIN, "content-type": "application/json", **headers}
        return self.client.post(address, content=data, headers={key: own[key] for key in own if own[key] is not None})

    def socket(self, address, **headers):
        """A WebSocket of a page of ours, to be used as a context manager."""
        own = {**OWN, **headers}
        return self.client.websocket_connect(address, headers={key: own[key] for key in own if own[key] is not None})

    def new_table(self, player="first", game="connect_four", board=None, first="human", limit_s=60, **others):
        """The id of a new table."""
        board = (SMALL if game == "connect_four" else {}) if board is None else board
        wanted = {"game": game, "board": board, "player": player, "first": first, "limit_s": limit_s, **others}
        answer = self.post("/api/tables", wanted)
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    @contextlib.contextmanager
    def seated(self, *arguments, **wanted):
        """A Seat at a new table."""
        with self.seat_at(self.new_table(*arguments, **wanted)) as seat:
            yield seat

    @contextlib.contextmanager
    def seat_at(self, table_id):
        """A Seat at a table that is there."""
        with self.socket(f"/ws/tables/{table_id}") as socket:
            yield Seat(table_id, socket)


class Seat:
    """A page at a table; `state` is the latest that it was sent, `refusals` are in English."""

    def __init__(self, table_id, socket):
        self.id, self.socket = table_id, socket
        self.state = None
        self.refusals = []

    def say(self, kind, **fields):
        """Send a message."""
        self.socket.send_json({"type": kind, **fields})

    def hear(self):
        """Take the next message."""
        message = self.socket.receive_json()
        if message["type"] == "refused":
            self.refusals.append(message["error"]["en"])
        else:
            assert message["type"] == "table"
            self.state = message
        return message

    def until(self, holds):
        """Hear until the state is as wanted; returns it. pytest ends a test that hears nothing more."""
        while self.state is None or not holds(self.state):
            self.hear()
        return self.state

    def my_turn(self, plies=0):
        """Wait until it is the human's turn after so many plies at least."""
        return self.until(lambda state: state["turn"] == "human" and len(state["game"]["moves"]) >= plies)

    def move(self, move):
        """Make a move, and wait until the state has it or it is refused."""
        before, refused = len(self.state["game"]["moves"]), len(self.refusals)
        self.say("move", move=str(move))
        while len(self.state["game"]["moves"]) == before and len(self.refusals) == refused:
            self.hear()

    def refused(self, kind, **fields):
        """Send what is refused; the reason in English."""
        known = len(self.refusals)
        self.say(kind, **fields)
        while len(self.refusals) == known:
            self.hear()
        return self.refusals[-1]

    def over(self):
        """Wait until the game is over."""
        return self.until(lambda state: state["over"] is not None or state["trouble"] is not None)
