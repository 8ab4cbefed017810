"""Records in a browser: the list of files, what is in one, a game; and that no address leads out of the folder."""

import contextlib
import functools
import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.websockets import WebSocketDisconnect

from judge import files
from judge.files import DEEPEST
from judge.review import marks
from judge.review.marks import review_path
from judge.web import records
from judge.web.following import Channel
from judge.web.record_data import Source, game_json
from judge.web.record_page import summary_json
from protocol.records.json_lines import append
from protocol.records.record import append_records
from protocol.records.review import Answer, in_lines
from tests.judge.helpers.random_games import recorded_game
from tests.judge.helpers.reviewing import line_of
from tests.judge.helpers.scripted import PATIENCE_S, wait_until
from tests.judge.web.serve.helpers.application import Clock
from tests.judge.web.serve.helpers.live_run import LiveRun
from tests.judge.web.view.helpers import samples

RECORDS = [samples.game_of(game, seed=seed) for seed, game in enumerate(("connect_four", "reversi", "dots"))]


@pytest.fixture
def folder(application):
    """The records folder, with a file in it and one in a folder below."""
    place = application.folder / "records"
    append_records(place / "match.jsonl", RECORDS)
    append_records(place / "old" / "games 你好.jsonl", RECORDS[:1])
    return place


def paths(application):
    return [file["path"] for file in application.get("/api/records").json()["files"]]


def test_record_files_are_listed_and_nothing_else_is(application, folder):
    for name in ("notes.txt", "match.jsonl.lock", "match.review.jsonl", "match.jsonl.torn", ".hidden.jsonl"):
        (folder / name).write_text("{}\n")
    (folder / ".git").mkdir()
    (folder / ".git" / "some.jsonl").write_text("{}\n")
    (folder / "folder.jsonl").mkdir()
    os.mkfifo(folder / "pipe.jsonl")
    listed = application.get("/api/records").json()
    assert [file["path"] for file in listed["files"]] == ["match.jsonl", "old/games 你好.jsonl"]
    assert listed["left_out"] == 0
    assert listed["files"][0]["bytes"] == (folder / "match.jsonl").stat().st_size
    assert listed["files"][0]["is_running"] is False
    assert listed["files"][0]["changed"].endswith("+00:00")


def test_the_list_is_made_at_most_twice_a_second(application, folder):
    clock = application.server.folder._clock = Clock()
    assert len(paths(application)) == 2
    append_records(folder / "new.jsonl", RECORDS[:1])
    clock.now += 0.49
    assert len(paths(application)) == 2
    clock.now += 0.02
    assert len(paths(application)) == 3


def test_there_need_be_no_folder_yet(application):
    assert application.get("/api/records").json() == {"files": [], "left_out": 0, "is_complete": True}


@pytest.mark.parametrize("bound", [("MOST_FOLDERS", 1), ("walk", functools.partial(files.walk, most=3))])
def test_a_list_says_that_not_all_folders_were_searched(application, folder, monkeypatch, bound):
    (folder / "new").mkdir()
    assert application.get("/api/records").json()["is_complete"] is True
    application.server.folder.forget_list()
    monkeypatch.setattr(records, *bound)
    listed = application.get("/api/records").json()
    assert [file["path"] for file in listed["files"]] == ["match.jsonl"]
    assert (listed["left_out"], listed["is_complete"]) == (0, False)


def test_folders_are_searched_so_deep_and_no_deeper(application, folder):
    for depth in (DEEPEST, DEEPEST + 1):
        deep = folder.joinpath(*[f"d{depth}"] * depth)
        deep.mkdir(parents=True)
        (deep / "games.jsonl").touch()
    assert [path.count("/") for path in paths(application)] == [DEEPEST, 0, 1]


def test_a_name_that_is_no_text_is_left_out(application, folder):
    with open(os.fsencode(folder) + b"/\xff.jsonl", "wb"):
        pass
    assert paths(application) == ["match.jsonl", "old/games 你好.jsonl"]


def test_a_summary_is_what_view_has(application, folder):
    answer = application.get("/api/records/match.jsonl").json()
    sources = [Source(0, number, record) for number, record in enumerate(RECORDS, start=1)]
    expected = json.loads(json.dumps(summary_json(sources, ["match.jsonl"], 0)))
    del expected["words"]
    assert answer == {"path": "match.jsonl", "summary": expected, "is_running": False, "damage": None}
    assert application.get("/api/records/old/games%20%E4%BD%A0%E5%A5%BD.jsonl").json()["summary"]["list"]["rows"]


