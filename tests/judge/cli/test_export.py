"""`python -m judge export`: files in other forms, and what is said of games that a form cannot hold."""

import csv
import io
import json
import resource

import pytest
from msgspec import structs

from judge.cli import export, import_
from judge.formats import compete
from judge.formats.compete import read
from judge.formats.csv_table import GAME_COLUMNS, MOVE_COLUMNS
from judge.formats.reading import Source
from protocol.records.record import Termination, append_record, read_records
from tests.judge.helpers.logged_files import LOG
from tests.judge.helpers.logged_games import any_record, outcome
from tests.judge.helpers.random_games import recorded_game
from tests.judge.helpers.scripted import run_judge

GAMES = (
    any_record("connect_four", 1),
    any_record("connect_four", 1, 12, Termination.TIME_FORFEIT, first="B"),
    any_record("reversi", 2),
    any_record("dots", 3),
    any_record("connect_four", 4, 5),
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with a record file."""
    monkeypatch.chdir(tmp_path)
    for record in GAMES:
        append_record("games.jsonl", record)
    return tmp_path


def test_replays_of_saiblo(folder, capsys):
    assert export.main(["games.jsonl", "--format", "saiblo", "--output", "replays"]) == 1
    assert capsys.readouterr().err == "games.jsonl, game 4: Saiblo does not have the game dots\n"
    names = sorted(path.name for path in (folder / "replays").iterdir())
    assert names == ["game-1.json", "game-2.json", "game-3.json", "game-5.json"]
    assert import_.main([*(f"replays/{name}" for name in names), "--record", "back.jsonl"]) == 0
    back, _torn = read_records("back.jsonl")
    assert [outcome(record) for record in back] == [outcome(GAMES[number]) for number in (0, 1, 2, 4)]


def test_one_replay_goes_to_the_terminal_or_to_one_file(folder, capsys):
    assert export.main(["games.jsonl", "--format", "saiblo", "--number", "1"]) == 0
    content = json.loads(capsys.readouterr().out)
    board = GAMES[0].board
    assert list(content) == ["row", "col", "nox", "noy", "rounds", "win", "gameend_reason"]
    assert [content[key] for key in ("row", "col", "nox", "noy")] == [board["rows"], board["cols"], *board["forbidden"]]
    assert export.main(["games.jsonl", "--format", "saiblo", "--number", "1", "--output", "one.json"]) == 0
    assert json.loads((folder / "one.json").read_text()) == content


def test_what_compete_writes(folder, capsys):
    assert export.main(["games.jsonl", "--format", "compete", "--output", "compete"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "games.jsonl, game 3: Compete does not have the game reversi",
        "games.jsonl, game 4: Compete does not have the game dots",
        "games.jsonl, game 5: Compete plays two games on each board, and the game in which the other side "
        "moves first is missing",
    ]
    assert (folder / "compete" / "result.txt").read_bytes() == compete.result_file([GAMES[:2]])
    log = (folder / "compete" / "log.txt").read_text()
    assert log.endswith((folder / "compete" / "result.txt").read_text().partition("\n\n")[2])
    assert len(read(Source(log.encode())).games) == 2


def test_tables(folder, capsys):
    record = recorded_game(
        "dots", {"rows": 1, "columns": 1, "opening": []}, report=lambda side, ply: {"value": ply / 8}
    )
    append_record("small.jsonl", record)
    assert export.main(["small.jsonl", "--format", "csv"]) == 0
    games = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert list(games[0]) == list(GAME_COLUMNS)
    assert (games[0]["number"], games[0]["board"], games[0]["A"], games[0]["winner"]) == (
        "1",
        "1x1",
        "one",
        record.winner,
    )
    assert games[0]["moves"].split(",") == [move.move for move in record.moves]
    assert (games[0]["A_s"], games[0]["plies"], games[0]["at_fault"]) == ("0.5", "4", "")
    assert export.main(["small.jsonl", "--format", "csv", "--lines", "moves", "--output", "moves.csv"]) == 0
    text = (folder / "moves.csv").read_bytes().decode()
    moves = list(csv.DictReader(text.splitlines()))
    assert list(moves[0]) == list(MOVE_COLUMNS)
    assert [(line["ply"], line["move"], line["value"]) for line in moves] == [
        (str(ply), move.move, str(ply / 8)) for ply, move in enumerate(record.moves, start=1)
    ]


def test_a_name_is_no_formula_in_a_table(folder, capsys):
    names = ['=HYPERLINK("http://example.org")', "+1", "-1", "@SUM(A1)", "\t=1", "v8", "a=b", "'"]
    for first, second in zip(names[::2], names[1::2], strict=True):
        record = any_record("dots", 1, names=(first, second))
        move = structs.replace(record.moves[0], report={"value": -0.5})
        append_record("names.jsonl", structs.replace(record, moves=[move, *record.moves[1:]]))
    assert export.main(["names.jsonl", "--format", "csv"]) == 0
    shown = [line[side] for line in csv.DictReader(io.StringIO(capsys.readouterr().out)) for side in "AB"]
    assert shown == [*(f"'{name}" for name in names[:5]), *names[5:]]
    assert export.main(["names.jsonl", "--format", "csv", "--lines", "moves"]) == 0
    values = [line["value"] for line in csv.DictReader(io.StringIO(capsys.readouterr().out))]
    assert set(values) == {"-0.5", ""}


def test_a_table_has_no_times_that_nobody_knows(folder, capsys):
    (folder / "compete.log").write_text(LOG)
    assert import_.main(["compete.log", "--record", "imported.jsonl"]) == 0
    capsys.readouterr()
    for lines, names in [("games", ("A_s", "B_s", "started")), ("moves", ("wall_s",))]:
        assert export.main(["imported.jsonl", "--format", "csv", "--lines", lines]) == 0
        for line in csv.DictReader(capsys.readouterr().out.splitlines()):
            assert [line[name] for name in names] == [""] * len(names)


def test_a_table_on_stdout_is_that_of_a_file(folder):
    for lines in ("games", "moves"):
        words = ("export", "games.jsonl", "--format", "csv", "--lines", lines)
        printed = run_judge(folder, *words).stdout
        assert run_judge(folder, *words, "--output", f"{lines}.csv").returncode == 0
        assert printed.encode() == (folder / f"{lines}.csv").read_bytes()
        assert "\\" not in printed and "\r" not in printed


@pytest.mark.parametrize("form", [("csv",), ("csv", "--lines", "moves"), ("text",), ("saiblo",)])
def test_half_a_character_of_a_name_is_replaced(folder, form):
    record = any_record("connect_four", 1, names=("a\ud83d", "b"))
    append_record("odd.jsonl", record)
    done = run_judge(folder, "export", "odd.jsonl", "--format", *form, "--output", "out")
    assert (done.returncode, done.stderr) == (0, "")
    text = (folder / "out").read_text("utf-8")
    assert form != ("csv",) or "a\ufffd" in text
    if form == ("text",):
        assert run_judge(folder, "import", "out", "--record", "back.jsonl").returncode == 0
        assert read_records("back.jsonl")[0][0].players[0].name == "a\ufffd"


def test_a_file_that_cannot_be_written_whole_is_not_left(folder):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))  # as a full disk
    try:
        done = run_judge(folder, "export", "games.jsonl", "--format", "csv", "--output", "games.csv")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert done.returncode == 2 and "File too large" in done.stderr
    assert not (folder / "games.csv").exists()


def test_compete_counts_its_own_limit_where_a_record_has_none(folder, capsys):
    """A person's game has no limit, and may be lost on time all the same, by the bot."""
    late = (Termination.TIME_FORFEIT, "A"), (Termination.TIME_FORFEIT, "B")
    for record in [any_record("connect_four", 1, 12, termination, first) for termination, first in late]:
        append_record("human.jsonl", structs.replace(record, extra={**record.extra, "limit_s": None}))
    assert export.main(["human.jsonl", "--format", "compete", "--output", "compete"]) == 0
    lines = (folder / "compete" / "result.txt").read_text().splitlines()
    assert lines[1:3] == ["7\t3\t0", "8\t0\t3"]


def test_a_record_that_the_rules_refuse_is_left_out(folder, capsys):
    append_record("wrong.jsonl", structs.replace(GAMES[0], winner=None))
    append_record("wrong.jsonl", GAMES[1])
    assert export.main(["wrong.jsonl", "--format", "text"]) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("connect_four ")
    assert printed.err.startswith(
        "wrong.jsonl, game 1: the recorded winner is nobody (a draw), but by the rules it is "
    )


BAD_WORDS = (
    (["nowhere.jsonl", "--format", "text"], "nowhere.jsonl: No such file or directory"),
    (["games.jsonl"], "the following arguments are required: --format"),
    (["games.jsonl", "--format", "text", "--number", "6"], "--number 6: games.jsonl holds 5 games"),
    (["games.jsonl", "--format", "saiblo"], "each game is written to a file of its own: name a folder with --output"),
    (["games.jsonl", "--format", "text", "--lines", "games"], "--lines needs --format csv"),
    (["games.jsonl", "--format", "compete"], "log.txt, result.txt: name a folder for them with --output"),
    (
        ["games.jsonl", "--format", "csv", "--output", "games.jsonl"],
        "games.jsonl exists already, and is not overwritten",
    ),
    (["games.jsonl", "--format", "csv", "--output", "games.jsonl/x"], "File exists: 'games.jsonl'"),
)


def test_words_that_cannot_be_followed(folder, capsys):
    before = (folder / "games.jsonl").read_bytes()
    for words, complaint in BAD_WORDS:
        with pytest.raises(SystemExit) as ended:
            export.main(words)
        assert ended.value.code == 2, words
        assert complaint in capsys.readouterr().err, words
        assert (folder / "games.jsonl").read_bytes() == before
