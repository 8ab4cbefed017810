"""Commands on a terminal that speaks Chinese: what is drawn fits it, as its characters take two columns each."""

import re

import pexpect
import pytest
from rich.cells import cell_len

from judge.games import GAMES
from judge.language import _
from judge.viewer.browser import HELP
from judge.viewer.positions import RecordedPositions
from protocol.records.record import append_record
from tests.judge.helpers.chinese import chinese_environment, in_chinese
from tests.judge.helpers.random_games import recorded_game
from tests.judge.helpers.scripted import PATIENCE_S, command, judge_command

LEFTMOST = command("first_legal")
COLUMNS = 80


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


def screen_of(child):
    """The lines of the latest picture on the whole terminal, but for the prompt, which was waited for."""
    picture = child.before.rpartition("\x1b[H")[2]
    return [line.rstrip() for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", picture).split("\r\n")]


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_looked_at_in_chinese_on_the_usual_terminal(tmp_path, game):
    path = tmp_path / "games.jsonl"
    record = recorded_game(game, report=lambda side, ply: {"value": ply / 200})
    append_record(path, record)
    positions = RecordedPositions(record)
    child = in_terminal(tmp_path, "replay", path)
    child.expect(r"第 0 手，共 \d+ 手   \? 按键说明，q 退出")
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
        for row, line in zip(positions.game.picture(positions.position(ply)).plain.split("\n"), lines, strict=False):
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
