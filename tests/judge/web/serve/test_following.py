"""Pages that watch: all by one thread for each file, fast ones and slow ones."""

import asyncio

import pytest

from judge.web import records
from judge.web.following import LINGER_S, MOST_CHARACTERS, MOST_FOLLOWED, PERIOD_S, Listener
from protocol.records.record import append_records
from tests.judge.web.serve.helpers.live_run import LiveRun
from tests.judge.web.serve.helpers.watching import Watching, record_of, summary_of


def heard_by(listener):
    """All that a listener has, in an event loop of its own."""

    async def take():
        found = []
        while (text := await asyncio.wait_for(listener.next(), 5)) is not None:
            found.append(text)
            if not listener._texts and not listener.is_behind:
                break
        return found

    return asyncio.run(take())


def test_a_listener_is_sent_nothing_before_its_summary_and_all_after_it():
    listener = Listener()
    listener.offer("lost")
    assert heard_by(listener) == []
    listener.begin("summary")
    listener.offer("one")
    listener.offer("two")
    assert heard_by(listener) == ["summary", "one", "two"]


@pytest.mark.parametrize("texts", [["x"] * 200, ["x" * (500_000 - len("summary")), "y" * 500_000, "z"]])
def test_what_waits_for_a_slow_listener_is_bounded_and_a_summary_brings_it_up(texts):
    listener = Listener()
    listener.begin("summary")
    for text in texts[:-1]:
        listener.offer(text)
    assert not listener.is_behind
    listener.offer(texts[-1])
    assert listener.is_behind
    listener.offer("lost")
    assert heard_by(listener) == []
    listener.begin("y" * (2 * MOST_CHARACTERS))  # a summary may be long
    assert len(heard_by(listener)) == 1
    listener.offer("next")
    assert heard_by(listener) == ["next"]
    for _ in range(3):  # what was taken waits no more
        listener.offer("x" * 900_000)
        assert len(heard_by(listener)) == 1


def test_a_listener_that_ends_is_left():
    listener = Listener()
    listener.begin("summary")
    listener.end()
    listener.offer("lost")
    assert heard_by(listener) == [] and listener.is_over


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


def test_one_thread_follows_a_file_for_all_pages_and_ends_after_them(application, monkeypatch):
    monkeypatch.setattr("judge.web.following.LINGER_S", 0.0)
    append_records(application.folder / "records" / "a.jsonl", [record_of("dots")])
    found = application.server.followings._found
    with application.socket("/ws/follow/a.jsonl") as one, application.socket("/ws/follow/a.jsonl") as two:
        assert one.receive_json() == two.receive_json()
        (following,) = found.values()
        assert len(following.listeners) == 2
    following.join(60.0)
    assert found == {}


def test_so_many_files_are_followed_and_no_more(application, monkeypatch):
    monkeypatch.setattr("judge.web.following.MOST_FOLLOWED", 1)
    for name in "ab":
        append_records(application.folder / "records" / f"{name}.jsonl", [record_of("dots")])
    with application.socket("/ws/follow/a.jsonl") as one:
        assert one.receive_json()["type"] == "summary"
        with application.socket("/ws/follow/b.jsonl") as other:
            assert "1 files are followed" in other.receive_json()["error"]["en"]
            closing = other.receive()
            assert (closing["type"], closing["code"]) == ("websocket.close", 4409)


def test_a_following_that_fails_is_told_and_ends_its_pages(application, monkeypatch):
    append_records(application.folder / "records" / "a.jsonl", [record_of("dots")])

    def fail(self):
        raise RuntimeError("why")

    with application.socket("/ws/follow/a.jsonl") as socket:
        assert socket.receive_json()["type"] == "summary"
        monkeypatch.setattr("judge.web.following.Channel.poll", fail)
        closing = socket.receive()
        assert (closing["type"], closing["code"]) == ("websocket.close", 1001)
    assert application.told == ["RuntimeError: why"]


def test_the_limits_are_these():
    assert (MOST_FOLLOWED, LINGER_S, PERIOD_S) == (16, 10.0, 0.15)
    assert (records.MOST_KEPT, records.GROWING_SHARE, records.LARGEST_FILE) == (8, 10, 268_435_456)
    assert (records.MOST_LISTED, records.MOST_FOLDERS) == (2000, 2000)
