"""`judge logic` and scripts/logic as processes: pipes, exit statuses, and a stdout that holds frames alone."""

import os
import re
import subprocess
import sys

import pytest

from tests.judge.helpers.scripted import PATIENCE_S, judge_command, judge_environment
from tests.judge.logic.helpers.fake_judger import spoke, start
from tests.places import REPOSITORY
from tests.protocol.judger.helpers.transcripts import REPLAY, answered, told

SCRIPT = REPOSITORY / "scripts" / "logic"
BOARD = {"rows": 9, "cols": 9, "forbidden": [7, 1]}
MOVES = b"".join(told("separate")[1:])


def run_logic(data, folder, words=None, **variables):
    """The logic as a process that is given these bytes and then the end of its input."""
    return subprocess.run(
        words or judge_command("logic"),
        input=data,
        cwd=folder,
        env=judge_environment(**variables),
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_a_whole_match(tmp_path):
    done = run_logic(start(BOARD, str(tmp_path / "replay.json")) + MOVES, tmp_path)
    assert (done.returncode, done.stdout) == (0, answered("separate"))
    assert (tmp_path / "replay.json").read_text() == REPLAY + "\n"
    assert done.stderr.decode().splitlines() == [
        "the match begins: connect_four, 9 rows x 9 columns, forbidden cell 7,1, 3 s per turn",
        "the match is over: player 0 has four in a line",
    ]


@pytest.mark.parametrize(
    "data, status, reason",
    [
        (start(BOARD) + spoke(0, "8 0"), 1, "error: the judger has closed its pipe before the end of the match"),
        (start({"game": "go"}), 2, "error: config: game is 'go', expected one of connect_four, reversi"),
        (b"\xff" * 20, 2, "error: frame length: expected at most 1048576 bytes, received 4294967295 bytes "),
    ],
)
def test_exit_statuses_and_reasons(tmp_path, data, status, reason):
    done = run_logic(data, tmp_path)
    assert done.returncode == status
    assert done.stderr.decode().splitlines()[-1].startswith(reason)
    assert b"Traceback" not in done.stderr
    assert done.stdout.endswith(b'"{\\"0\\": 0, \\"1\\": 0}"}') == (status == 2)


def test_it_speaks_the_readers_language_to_people_and_english_to_the_replay(tmp_path):
    chinese = {"LC_ALL": "", "LANG": "zh_CN.UTF-8", "PYTHONUTF8": "1"}
    data = start(BOARD, str(tmp_path / "replay.json")) + spoke(0, "8 0", 4000)
    done = run_logic(data, tmp_path, **chinese)
    assert done.returncode == 0
    assert "超" in done.stderr.decode().splitlines()[-1]
    assert "took 4.000 s" in (tmp_path / "replay.json").read_text()


def test_its_own_clock_runs_while_the_judger_says_nothing(tmp_path):
    with subprocess.Popen(
        judge_command("logic"),
        cwd=tmp_path,
        env=judge_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as running:
        running.stdin.write(start({**BOARD, "time": 0.5}, replay="replay.json"))
        running.stdin.flush()
        assert running.stdout.read(4) == b"\0\0\0\x29"  # the limits: it has begun
        rest = running.stdout.read()
        assert rest.endswith(b'"end_state": "[\\"TLE\\", \\"OK\\"]"}')
        assert running.wait(PATIENCE_S) == 0
    (took,) = re.findall(r"said nothing for ([0-9.]+) s", (tmp_path / "replay.json").read_text())
    assert float(took) >= 0.5


def test_what_is_printed_meanwhile_is_not_for_the_judger(tmp_path):
    program = (
        "import os\n"
        "from judge.logic.program import StandardPipes\n"
        "with StandardPipes() as channel:\n"
        "    print('astray', flush=True)\n"
        "    os.system('echo of a child')\n"
        "    channel.write(b'frame')\n"
        "print('later')\n"
    )
    done = run_logic(b"", tmp_path, [sys.executable, "-c", program])
    assert (done.stdout, done.returncode) == (b"framelater\n", 0), done.stderr
    assert done.stderr == b"astray\nof a child\n"


def test_the_script_is_one_file_without_arguments(tmp_path):
    link = tmp_path / "a link"
    link.symlink_to(SCRIPT)
    data = start(BOARD, str(tmp_path / "replay.json")) + MOVES
    done = run_logic(data, tmp_path, [str(link)], DROPFOUR_PYTHON=sys.executable)
    assert (done.returncode, done.stdout) == (0, answered("separate")), done.stderr
    assert (tmp_path / "replay.json").read_text() == REPLAY + "\n"
    assert os.access(SCRIPT, os.X_OK)
