"""Tables: whole games by messages, what is refused, who wins when a player fails, hints, and tables at which nobody
looks; players are real processes."""

import os
import signal

import pytest
from anyio import CapacityLimiter

from judge.play.human_game import Opponent
from judge.play.recheck import disagreements
from judge.processes.start import JudgeFailure
from judge.web import tables
from protocol.records.record import Termination, read_records
from tests.judge.helpers.scripted import running_bots, wait_until
from tests.judge.web.serve.helpers.application import SMALL, Application, Clock, engine

BOARDS = {"connect_four": None, "reversi": {"size": 4}, "dots": {"size": "2x2"}}
WANTED = {"game": "connect_four", "board": SMALL, "player": "first", "first": "human", "limit_s": 60}
PATIENT = 600  # seconds: a player that does not reply in a test


def records_of(application):
    return read_records(application.folder / "records" / "serve.jsonl")[0]


def players(**more):
    """First legal moves in every game, and others."""
    firsts = {game: engine("first_legal", "--game", game) for game in BOARDS}
    return {**firsts, **more}


@pytest.mark.parametrize("game, first", [*zip(BOARDS, ("human", "player", "human"), strict=True)])
def test_a_whole_game(tmp_path, game, first):
    with Application(tmp_path, **players()) as application:
        with application.seated(game, game, BOARDS[game], first) as seat:
            state = seat.my_turn()
            assert (state["human"], state["player"], state["limit_s"]) == ("A", game, 60)
            assert len(state["game"]["moves"]) == 0 or first == "player"
            for text in ("zz", "", "-1", "a9b", "9" * 200, "\x1b[2J"):
                assert seat.refused("move", move=text)
            while seat.state["over"] is None:
                assert seat.state["game"]["running"] and seat.state["game"]["termination"] is None
                seat.move(seat.state["legal"][-1])
                seat.until(lambda state: state["turn"] == "human" or state["over"])
            state = seat.state
        (record,) = records_of(application)
        assert disagreements(record) == []
        assert record.termination is Termination.NORMAL and record.first == ("A" if first == "human" else "B")
        assert [player.name for player in record.players] == ["human", game]
        assert state["over"] == {"path": "serve.jsonl", "number": 1}
        assert (state["turn"], state["legal"], state["can_undo"], state["trouble"]) == (None, [], False, None)
        assert state["game"]["running"] is False and state["game"]["verdict"] == {}
        assert application.get("/api/games/serve.jsonl?index=0").json() == state["game"]
        assert application.get("/api/tables").json()["tables"][0]["is_over"] is True
        assert running_bots() == []
        assert application.told == []


def test_what_the_rules_refuse_changes_nothing(application):
    with application.seated() as seat:
        before = seat.my_turn()["game"]["moves"]
        assert seat.refused("move", move="9") == "column 9 is off the board, expected 0..8"
        assert "'x' is no column" in seat.refused("move", move="x")
        assert "no column" in seat.refused("move", move="")
        assert "no move that could be taken back" in seat.refused("undo")
        assert seat.refused("fly") == (
            "the server cannot read a message of this page, load the page again: type: no such value: 'fly'"
        )
        assert "no column" in seat.refused("move")
        assert "more: expected no key of this name" in seat.refused("undo", more=1)
        seat.move(4)
        assert seat.my_turn(2)["game"]["moves"][0] == "4" and before == []


def test_a_machine_that_fails_in_a_turn_costs_no_game(application, monkeypatch):
    """The player is started and asked anew, so often and no more."""
    asked, failures = Opponent.ask, iter([True, True, False, *[True] * 10])

    def ask(self, game):
        if next(failures):
            raise JudgeFailure("the judge was late")
        return asked(self, game)

    monkeypatch.setattr("judge.play.human_game.Opponent.ask", ask)
    with application.seated() as seat:
        seat.my_turn()
        seat.move(4)
        seat.my_turn(2)
        seat.move(4)
        trouble = seat.until(lambda state: state["trouble"] is not None)["trouble"]
        assert trouble["en"] == "the game cannot go on, begin another one: the judge was late"


