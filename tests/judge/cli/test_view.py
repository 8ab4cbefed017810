"""`view`: where it writes a page, and what it says of files that are none."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from judge.__main__ import main
from judge.cli import view
from protocol.records.record import append_record
from tests.contracts.games import GAMES
from tests.judge.helpers.random_games import recorded_game

SMALL = {
    "connect_four": {"rows": 9, "cols": 9, "forbidden": None},
    "reversi": {"size": 4, "opening": []},
    "dots": {"rows": 1, "columns": 2, "opening": []},
}


@pytest.fixture
def record(tmp_path):
    path = tmp_path / "games.jsonl"
    for game in GAMES:
        append_record(path, recorded_game(game, SMALL[game]))
    return path


def errors(capsys, *words):
    """What the command says of bad arguments."""
    with pytest.raises(SystemExit) as ended:
        main(["view", *map(str, words)])
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_a_page_is_written_beside_its_record(record, capsys):
    assert main(["view", str(record)]) == 0
    out = record.with_suffix(".html")
    assert capsys.readouterr().out == f"the page {out} was written ({out.stat().st_size:,} bytes); games in it: 3\n"
    assert out.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert main(["view", str(record), str(record), "--number", "6"]) == 0  # in place of the page before
    assert "games in it: 6\n" in capsys.readouterr().out
    assert sorted(path.name for path in record.parent.iterdir()) == ["games.html", "games.jsonl"]


def test_a_page_is_written_where_one_asks_for_it(record, tmp_path, capsys):
    out = tmp_path / "a page.htm"
    out.write_text("anything")
    assert main(["view", str(record), "--output", str(out)]) == 0
    assert out.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_a_file_that_is_no_page_is_left_alone(record, capsys):
    out = record.with_suffix(".html")
    out.write_text("mine")
    assert "was not written by this command; name another file with --output OUT" in errors(capsys, record)
    assert out.read_text() == "mine"


def test_a_record_is_not_written_over(record, tmp_path, capsys):
    content = record.read_bytes()
    link = tmp_path / "link.html"
    link.symlink_to(record)
    other = shutil.copy(record, tmp_path / "other.jsonl")
    for out in (record, link, other):
        assert f"{out} is a record file; name another" in errors(capsys, record, "--output", out)
    record.rename(tmp_path / "games.html")
    assert "was not written by this command" in errors(capsys, tmp_path / "games.html")
    assert (tmp_path / "games.html").read_bytes() == Path(other).read_bytes() == content


def test_the_browser_is_asked_to_open_it(record, capsys, monkeypatch):
    asked = []
    monkeypatch.setattr(view, "open_in_browser", lambda address: asked.append(address) or False)
    assert main(["view", str(record), "--open"]) == 0
    assert asked == [record.with_suffix(".html").as_uri()]
    assert "no browser was found" in capsys.readouterr().err


def test_bad_files_are_named(record, tmp_path, capsys):
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert f"{empty} holds no game" in errors(capsys, record, empty)
    assert "--number 4" in errors(capsys, record, "--number", "4")
    assert "not allowed with" in errors(capsys, record, "--open", "--output", "x")
    for folder in (tmp_path, ".", "..", "/"):
        assert "is a folder, expected a file" in errors(capsys, record, "--output", folder)
    os.mkfifo(tmp_path / "pipe")
    assert "is a pipe, expected a file" in errors(capsys, record, "--output", tmp_path / "pipe")
    assert not [*tmp_path.glob("*.part"), *tmp_path.parent.glob("*.part"), *Path("/").glob("*.part")]


def test_a_page_that_cannot_be_written_leaves_what_was_there(record, capsys, monkeypatch):
    def full(*words):
        yield "<!DOCTYPE html>"
        raise OSError(errno.ENOSPC, "No space left on device")

    assert main(["view", str(record)]) == 0
    before = record.with_suffix(".html").read_bytes()
    monkeypatch.setattr(view, "page", full)
    assert "No space left on device" in errors(capsys, record)
    assert sorted(path.name for path in record.parent.iterdir()) == ["games.html", "games.jsonl"]
    assert record.with_suffix(".html").read_bytes() == before


def test_a_link_and_a_new_folder_are_followed(record, tmp_path, capsys):
    out, link = tmp_path / "new" / "page.html", tmp_path / "link.html"
    link.symlink_to(out)
    assert main(["view", str(record), "--output", str(link)]) == 0
    assert link.is_symlink() and out.read_text("utf-8").startswith("<!DOCTYPE html>")
