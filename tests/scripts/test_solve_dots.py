"""scripts/solve_dots: as a user runs it once and stops it once, and its package in this process for all else."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.games.dots.solver.engine import SolverEngine
from dots_solving import __main__ as solve_dots
from tests.places import REPOSITORY
from tests.scripts.helpers.run_here import run_here

COMMAND = REPOSITORY / "scripts" / "solve_dots"
ENVIRONMENT = {**os.environ, "DROPFOUR_PYTHON": sys.executable}
SMALL_TABLE = ("--table-mb", "16")
PATIENCE_S = 300


def run(*words):
    return run_here(solve_dots.main, Path.cwd(), words)


def test_a_whole_board_by_the_script(tmp_path):
    done = subprocess.run([COMMAND, "2x2"], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert_value(done, "2x2", "+2")


@pytest.mark.parametrize("size, value", [("2x2", "+2"), ("3x2", "-2")])
def test_a_whole_board(size, value):
    assert_value(run(size, *SMALL_TABLE), size, value)


def assert_value(done, size, value):
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(
        rf"{size}: \{value} boxes for the first player, by [AB][A-D]{{2}}; [\d.]+ s, [\d.]+ M positions\n",
        done.stdout,
    )


def test_random_positions():
    done = run("random", "--size", "4x4", "--free", "20", "--count", "5", *SMALL_TABLE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("5 of 5 solved; median ")


def test_what_is_not_solved_in_time_is_counted_and_fails():
    done = run("random", "--free", "50", "--count", "2", "--limit", "0.05", *SMALL_TABLE)
    assert done.returncode == 1
    assert done.stdout.startswith("0 of 2 solved; ")


def catches(pid, number):
    """Whether the process handles that signal itself (proc(5), SigCgt); Python alone leaves SIGTERM to the system."""
    caught = re.search(r"^SigCgt:\s*(\w+)$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)[1]
    return int(caught, 16) >> (number - 1) & 1


def test_a_board_that_takes_too_long_can_be_stopped():
    process = subprocess.Popen(
        [COMMAND, "5x5", *SMALL_TABLE],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        start_new_session=True,
    )
    give_up = time.monotonic() + PATIENCE_S
    while not catches(process.pid, signal.SIGTERM):
        assert time.monotonic() < give_up and process.poll() is None
        time.sleep(0.05)
    time.sleep(2)  # its table is made, and it searches
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, errors
    assert "between -25 and +25" in output


def test_what_was_learnt_is_kept(tmp_path):
    kept = tmp_path / "table"
    words = (*SMALL_TABLE, "--keep", kept)
    first = run("3x4", *words)
    assert first.returncode == 0 and first.stdout.startswith("3x4: +0 boxes"), first.stderr
    second = run("3x4", *words)
    assert second.stdout.startswith("3x4: +0 boxes") and f"going on with {kept}" in second.stderr
    assert positions_in(second.stdout) < positions_in(first.stdout) / 10

    other = run("3x3", *words)
    assert other.returncode == 2 and "'size': [3, 4]" in other.stderr and not other.stdout
    kept.write_bytes(kept.read_bytes()[: 1 << 20])
    cut = run("3x4", *words)
    assert cut.returncode == 2 and "bytes of table, found" in cut.stderr


def positions_in(output):
    return float(re.search(r"([\d.]+) M positions", output)[1])


def test_a_stopped_board_goes_on_with_what_it_has_learnt(tmp_path, monkeypatch):
    """Stopped by SIGTERM once it has searched for a while, twice."""
    kept, slices = tmp_path / "table", []

    def go_on(engine, *limits):
        visited = real_go_on(engine, *limits)
        if signal.getsignal(signal.SIGTERM) is signal.default_int_handler:  # not while the kernels are tried
            slices.append(visited)
            if len(slices) % 3 == 0:
                os.kill(os.getpid(), signal.SIGTERM)
        return visited

    real_go_on = SolverEngine.go_on
    monkeypatch.setattr(SolverEngine, "go_on", go_on)
    monkeypatch.setattr(solve_dots, "SLICE_S", 0.1)
    for times in range(2):
        done = run("4x4", *SMALL_TABLE, "--keep", kept)
        assert done.returncode == 130, done.stderr
        assert f"kept in {kept}: the same command goes on" in done.stderr
        assert (f"going on with {kept}" in done.stderr) == (times == 1)
        assert "M positions" in done.stdout
    assert len(slices) == 6 and min(slices) > 0


@pytest.mark.parametrize(
    "words, message",
    [
        (("8x8",), "expected a size from 1x1 to 7x7, got '8x8'"),
        (("random", "--size", "2x2", "--free", "13"), "--free 13: the board has 12 edges"),
        (("random", "--size", "2x2", "--free", "1"), "no safe play leaves 1 free edges"),
        ((), "the following arguments are required"),
    ],
)
def test_wrong_input_is_named(words, message):
    done = run(*words)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