def test_a_move_out_of_turn_is_refused_and_not_kept(tmp_path):
    slow = engine("first_legal", "--delay", PATIENT)
    with Application(tmp_path, slow=slow) as application, application.seated("slow", limit_s=PATIENT) as seat:
        seat.my_turn()
        seat.move(4)
        seat.until(lambda state: state["turn"] == "player")
        for kind, fields in (("move", {"move": "5"}), ("undo", {}), ("hint", {})):
            assert seat.refused(kind, **fields) == "it is not your turn: wait for the move of your opponent"
        assert seat.state["game"]["moves"] == ["4"] and seat.state["can_undo"] is False


def test_undo_in_a_game_of_whole_turns_tells_the_player_of_the_board_anew(tmp_path):
    with Application(tmp_path, **players()) as application, application.seated("dots", "dots", {"size": "2x2"}) as seat:
        seat.my_turn()
        seat.move("ACB")
        moves = seat.my_turn(2)["game"]["moves"]
        seat.say("undo")
        seat.until(lambda state: state["game"]["moves"] == [])
        seat.move("AAA")
        assert seat.my_turn(2)["game"]["moves"] == ["AAA", "AAB"] != moves


@pytest.mark.parametrize("delay", [0, PATIENT])
def test_resigning(tmp_path, delay):
    """On one's own turn, and while the player thinks."""
    with Application(tmp_path, slow=engine("first_legal", "--delay", delay)) as application:
        with application.seated("slow", limit_s=PATIENT) as seat:
            seat.my_turn()
            seat.move(4)
            seat.until(lambda state: state["turn"] == ("player" if delay else "human"))
            seat.say("resign")
            state = seat.over()
            assert state["game"]["termination"] == "RESIGNATION"
            assert state["game"]["reason"]["en"] == "A resigned"
            assert seat.refused("move", move="3") == "the game is over"
        (record,) = records_of(application)
        assert (record.winner, record.at_fault, len(record.moves)) == ("B", None, 1 if delay else 2)
        assert disagreements(record) == []
        assert running_bots() == []


@pytest.mark.parametrize("mode, ending", [("wrong_row", "ILLEGAL_MOVE"), ("sleep_forever", "STALL")])
def test_a_player_that_fails_has_lost_and_the_page_says_why(tmp_path, mode, ending):
    with Application(tmp_path, bad=engine("misbehave", mode)) as application:
        with application.seated("bad", limit_s=0.3 if ending == "STALL" else 60) as seat:
            seat.my_turn()
            seat.move(4)
            state = seat.over()
            assert (state["game"]["termination"], state["game"]["fault"]) == (ending, "B")
            assert state["game"]["reason"]["en"] and state["trouble"] is None
        (record,) = records_of(application)
        assert (record.winner, disagreements(record)) == ("A", [])


def test_a_player_that_speaks_out_of_turn_has_lost_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("judge.web.tables.LOOK_PERIOD_S", 0.05)
    with (
        Application(tmp_path, bad=engine("misbehave", "out_of_turn")) as application,
        application.seated("bad") as seat,
    ):
        seat.my_turn()
        seat.move(4)
        state = seat.over()
        assert (state["game"]["termination"], state["game"]["fault"]) == ("BAD_FRAME", "B")


@pytest.mark.parametrize("is_thinking", [True, False])
def test_a_player_that_is_killed_has_crashed_when_its_turn_comes(tmp_path, is_thinking):
    with Application(tmp_path, slow=engine("first_legal", "--delay", PATIENT, "--delay-from", 1)) as application:
        with application.seated("slow", limit_s=PATIENT) as seat:
            seat.my_turn()
            seat.move(4)
            seat.my_turn(2)
            if is_thinking:
                seat.move(4)
                seat.until(lambda state: state["turn"] == "player")
            (pid,) = running_bots()
            os.kill(pid, signal.SIGKILL)
            if not is_thinking:
                seat.move(4)
            state = seat.over()
            assert (state["game"]["termination"], state["game"]["fault"]) == ("CRASH", "B")
            assert "SIGKILL" in state["game"]["reason"]["en"]
        (record,) = records_of(application)
        assert disagreements(record) == []


