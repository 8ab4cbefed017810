"""Tables at which nobody looks, tables that are too many, and the end of the server: what runs, and what is left."""

import pytest

from judge.processes import descendants
from judge.server.tables import tables
from tests.judge.helpers.scripted import wait_until
from tests.judge.server.helpers.application import SMALL, Application, Clock, engine

BOARDS = {"connect_four": SMALL, "dots": {"size": "2x2"}}
WANTED = {"game": "connect_four", "board": SMALL, "player": "first", "first": "human", "limit_s": 60}


def nothing_runs():
    return descendants.registered_bots == {}


@pytest.fixture
def clock():
    return Clock()


@pytest.mark.parametrize("game", BOARDS)
def test_the_player_ends_when_nobody_looks_and_goes_on_when_somebody_comes_back(tmp_path, clock, game):
    with Application(tmp_path, clock=clock, first=engine("first_legal", "--game", game)) as application:
        with application.seated(game=game, board=BOARDS[game]) as seat:
            seat.my_turn()
            seat.move(seat.state["legal"][0])
            before = seat.my_turn(2)
        (pid,) = descendants.registered_bots
        clock.now += tables.DESERTED_AFTER_S - 1
        application.tick()
        assert list(descendants.registered_bots) == [pid]
        clock.now += 2
        application.tick()
        wait_until(nothing_runs)
        with application.seat_at(seat.id) as again:
            state = again.my_turn(2)
            assert state["game"]["moves"] == before["game"]["moves"]
            assert pid not in descendants.registered_bots
            again.move(state["legal"][0])
            again.until(lambda state: state["turn"] == "human" or state["over"])
            assert again.state["trouble"] is None and again.state["game"]["fault"] is None


def test_a_player_that_thinks_when_nobody_looks_is_asked_anew(tmp_path, clock):
    slow = engine("first_legal", "--delay", 600, "--delay-from", 1)
    with Application(tmp_path, clock=clock, slow=slow) as application:
        with application.seated("slow", limit_s=600) as seat:
            seat.my_turn()
            seat.move(4)
            seat.my_turn(2)
            seat.move(4)
            seat.until(lambda state: state["turn"] == "player")
        clock.now += tables.DESERTED_AFTER_S
        application.tick()
        wait_until(nothing_runs)
        with application.seat_at(seat.id) as again:  # a new process's first reply comes at once
            assert again.my_turn(4)["game"]["moves"] == ["4", "0", "4", "0"]


def test_a_page_that_comes_back_in_time_finds_the_same_player(tmp_path, clock):
    with Application(tmp_path, clock=clock) as application:
        with application.seated() as seat:
            seat.my_turn()
        (pid,) = descendants.registered_bots
        clock.now += tables.DESERTED_AFTER_S - 1
        application.tick()
        with application.seat_at(seat.id) as again:
            again.my_turn()
            clock.now += 10 * tables.DESERTED_AFTER_S
            application.tick()
            again.move(4)
            again.my_turn(2)
            assert list(descendants.registered_bots) == [pid]


def test_a_table_is_gone_after_an_hour(tmp_path, clock):
    with Application(tmp_path, clock=clock) as application:
        with application.seated() as seat:
            seat.my_turn()
        clock.now += tables.REMOVED_AFTER_S
        application.tick()
        assert application.get("/api/tables").json() == {"tables": []}
        wait_until(nothing_runs)
        with application.socket(f"/ws/tables/{seat.id}") as socket:
            assert socket.receive_json()["error"]["en"] == "there is no such game any more"
            assert socket.receive()["code"] == 4404


def test_the_humans_clock_stands_still_while_nobody_looks(tmp_path, clock):
    with Application(tmp_path, clock=clock) as application:
        with application.seated() as seat:
            assert seat.my_turn()["clock"] == {"human_s": 0.0, "player_s": 0.0, "turn_s": 0.0}
            clock.now += 5
        wait_until(lambda: not application.server.tables._found[seat.id].pages)
        stopwatch = application.server.tables._found[seat.id].table._watch
        wait_until(lambda: stopwatch._since is None)
        clock.now += 20
        with application.seat_at(seat.id) as again:
            wait_until(lambda: stopwatch._since is not None)
            clock.now += 2
            again.my_turn()
            again.move(4)
            state = again.my_turn(2)
            assert state["clock"]["human_s"] == 7.0 and state["game"]["wall"][0] == 7.0


def test_so_many_tables_and_no_more(application, monkeypatch):
    monkeypatch.setattr(tables, "MOST", 3)
    ids = [application.new_table() for _ in range(3)]
    assert len(set(ids)) == 3 and all(len(table_id) > 20 for table_id in ids)
    answer = application.post("/api/tables", WANTED)
    assert answer.status_code == 409
    assert "3 games are being played" in answer.json()["error"]["en"] and answer.json()["error"]["zh"]
    assert application.post("/api/tables", b"{").status_code == 400
    with application.seat_at(ids[1]) as seat:
        seat.my_turn()
        seat.say("resign")
        seat.over()
        assert application.post("/api/tables", WANTED).status_code == 409  # somebody looks at it
    wait_until(lambda: not application.server.tables._found[ids[1]].pages)
    assert application.post("/api/tables", WANTED).status_code == 201
    listed = [table["id"] for table in application.get("/api/tables").json()["tables"]]
    assert ids[1] not in listed and len(listed) == 3


def test_twenty_is_the_limit():
    assert tables.MOST == 20


def test_a_table_that_is_not_there_is_said_so(application):
    for table_id in ("none", "x" * 500, "%2e%2e"):
        with application.socket(f"/ws/tables/{table_id}") as socket:
            assert socket.receive_json()["type"] == "refused"
            assert socket.receive()["code"] == 4404


def test_the_end_of_the_server_ends_every_player(tmp_path):
    slow = engine("first_legal", "--delay", 600)
    with Application(tmp_path, first=engine("first_legal"), slow=slow) as application:
        ids = [application.new_table("slow", first="player", limit_s=600), application.new_table()]
        for table_id in ids:
            with application.seat_at(table_id) as seat:
                seat.until(lambda state: state["turn"] is not None)
        assert len(descendants.registered_bots) == 2
    assert nothing_runs()
    assert not (tmp_path / "records").exists()


def test_a_player_that_takes_too_much_memory_has_lost(tmp_path):
    glutton = engine("glutton", "--megabytes", 300, "--hold", 5)
    limited = Application(tmp_path, memory_limit_bytes=100 * 10**6, glutton=glutton)
    with limited as application, application.seated("glutton") as seat:
        seat.my_turn()
        seat.move(4)
        state = seat.over()
        assert (state["game"]["termination"], state["game"]["fault"]) == ("MEMORY_LIMIT", "B")
