"""Who follows a record and its running games, whatever happens to both files; nothing here takes a process."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.live import Follower, LiveWriter, begun_line, live_path, moved_line, read_event
from judge.play.scoresheet import GamePlan
from judge.web.record_data import game_json
from protocol.records.record import Move, Termination, append_record, append_records, read_records
from tests.judge.helpers.scripted import BOARDS
from tests.judge.live.helpers.told import CONTESTANTS, Told, content, seen
from tests.protocol.records.examples import record


def numbered(number):
    return record(pair=number, extra={"id": f"id-{number}", "index": number})


def pairs(changes):
    return [entry.pair for entry in changes.records]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.jsonl"


@pytest.fixture
def follower(path):
    found = Follower(path)
    yield found
    found.close()


@pytest.mark.parametrize("game, first", [("connect_four", "A"), ("dots", "B")])
def test_a_running_game_is_a_record_without_an_end(path, follower, game, first):
    with LiveWriter(path) as writer:
        told = Told(writer, "a", game, index=5, first=first).move(7, {"value": 0.5, "pv": ["d3"]})
        changes = follower.poll()
        (live,) = changes.live.values()
        assert (live.id, live.index, changes.is_running, changes.reset) == ("a", 5, True, False)
        record = live.record
        assert (record.winner, record.at_fault, record.termination) == (None, None, Termination.VOID)
        assert record.moves == tuple(told.moves)
        assert (record.game, record.board, record.first) == (game, told.plan.board.as_json(), first)
        assert [player.name for player in record.players] == ["one", "two"]
        assert (record.players[0].version, record.seed, record.pair) == ("1.0", 7, 1)
        assert record.extra == {"id": "a", "index": 5, "limit_s": 3.0, "reason": ""}
        assert len(game_json(record)["changes"]) == 7


def test_a_game_is_live_until_its_record_is_there(path, follower):
    with LiveWriter(path) as writer:
        Told(writer, "id-0").move(2)
        Told(writer, "id-1")
        assert list(seen(follower)) == ["id-0", "id-1"]
        append_record(path, numbered(0))
        changes = follower.poll()  # before the writer says that it has ended
        assert (pairs(changes), list(changes.live)) == ([0], ["id-1"])
        writer.ended("id-0")
        changes = follower.poll()
        assert (pairs(changes), list(changes.live)) == ([], ["id-1"])
    changes = follower.poll()
    assert (pairs(changes), changes.live, changes.is_running) == ([], {}, False)


def test_a_discarded_game_is_gone(path, follower):
    with LiveWriter(path) as writer:
        Told(writer, "a").observer.discarded()
        assert seen(follower) == {}


def test_what_does_not_change_is_the_same(path, follower):
    with LiveWriter(path) as writer:
        still, moving = Told(writer, "a").move(2), Told(writer, "b").move(2)
        before = follower.poll().live
        moving.move()
        after = follower.poll().live
        assert after["a"] is before["a"] and after["b"] is not before["b"]
        assert len(before["b"].moves) == 2
        assert len(still.moves) == 2


def test_a_file_without_its_writer_tells_of_nothing(path, follower):
    with LiveWriter(path) as writer:
        Told(writer, "a").move(3)
        left = content(path)
    live_path(path).write_bytes(left)
    changes = follower.poll()
    assert (changes.live, changes.is_running) == ({}, False)
    with LiveWriter(path) as writer:  # the next run
        Told(writer, "b")
        assert list(seen(follower)) == ["b"]


def test_odd_lines_are_no_events(path, follower):
    with LiveWriter(path) as writer:
        game = Told(writer, "a").move(1)
        begun = json.loads(content(path).splitlines()[0])
        moved = json.loads(content(path).splitlines()[1])
        odd = [
            b"\xff\xfe{}",
            b"[" * 10**5,
            b"x" * 10**6,
            b"1e400",
            b"null",
            json.dumps({**moved, "ply": 4}).encode(),
            json.dumps({**moved, "ply": 1}).encode(),
            json.dumps({**moved, "ply": 2.0}).encode(),
            json.dumps({**moved, "ply": 2, "side": "C"}).encode(),
            json.dumps({**moved, "ply": 2, "id": "nobody"}).encode(),
            json.dumps({**begun, "index": 9}).encode(),  # a second time
            json.dumps({**begun, "id": "b", "index": -1}).encode(),
            json.dumps({**begun, "id": "c", "players": 3}).encode(),
            json.dumps({**begun, "id": "d", "first": "D"}).encode(),
            json.dumps({**begun, "id": "e" * 101}).encode(),
            json.dumps({**begun, "id": 7}).encode(),
            json.dumps({**begun, "event": "other", "id": "f"}).encode(),
            json.dumps({"event": "ended"}).encode(),
        ]
        with open(live_path(path), "ab") as file:
            file.write(b"".join(line + b"\n" for line in odd))
        game.move(2)
        changes = follower.poll()
        assert {name: len(live.moves) for name, live in changes.live.items()} == {"a": 3}
        assert changes.live["a"].index == 0


PLAN = GamePlan(board=BOARDS["dots"], seed=7, game="dots")
BEGUN = json.loads(begun_line("a", PLAN, CONTESTANTS, "now"))
MOVED = json.loads(moved_line("a", 1, Move("A", "AAB", 0.25)))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=5), values, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize("event", [BEGUN, MOVED], ids=lambda event: event["event"])
@given(data=st.data())
def test_whatever_stands_in_a_line_is_an_event_or_none(event, data):
    assert read_event(json.dumps(event).encode()) is not None
    name = data.draw(st.sampled_from([*event, "new"]))
    changed = {**event, name: data.draw(VALUES)}
    if data.draw(st.booleans()):
        del changed[name]
    read_event(json.dumps(changed).encode())


def test_a_line_comes_in_pieces(path, follower):
    line = numbered(0).to_json().encode() + b"\n"
    for place in range(0, len(line) - 1, 37):
        path.write_bytes(line[:place])
        changes = follower.poll()
        assert (pairs(changes), changes.reset) == ([], False)
    path.write_bytes(line)
    assert pairs(follower.poll()) == [0]
    assert pairs(follower.poll()) == []
    assert follower.error is None


def test_pieces_of_a_growing_file(path, follower):
    lines = b"".join(numbered(number).to_json().encode() + b"\n" for number in range(30))
    found = []
    with path.open("ab", buffering=0) as file:
        for start in range(0, len(lines), 501):
            file.write(lines[start : start + 501])
            changes = follower.poll()
            assert not changes.reset
            found += pairs(changes)
    assert found == list(range(30))


def test_a_torn_line_is_waited_for_and_one_that_is_cut_off_forgotten(path, follower):
    append_records(path, map(numbered, range(2)))
    with path.open("ab") as file:
        file.write(numbered(2).to_json().encode()[:100])
    assert pairs(follower.poll()) == [0, 1]
    append_record(path, numbered(3))  # sets the torn line aside
    changes = follower.poll()
    assert (pairs(changes), changes.reset, follower.error) == ([3], False, None)


def test_a_record_without_its_newline_counts_once(path, follower):
    path.write_text(numbered(0).to_json())
    assert pairs(follower.poll()) == [0]
    assert pairs(follower.poll()) == []
    append_record(path, numbered(1))
    changes = follower.poll()
    assert (pairs(changes), changes.reset, follower.error) == ([1], False, None)
    assert [entry.pair for entry in read_records(path)[0]] == [0, 1]


@pytest.mark.parametrize("change", ["removed", "replaced", "cut", "emptied", "rewritten", "another of that length"])
def test_another_file_begins_anew(path, follower, change):
    append_records(path, map(numbered, range(3)))
    assert pairs(follower.poll()) == [0, 1, 2]
    other = path.with_name("other")
    if change == "removed":
        path.unlink()
        changes = follower.poll()
        assert (pairs(changes), changes.reset) == ([], True)
        assert follower.poll().reset is False
        append_records(path, map(numbered, range(4)))
        changes = follower.poll()
        assert (pairs(changes), changes.reset) == ([0, 1, 2, 3], False)
        return
    if change == "replaced":
        append_records(other, map(numbered, range(10, 15)))
        os.replace(other, path)
        expected = list(range(10, 15))
    elif change == "cut":
        os.truncate(path, path.stat().st_size - 10)
        expected = [0, 1]
    elif change == "emptied":
        os.truncate(path, 0)
        expected = []
    else:
        first = 10 if change == "rewritten" else 3
        append_records(other, map(numbered, range(first, first + 3)))
        path.write_bytes(other.read_bytes())  # the same file
        expected = [first, first + 1, first + 2]
    changes = follower.poll()
    assert (pairs(changes), changes.reset) == (expected, True)
    append_record(path, numbered(20))
    changes = follower.poll()
    assert (pairs(changes), changes.reset) == ([20], False)


@pytest.mark.parametrize("damaged, read", [(2, [0]), (3, []), (4, [])])
def test_after_so_many_lines_that_are_no_records_nothing_is_read(path, damaged, read):
    path.write_bytes(b"{}\n" * damaged)
    append_record(path, numbered(0))
    follower = Follower(path, most_damaged=3)
    assert pairs(follower.poll()) == read
    append_record(path, numbered(1))
    assert pairs(follower.poll()) == [number + 1 for number in read]
    assert follower.error.line == 1
    path.unlink()
    append_records(path, [numbered(2), numbered(3)])
    assert pairs(follower.poll()) == [2, 3]  # of a new file
    follower.close()


def test_a_file_of_running_games_beyond_all_size_is_not_read(path, follower, monkeypatch):
    with LiveWriter(path) as writer:
        Told(writer, "g1")
        assert list(follower.poll().live) == ["g1"]
        monkeypatch.setattr("judge.live.LARGEST_READ", 100)
        changes = follower.poll()
        assert (changes.live, changes.is_running) == ({}, True)


def test_a_line_that_is_no_record_is_left_out_and_named(path, follower):
    append_record(path, numbered(0))
    with path.open("ab") as file:
        file.write(b"hello\n\n")
    append_record(path, numbered(1))
    assert pairs(follower.poll()) == [0, 1]
    assert f"{path}, line 2: expected one JSON object" in str(follower.error)
    assert follower.error.line == 2
    mended = [line for line in path.read_bytes().splitlines(keepends=True) if line.startswith(b"{")]
    path.with_name("other").write_bytes(b"".join(mended))
    os.replace(path.with_name("other"), path)
    changes = follower.poll()
    assert (pairs(changes), changes.reset, follower.error) == ([0, 1], True, None)


@pytest.mark.parametrize("kind", ["nothing", "folder", "pipe", "no folder"])
def test_what_is_no_file_has_no_records(path, kind):
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "no folder":
        path = path / "below" / "games.jsonl"
    follower = Follower(path)
    changes = follower.poll()
    assert (changes.records, changes.live, changes.is_running, changes.reset) == ([], {}, False, False)
    follower.close()


def test_by_whatever_name(path, tmp_path):
    link = tmp_path / "link.jsonl"
    link.symlink_to(path.name)
    with LiveWriter(link) as writer:
        Told(writer, "a")
        append_record(path, numbered(0))
        for name in (path, link):
            follower = Follower(name)
            changes = follower.poll()
            assert (pairs(changes), list(changes.live)) == ([0], ["a"])
            follower.close()


def test_a_link_in_the_place_of_the_file_is_not_followed(path, follower):
    append_record(path, numbered(0))
    assert pairs(follower.poll()) == [0]
    path.rename(path.with_name("other"))
    path.symlink_to("other")
    changes = follower.poll()
    assert (pairs(changes), changes.reset) == ([], True)


def test_a_game_that_begins_with_the_id_of_a_record_is_none(path, follower):
    with LiveWriter(path) as writer:
        append_record(path, numbered(0))
        Told(writer, "id-0")
        changes = follower.poll()
        assert (pairs(changes), changes.live) == ([0], {})