def test_a_player_that_cannot_be_started_is_trouble_and_no_game(tmp_path):
    with Application(tmp_path, nothing='command = "./no-such-program"\n') as application:
        with application.seated("nothing") as seat:
            state = seat.until(lambda state: state["trouble"] is not None)
            assert "no-such-program" in state["trouble"]["en"] and "你的对手无法启动" in state["trouble"]["zh"]
            assert state["over"] is None and state["turn"] is None
            assert seat.refused("move", move="4") == "the game is over"
        assert not (application.folder / "records").exists()


def test_a_name_that_has_left_the_players_file_is_no_command(tmp_path, monkeypatch):
    """It is looked up again when the player is started: what stands there then is never taken for a command line."""
    touch = f"touch {tmp_path}/evil"
    with Application(tmp_path, **{touch: engine("first_legal")}) as application:
        opponents = application.server.service.opponents
        names = opponents.names()
        monkeypatch.setattr(type(opponents), "names", lambda self: names)
        (tmp_path / "players.toml").write_text("")
        with application.seated(touch) as seat:
            state = seat.until(lambda state: state["trouble"] is not None)
            assert "the players file has no player" in state["trouble"]["en"]
        assert not (tmp_path / "evil").exists()


def test_a_record_that_cannot_be_written_is_told(application, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(application.folder))  # where it is kept instead
    (application.folder / "records" / "serve.jsonl").mkdir(parents=True)
    with application.seated() as seat:
        seat.my_turn()
        seat.say("resign")
        state = seat.over()
        assert "serve.jsonl" in state["trouble"]["en"] and "the game is saved in " in state["trouble"]["en"]
        assert "这局棋存在 " in state["trouble"]["zh"]
        assert state["game"]["termination"] == "RESIGNATION" and state["over"] is None


def test_a_game_may_begin_with_moves_which_nobody_takes_back(application):
    with application.seated(moves=["4", "4", "3"], first="human") as seat:
        state = seat.my_turn(4)
        assert state["game"]["moves"][:3] == ["4", "4", "3"] and state["can_undo"] is False
        seat.move(5)
        seat.my_turn(6)
        seat.say("undo")
        assert len(seat.until(lambda state: len(state["game"]["moves"]) == 4)["game"]["moves"]) == 4
        seat.say("resign")
        seat.over()
    (record,) = records_of(application)
    assert [move.side for move in record.moves] == ["A", "B", "A", "B"] and disagreements(record) == []


def test_two_tables_do_not_mix(tmp_path):
    with Application(tmp_path, **players()) as application:
        with (
            application.seated("connect_four") as one,
            application.seated("connect_four") as two,
            application.seated("reversi", "reversi", {}) as three,
        ):
            assert len({one.id, two.id, three.id}) == 3
            for seat in (one, two, three):
                seat.my_turn()
            one.move(1)
            two.move(7)
            three.move(three.state["legal"][0])
            one.my_turn(2)
            two.my_turn(2)
            one.move(1)
            two.move(7)
            three.my_turn(2)
            assert one.my_turn(4)["game"]["moves"] == ["1", "0", "1", "0"]
            assert two.my_turn(4)["game"]["moves"] == ["7", "0", "7", "0"]
            assert len(three.state["game"]["moves"]) == 2
            one.say("resign")
            one.over()
            two.move(7)
            assert two.my_turn(6)["over"] is None
        assert len(records_of(application)) == 1


