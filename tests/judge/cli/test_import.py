"""`python -m judge import`: what becomes of files, what is said, and what the other commands do with the records."""

import json
import os
from pathlib import Path

import pytest
from msgspec import structs

from judge.cli import import_, replay, repro
from judge.cli.import_ import DEFAULT_RECORD
from judge.formats.text import write
from judge.reasons import reason_of
from protocol.records.record import Termination, append_record, read_records
from tests.judge.helpers.chinese import in_chinese
from tests.judge.helpers.logged_files import CAPTURED, LOG
from tests.judge.helpers.logged_games import any_record
from tests.judge.helpers.random_games import recorded_game

BAD = CAPTURED.replace("[0, 1, 0", "[0, 12, 0")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with two logs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "replay.json").write_text(CAPTURED + "\n" + BAD)
    (tmp_path / "compete.log").write_text(LOG)
    return tmp_path


def test_files_become_records_that_the_other_commands_take(folder, capsys):
    assert import_.main(["replay.json", "compete.log", "--names", "v7", "v8"]) == 1
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "replay.json: 1 game, read as a connect four replay of Saiblo",
        "compete.log: 2 games, read as the log that Compete prints",
        "game 1: A (v7) wins after 7 plies: A has four in a line",
        "game 2: A (v7) wins after 7 plies: A has four in a line",
        "game 3: A (v7) wins after 2 plies: TIME_FORFEIT by B (v8): the imported file says: B - timed out",
        f"record: {DEFAULT_RECORD}",
        printed.out.splitlines()[-1],
    ]
    assert printed.out.splitlines()[-1].endswith(f"replay {DEFAULT_RECORD} --number 3")
    assert printed.err == (
        "replay.json: line 2, in rounds[1]: ply 2 is not legal: column 12 is off the board, expected 0..8\n"
    )
    assert import_.main(["compete.log"]) == 0
    assert "game 5: A (unknown-A) wins" in capsys.readouterr().out
    records, torn = read_records(DEFAULT_RECORD)
    assert (len(records), torn) == (5, [])
    for number in range(1, 6):
        assert replay.main([str(DEFAULT_RECORD), "--number", str(number)]) == 0
    assert repro.main([str(DEFAULT_RECORD), "--number", "3"]) == 0
    assert "to run the player on this input: PROGRAM < " in capsys.readouterr().out
    assert (folder / "repro-3.txt").read_bytes().startswith(b"9 9 7 1\n")


def test_our_own_records_may_have_other_names(folder):
    append_record("mine.jsonl", recorded_game("dots", seed=3))
    assert import_.main(["mine.jsonl", "--names", "v7", "v8"]) == 0
    ((record,), _torn) = read_records(DEFAULT_RECORD)
    assert [player.name for player in record.players] == ["v7", "v8"]


def test_json_is_english_whoever_reads_it(folder, capsys):
    append_record("mine.jsonl", structs.replace(recorded_game("dots", seed=3), first="B"))
    with in_chinese():
        assert import_.main(["mine.jsonl", "--json"]) == 1
        (problem,) = json.loads(capsys.readouterr().out)["problems"]
        assert problem["problem"] == "the game is left out: ply 1 is recorded as A's, but B was to move"
        assert import_.main(["mine.jsonl"]) == 1
        assert "此对局不收：" in capsys.readouterr().err


def test_a_file_without_an_end_is_refused(folder, capsys):
    os.truncate(folder / "replay.json", 300 * 10**9)  # zeros, which take no room
    for path, error in [
        ("/dev/zero", "/dev/zero: expected a file, got a device"),
        ("replay.json", "replay.json has 300,000,000,000 bytes, expected at most 256,000,000"),
    ]:
        with pytest.raises(SystemExit, match="2"):
            import_.main([path])
        assert error in capsys.readouterr().err


def test_a_file_may_come_from_another_program(folder):
    """As by `import <(xz -dc log.xz)`."""
    reading, writing = os.pipe()
    append_record("mine.jsonl", recorded_game("dots", seed=3))
    os.write(writing, Path("mine.jsonl").read_bytes())
    os.close(writing)
    assert import_.main([f"/dev/fd/{reading}"]) == 0
    os.close(reading)


