"""Commands on a machine that speaks Chinese: what people read is Chinese, what programs read is English."""

import json
import re
import subprocess
import sys

import pytest
from rich.cells import cell_len

from judge.command_line.pages import PAGES
from judge.command_table import COMMANDS
from judge.commands.single_games.play import DEFAULT_RECORD
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
    for words_told in (
        "A (first_legal.py) 对 B (misbehave.py) 的战绩",
        "B 犯规",
        "用时（秒：",
        "B 崩溃：B 被信号 11 终止（SIGSEGV，段错误）",
        "有效样本：",
    ):
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


def test_a_batch_is_told_in_chinese_and_kept_in_english(tmp_path):
    words = ("batch", LEFTMOST, "--against", LEFTMOST, CRASHES, "--free-start", "--seed", 4, "--json")
    done = run_in_chinese(tmp_path, *words, "--record", "games.jsonl", COLUMNS=str(COLUMNS))
    assert done.returncode == 0, done.stderr
    *told, outcome = done.stdout.splitlines()
    assert told[0] == "first_legal.py 对 2 个对手，共 4 局"
    assert told[-1] == "结果：3 胜 0 平 1 负  75.0%"
    title = next(number for number, line in enumerate(told) if line.startswith("first_legal.py 的战绩"))
    assert told[title + 2].split() == ["对手", "胜", "平", "负", "已判", "总局数", "胜率", "积分"]
    title = next(number for number, line in enumerate(told) if line.startswith("没有赢的对局"))
    assert told[title + 2].split() == ["局号", "对手", "结果", "先手", "手数", "终局"]
    assert told[title + 4].split()[1:] == ["first_legal.py", "负", "对手", "37", "正常"]
    tables = [
        line for line in told[2:-1] if line.startswith(" ")
    ]  # sentences, as those of a busy machine, may be longer
    assert max(map(cell_len, tables)) <= COLUMNS
    assert "4/4 局" in done.stderr
    content = json.loads(outcome)
    assert (content["wins"], content["losses"], content["lost"][0]["termination"]) == (3, 1, "NORMAL")
    assert not HAN.search(outcome)
    assert not HAN.search((tmp_path / "games.jsonl").read_text("utf-8"))


def test_a_check_is_told_in_chinese_and_its_json_is_english(tmp_path):
    words = ("check", command("misbehave", "exit_3"), "--limit", 3, "--json")
    done = run_in_chinese(tmp_path, *words, COLUMNS=str(COLUMNS))
    assert done.returncode == 1, done.stderr
    *told, outcome = done.stdout.splitlines()
    assert told[0].rstrip() == "检查 misbehave.py"
    assert re.fullmatch(r"\s+棋盘和对手\s+失败\s+18 项中通过 0 项\s*", told[4])
    assert re.fullmatch(r"\s+先手，9 x 9，禁落点在底行\s+失败\s+崩溃：它退出，状态 3\s*", told[5])
    assert re.fullmatch(r"40 项检查中 \d+ 项通过，1 个警告，\d+ 项失败", told[-1])
    assert "共 0 步：如果每 200 步出错一次，发现它的概率是 0 %" in told
    assert max(map(cell_len, told)) <= COLUMNS
    assert "失败     先手，9 x 9，禁落点在底行" in done.stderr.splitlines()
    assert json.loads(outcome)["checks"][0]["reason"] == "CRASH: it ended with status 3"
    assert not HAN.search(outcome)


@pytest.mark.parametrize("words", [[], ["-S"]])  # -S leaves out the packages that are installed
def test_doctor_tells_facts_in_chinese_below_each_other_and_its_json_is_english(tmp_path, words):
    command_line = [sys.executable, *words, "-m", "judge", "doctor", "--json"]
    environment = chinese_environment()
    done = subprocess.run(
        command_line,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.stderr == ""
    *told, outcome = done.stdout.splitlines()
    facts = [re.fullmatch(r"(正常|警告|缺少)  (\S.*?)  +(\S.*)", line) for line in told]
    facts = [fact for fact in facts if fact]
    assert len(facts) == len(json.loads(outcome)["facts"])
    assert len({cell_len(fact[0][: fact.start(3)]) for fact in facts}) == 1
    found = {fact[2]: fact for fact in facts}
    assert found.keys() >= {"Python", "核数", "内存", "C 编译器", "棋谱", "终端", "字符"}
    assert found["终端"][3] == "输出到文件或管道，不带颜色"
    assert ("没有安装；裁判打印表格要用它" in found["rich"][3]) == bool(words)
    assert told[-1].startswith("缺少：psutil, rich" if words else ("必需的都有了，", "缺少："))
    assert not HAN.search(outcome)


def test_columns_of_tables_stand_below_each_other(tmp_path):
    done = run_in_chinese(tmp_path, "match", LEFTMOST, LEFTMOST, "--games", 2, "--free-start", COLUMNS=str(COLUMNS))
    lines = done.stdout.splitlines()
    title = lines.index(next(line for line in lines if line.rstrip().endswith("的战绩")))
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
    assert done.stdout.endswith(f"\n详见 docs/zh/{PAGES[name].rpartition('/')[2]}\n")
    lines = done.stdout.partition("\n\n")[2].splitlines()  # behind the usage, which is as in English
    assert max(map(cell_len, lines)) <= columns
    assert not any(line.lstrip().startswith(tuple("，。；：）")) for line in lines)


def test_english_where_the_output_cannot_be_chinese(tmp_path):
    done = run_in_chinese(tmp_path, "match", "bot", PYTHONIOENCODING="ascii")
    assert done.stderr.startswith("error: the following arguments are required: B, --games\n")