def test_two_pages_show_one_table(application):
    with application.seated() as one, application.seat_at(one.id) as other:
        one.my_turn()
        other.my_turn()
        one.move(4)
        assert other.my_turn(2)["game"] == one.my_turn(2)["game"]
        other.move(4)
        assert one.my_turn(4)["game"]["moves"] == other.my_turn(4)["game"]["moves"]


def test_a_hint_that_cannot_be_had_says_why(tmp_path):
    crashing = engine("misbehave", "exit_3")
    with Application(tmp_path, crashing=crashing) as application, application.seated("crashing") as seat:
        seat.my_turn()
        seat.say("hint")
        hint = seat.until(lambda state: state["hint"] is not None and not state["hint"]["thinking"])["hint"]
        assert hint["moves"] == [] and hint["error"]["en"].startswith("your opponent cannot give a hint: ")
        assert application.told == []


def test_what_a_table_shows_beside_its_game(application):
    with application.seated(limit_s=7.5) as seat:
        state = dict(seat.my_turn())
        game = state.pop("game")
        assert state.pop("legal") == [str(column) for column in range(9)]
        assert state.pop("clock")["human_s"] == 0
        assert state == {
            "type": "table",
            "id": seat.id,
            "human": "A",
            "player": "first",
            "limit_s": 7.5,
            "preparing": False,
            "turn": "human",
            "can_undo": False,
            "hint": None,
            "evaluating": False,
            "evaluation": None,
            "over": None,
            "trouble": None,
        }
        assert (game["running"], game["first"], game["limit"], game["started"] != "") == (True, "A", None, True)
        assert [player["name"] for player in game["players"]] == ["human", "first"]
        expected = {"id": seat.id, "game": "connect_four", "player": "first", "plies": 0, "is_over": False}
        assert application.get("/api/tables").json() == {"tables": [expected]}


def test_taking_back_and_a_hint(tmp_path):
    reversi = engine("first_legal", "--game", "reversi")
    with Application(tmp_path, reversi=reversi) as application, application.seated("reversi", "reversi", {}) as seat:
        start = seat.my_turn()
        assert start["can_undo"] is False
        seat.say("hint")
        hinted = seat.until(lambda state: state["hint"] is not None and not state["hint"]["thinking"])
        assert hinted["hint"] == {"moves": [start["legal"][0]], "thinking": False}
        seat.move(start["legal"][0])
        state = seat.my_turn(2)
        assert state["hint"] is None and state["can_undo"] is True
        seat.say("undo")
        state = seat.until(lambda state: state["game"]["moves"] == [])
        assert (state["legal"], state["can_undo"]) == (start["legal"], False)
        seat.move(start["legal"][1])
        assert seat.my_turn(2)["game"]["moves"][0] == start["legal"][1]


def test_values_of_moves_on_demand(application):
    with application.seated(moves=["4", "8", "4", "0", "4", "0"]) as seat:
        seat.my_turn()
        assert (seat.state["evaluating"], seat.state["evaluation"]) == (False, None)
        seat.say("evaluate", on=True)
        state = seat.until(lambda state: state["evaluation"] is not None and state["evaluation"].get("moves"))
        found = state["evaluation"]
        assert state["evaluating"] is True and found["ply"] == 6
        assert (found["best"], found["proven"]) == ("4", "win")
        assert {known["move"] for known in found["moves"]} <= set(state["legal"])
        seat.move(3)
        state = seat.my_turn(8)
        assert state["evaluation"]["ply"] == 8
        seat.say("evaluate", on=False)
        state = seat.until(lambda state: not state["evaluating"])
        assert state["evaluation"] is None


async def no_analyses(*_arguments):
    """In place of analyses: none comes."""
    for nothing in ():
        yield nothing


