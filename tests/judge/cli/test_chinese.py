"""Commands on a machine that speaks Chinese: what people read is Chinese and fits, what programs read is English."""

import json
import re
import subprocess

import pexpect
import pytest
from rich.cells import cell_len

from judge.cli.play import DEFAULT_RECORD
from judge.language import _
from judge.reasons import reason_of
from judge.viewer import HELP, RecordedPositions
from protocol.records.record import append_record, read_records
from tests.judge.helpers.chinese import HAN, chinese_environment, in_chinese
from tests.judge.helpers.random_games import recorded_game
from tests.judge.helpers.scripted import PATIENCE_S, command, judge_command, run_judge
from tests.judge.helpers.started import in_terminal

LEFTMOST = command("first_legal")
CRASHES = command("misbehave", "segfault", "--at", 2)
COLUMNS = 80


def process_in_chinese(folder, *words, **variables):
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


def run_in_chinese(folder, *words, **more):
    with in_chinese(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(COLUMNS))
        return run_judge(folder, *words, **more)


def test_a_game_is_told_in_chinese_and_kept_in_english(tmp_path):
    done = process_in_chinese(tmp_path, "play", LEFTMOST, CRASHES, "--seed", 4, "--free-start", "--json")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "种子 4，时限 3 秒" in lines[0]
    assert f"棋谱：{DEFAULT_RECORD}，第 1 局" in lines
    assert "A (first_legal.py) 胜，共 5 手：B (misbehave.py) 崩溃：B 被信号 11 终止（SIGSEGV，段错误）" in lines
    outcome = json.loads(lines[-1])
    (record,), _torn = read_records(tmp_path / DEFAULT_RECORD)
    reason = "B was ended by signal 11 (SIGSEGV, Segmentation fault)"
    assert (outcome["termination"], outcome["reason"]) == ("CRASH", reason)
    assert reason_of(record) == reason
    assert not HAN.search((tmp_path / DEFAULT_RECORD).read_text("utf-8"))


def test_boards_are_drawn_as_in_english(tmp_path):
    words = ("play", LEFTMOST, LEFTMOST, "--seed", 4, "--limit", 20, "--free-start")
    english = run_judge(tmp_path, *words).stdout.splitlines()
    chinese = run_in_chinese(tmp_path, *words).stdout.splitlines()
    rows = [line for line in english if line.startswith("  ")]
    assert len(rows) > 100
    assert [line for line in chinese if line.startswith("  ")] == rows


def test_a_match_is_told_in_chinese_and_kept_in_english(tmp_path):
    path = tmp_path / "games.jsonl"
    words = ("match", LEFTMOST, CRASHES, "--games", 2, "--limit", 20, "--free-start", "--record", path)
    done = run_in_chinese(tmp_path, *words, "--json", "--verbose")
    assert done.returncode == 0, done.stderr
    *told, outcome = done.stdout.splitlines()
    text = "\n".join(told)
    for words_told in (
        "尚无定论：first_legal.py 对 misbehave.py：2 局得 2 分；至少还要 8 局",
        "B 犯规",
        "秒：平均 / 95 % 分位 / 最慢",
        "B 崩溃：B 被信号 11 终止（SIGSEGV，段错误）",
        "互不相同的：",
    ):
        assert words_told in text
    assert "2/2 局" in done.stderr
    assert json.loads(outcome)["terminations"] == {"CRASH": 2}
    assert not HAN.search(path.read_text("utf-8"))
    title = told.index(next(line for line in told if line.rstrip().endswith("A 方的战绩")))
    heading, rule, *rows = (line.rstrip() for line in told[title + 1 : title + 6])
    assert len(rows) == 3
    assert all(cell_len(line) <= cell_len(rule) + 1 <= COLUMNS for line in (heading, *rows))
    place = cell_len(heading[: heading.index("局数")]) + cell_len("局数")
    assert {row_cell(row, place - 1) for row in rows} == {"2", "1"}  # columns stand below each other
    again = run_in_chinese(tmp_path, *words)
    assert again.returncode == 2
    assert again.stderr.splitlines() == [
        f"错误：{path} 里已有 2 局：用 --resume 接着下，或用 --record 另写一个文件",
        "python -m judge match --help 有参数说明",
    ]
    resumed = run_in_chinese(tmp_path, *words, "--resume")
    assert "接着下：棋谱里已有 2 局中的 2 局" in resumed.stdout
    assert "B 崩溃：B 被信号 11 终止（SIGSEGV，段错误）" in resumed.stdout  # from the file


def row_cell(row, place):
    """What stands in a column of the screen."""
    for end in range(len(row) + 1):
        if cell_len(row[:end]) > place:
            return row[end - 1]
    raise AssertionError(f"{row!r} is shorter than {place}")


