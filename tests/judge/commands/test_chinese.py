"""Commands on a machine that speaks Chinese: what people read is Chinese, what programs read is English."""

import json
import re
import subprocess

import pexpect
import pytest
from rich.cells import cell_len

from judge.__main__ import COMMANDS
from judge.commands.play import DEFAULT_RECORD
from protocol.records.record import read_records
from tests.judge.helpers.chinese import HAN, chinese_environment, in_chinese
from tests.judge.helpers.scripted import PATIENCE_S, command, judge_command, run_judge

LEFTMOST = command("first_legal")
CRASHES = command("misbehave", "segfault", "--at", 2)
COLUMNS = 80


def run_in_chinese(folder, *words, **variables):
    """The judge in a process of its own, its output as bytes of UTF-8."""
    return subprocess.run(
        judge_command(*words),
        cwd=folder,
        env=chinese_environment(**variables),
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )


def test_a_game_is_told_in_chinese_and_kept_in_english(tmp_path):
    done = run_in_chinese(tmp_path, "play", LEFTMOST, CRASHES, "--seed", 4, "--free-start", "--json")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "种子 4，时限 3 秒" in lines[0]
    assert f"棋谱：{DEFAULT_RECORD}，第 1 局" in lines
    assert "A (first_legal.py) 胜，共 5 手：B (misbehave.py) 崩溃：B 被信号 11 终止（SIGSEGV，段错误）" in lines
    outcome = json.loads(lines[-1])
    (record,), _torn = read_records(tmp_path / DEFAULT_RECORD)
    reason = "B was ended by signal 11 (SIGSEGV, Segmentation fault)"
    assert (outcome["termination"], outcome["reason"]) == ("CRASH", reason)
    assert record.extra["reason"] == reason
    assert not HAN.search((tmp_path / DEFAULT_RECORD).read_text("utf-8"))


def test_boards_are_drawn_as_in_english(tmp_path):
    words = ("play", LEFTMOST, LEFTMOST, "--seed", 4, "--free-start")
    english = run_judge(tmp_path, *words).stdout.splitlines()
    chinese = run_in_chinese(tmp_path, *words).stdout.splitlines()
    rows = [line for line in english if line.startswith("  ")]
    assert len(rows) > 100
    assert [line for line in chinese if line.startswith("  ")] == rows


def test_a_match_is_told_in_chinese_and_kept_in_english(tmp_path):
    path = tmp_path / "games.jsonl"
    words = ("match", LEFTMOST, CRASHES, "--games", 2, "--free-start", "--record", path)
    done = run_in_chinese(tmp_path, *words, "--json")
    assert done.returncode == 0, done.stderr
    *told, outcome = done.stdout.splitlines()
    text = "\n".join(told)
    for words_told in ("A 的战绩", "B 犯规", "用时（秒：", "B 崩溃：B 被信号 11 终止（SIGSEGV，段错误）", "有效样本："):
        assert words_told in text
    assert "2/2 局" in done.stderr
    assert json.loads(outcome)["terminations"] == {"CRASH": 2}
    assert not HAN.search(path.read_text("utf-8"))
    again = run_in_chinese(tmp_path, *words)
    assert again.returncode == 2
    assert again.stderr.splitlines() == [
        f"错误：{path} 里已有 2 局：用 --resume 接着下，或用 --record 另写一个文件",
        "python -m judge match --help 有详细说明",
    ]
    resumed = run_in_chinese(tmp_path, *words, "--resume")
    assert "接着下：棋谱里已有 2 局中的 2 局" in resumed.stdout
    assert "B 崩溃：B 被信号 11 终止（SIGSEGV，段错误）" in resumed.stdout  # from the file


def test_columns_of_tables_stand_below_each_other(tmp_path):
    done = run_in_chinese(tmp_path, "match", LEFTMOST, LEFTMOST, "--games", 2, "--free-start", COLUMNS=str(COLUMNS))
    lines = done.stdout.splitlines()
    title = lines.index(next(line for line in lines if line.startswith("A 的战绩")))
    heading, rule, *rows = (line.rstrip() for line in lines[title + 2 : title + 7])
    assert len(rows) == 3
    assert all(cell_len(line) <= cell_len(rule) + 1 <= COLUMNS for line in (heading, *rows))
    place = cell_len(heading[: heading.index("局数")]) + cell_len("局数")
    assert {row_cell(row, place - 1) for row in rows} == {"2", "1"}


