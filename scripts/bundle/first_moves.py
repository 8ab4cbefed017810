"""First moves of a bundle on a full machine: is any late, and how far past its soft deadline does it reply?"""

import contextlib
import os
import select
import statistics
import subprocess
import sys
import time

from bot.shell.guard import Budget
from bot.shell.session import DEFAULT_FIRST_MARGIN_S
from bundle.games import WITHOUT_SITE_PACKAGES
from bundle.start_up import first_messages
from protocol.games.connect_four import ReplyDecoder

PATIENCE_S = 5.0


@contextlib.contextmanager
def busy_loops(count):
    """So many processes that do nothing but use the machine, each in a session of its own: full shares for all."""
    command = [sys.executable, "-c", "while True: pass"]
    loops = [subprocess.Popen(command, start_new_session=True) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def measure(bundle, limit_s, moves, loops):
    """Seconds from process start to reply of so many first moves, beside busy loops; sorted."""
    command = [sys.executable, *WITHOUT_SITE_PACKAGES, str(bundle / "main.py"), "--limit", str(limit_s)]
    with busy_loops(loops):
        return sorted(_first_move(command) for _ in range(moves))


def _first_move(command):
    started = time.monotonic()
    bot = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        bot.stdin.write(first_messages())
        bot.stdin.flush()
        decoder = ReplyDecoder()
        while decoder.next_reply() is None:
            left = started + PATIENCE_S - time.monotonic()
            if left <= 0 or not select.select([bot.stdout], [], [], left)[0]:
                return float("inf")
            decoder.feed(os.read(bot.stdout.fileno(), 4096))
        return time.monotonic() - started
    finally:
        bot.kill()
        bot.communicate()


def describe(limit_s, seconds):
    """One line: how many are late, and how late past the soft deadline."""
    soft = Budget(limit_s, DEFAULT_FIRST_MARGIN_S).soft
    late = sum(found > limit_s for found in seconds)
    last = min(len(seconds) - 1, int(0.999 * len(seconds)))
    return (
        f"limit {limit_s:g} s: {len(seconds)} first moves, {late} late; past the soft deadline ({soft:g} s) by "
        f"{1000 * (statistics.median(seconds) - soft):.1f} ms (p50), {1000 * (seconds[last] - soft):.1f} ms (p99.9), "
        f"{1000 * (seconds[-1] - soft):.1f} ms (worst); soonest {seconds[0]:.3f} s"
    )
