"""scripts/solve_dots as a user runs it."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
COMMAND = REPOSITORY / "scripts" / "solve_dots"
ENVIRONMENT = {**os.environ, "DROPFOUR_PYTHON": sys.executable}


def run(*words):
    return subprocess.run([COMMAND, *words], env=ENVIRONMENT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("size, value", [("2x2", "+2"), ("3x2", "-2")])
def test_a_whole_board(size, value):
    done = run(size)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(
        rf"{size}: \{value} boxes for the first player, by [AB][A-D]{{2}}; [\d.]+ s, [\d.]+ M positions\n",
        done.stdout,
    )


def test_random_positions():
    done = run("random", "--size", "4x4", "--free", "20", "--count", "5")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("5 of 5 solved; median ")


def test_what_is_not_solved_in_time_is_counted_and_fails():
    done = run("random", "--free", "50", "--count", "2", "--limit", "0.05")
    assert done.returncode == 1
    assert done.stdout.startswith("0 of 2 solved; ")


def test_a_board_that_takes_too_long_can_be_stopped():
    assert run("1x1").returncode == 0  # the kernels are compiled
    process = subprocess.Popen(
        [COMMAND, "5x5"],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        start_new_session=True,
    )
    time.sleep(4)
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert "between -25 and +25" in output


def test_what_was_learnt_is_kept(tmp_path):
    kept = tmp_path / "table"
    words = ("--table-mb", "16", "--keep", kept)
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


def test_a_stopped_board_goes_on_with_what_it_has_learnt(tmp_path):
    kept = tmp_path / "table"
    words = [COMMAND, "4x4", "--table-mb", "16", "--keep", kept]
    assert run("1x1").returncode == 0  # the kernels are compiled
    for times in range(2):
        process = subprocess.Popen(
            words, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        time.sleep(4)
        os.killpg(process.pid, signal.SIGTERM)
        output, errors = process.communicate(timeout=30)
        assert process.returncode == 130, errors
        assert f"kept in {kept}: the same command goes on" in errors
        assert (f"going on with {kept}" in errors) == (times == 1)
        assert "M positions" in output


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
