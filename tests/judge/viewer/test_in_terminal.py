"""`judge replay` as somebody at a terminal has it: keys, redrawing, and the terminal afterwards."""

import os
import re
import shutil
import signal
import sys

import pexpect
import pytest

from judge.games import GAMES
from judge.viewer import RecordedPositions
from protocol.records.record import append_record, read_records
from tests.judge.helpers.random_games import recorded_game
from tests.judge.helpers.scripted import PATIENCE_S, judge_command
from tests.judge.helpers.started import in_terminal, terminal_environment

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
ENTER_ALTERNATE, LEAVE_ALTERNATE = "\x1b[?1049h", "\x1b[?1049l"
SHOW_CURSOR = "\x1b[?25h"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "games.jsonl"
    for game in GAMES:
        append_record(path, recorded_game(game, report=lambda side, ply: {"value": ply / 200}))
    return path


def number_of(game):
    return list(GAMES).index(game) + 1


class Terminal:
    """A program in a terminal of 80 x 24; what it has shown is in `shown`."""

    def __init__(self, command, *words, size=(24, 80), **variables):
        environment = terminal_environment(**variables)
        self.process = pexpect.spawn(
            command,
            list(words),
            env=environment,
            encoding="utf-8",
            timeout=PATIENCE_S,
            dimensions=size,
            # What a shell starts in the background ignores SIGINT, and so would the program.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.shown = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.close(force=True)

    def wait_for(self, pattern):
        """Until a text that the regular expression describes has come."""
        self.process.expect(pattern)
        self.shown += self.process.before + (self.process.after if isinstance(self.process.after, str) else "")

    def frame(self):
        """The lines of the latest screen, without its last one's end: the prompt is what is waited for."""
        return [line.rstrip() for line in CONTROL.sub("", self.shown.rpartition("\x1b[H")[2]).split("\r\n")]

    def press(self, keys, ply):
        self.process.send(keys)
        self.at(ply)

    def at(self, ply):
        self.wait_for(rf"ply {ply} of \d+ ")

    def status(self):
        self.wait_for(pexpect.EOF)
        self.process.close()
        return self.process.exitstatus


def replaying(file, game, **options):
    command, *words = judge_command("replay", file, "--number", number_of(game))
    return Terminal(command, *words, **options)


@pytest.mark.parametrize(
    "game", ["dots", *(pytest.param(game, marks=pytest.mark.slow) for game in GAMES if game != "dots")]
)
def test_forward_back_and_jumps(file, game):
    with replaying(file, game) as terminal:
        terminal.at(0)
        start = terminal.frame()
        assert len(start) == 24
        for ply, key in enumerate((" ", "\x1b[C", "l", "n", "\x1bOC"), start=1):
            terminal.press(key, ply)
        five = terminal.frame()
        assert five != start
        positions = RecordedPositions(read_records(file)[0][number_of(game) - 1])
        for row, line in zip(positions.game.rendering(positions.position(5)).plain.split("\n"), five, strict=False):
            assert line.startswith(row.rstrip())
        for ply, key in ((4, "\x1b[D"), (3, "h"), (2, "p")):
            terminal.press(key, ply)
        for unknown in ("\x1bq", "\x1b[57399q"):  # Alt and a letter, and a key of few terminals: q alone would leave
            terminal.process.send("1")
            terminal.wait_for("press Enter to go to ply 1")
            terminal.press(unknown, 2)
        terminal.press("34\x7f\r", 3)
        terminal.press("5\r", 5)
        assert terminal.frame() == five
        terminal.press("\x1b[H", 0)
        assert terminal.frame() == start
        for key in ("\x1b[4~", "G"):
            terminal.process.send(key)
            terminal.wait_for(r"ply (\d+) of \1 ")
        assert any("rules agree" in line for line in terminal.frame())
        terminal.press("g", 0)
        terminal.process.send("?")
        terminal.wait_for("ply 12 Enter")
        terminal.process.send("q")
        assert terminal.status() == 0
        assert terminal.shown.rindex(LEAVE_ALTERNATE) > terminal.shown.rindex(ENTER_ALTERNATE)
        assert terminal.shown.count(SHOW_CURSOR) >= 1
        left = terminal.shown.rpartition(LEAVE_ALTERNATE)[2]
        assert "The rules agree with the record." in left


def test_a_new_size_is_drawn_for_and_a_small_one_refused(file):
    with replaying(file, "connect_four") as terminal:
        terminal.at(0)
        terminal.process.setwinsize(10, 38)
        terminal.wait_for("the board needs 40")
        terminal.process.setwinsize(40, 120)
        terminal.at(0)
        assert len(terminal.frame()) == 40
        terminal.process.send("\x1b")  # once nothing follows it is Esc
        assert terminal.status() == 0


IN_SHELL = "trap : INT; stty -g; {command}; echo status=$?; stty -g"  # Ctrl-C is for both


def ways_out():
    """From a name to what is done to the program, and the status that the shell sees."""
    return {
        "q": (lambda terminal: terminal.process.send("q"), 0),
        "Ctrl-C": (lambda terminal: terminal.process.send("\x03"), 130),
        "SIGTERM": (lambda terminal: kill_judge(terminal, signal.SIGTERM), 143),
        "SIGHUP": (lambda terminal: kill_judge(terminal, signal.SIGHUP), 129),
        "exception": (lambda terminal: terminal.process.send("?"), 1),
    }


def kill_judge(terminal, number):
    (line,) = re.findall(r"pid=(\d+)", terminal.shown)
    os.kill(int(line), number)


# The judge, which says who it is; its help cannot be drawn, which stands for any error.
PROGRAM = (
    "import os, sys; print(f'pid={os.getpid()}', flush=True); import judge.viewer as viewer; "
    "viewer.HELP = 7; from judge.__main__ import main; sys.exit(main(sys.argv[1:]))"
)


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[pytest.mark.slow] * (way in ("q", "SIGHUP"))) for way in ways_out()]
)
def test_the_terminal_is_as_before_on_every_way_out(file, way, tmp_path):
    leave, status = ways_out()[way]
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = IN_SHELL.format(command=f'"{sys.executable}" "{program}" replay "{file}" --number 1')
    with Terminal("/bin/sh", "-c", command) as terminal:
        terminal.at(0)
        terminal.press("n", 1)
        leave(terminal)
        terminal.wait_for(rf"status={status}\r\n")
        terminal.status()
        before, after = re.findall(r"^[0-9a-f]+:[0-9a-f:]+\r$", terminal.shown, re.MULTILINE)
        assert before == after
        assert terminal.shown.rindex(LEAVE_ALTERNATE) > terminal.shown.rindex(ENTER_ALTERNATE)
        assert terminal.shown.rindex(SHOW_CURSOR) > terminal.shown.rindex("\x1b[?25l")