def row_cell(row, place):
    """What stands in a column of the screen."""
    for end in range(len(row) + 1):
        if cell_len(row[:end]) > place:
            return row[end - 1]
    raise AssertionError(f"{row!r} is shorter than {place}")


def test_usage_errors_are_two_lines_with_what_was_meant(tmp_path):
    with in_chinese():
        for words, error in (
            (("play", "--sede"), "错误：不认识的参数：--sede；是不是想写 --seed？"),
            (("match", "bot"), "错误：缺少参数：B, --games"),
            (("play", "--limit", "x"), "错误：参数 --limit：'x' 不是大于 0 的秒数"),
            (("play", "--game", "reversi", "--size", "x"), "错误：参数 --size：'x' 不是大小，应为 4..10"),
            (("play", "--first", "C"), "错误：参数 --first：没有 'C' 这个选择（可选："),
            (("play", "src:nowhere"), "错误：'nowhere'：没有那个目录或文件"),
        ):
            done = run_judge(tmp_path, *words)
            first, second = done.stderr.splitlines()
            assert first.startswith(error)
            assert second == f"python -m judge {words[0]} --help 有详细说明"
            assert done.returncode == 2


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("columns", [60, 80, 200])
def test_help_fits_the_terminal(tmp_path, monkeypatch, name, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    with in_chinese():
        done = run_judge(tmp_path, name, "--help")
    assert done.stdout.startswith(f"用法：python -m judge {name} ")
    assert "选项" in done.stdout
    assert "显示这段帮助，然后退出" in done.stdout
    lines = done.stdout.partition("\n\n")[2].splitlines()  # behind the usage, which is as in English
    assert max(map(cell_len, lines)) <= columns
    assert not any(line.lstrip().startswith(tuple("，。；：）")) for line in lines)


def test_english_where_the_output_cannot_be_chinese(tmp_path):
    done = run_in_chinese(tmp_path, "match", "bot", PYTHONIOENCODING="ascii")
    assert done.stderr.startswith("error: the following arguments are required: B, --games\n")


def in_terminal(folder, *words):
    """The judge on a terminal of 80 x 24."""
    program, *others = judge_command(*words)
    return pexpect.spawn(
        program,
        others,
        cwd=str(folder),
        env=chinese_environment(TERM="xterm-256color"),
        dimensions=(24, COLUMNS),
        encoding="utf-8",
        timeout=PATIENCE_S,
    )


def test_a_screen_has_chinese_lines_that_fit(tmp_path):
    child = in_terminal(tmp_path, "play", LEFTMOST, LEFTMOST, "--seed", 4, "--free-start")
    child.expect(pexpect.EOF)
    lines = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in re.split(r"[\r\n]+", child.before)]
    players = [line for line in lines if line.startswith(("A X first_legal.py", "B O first_legal.py"))]
    assert any("思考中，最多 3 秒" in line for line in players)
    assert any("A 下 第 0 列" in line for line in players)
    assert max(map(cell_len, players)) <= COLUMNS
    assert any("胜，共" in line and "连成四子" in line for line in lines)


def test_a_human_is_spoken_to_in_chinese(tmp_path):
    child = in_terminal(tmp_path, "human", LEFTMOST, "--seed", 4)
    child.expect("你是 X，first_legal.py 是 O；请输入着法")
    child.expect(">>> ")
    child.sendline("99")
    child.expect(r"第 99 列不在棋盘上，应为 0\.\.\d+；`help` 有说明")
    child.sendline("undo")
    child.expect("你还没有可以悔的棋")
    child.sendline("0")
    child.expect("first_legal.py 在思考，最多 3 秒")
    child.expect(">>> ")
    child.sendline("quit")
    child.expect("这一局没有记入棋谱")
    child.expect(pexpect.EOF)
