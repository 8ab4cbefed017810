"""Building the bot's engine before a game: what is shown meanwhile, and what ends it."""

import os
import signal
import sys

import pexpect
import pytest

from judge.players import own_bot, waiting
from judge.players.launch import PlayerError
from judge.players.own_bot import backend_in
from judge.players.players import Contestant, require_engines
from judge.processes.start import Launch
from tests.judge.helpers.scripted import processes_with, wait_until

# In place of a bot's preparing program: it is half through until the test lets it end.
PROGRAM = """
import pathlib, sys, time
print("progress dots 0.500", flush=True)
while not pathlib.Path("go").exists():
    time.sleep(0.01)
print("a word on the fault", file=sys.stderr)
sys.exit(STATUS)
"""
CALL = """
import sys
from judge.players import own_bot, waiting
from judge.processes.start import Launch
waiting.SILENT_S = 0.01
try:
    own_bot.prepare_engines(Launch((), {}, sys.argv[1]), ["dots"], "compiling", tells_progress=True)
except own_bot.EngineMissing as error:
    print("missing:", error, error.status)
"""


@pytest.fixture
def bot(tmp_path):
    """A function: the folder of a bot whose preparing program ends with a status."""

    def bot_with(status):
        (tmp_path / "bot").mkdir()
        (tmp_path / "bot" / "__init__.py").touch()
        (tmp_path / "bot" / "compiled.py").write_text(PROGRAM.replace("STATUS", str(status)))
        return tmp_path

    return bot_with


def shown(folder, **variables):
    environment = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **variables}
    for name in ("COLUMNS", "LINES", "NO_COLOR"):
        environment.pop(name, None)
    return pexpect.spawn(
        sys.executable, ["-c", CALL, str(folder)], dimensions=(24, 80), encoding="utf-8", timeout=60, env=environment
    )


def test_a_terminal_sees_how_far_it_is_and_how_long_it_took(bot):
    folder = bot(status=0)
    terminal = shown(folder)
    terminal.expect(r"compiling .* 50%  .* s, about \d+ s left")
    (folder / "go").touch()
    terminal.expect(r"compiling: done after \d+ s")
    terminal.expect(pexpect.EOF)


def test_what_the_program_said_is_the_reason(bot):
    folder = bot(status=3)
    (folder / "go").touch()
    terminal = shown(folder)
    terminal.expect("missing: a word on the fault 3")


def test_the_program_ends_with_a_judge_that_is_killed(bot):
    token = os.urandom(8).hex()
    terminal = shown(bot(status=0), DROPFOUR_TEST=token)
    terminal.expect("50%")
    terminal.kill(signal.SIGKILL)
    wait_until(lambda: processes_with(f"DROPFOUR_TEST={token}") == [])


def test_what_ends_at_once_is_not_shown(bot, capfd):
    folder = bot(status=0)
    (folder / "go").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(waiting, "SILENT_S", 600.0)
        own_bot.prepare_engines(Launch((), {}, str(folder)), ["dots"], "compiling", tells_progress=False)
    assert capfd.readouterr() == ("", "")


def test_only_lines_of_progress_are_taken_for_progress():
    lines = ["building ..\n", "progress dots 0.25\n", "progress\n", "progress dots 1.000\n", "dots: ready\n"]
    assert list(own_bot.progress_shares(lines)) == [0.25, 1.0]


def test_the_backend_is_found_among_the_bots_options():
    for options, backend in [
        ([], None),
        (["--limit", "1"], None),
        (["--backend", "python"], "python"),
        (["--set", "x=1", "--backend=jit", "--seed", "1"], "jit"),
        (["--backend"], ""),
    ]:
        assert backend_in(options) == backend


def test_a_bot_without_an_engine_is_refused_and_the_way_out_is_said():
    require_engines([Contestant("a", "a"), Contestant("bot", "bot")])
    with pytest.raises(PlayerError, match="'bot:x' has no compiled engine .*, write 'bot:x --backend python'"):
        require_engines([Contestant("a", "a"), Contestant("bot:x", "bot:x", lack="numba is not installed")])