def test_a_summary_is_made_anew_when_the_file_has_grown(application, folder):
    assert len(application.get("/api/records/match.jsonl").json()["summary"]["list"]["rows"]) == 3
    append_records(folder / "match.jsonl", RECORDS[:1])
    assert len(application.get("/api/records/match.jsonl").json()["summary"]["list"]["rows"]) == 4


def test_a_game_is_what_view_has(application, folder):
    for index, record in enumerate(RECORDS):
        found = application.get(f"/api/games/match.jsonl?index={index}").json()
        assert found == json.loads(json.dumps(game_json(record)))
        assert found["running"] is False
    for index in ("3", "99999999"):
        answer = application.get(f"/api/games/match.jsonl?index={index}")
        assert (answer.status_code, answer.json()["error"]["en"]) == (
            404,
            f"match.jsonl has no game {int(index) + 1}: if the file has changed, load this page again",
        )
    assert application.get("/api/games/match.jsonl?index=-1").status_code == 400


def test_a_game_has_the_review_that_stands_beside_its_file(application, folder):
    reviews = review_path(folder / "match.jsonl")
    append(reviews, in_lines([line_of(RECORDS[2], 1, Answer(0.25, None, "AAA"))]))
    found = application.get("/api/games/match.jsonl?index=2").json()
    assert found["review"] == json.loads(json.dumps(game_json(RECORDS[2], _review_of(RECORDS[2], reviews))["review"]))
    assert found["review"]["plies"][0]["value"] == 0.25
    assert application.get("/api/games/match.jsonl?index=1").json()["review"] is None
    append(reviews, in_lines([line_of(RECORDS[1], 1, Answer(0.5, None, "c3"))]))
    assert application.get("/api/games/match.jsonl?index=1").json()["review"]["plies"][0]["value"] == 0.5
    reviews.write_bytes(b"{}\n")
    assert application.get("/api/games/match.jsonl?index=2").json()["review"] is None
    assert paths(application) == ["match.jsonl", "old/games 你好.jsonl"]


def _review_of(record, path):
    return marks.review_of(record, marks.read(path)[0])


