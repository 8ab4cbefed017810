"""numba's kernels not compiled yet: the game goes on, one process compiles, every later one finds them ready."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.backends.jit import MARKER, cache_directory
from bot.games import NAMES
from tests.bot.games.connect_four.helpers.wire_games import WireGame
from tests.bot.helpers.bot_process import REPOSITORY, BotProcess, play_turns

LIMIT_S = 0.7  # three turns are over long before the compiling, on any machine
FULL_MACHINE_S = 20.0
PATIENCE_S = 600.0
MOST_TURNS = 60
PROBE = """
import json
from bot.games.connect_four import plain, adapter
from bot.games.connect_four.uct.engine import UctEngine
from bot.games.connect_four.config import DEFAULT
from bot.backends.jit import JitKernels
kernels = JitKernels(adapter.GAME)
assert kernels.ready()
engine = UctEngine(kernels.load(), DEFAULT, 300, seed=9)
position = plain.empty_position(10, 11, (0, 4))
found = []
for iterations in (2000, 500):
    decision = engine.think(position, iterations=iterations)
    found.append(decision._replace(elapsed_s=0))
    position = position.play(decision.pv[0]).play(decision.pv[1])
found.append(engine.time_rollouts(position, 1000)[1])
print(json.dumps(found))
"""


def environment_with(folder):
    return {**os.environ, "PYTHONPATH": str(REPOSITORY), "DROPFOUR_CACHE_DIR": str(folder)}


def output_of(arguments, environment, folder=REPOSITORY):
    """What a Python process that must succeed prints."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, check=True, text=True, capture_output=True
    ).stdout


