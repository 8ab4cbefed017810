"""Files that a page puts in, puts away and gets back: nothing is lost, overwritten, or written outside the folder."""

import json
import os

import pytest

from judge.review.marks import review_path
from judge.runs.record_file import exclusive_lock
from judge.web import own_files
from protocol.records.record import append_records, read_records
from tests.judge.helpers.logged_files import CAPTURED, LOG
from tests.judge.web.serve.helpers.live_run import LiveRun
from tests.judge.web.view.helpers import samples

RECORDS = [samples.game_of(game) for game in ("connect_four", "dots")]
BYTES = "application/octet-stream"


@pytest.fixture
def folder(application):
    """The records folder, with a file in it and one in a folder below."""
    place = application.folder / "records"
    append_records(place / "match.jsonl", RECORDS)
    append_records(place / "old" / "match.jsonl", RECORDS[:1])
    return place


def upload(application, name, data, **headers):
    return application.client.post(
        "/api/import",
        params={"name": name},
        content=data.encode() if isinstance(data, str) else data,
        headers={"origin": "http://127.0.0.1:8400", "content-type": BYTES, **headers},
    )


def error_of(answer, status):
    assert answer.status_code == status, answer.text
    return answer.json()["error"]["en"]


def files_of(application):
    return sorted(path.relative_to(application.folder).as_posix() for path in application.folder.rglob("*.jsonl*"))


def test_a_replay_becomes_a_record_file_of_its_name(application):
    answer = upload(application, "my replay.json", CAPTURED)
    assert answer.status_code == 201
    content = answer.json()
    assert (content["path"], content["games"], content["problems"]) == ("my replay.jsonl", 1, None)
    assert content["told"]["en"] == "my replay.json: 1 game, read as a connect four replay of Saiblo"
    (record,) = read_records(application.folder / "records" / "my replay.jsonl")[0]
    assert [move.move for move in record.moves] == json.loads(CAPTURED)["rounds"]
    assert upload(application, "my replay.json", CAPTURED).json()["path"] == "my replay-2.jsonl"
    assert upload(application, "log", LOG).json()["games"] == 2
    own = (application.folder / "records" / "my replay.jsonl").read_bytes()
    assert upload(application, "x", own).json()["path"] == "x.jsonl"
    assert (application.folder / "records" / "x.jsonl").read_bytes() == own


def test_no_name_leads_anywhere_else_or_hides_the_file(application, folder):
    before = files_of(application)
    for name, path in (
        ("../../evil.json", "evil.jsonl"),
        ("/etc/evil", "evil-2.jsonl"),
        ("C:\\games\\evil.json", "evil-3.jsonl"),
        (".hidden", "hidden.jsonl"),
        ("match.jsonl", "match-2.jsonl"),
        ("match.jsonl.review.json", "match_jsonl_review.jsonl"),
        ("serve.json", "serve-2.jsonl"),  # own games go to serve.jsonl
        ("\x1b[31m\u202e\0", "31m.jsonl"),
        ("..", "import.jsonl"),
        ("对局.json", "对局.jsonl"),
        ("x" * 200, "x" * 60 + ".jsonl"),
    ):
        assert upload(application, name, CAPTURED).json()["path"] == path, name
        before.append(f"records/{path}")
    assert files_of(application) == sorted(before)
    assert read_records(folder / "match.jsonl")[0] == RECORDS
    with LiveRun(folder / "running.jsonl") as run:
        run.begin("g1", RECORDS[0])
        assert upload(application, "running.json", CAPTURED).json()["path"] == "running-2.jsonl"


def test_what_is_wrong_is_said_as_import_says_it(application):
    answer = upload(application, "notes.txt", "hello\n")
    assert error_of(answer, 422).startswith("notes.txt: the format of the file is unknown")
    assert answer.json()["error"]["zh"] != answer.json()["error"]["en"]
    assert "the file is empty" in error_of(upload(application, "empty", ""), 422)
    wrong = CAPTURED.replace("[0, 1, 0, 1", "[0, 1, 0, 99")
    assert "ply 4 is not legal" in error_of(upload(application, "wrong.json", wrong), 422)
    both = upload(application, "both.json", f"{CAPTURED}\n{wrong}").json()
    assert both["games"] == 1 and "ply 4 is not legal" in both["problems"]["en"]
    assert files_of(application) == ["records/both.jsonl"]
    for name in ("", "x" * 201):
        assert "name: expected a string of length" in error_of(upload(application, name, CAPTURED), 400)