def test_it_stops_at_ctrl_z_and_goes_on_where_it_was(file):
    shell = shutil.which("bash")
    if shell is None:
        pytest.skip("there is no shell with job control on this machine")
    with Terminal(shell, "--norc", "--noprofile", "-i", PS1="$ ") as terminal:
        terminal.wait_for(re.escape("$ "))
        words = " ".join(f"'{word}'" for word in judge_command("replay", file, "--number", 1))
        terminal.process.sendline(words)
        terminal.at(0)
        terminal.press("7\r", 7)
        terminal.process.send("\x1a")
        terminal.wait_for("Stopped")
        assert terminal.shown.rindex(LEAVE_ALTERNATE) > terminal.shown.rindex(ENTER_ALTERNATE)
        terminal.process.sendline("stty -a")
        terminal.wait_for(r"[^-]icanon")
        terminal.process.sendline("fg")
        terminal.at(7)
        terminal.press("n", 8)
        terminal.process.send("q")
        terminal.wait_for("The rules agree with the record.")
        terminal.process.sendline("exit")
        assert terminal.status() == 0


def test_a_dumb_terminal_gets_every_board(file):
    terminal = in_terminal(file.parent, "replay", file, "--number", 1, TERM="dumb")
    shown = terminal.read()
    terminal.close()
    assert terminal.exitstatus == 0
    assert ENTER_ALTERNATE not in shown
    assert "ply 1: " in shown and shown.count("ply ") >= 7
    assert shown.rstrip().endswith("The rules agree with the record.")