def files_in(folder):
    """(path, size, time of the last change) of every file below."""
    return sorted(
        (str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in Path(folder).rglob("*") if path.is_file()
    )


def compilers():
    """The environments, as bytes, of the live processes that compile kernels."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"\0bot.backends.jit\0" in (process / "cmdline").read_bytes():
                found.append((process / "environ").read_bytes())
        except OSError:
            pass  # it has ended, or belongs to somebody else
    return found


def compilers_for(folder):
    return sum(str(folder).encode() in environment for environment in compilers())


def test_a_bot_with_an_empty_cache_answers_legally_in_time_and_leaves_no_compiler(tmp_path):
    game = WireGame(seed=1)
    words = ("--backend", "jit", "--limit", 0.4, "--info")
    with BotProcess(*words, environment={"DROPFOUR_CACHE_DIR": str(tmp_path)}) as bot:
        bot.send(game.opening() + game.turn())
        reply, received = bot.reply()
        game.take(reply)
        assert max([received - bot.started, *play_turns(bot, game, 1)]) < 0.4 + FULL_MACHINE_S
        give_up = time.monotonic() + PATIENCE_S
        while compilers_for(tmp_path) != 1 and time.monotonic() < give_up:
            time.sleep(0.02)
        assert compilers_for(tmp_path) == 1
        assert bot.end_after_report(2)[:2] == (0, [])
    assert compilers_for(tmp_path) == 0
    assert [line["depth"] for line in bot.info_lines()] == [0, 0]  # the plain search shows none
    assert list(tmp_path.rglob(MARKER)) == []


class ColdGame:
    """Two bots that start together on an empty cache, play, wait for the compiling, and play on.

    One is told to use numba, the other finds that there is no native engine.
    """

    def __init__(self, folder):
        self.folder = folder
        variables = {"DROPFOUR_CACHE_DIR": str(folder)}
        self._games = WireGame(seed=1), WireGame(seed=2)
        one, other = (
            BotProcess("--backend", backend, "--limit", LIMIT_S, "--info", environment=variables)
            for backend in ("jit", "auto")
        )
        with one, other:
            self._play((one, other))
        self.files = files_in(folder)
        self.info = one.info_lines(), other.info_lines()
        self.words = one.last_words, other.last_words

    def _play(self, bots):
        for bot, game in zip(bots, self._games, strict=True):
            bot.send(game.opening())
        self._turn(bots)
        first_replies = [received - bot.started for bot, received in zip(bots, self._received, strict=True)]
        self.times = first_replies + self._turn(bots) + self._turn(bots)
        self.compilers_seen = compilers_for(self.folder)
        # Nobody thinks here: compiling must not need more of the machine than the bots leave it.
        give_up = time.monotonic() + PATIENCE_S
        while not list(self.folder.rglob(MARKER)) and time.monotonic() < give_up:
            time.sleep(0.1)
        # On a full machine the engine may not be loaded before several more turns.
        for _ in range(MOST_TURNS):
            self.times += self._turn(bots)
            if all("engine numba" in bot.stderr() for bot in bots):
                break
        self.times += self._turn(bots)
        for bot in bots:
            assert bot.end()[:2] == (0, [])

    def _turn(self, bots):
        """One turn of each bot, at the same time; the seconds their replies took."""
        sent = [bot.send(game.turn()) for bot, game in zip(bots, self._games, strict=True)]
        self._received = []
        for bot, game in zip(bots, self._games, strict=True):
            reply, received = bot.reply()
            game.take(reply)
            self._received.append(received)
        return [received - begun for received, begun in zip(self._received, sent, strict=True)]


@pytest.fixture(scope="module")
def cold_game(tmp_path_factory):
    return ColdGame(tmp_path_factory.mktemp("cold"))


@pytest.mark.slow
def test_every_reply_is_in_time_while_others_compile(cold_game):
    assert len(cold_game.times) >= 2 * 5
    assert max(cold_game.times) < LIMIT_S + FULL_MACHINE_S
    assert cold_game.compilers_seen >= 1


@pytest.mark.slow
def test_the_engine_takes_over_when_it_is_ready(cold_game):
    for lines in cold_game.info:
        assert [line["turn"] for line in lines] == list(range(1, len(lines) + 1))
        assert {line["depth"] for line in lines[:3]} == {0}, "the plain search and the guard show no depth"
        assert max(line["depth"] for line in lines[3:]) > 0
    told, looking = cold_game.words
    assert "dropfour: engine numba (native: not asked for)\n" in told
    assert "dropfour: engine python (no native engine here" in looking
    assert "dropfour: engine numba (native: no native engine here)\n" in looking


@pytest.mark.slow
def test_bots_that_start_cold_together_compile_once(cold_game):
    """Nothing in the cache is younger than the marker that the first compiler left."""
    markers = [changed for path, _, changed in cold_game.files if path.endswith("/" + MARKER)]
    assert len(markers) == 1
    kernels = [changed for path, _, changed in cold_game.files if path.endswith((".nbi", ".nbc"))]
    assert kernels and max(kernels) <= markers[0]


@pytest.mark.slow
def test_the_cache_is_complete(cold_game):
    """It has as many files as one filled without a game beside it; `python -m bot.backends.jit` does not compile."""

    def names(folder):
        # Tests of other games, which run in the same process, leave their kernels beside connect four's.
        others = tuple(f"{name}_" for name in NAMES if name != "connect_four")
        return sorted(
            Path(path).name for path, _, _ in files_in(folder) if not Path(path).parent.name.startswith(others)
        )

    assert names(cold_game.folder) == names(cache_directory("connect_four"))
    assert output_of(["-m", "bot.backends.jit"], environment_with(cold_game.folder)) == "the search kernels are ready\n"


@pytest.mark.slow
def test_each_kernel_in_two_fresh_processes(cold_game):
    """Equal results, and neither process compiles or writes anything."""
    before = files_in(cold_game.folder)
    environment = {**environment_with(cold_game.folder), "NUMBA_DEBUG_CACHE": "1"}
    results = [output_of(["-c", PROBE], environment) for _ in range(2)]
    answers = [output.splitlines()[-1] for output in results]
    assert answers[0] == answers[1] and json.loads(answers[0])[0][5] == 2000
    for output in results:
        assert "data loaded from" in output
        assert "data saved to" not in output
    assert files_in(cold_game.folder) == before
