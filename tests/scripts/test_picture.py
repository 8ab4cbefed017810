"""scripts/picture: the last screen of a game as an SVG file that needs nothing else and is the same every time."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from judge.games import GAMES
from picture_export import main
from protocol.records.record import append_record, read_records
from tests.judge.helpers.random_games import recorded_game
from tests.places import REPOSITORY

PICTURES = REPOSITORY / "docs" / "pictures"
MOST_BYTES = 60_000
SVG = "{http://www.w3.org/2000/svg}"


def rows_of(path):
    """The text of a picture, from its top: {height: text}, pieces of a line joined."""
    rows = {}
    for piece in ElementTree.parse(path).iter(f"{SVG}text"):
        if "matrix" not in piece.attrib.get("class", ""):
            rows.setdefault(float(piece.attrib["y"]), []).append(piece.text.replace("\xa0", " "))
    return ["".join(pieces) for _, pieces in sorted(rows.items())]


def test_the_picture_in_the_documentation_is_what_its_record_gives(tmp_path, capsys):
    out = tmp_path / "again.svg"
    assert main([str(PICTURES / "game.jsonl"), str(out), "--number", "1"]) == 0
    assert out.read_bytes() == (PICTURES / "game.svg").read_bytes()
    assert out.stat().st_size < MOST_BYTES
    assert capsys.readouterr().out == f"{out}: {out.stat().st_size:,} bytes\n"


def test_it_shows_the_end_of_a_won_game_on_a_large_board():
    (record,), _ = read_records(PICTURES / "game.jsonl")
    assert (record.board["rows"], record.board["cols"]) == (12, 12)
    text = "\n".join(rows_of(PICTURES / "game.svg"))
    assert text.count(f"*{'XO'[record.winner != record.first]}*") == 4
    assert f"{record.winner} ({record.players['AB'.index(record.winner)].name}) wins after" in text
    assert "dropfour play" in text


def test_nothing_in_it_comes_from_elsewhere():
    text = (PICTURES / "game.svg").read_text("utf-8")
    assert text.count("://") == text.count("http://www.w3.org/2000/svg") == 1  # the namespace's name
    for word in ("url(", "font-face", "@import", "<script", "href", "<image"):
        assert word not in text.replace("url(#", "")


@pytest.mark.parametrize("game", GAMES)
def test_every_game_on_its_largest_board(tmp_path, game):
    path, out = tmp_path / "games.jsonl", tmp_path / "a.svg"
    append_record(path, recorded_game(game))
    assert main([str(path), str(out)]) == 0
    assert out.stat().st_size < MOST_BYTES
    rows = rows_of(out)
    assert any("The game" in row or " wins after " in row or row.startswith("Draw") for row in rows)
    assert ElementTree.parse(out).getroot().tag == f"{SVG}svg"


@pytest.mark.parametrize(
    "words, complaint",
    [
        (["none.jsonl", "a.svg"], "No such file"),
        (["games.jsonl", "a.svg", "--number", "2"], "games.jsonl holds 1 games, expected --number 1 to that number"),
        (["games.jsonl", "missing/a.svg"], "No such file"),
        (["false.jsonl", "a.svg"], "false.jsonl, line 1: "),
    ],
)
def test_what_cannot_be_drawn_is_named(tmp_path, monkeypatch, capsys, words, complaint):
    monkeypatch.chdir(tmp_path)
    append_record("games.jsonl", recorded_game("dots", {"rows": 1, "columns": 1, "opening": []}))
    (tmp_path / "false.jsonl").write_text("{}\n")
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err
    assert not (tmp_path / "a.svg").exists()


def test_it_is_a_command(tmp_path):
    words = [sys.executable, REPOSITORY / "scripts" / "run_module.py", "picture_export"]
    done = subprocess.run(
        [*words, PICTURES / "game.jsonl", "a.svg", "--title", "<&>"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "<&>" in rows_of(tmp_path / "a.svg")
