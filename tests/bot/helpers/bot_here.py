"""A whole session in this process, without a watchdog: bytes in, bytes out, and a clock that counts."""

import itertools
import os
import subprocess
import sys
import tempfile

from bot.games import adapter_of
from bot.shell.guard import Budget
from bot.shell.player import Log, Player
from bot.shell.session import Session

LOOKS = 100  # at the clock, about, until a turn's search has to end


def run_bot_here(data, game="connect_four", wire=None):
    """What a bot of the plain search makes of these bytes and the end of input."""
    adapter, tick = adapter_of(game), itertools.count().__next__
    bots_stdin, to_bot = os.pipe()
    os.write(to_bot, data)
    os.close(to_bot)
    interval_s = sys.getswitchinterval()
    with os.fdopen(bots_stdin, "rb"), tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        log = Log(stderr.fileno())
        player = Player(adapter, adapter.preset("default"), None, adapter.DEFAULT_MEMORY_MB, 1, log, clock=tick)
        budget = Budget(LOOKS, 0)
        session = Session(
            adapter,
            adapter.WIRES[0] if wire is None else wire,
            player,
            (budget, budget),
            log,
            clock=tick,
            began=tick,
            descriptors=(bots_stdin, stdout.fileno()),
        )
        session._guard.start = lambda: True
        try:
            status = session.run()
        finally:
            sys.setswitchinterval(interval_s)
        stdout.seek(0)
        stderr.seek(0)
        return subprocess.CompletedProcess("bot", status, stdout.read(), stderr.read())
