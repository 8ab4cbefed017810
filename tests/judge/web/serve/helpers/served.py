"""`serve` as a process of its own, asked by HTTP and WebSockets as a browser asks it."""

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import urllib.error
import urllib.request

from websockets.sync.client import connect

from tests.judge.helpers.scripted import PATIENCE_S, judge_command, judge_environment, processes_with
from tests.judge.web.serve.helpers.application import SMALL

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/ ")


class Served:
    """A server in a process of its own; before: lines of Python that run there first."""

    def __init__(self, folder, *words, before="", **variables):
        self.folder = folder
        self.token = f"DROPFOUR_TEST={os.urandom(8).hex()}"
        environment = judge_environment(**variables)
        environment.update([self.token.split("=")])
        started = judge_command("serve", "--port", 0, "--sandbox", "off", *words)
        if before:
            started[1:3] = ["-c", before + "import runpy\nrunpy.run_module('judge', run_name='__main__')\n"]
        self.process = subprocess.Popen(
            started,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.port = int(ADDRESS.search(self.line()).group(1))
        self.host = f"127.0.0.1:{self.port}"
        self.origin = f"http://{self.host}"

    def line(self):
        """The next line of its stdout."""
        assert select.select([self.process.stdout], [], [], PATIENCE_S)[0]
        return self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        for pid in processes_with(self.token):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def ask(self, path, content=None, **headers):
        """(status, content) of the answer to a GET, or to a POST of some content."""
        data = None if content is None else json.dumps(content).encode()
        own = {"Origin": self.origin, "Content-Type": "application/json"} if data else {}
        request = urllib.request.Request(self.origin + path, data, {**own, **headers})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def socket(self, path, **others):
        """A WebSocket to it, as a context manager."""
        return connect(f"ws://{self.host}{path}", **{"origin": self.origin, "compression": None, **others})

    def table(self, player):
        """The id of a new table."""
        wanted = {"game": "connect_four", "board": SMALL, "player": player, "first": "human", "limit_s": 600}
        status, content = self.ask("/api/tables", wanted)
        assert status == 201, content
        return json.loads(content)["id"]

    def bots(self):
        """The processes of players."""
        return [pid for pid in processes_with(self.token) if b"first_legal" in command_line(pid)]


def command_line(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read()
    return b""
