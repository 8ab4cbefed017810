"""A file that is followed: what a page is sent adds up to what is in the file."""

import json

import pytest
from msgspec import structs

from judge.web import following
from judge.web.following import Channel
from judge.web.record_data import game_json
from protocol.records.record import append_records
from tests.contracts.games import GAMES
from tests.judge.web.serve.helpers.application import Clock
from tests.judge.web.serve.helpers.live_run import LiveRun
from tests.judge.web.serve.helpers.watching import Watching, record_of, summary_of


@pytest.fixture
def followed(tmp_path):
    """(the file's path, a Channel of it, what a page has been told, its clock)."""
    path, clock = tmp_path / "match.jsonl", Clock()
    channel = Channel(path, "match.jsonl", clock)
    yield path, channel, Watching(), clock
    channel.close()


@pytest.mark.parametrize("game", GAMES)
def test_moves_add_up_to_the_game_and_games_to_the_list(followed, game):
    path, channel, page, clock = followed
    record = record_of(game)
    page.hear([channel.summary()])
    assert page.is_running is False and page.list["rows"] == []
    with LiveRun(path) as run:
        run.begin("g1", record)
        page.hear(channel.poll())
        assert page.is_running is True
        for ply, move in enumerate(record.moves, start=1):
            run.move("g1", move)
            if ply % 3 == 0:
                page.hear(channel.poll())
        page.hear(channel.poll())
        whole = json.loads(json.dumps(game_json(record)))
        told = page.live["g1"]
        for name in ("moves", "sides", "wall", "changes", "movers", "line", "start", "size", "reports", "players"):
            assert told[name] == whole[name], name
        assert (told["running"], told["termination"], told["verdict"], told["notes"]) == (True, None, {}, {})
        clock.now += 100
        run.record("g1", record)
        page.hear(channel.poll())
        assert page.live == {}
        assert page.list == summary_of([record])["list"]
        assert page.totals == summary_of([record])["totals"]
    page.hear(channel.poll())
    assert page.is_running is False
    assert "summary" not in page.heard[1:] and page.heard.count("begun") == 1


def test_who_watches_already_is_told_of_totals_though_another_page_has_come(followed):
    path, channel, early, clock = followed
    games = [record_of("dots", f"g{number}", number, seed=number) for number in range(2)]
    early.hear([channel.summary()])
    clock.now += 100
    append_records(path, games)
    told = channel.poll()
    late = Watching()
    late.hear([channel.summary()])  # counts what there is by now
    clock.now += 100
    early.hear([*told, *channel.poll()])
    assert early.totals == late.totals == summary_of(games)["totals"]


def test_a_line_that_is_no_record_is_told_of(followed):
    path, channel, page, _clock = followed
    append_records(path, [record_of("dots")])
    page.hear([channel.summary()])
    with open(path, "a") as file:
        file.write('{"no": "record"}\n')
    (damage,) = (json.loads(text) for text in channel.poll())
    assert damage["type"] == "damage" and "line 2" in damage["damage"]["en"]
    assert json.loads(channel.summary())["damage"] == damage["damage"]
    assert channel.poll() == []


def test_a_page_that_comes_later_is_told_all_at_once_and_then_the_same(followed):
    path, channel, early, clock = followed
    games = [record_of("dots", f"g{number}", number, seed=number) for number in range(3)]
    early.hear([channel.summary()])
    with LiveRun(path) as run:
        for number, record in enumerate(games):
            run.begin(record.extra["id"], record, number)
            for move in record.moves[:5]:
                run.move(record.extra["id"], move)
        early.hear(channel.poll())
        run.record("g0", games[0])
        early.hear(channel.poll())
        late = Watching()
        late.hear([channel.summary()])
        for record in games[1:]:
            for move in record.moves[5:9]:
                run.move(record.extra["id"], move)
        run.discard("g1")
        clock.now += 100
        texts = channel.poll()
        early.hear(texts)
        late.hear(texts)
        assert late.heard[0] == "summary" and "dropped" in late.heard
        assert (late.live, late.list, late.is_running) == (early.live, early.list, early.is_running)
        assert set(late.live) == {"g2"} and len(late.live["g2"]["moves"]) == 9