def test_what_is_too_large_or_of_another_site_is_refused(application):
    large = b" " * (own_files.LARGEST_UPLOAD + 1)
    assert upload(application, "large", large).status_code == 413
    assert upload(application, "large", large[1:]).status_code == 422
    many = "{}\n" * (own_files.MOST_PIECES // 2 + 1)
    assert error_of(upload(application, "many", many), 422).startswith("many has too many lines or values")
    assert upload(application, "a.json", CAPTURED, origin="http://evil.example").status_code == 403
    assert files_of(application) == []


def test_a_folder_that_cannot_be_written_is_told(application):
    (application.folder / "records").write_text("a file")
    assert "records" in error_of(upload(application, "a.json", CAPTURED), 422)


def test_a_file_is_put_away_with_what_belongs_to_it_and_put_back(application, folder):
    review_path(folder / "old" / "match.jsonl").write_text("review")
    (folder / "old" / "match.jsonl.torn").write_text("torn")
    before = {path: (application.folder / path).read_bytes() for path in files_of(application)}
    answer = application.post("/api/trash", {"path": "old/match.jsonl"}).json()
    assert answer["place"] == f"{folder}/.trash/{answer['trash']}/old/match.jsonl"
    assert os.path.exists(answer["place"]) and not list((folder / "old").iterdir())
    assert [file["path"] for file in application.server.folder.as_json()["files"]] == ["match.jsonl"]
    assert application.get("/api/records/old/match.jsonl").status_code == 404
    back = application.post("/api/restore", {"trash": answer["trash"]})
    assert back.json() == {"path": "old/match.jsonl"}
    assert {path: (application.folder / path).read_bytes() for path in files_of(application)} == before
    assert list((folder / ".trash").iterdir()) == []
    told = error_of(application.post("/api/restore", {"trash": answer["trash"]}), 404)
    assert told == f"the trash has no file '{answer['trash']}' any more"


def test_own_games_begin_a_new_file_and_the_old_one_is_not_put_over_it(application, folder):
    append_records(folder / "serve.jsonl", RECORDS[:1])
    trash = application.post("/api/trash", {"path": "serve.jsonl"}).json()["trash"]
    with application.seated() as seat:
        seat.my_turn()
        seat.say("resign")
        assert seat.over()["over"] == {"path": "serve.jsonl", "number": 1}
    new = (folder / "serve.jsonl").read_bytes()
    told = error_of(application.post("/api/restore", {"trash": trash}), 409)
    assert told == "the file cannot be put back, because there is a new file serve.jsonl: rename the new file first"
    assert (folder / "serve.jsonl").read_bytes() == new
    assert read_records(folder / ".trash" / trash / "serve.jsonl")[0] == RECORDS[:1]


def test_what_a_run_writes_and_what_is_a_link_stays(application, folder):
    with LiveRun(folder / "match.jsonl") as run:
        run.begin("g1", RECORDS[0])
        assert "while a run writes to it" in error_of(application.post("/api/trash", {"path": "match.jsonl"}), 409)
    with exclusive_lock(folder / "match.jsonl"):
        assert "while a run writes to it" in error_of(application.post("/api/trash", {"path": "match.jsonl"}), 409)
    (folder / "latest.jsonl").symlink_to("match.jsonl")
    (folder / "linked").symlink_to("old")
    for path in ("latest.jsonl", "linked/match.jsonl"):
        assert "is a link" in error_of(application.post("/api/trash", {"path": path}), 422)
    outside = application.folder / "outside"
    outside.mkdir()
    (folder / ".trash").symlink_to(outside)
    assert "is a link" in error_of(application.post("/api/trash", {"path": "match.jsonl"}), 422)
    assert read_records(folder / "match.jsonl")[0] == RECORDS and not list(outside.iterdir())


def test_only_record_files_of_the_folder_can_be_put_away(application, folder):
    for path in ("../players.toml", "players.toml", "none.jsonl", "../x.jsonl", "/etc/passwd", "old", "", "match"):
        assert application.post("/api/trash", {"path": path}).status_code == 404
    for content in ({}, {"path": 3}, {"path": "match.jsonl", "more": 1}):
        assert application.post("/api/trash", content).status_code == 400
    for name in ("", "..", "../records", "x", 3, "20261127T061742Z-0123ABCD", "20261127T061742Z-0123abcd/.."):
        assert application.post("/api/restore", {"trash": name}).status_code == 400
    assert application.post("/api/restore", {"trash": "20261127T061742Z-0123abcd"}).status_code == 404
    assert application.post("/api/trash", {"path": "match.jsonl"}, origin="http://evil.example").status_code == 403
    assert files_of(application) == ["records/match.jsonl", "records/old/match.jsonl"]
