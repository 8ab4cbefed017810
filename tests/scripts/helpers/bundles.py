"""Bundles as the tests make and start them: what differs from game to game, how they are started, what they answer.

None of it depends on the machine's speed: limits are far away, and a search ends after SEARCH_S all the same.
"""

import re
import subprocess
import sys
import time
from typing import NamedTuple

import pytest

from bot.backends import native
from bundle import archive, games
from protocol.games.connect_four import ReplyDecoder

LIMIT_S, SEARCH_S = 60.0, 0.1
BEST = native.runnable()[0]
PYTHON = (sys.executable, *games.WITHOUT_SITE_PACKAGES)


class Game(NamedTuple):
    """What is expected of one game's bundle."""

    files: tuple  # some that it holds
    most_bytes: int
    least_plies: int  # of a game on the small board
    most_plies: int


GAMES = {
    "connect_four": Game(
        ("bot/games/connect_four/policy.bin", "bot/games/connect_four/weights.bin", "protocol/games/connect_four.py"),
        800_000,
        7,
        80,
    ),
    "reversi": Game(("bot/games/reversi/weights.bin", "protocol/botzone/forms.py"), 800_000, 21, 64),
    "dots": Game(("bot/games/dots/uct_engine.py", "protocol/botzone/forms.py"), 600_000, 24, 24),
}

# What a refusal runs before, and how the ladder's own way goes on: at another limit, and with less time to search.
_PROGRAM = """
import os, sys
{refusal}
sys.path.insert(0, {folder!r})
import main, bot.backends.native
from bot.games import adapter_of
from bot.games.connect_four.plain import PlainSearch
bot.backends.native._TRIAL_S = {trial_s}
think = PlainSearch.think
PlainSearch.think = lambda self, position, until, clock: think(self, position, min(until, clock() + {search_s}), clock)
settings = adapter_of(main.GAME).preset("default").with_values(["move_seconds={search_s}"])
{call}
"""
THE_LADDERS_WAY = f"main.end(main.main(main.GAME, main.FOLDER, limit={LIMIT_S}, settings=settings))"
# For words that end with main.py's path and its options.
WITH_OPTIONS = "sys.argv.pop(0); main.end(main.main(main.GAME, main.FOLDER))"


def program(bundle, refusal="", trial_s=60.0, search_s=SEARCH_S, call=THE_LADDERS_WAY):
    """Python's words for a bundle of connect four that is refused something, by a statement; trial_s: for engines."""
    text = _PROGRAM.format(refusal=refusal, folder=str(bundle), trial_s=trial_s, search_s=search_s, call=call)
    return (*PYTHON, "-c", text)


def command(bundle, *options):
    return [*PYTHON, str(bundle / "main.py"), *options]


def soon(game, limit=LIMIT_S, search_s=SEARCH_S):
    """main.py's options for a far limit and a search that ends soon, in all games but dots and boxes by the clock."""
    words = ("--iterations", "200") if game == "dots" else ("--set", f"move_seconds={search_s}")
    return ("--limit", str(limit), *words)


def built(target, game, levels=native.NAMES):
    """Write the game's bundle, with engines of these levels at least, to the path `target`, which is returned."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "NAMES", tuple(levels))
        archive.build(target, game, {sys.version_info[:2]: sys.executable}, lambda text: None)
    return target


def first_reply(command):
    """(Reply, seconds since the process was started, stderr) of a first mover; its stdin ends after its first turn."""
    started = time.monotonic()
    done = subprocess.run(command, input=games.first_messages(), capture_output=True, timeout=2 * LIMIT_S)
    decoder = ReplyDecoder()
    decoder.feed(done.stdout)
    reply = decoder.next_reply()
    assert decoder.next_reply() is None and not decoder.partial
    assert done.returncode == 0, done.stderr
    return reply, time.monotonic() - started, done.stderr.decode()


def engine_line(stderr):
    """(name, reason) of the only line on stderr."""
    [line] = stderr.splitlines()
    return games.ENGINE_LINE.fullmatch(line).groups()


def facts_of(manifest):
    """The first word of each of a manifest's lines, and the names of its engines."""
    words = [line.split(" ") for line in manifest.splitlines()]
    return {word for word, *_ in words}, set(re.findall(r"^engine (\S+) ", manifest, re.MULTILINE))