def test_two_summaries_without_news_are_one_text(followed):
    path, channel, _page, _clock = followed
    append_records(path, [record_of("dots")])
    assert channel.summary() is channel.summary()
    assert channel.poll() == []
    append_records(path, [record_of("dots", "g2", 1)])
    before = channel.summary()
    assert channel.poll() != []
    assert channel.summary() is not before


def test_the_last_totals_come_when_the_run_ends_however_lately_others_came(followed):
    path, channel, page, clock = followed
    games = [record_of("dots", f"g{number}", number, seed=number) for number in range(2)]
    with LiveRun(path) as run:
        page.hear([channel.summary()])
        clock.now += 100
        for number, record in enumerate(games):
            run.begin(record.extra["id"], record, number)
            run.record(record.extra["id"], record)
            page.hear(channel.poll())
        assert page.totals == summary_of(games[:1])["totals"]
    page.hear(channel.poll())
    assert page.is_running is False
    assert page.totals == summary_of(games)["totals"]


@pytest.mark.parametrize("took_s, wait_s", [(0.0, 1.0), (0.1, 5.0), (30.0, 10.0)])
def test_totals_come_when_they_have_changed_and_the_less_often_the_longer_they_take(monkeypatch, took_s, wait_s):
    clock = Clock()
    monkeypatch.setattr(following, "totals_json", lambda sources: clock.pass_by(took_s) or {"of": len(sources)})
    summary = following.RecordSummary("a", clock)
    summary.add(record_of("dots"))
    assert summary.totals_if_due() == summary.totals() == {"of": 1}
    summary.add(record_of("dots"))
    clock.now += wait_s - 0.01
    assert summary.totals_if_due() is None
    clock.now += 0.02
    assert summary.totals_if_due() == {"of": 2}
    clock.now += 100
    assert summary.totals_if_due(are_last=True) is None


def test_when_the_last_thousand_games_ended_is_kept():
    summary, game = following.RecordSummary("a\x1b"), record_of("dots")
    for number in range(1001):
        finished = "no time" if number == 3 else f"2024-02-29T12:{number // 60:02}:{number % 60:02}+00:00"
        assert summary.add(structs.replace(game, finished=finished))["index"] == number
    assert (len(summary.ends), summary.ends[0]) == (1000, 1709208000.0)
    assert summary.as_json()["files"] == ["a\\x1b"] and summary.as_json()["first"] == 0


def test_a_file_that_is_replaced_is_told_anew(followed):
    path, channel, page, _clock = followed
    append_records(path, [record_of("dots", f"g{number}", number) for number in range(3)])
    page.hear([channel.summary()])
    assert len(page.list["rows"]) == 3
    path.unlink()
    append_records(path, [record_of("reversi", "other")])
    page.hear(channel.poll())
    assert page.heard == ["summary", "summary"]
    assert page.list == summary_of([record_of("reversi", "other")])["list"]


def test_a_run_that_is_killed_leaves_no_game_that_seems_to_run(followed):
    path, channel, page, _clock = followed
    record = record_of("dots")
    page.hear([channel.summary()])
    run = LiveRun(path).__enter__()
    run.begin("g1", record)
    run.move("g1", record.moves[0])
    page.hear(channel.poll())
    assert set(page.live) == {"g1"}
    live = path.with_name("match.jsonl.live")
    content = live.read_bytes()
    run.__exit__(None, None, None)
    live.write_bytes(content)  # as it would lie there, without its writer's lock
    page.hear(channel.poll())
    assert page.live == {} and page.is_running is False


def test_a_game_whose_record_comes_before_its_first_move_is_told(followed):
    """As where many moves come between two looks."""
    path, channel, page, _clock = followed
    page.hear([channel.summary()])
    with LiveRun(path) as run:
        run.begin("g1", record_of("dots"))
        page.hear(channel.poll())
        run.record("g1", record_of("dots"))
        page.hear(channel.poll())
        assert page.live == {} and len(page.list["rows"]) == 1


def test_a_move_that_is_none_is_told_with_the_whole_game(followed):
    path, channel, page, _clock = followed
    record = record_of("connect_four")
    page.hear([channel.summary()])
    with LiveRun(path) as run:
        run.begin("g1", record)
        run.move("g1", record.moves[0])
        page.hear(channel.poll())
        for _ in range(12):  # more than the column takes
            run.move("g1", record.moves[0])
        page.hear(channel.poll())
    assert page.heard.count("begun") == 2
    assert "cannot be shown" in page.live["g1"]["refusal"]["en"]