def test_our_own_records_are_appended_as_they_are(folder, capsys):
    records = [recorded_game(game, seed=3) for game in ("dots", "reversi")]
    for record in records:
        append_record("mine.jsonl", record)
    assert import_.main(["mine.jsonl", "--record", "all.jsonl"]) == 0
    assert read_records("all.jsonl") == (records, [])
    assert "game 2: " in capsys.readouterr().out
    with open("mine.jsonl", "a") as file:
        file.write('{"game": "dots"}\n{"record_ver')
    assert import_.main(["mine.jsonl", "--record", "all.jsonl"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "mine.jsonl: line 3: record_version: expected such a key, got none",
        "mine.jsonl: line 4: expected one JSON object: Input data was truncated",
    ]
    assert read_records("all.jsonl") == (records * 2, [])


def test_json_has_what_was_kept_and_what_is_wrong(folder, capsys):
    assert import_.main(["replay.json", "--json", "--record", "out.jsonl"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["record"], told["formats"]) == ("out.jsonl", {"replay.json": "saiblo"})
    (game,) = told["games"]
    assert (game["number"], game["winner"], game["moves"]) == (1, "A", [0, 1, 0, 1, 0, 1, 0])
    assert [problem["place"] for problem in told["problems"]] == ["line 2, in rounds[1]"]


def test_show_prints_the_games_and_keeps_nothing(folder, capsys):
    text = "".join(write(any_record(game, 3, names=("one", "[/b]\x1b[2J"))) for game in ("reversi", "dots"))
    (folder / "mine.txt").write_text(text)
    assert import_.main(["mine.txt", "compete.log", "--show"]) == 0
    printed = capsys.readouterr()
    assert "mine.txt: 2 games, read as text written by hand" in printed.out
    assert "line 1: side A one against side B [/b]\\x1b[2J, A moves first, 8 x 8" in printed.out
    assert "line 14: side A unknown-A against side B unknown-B, B moves first, 9 rows x 9" in printed.out
    assert "\x1b" not in printed.out and printed.err == ""
    assert not DEFAULT_RECORD.exists()
    assert import_.main(["mine.txt", "compete.log", "--show", "--json"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(file["file"], file["format"], len(file["games"])) for file in told] == [
        ("mine.txt", "text", 2),
        ("compete.log", "compete", 2),
    ]
    assert import_.main(["mine.txt", "--show", "--record", "out.jsonl"]) == 0
    assert len(read_records("out.jsonl")[0]) == 2


BAD_WORDS = (
    (["nowhere.json"], "nowhere.json: No such file or directory"),
    (["."], ".: Is a directory"),
    (["replay.json", "--format", "pgn"], "invalid choice: 'pgn'"),
    (["replay.json", "--stdin", "0", "out"], "--stdin needs --show"),
    (["replay.json", "--threshold", "2.8"], "--threshold needs --show"),
    (["replay.json", "--record", "replay.json"], "replay.json, line 1: record_version: expected such a key"),
    (
        ["own.jsonl", "--record", "own.jsonl"],
        "own.jsonl is the record file to which the games are appended; it cannot be imported",
    ),
    (["replay.json", "compete.log", "--moves", "x"], "--stdin and --moves can only be used with a single FILE"),
)


def test_words_that_cannot_be_followed_change_nothing(folder, capsys):
    append_record("own.jsonl", recorded_game("dots"))
    for words, complaint in BAD_WORDS:
        with pytest.raises(SystemExit) as ended:
            import_.main(words)
        assert ended.value.code == 2, words
        assert complaint in capsys.readouterr().err, words
        assert (folder / "replay.json").read_text() == CAPTURED + "\n" + BAD
        assert len(read_records("own.jsonl")[0]) == 1


def test_a_file_that_is_nothing_known(folder, capsys):
    (folder / "x").write_text("hello\n")
    assert import_.main(["x", "compete.log"]) == 1
    printed = capsys.readouterr()
    assert printed.err == ("x: the format of the file is unknown: if you know it, name it with --format\n")
    assert "compete.log: 2 games, read as the log that Compete prints" in printed.out
    assert import_.main(["compete.log", "--moves", "replay.json"]) == 1
    assert "the file is no match detail of Saiblo: give --moves only with a match detail" in capsys.readouterr().err


def test_names_are_data(folder, capsys):
    record = any_record("connect_four", 1, 3, Termination.CRASH, names=("a\nb: #\u2028", '"x"'))
    (folder / "names.txt").write_text(write(record))
    assert import_.main(["names.txt", "--record", "out.jsonl"]) == 0
    assert "A (a\\nb: #\\u2028)" in capsys.readouterr().out
    ((found,), _torn) = read_records("out.jsonl")
    assert [player.name for player in found.players] == [player.name for player in record.players]


def test_all_is_said_in_chinese_and_kept_in_english(folder, capsys):
    (folder / "mine.txt").write_text("9x9\n4,4\n")
    with in_chinese():
        assert import_.main(["replay.json", "mine.txt"]) == 1
    printed = capsys.readouterr()
    assert "replay.json：1 局，格式：Saiblo 的四子棋回放" in printed.out
    assert "第 2 局：对局不计（VOID），在第 2 手后停止：导入的文件结束时对局还没有下完" in printed.out
    assert "replay.json: 第 2 行，rounds[1]: 第 2 手不合法：第 12 列不在棋盘上，应为 0..8\n" in printed.err
    assert "注意：mine.txt: 第 1 行: 导入的文件结束时对局还没有下完\n" in printed.err
    records = read_records(DEFAULT_RECORD)[0]
    assert reason_of(records[1]) == "the imported file ends before the game is over"
    assert DEFAULT_RECORD.read_text().isascii()


def test_of_very_many_problems_a_thousand_are_told(folder, capsys):
    (folder / "hostile.log").write_text('{"response": {"x": 1, "y": 2}}\n' + '{"a": 1}\n' * 3000)
    assert import_.main(["hostile.log", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (len(told["problems"]), told["problems_left_out"]) == (1000, 2001)
    assert import_.main(["hostile.log"]) == 1
    *_, last = capsys.readouterr().err.splitlines()
    assert last == "hostile.log: 2981 more problems or notes are left out here"
