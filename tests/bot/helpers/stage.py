"""A Session in this process with a clock that stands still unless a test moves it, and an engine that does as told.

The watchdog's thread is not started: the engine calls `watch`, which is one look of it, at the very moment that a test
is about. Messages go through real pipes.
"""

import json
import os
import select
import threading
import time
import types

from bot.commands.options import reporter
from bot.games import adapter_of
from bot.search.engine import Decision, Engine
from bot.shell.guard import Budget
from bot.shell.player import Log, Player
from bot.shell.session import Session
from tests.bot.helpers.guarded_games import game_and_decoder

PATIENCE_S = 60.0
START = 1000.0  # what the clock shows when the process is said to have begun
NUMBER = 1


class Clock:
    """Seconds that pass when `now` is set."""

    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now


class Stage(Engine):
    """One game. think(stage, position, budget_s) is the engine: it returns a move, and may do anything before.

    budgets: what the engine was given, turn by turn; replied: what the bot has sent, each a legal reply.
    """

    def __init__(self, name, think, limit_s=1.0, margin_s=0.4, first_margin_s=0.4, first=True):
        self.clock, self.budgets, self.replied, self._think = Clock(), [], [], think
        self.game, self._decoder = game_and_decoder(name, first=first)
        bots_stdin, self._to_bot = os.pipe()
        self._closing = threading.Lock()
        self._from_bot, bots_stdout = os.pipe()
        self._stderr, bots_stderr = os.pipe()
        self._ends = (bots_stdin, bots_stdout, bots_stderr)
        self.stdin = bots_stdin
        adapter = types.SimpleNamespace(**vars(adapter_of(name)))
        adapter.make_engine = lambda *arguments: self
        kernels = types.SimpleNamespace(
            may_be_native=lambda: True,
            load_s=lambda: 0.0,
            load=lambda: types.SimpleNamespace(name="scripted", reason="for a test"),
            stop_compiling=lambda: None,
        )
        log = Log(bots_stderr)
        player = Player(adapter, adapter.PRESETS["default"], kernels, 800, 1, log, clock=self.clock)
        budgets = (Budget(limit_s, first_margin_s), Budget(limit_s, margin_s))
        self.session = Session(
            adapter,
            adapter.WIRES[0],
            player,
            budgets,
            log,
            report=reporter(log, adapter),
            clock=self.clock,
            began=lambda: START,
            descriptors=(bots_stdin, bots_stdout),
        )
        self.session._guard.start = lambda: True
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.status = None

    def _run(self):
        try:
            self.status = self.session.run()
        finally:
            for end in self._ends:
                os.close(end)

    def start(self):
        """Let the session begin to read."""
        self._thread.start()

    def send(self, data):
        """Write bytes to the bot."""
        os.write(self._to_bot, data)

    def wait_until_read(self):
        """Until the bot has taken in all that was sent, and has seen the clock since."""
        inbox, give_up = self.session._inbox, time.monotonic() + PATIENCE_S
        while inbox._last_read is None or select.select([self.stdin], [], [], 0)[0]:
            assert time.monotonic() < give_up
            time.sleep(0.001)

    def take_reply(self):
        """Wait for the next reply and play it."""
        while True:
            reply = self._decoder.next_reply()
            if reply is not None:
                self.game.take(reply)
                self.replied.append(reply)
                return
            assert select.select([self._from_bot], [], [], PATIENCE_S)[0], "no reply"
            data = os.read(self._from_bot, 65536)
            assert data, "stdout has ended"
            self._decoder.feed(data)

    def close_input(self):
        """The judge has nothing more to say; from any thread."""
        with self._closing:
            if self._to_bot is not None:
                os.close(self._to_bot)
                self._to_bot = None

    def end(self):
        """Close the bot's stdin; (status, what it says on stderr but for the report lines, the report lines)."""
        self.close_input()
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        with os.fdopen(self._from_bot, "rb") as stdout:
            assert stdout.read() == b"", "a reply that nobody asked for"
        with os.fdopen(self._stderr) as stderr:
            lines = stderr.read().splitlines()
        reports = [json.loads(line) for line in lines if line.startswith("{")]
        return self.status, [line for line in lines if not line.startswith("{")], reports

    # What follows is for the engine.

    def think(self, position, budget_s=None, iterations=None):
        self.budgets.append(budget_s)
        move = self._think(self, position, budget_s)
        return Decision(move, 0.5, None, None, [move], NUMBER, NUMBER, NUMBER, 0.0)

    def best_so_far(self):
        return None

    def pass_s(self, seconds):
        """Let time pass."""
        self.clock.now += seconds

    def watch(self):
        """One look of the watchdog; the seconds that it would sleep."""
        return self.session._guard._act()

    def wait_for_bytes(self):
        """Until the judge has sent something that nobody has read."""
        assert select.select([self.stdin], [], [], PATIENCE_S)[0]
