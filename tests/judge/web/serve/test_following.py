"""Pages that watch: all by one thread for each file, fast ones and slow ones."""

import asyncio
import contextlib
import json

from judge.web.following import MOST_WAITING, Reader
from protocol.records.record import append_records
from tests.judge.helpers.scripted import wait_until
from tests.judge.web.serve.helpers.live_run import LiveRun
from tests.judge.web.serve.helpers.watching import Watching, record_of, summary_of


def test_a_page_that_reads_too_slowly_is_sent_a_summary_again(tmp_path):
    path = tmp_path / "a.jsonl"

    async def read():
        reader = Reader(path, "a.jsonl")
        async with contextlib.aclosing(reader.texts()) as slow:
            assert json.loads(await anext(slow))["type"] == "summary"
            reader._add([f"{number}" for number in range(MOST_WAITING)])
            assert [await anext(slow) for _ in range(2)] == ["0", "1"]
            reader._add(["more"])
            assert await anext(slow) == "2"
            reader._add(["more"] * 3)
            assert json.loads(await anext(slow))["type"] == "summary"
            reader._add(["last"])
            assert await anext(slow) == "last"

    asyncio.run(read())


def test_pages_follow_a_run_of_another_process_by_sockets(application):
    path = application.folder / "records" / "match.jsonl"
    record = record_of("dots")
    with LiveRun(path) as run:
        run.begin("g1", record)
        run.move("g1", record.moves[0])
        assert application.get("/api/records").json()["files"][0] == {
            "path": "match.jsonl",
            "bytes": 0,
            "changed": application.get("/api/records").json()["files"][0]["changed"],
            "is_running": True,
            "digest": None,
        }
        assert application.get("/api/records/match.jsonl").json()["is_running"] is True
        pages = [Watching() for _ in range(3)]
        with (
            application.socket("/ws/follow/match.jsonl") as one,
            application.socket("/ws/follow/match.jsonl") as two,
            application.socket("/ws/follow/match.jsonl") as three,
        ):
            sockets = (one, two, three)
            for page, socket in zip(pages, sockets, strict=True):
                page.hear([socket.receive_text()])
                assert page.is_running and len(page.live["g1"]["moves"]) == 1
            run.move("g1", record.moves[1])
            for page, socket in zip(pages, sockets, strict=True):
                while len(page.live["g1"]["moves"]) < 2:
                    page.hear([socket.receive_text()])
            run.record("g1", record)
            for page, socket in zip(pages, sockets, strict=True):
                while "ended" not in page.heard:
                    page.hear([socket.receive_text()])
                assert page.list == summary_of([record])["list"]
            one.send_json({"type": "hello"})
            assert one.receive_json()["type"] in ("refused", "totals")
    assert application.told == []


def test_one_reader_follows_a_file_for_all_pages(application):
    append_records(application.folder / "records" / "a.jsonl", [record_of("dots")])
    with application.socket("/ws/follow/a.jsonl") as one, application.socket("/ws/follow/a.jsonl") as two:
        assert one.receive_json() == two.receive_json()
        (reader,) = application.server.readers._readers.values()
        assert reader.pages == 2
        assert application.get("/api/records/a.jsonl").status_code == 200
    wait_until(reader._watching.done)
    assert [*application.server.readers._readers.values()] == [reader]  # whose next page need not wait


def test_so_many_files_are_followed_and_no_more(application, monkeypatch):
    monkeypatch.setattr("judge.web.following.MOST_FOLLOWED", 1)
    for name in "ab":
        append_records(application.folder / "records" / f"{name}.jsonl", [record_of("dots")])
    with application.socket("/ws/follow/a.jsonl") as one:
        assert one.receive_json()["type"] == "summary"
        with application.socket("/ws/follow/b.jsonl") as other:
            assert "pages already watch 1 record files" in other.receive_json()["error"]["en"]
            closing = other.receive()
            assert (closing["type"], closing["code"]) == ("websocket.close", 4409)
    assert application.get("/api/records/b.jsonl").status_code == 200


def test_a_following_that_fails_is_told_and_ends_its_pages(application, monkeypatch):
    append_records(application.folder / "records" / "a.jsonl", [record_of("dots")])

    def fail(self):
        raise RuntimeError("why")

    with application.socket("/ws/follow/a.jsonl") as socket:
        assert socket.receive_json()["type"] == "summary"
        monkeypatch.setattr("judge.web.following.Channel.poll", fail)
        closing = socket.receive()
        assert (closing["type"], closing["code"]) == ("websocket.close", 1001)
    assert application.told == ["a.jsonl cannot be followed RuntimeError: why"]
    monkeypatch.undo()
    with application.socket("/ws/follow/a.jsonl") as socket:
        assert socket.receive_json()["type"] == "summary"