def test_doctor_tells_facts_in_chinese_below_each_other_and_its_json_is_english(tmp_path):
    done = run_in_chinese(tmp_path, "doctor", "--json")
    assert done.stderr == ""
    *told, outcome = done.stdout.splitlines()
    facts = [re.fullmatch(r"(正常|警告|缺少)  (\S.*?)  +(\S.*)", line) for line in told]
    facts = [fact for fact in facts if fact]
    assert len(facts) == len(json.loads(outcome)["facts"])
    assert len({cell_len(fact[0][: fact.start(3)]) for fact in facts}) == 1
    found = {fact[2]: fact for fact in facts}
    assert found.keys() >= {"Python", "核数", "内存", "棋谱", "字符"}
    assert told[-1].startswith(("必需的都有了", "缺少："))
    assert not HAN.search(outcome)


def test_usage_errors_are_two_lines_with_what_was_meant(tmp_path):
    with in_chinese():
        for words, error in (
            (("play", "--sede"), "错误：不认识的参数：--sede；是不是想写 --seed？"),
            (("match", "bot"), "错误：缺少参数：OLD, --games"),
            (("play", "--limit", "x"), "错误：参数 --limit：'x' 不是大于 0 的秒数"),
            (("play", "--game", "reversi", "--size", "x"), "错误：参数 --size：'x' 不是大小，应为 4..10"),
            (("play", "--first", "C"), "错误：参数 --first：没有 'C' 这个选择（可选："),
            (("play", "src:nowhere"), "错误：'nowhere'：没有那个目录或文件"),
        ):
            done = run_judge(tmp_path, *words)
            first, second = done.stderr.splitlines()
            assert first.startswith(error)
            assert second == f"python -m judge {words[0]} --help 有参数说明"
            assert done.returncode == 2


def test_english_where_the_output_cannot_be_chinese(tmp_path):
    done = process_in_chinese(tmp_path, "match", "bot", PYTHONIOENCODING="ascii")
    assert done.stderr.startswith("error: the following arguments are required: OLD, --games\n")


def test_a_human_is_spoken_to_in_chinese(tmp_path):
    done = run_in_chinese(tmp_path, "human", LEFTMOST, "--seed", 4, input="99\nundo\n0\nquit\n")
    assert (done.returncode, done.stderr) == (130, "")
    for words in (
        "你执 X，first_legal.py 执 O。请输入着法",
        "你还没有可以悔的棋",
        "first_legal.py 在思考，最多 3 秒",
        "这一局没有记入棋谱",
    ):
        assert words in done.stdout
    assert re.search(r"第 99 列不在棋盘上，应为 0\.\.\d+；输入 `help` 看说明", done.stdout)


def test_a_screen_has_chinese_lines_that_fit(tmp_path):
    child = in_terminal(
        tmp_path, "play", LEFTMOST, LEFTMOST, "--seed", 4, "--free-start", environment=chinese_environment()
    )
    child.expect(pexpect.EOF)
    lines = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in re.split(r"[\r\n]+", child.before)]
    players = [line for line in lines if line.startswith(("A X first_legal.py", "B O first_legal.py"))]
    assert any("选手思考中，最多 3 秒" in line for line in players)
    assert any("A 下 第 0 列" in line for line in players)
    assert max(map(cell_len, players)) <= COLUMNS
    assert any("胜，共" in line and "连成四子" in line for line in lines)


def screen_of(child):
    """The lines of the latest picture on the whole terminal, but for the prompt, which was waited for."""
    picture = child.before.rpartition("\x1b[H")[2]
    return [line.rstrip() for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", picture).split("\r\n")]


def test_a_game_is_looked_at_in_chinese_on_the_usual_terminal(tmp_path):
    path = tmp_path / "games.jsonl"
    record = recorded_game("dots", report=lambda side, ply: {"value": ply / 200})
    append_record(path, record)
    positions = RecordedPositions(record)
    child = in_terminal(tmp_path, "replay", path, environment=chinese_environment())
    child.expect(r"第 0 手，共 \d+ 手   \?：按键说明，q：退出")
    pictures = {0: screen_of(child)}
    child.send("20\r")
    child.expect(r"第 20 手，共 \d+ 手 ")
    pictures[20] = screen_of(child)
    child.send("G")
    child.expect(rf"第 {positions.last} 手，共 {positions.last} 手 ")
    pictures[positions.last] = screen_of(child)
    for ply, lines in pictures.items():
        assert len(lines) == 24
        assert max(map(cell_len, lines)) <= COLUMNS
        for row, line in zip(positions.game.rendering(positions.position(ply)).plain.split("\n"), lines, strict=False):
            assert line.startswith(row.rstrip())
        assert not any(line.strip().startswith(tuple("，。；：）")) for line in lines)
    assert any("还没有落子" in line for line in pictures[0])
    assert any("棋谱与规则相符。" in line for line in pictures[positions.last])
    child.send("999\r")
    child.expect(f"没有第 999 手，最后是第 {positions.last} 手")
    child.send("?")
    child.expect("前进：.*退出：q")
    child.send("q")
    child.expect(pexpect.EOF)
    left = child.before.rpartition("\x1b[?1049l")[2]
    assert "棋谱与规则相符。" in left


def test_the_line_of_keys_fits_the_usual_terminal():
    with in_chinese():
        assert cell_len(_(HELP)) <= COLUMNS