def test_so_many_tables_have_values_and_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr("judge.web.tables.analyses", no_analyses)
    with (
        Application(tmp_path, slots=CapacityLimiter(1)) as application,
        application.seated() as one,
        application.seated() as two,
    ):
        one.my_turn()
        two.my_turn()
        one.say("evaluate", on=True)
        assert one.until(lambda state: state["evaluating"])["evaluation"] == {"ply": 0, "thinking": True}
        assert "1 positions are already being analysed" in two.refused("evaluate", on=True)
        one.say("evaluate", on=False)
        one.until(lambda state: not state["evaluating"])
        two.say("evaluate", on=True)
        assert two.until(lambda state: state["evaluating"])
        two.say("resign")
        assert two.over()["evaluating"] is False
        one.say("evaluate", on=True)
        one.until(lambda state: state["evaluating"])


def nothing_runs():
    return running_bots() == []


def test_the_player_ends_when_nobody_looks_and_goes_on_when_somebody_comes_back(tmp_path, monkeypatch):
    game = "dots"  # whole turns
    with Application(tmp_path, first=engine("first_legal", "--game", game)) as application:
        with application.seated(game=game, board=BOARDS[game]) as seat:
            seat.my_turn()
            seat.move(seat.state["legal"][0])
            before = seat.my_turn(2)
        (pid,) = running_bots()
        with application.seat_at(seat.id) as again:  # in time: the same player
            again.my_turn(2)
            assert running_bots() == [pid]
            monkeypatch.setattr(tables, "DESERTED_AFTER_S", 0.1)
        wait_until(nothing_runs)
        with application.seat_at(seat.id) as again:
            state = again.my_turn(2)
            assert state["game"]["moves"] == before["game"]["moves"]
            assert pid not in running_bots()
            again.move(state["legal"][0])
            again.until(lambda state: state["turn"] == "human" or state["over"])
            assert again.state["trouble"] is None and again.state["game"]["fault"] is None


def test_a_player_that_thinks_when_nobody_looks_is_asked_anew(tmp_path, monkeypatch):
    slow = engine("first_legal", "--delay", 600, "--delay-from", 1)
    with Application(tmp_path, slow=slow) as application:
        with application.seated("slow", limit_s=600) as seat:
            seat.my_turn()
            seat.move(4)
            seat.my_turn(2)
            seat.move(4)
            seat.until(lambda state: state["turn"] == "player")
            monkeypatch.setattr(tables, "DESERTED_AFTER_S", 0.1)
        wait_until(nothing_runs)
        with application.seat_at(seat.id) as again:  # a new process's first reply comes at once
            assert again.my_turn(4)["game"]["moves"] == ["4", "0", "4", "0"]


def test_a_table_that_nobody_looks_at_for_long_is_gone(tmp_path, monkeypatch):
    with Application(tmp_path) as application:
        with application.seated() as seat:
            seat.my_turn()
            monkeypatch.setattr(tables, "DESERTED_AFTER_S", 0.1)
            monkeypatch.setattr(tables, "REMOVED_AFTER_S", 0.2)
        wait_until(lambda: application.get("/api/tables").json() == {"tables": []})
        wait_until(nothing_runs)
        with application.socket(f"/ws/tables/{seat.id}") as socket:
            assert socket.receive_json()["error"]["en"] == (
                "the server does not have this game any more: begin another one"
            )
            assert socket.receive()["code"] == 4404


def test_the_humans_clock_stands_still_while_nobody_looks(tmp_path):
    clock = Clock()
    with Application(tmp_path, clock=clock) as application:
        with application.seated() as seat:
            assert seat.my_turn()["clock"] == {"human_s": 0.0, "player_s": 0.0, "turn_s": 0.0}
            clock.now += 5
        wait_until(lambda: not application.server.tables.find(seat.id).pages)
        clock.now += 20
        with application.seat_at(seat.id) as again:
            again.my_turn()
            clock.now += 2
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
    wait_until(lambda: not application.server.tables.find(ids[1]).pages)
    assert application.post("/api/tables", WANTED).status_code == 201
    listed = [table["id"] for table in application.get("/api/tables").json()["tables"]]
    assert ids[1] not in listed and len(listed) == 3


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
        assert len(running_bots()) == 2
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