def test_a_damaged_file_is_told_with_its_place(application, folder):
    lines = (folder / "match.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "match.jsonl").write_bytes(lines[0] + b'{"record_version": 2}\n' + lines[2])
    answer = application.get("/api/records/match.jsonl")
    assert answer.status_code == 422 and "line 2" in answer.json()["error"]["en"]
    assert application.get("/api/games/match.jsonl?index=0").status_code == 200
    answer = application.get("/api/games/match.jsonl?index=1")
    assert answer.status_code == 422 and "match.jsonl, line 2" in answer.json()["error"]["en"]


def test_a_torn_last_line_is_left_out(application, folder):
    with open(folder / "match.jsonl", "ab") as file:
        file.write(b'{"record_ver')
    assert len(application.get("/api/records/match.jsonl").json()["summary"]["list"]["rows"]) == 3


OUTSIDE = (
    "../outside.jsonl",
    "..%2foutside.jsonl",
    "%2e%2e/outside.jsonl",
    "old/../../outside.jsonl",
    "/etc/passwd",
    "//etc/passwd.jsonl",
    "%2fetc%2fpasswd.jsonl",
    "link.jsonl",
    "linked/outside.jsonl",
    "around/match.jsonl/x.jsonl",
    "match.jsonl/",
    "match.jsonl%00.jsonl",
    "match",
    "notes.txt",
    "old",
    "folder.jsonl",
    "pipe.jsonl",
    "gone.jsonl",
    "none.jsonl",
    "circle.jsonl",
    "a" * 2000 + ".jsonl",
    "\\..\\outside.jsonl",
    "",
)


def test_no_address_leads_out_of_the_folder(application, folder):
    outside = application.folder / "outside.jsonl"
    append_records(outside, RECORDS[:1])
    (folder / "notes.txt").write_text("x")
    (folder / "link.jsonl").symlink_to(outside)
    (folder / "linked").symlink_to(application.folder)
    (folder / "gone.jsonl").symlink_to("nowhere.jsonl")
    (folder / "circle.jsonl").symlink_to("circle.jsonl")
    (folder / "folder.jsonl").mkdir()
    os.mkfifo(folder / "pipe.jsonl")
    for path in (*OUTSIDE, f"/{folder}/match.jsonl", f"%2f{folder}/match.jsonl"):
        for address in (f"/api/records/{path}", f"/api/games/{path}?index=0"):
            answer = application.get(address)
            assert answer.status_code == 404 or address == "/api/records/", answer.text
            assert "connect" not in answer.text
        with contextlib.suppress(WebSocketDisconnect), application.socket(f"/ws/follow/{path}") as socket:
            assert socket.receive_json()["type"] == "refused", path
    assert paths(application) == ["match.jsonl", "old/games 你好.jsonl"]


def test_a_link_inside_the_folder_is_followed(application, folder):
    (folder / "latest.jsonl").symlink_to("match.jsonl")
    assert "latest.jsonl" in paths(application)
    assert application.get("/api/games/latest.jsonl?index=2").json()["game"] == "dots"


def test_the_folder_itself_may_be_a_link(application, folder):
    moved = application.folder / "elsewhere"
    folder.rename(moved)
    folder.symlink_to(moved)
    assert application.get("/api/games/match.jsonl?index=1").json()["game"] == "reversi"


def test_a_path_that_leads_nowhere_is_not_found(application, folder):
    (folder / "closed").mkdir(mode=0)
    try:
        for path in ("a" * 300 + ".jsonl", "closed/some.jsonl", "match.jsonl/some.jsonl"):
            answer = application.get(f"/api/records/{path}")
            assert answer.status_code == 404
            assert answer.json()["error"]["en"].startswith("there is no record file '")
            assert application.get(f"/api/games/{path}?index=0").status_code == 404
            with application.socket(f"/ws/follow/{path}") as socket:
                assert socket.receive_json()["type"] == "refused"
                assert socket.receive()["code"] == 4404
        assert application.told == []
    finally:
        (folder / "closed").chmod(0o755)


def test_a_time_that_no_calendar_has_is_listed_all_the_same(application, folder):
    try:
        os.utime(folder / "match.jsonl", (3e11, 3e11))
    except (OSError, OverflowError):
        pytest.skip("no file here has such a time")
    assert len(application.get("/api/records").json()["files"]) == 2


def test_of_too_many_files_those_that_go_on_and_the_newest_are_listed(application, folder, monkeypatch):
    monkeypatch.setattr("judge.web.records.MOST_LISTED", 2)
    for age, name in enumerate(("b", "a", "c")):
        append_records(folder / f"{name}.jsonl", RECORDS[:1])
        os.utime(folder / f"{name}.jsonl", (2e9 - 1000 * age,) * 2)
    with LiveRun(folder / "old" / "games 你好.jsonl") as run:
        run.begin("g1", RECORDS[0])
        listed = application.get("/api/records").json()
    assert [file["path"] for file in listed["files"]] == ["old/games 你好.jsonl", "b.jsonl"]
    assert listed["left_out"] == 3


def test_texts_of_others_stay_texts(application, folder):
    hostile = samples.between(recorded_game("dots", samples.SMALL["dots"]), "\x1b[31m</script>", "\u202e\ud800")
    append_records(folder / "hostile.jsonl", [hostile])
    answer = application.get("/api/records/hostile.jsonl")
    assert answer.json()["summary"]["list"]["players"][0] == "\\x1b[31m</script>"
    assert answer.content.isascii()
    assert application.get("/api/games/hostile.jsonl?index=0").content.isascii()


def test_a_file_that_takes_long_holds_up_no_other_and_is_read_once(application, folder, monkeypatch):
    go_on, reading, poll = threading.Event(), [], Channel.poll

    def slow(channel):
        if channel.name == "match.jsonl" and not reading:
            reading.append(channel)
            assert go_on.wait(PATIENCE_S)
        return poll(channel)

    monkeypatch.setattr(Channel, "poll", slow)
    for number in range(8):
        append_records(folder / f"{number}.jsonl", RECORDS[:1])
    with ThreadPoolExecutor() as pool:
        waiting = [pool.submit(application.get, "/api/records/match.jsonl") for _ in range(8)]
        wait_until(lambda: reading)
        for path in ("/api/start", "/api/games/match.jsonl?index=0", *(f"/api/records/{n}.jsonl" for n in range(8))):
            assert application.get(path).status_code == 200
        go_on.set()
        assert [answer.result().status_code for answer in waiting] == [200] * 8


def test_a_file_that_is_too_large_is_refused(application, folder):
    os.truncate(folder / "match.jsonl", 300 * 10**9)
    for address in ("/api/records/match.jsonl", "/api/games/match.jsonl?index=99999"):
        answer = application.get(address)
        assert answer.status_code == 422 and "300,000,000,000 bytes" in answer.json()["error"]["en"]
    with application.socket("/ws/follow/match.jsonl") as socket:
        assert "300,000,000,000 bytes" in socket.receive_json()["error"]["en"]
