"""Tables: whole games by messages, what is refused, and who wins when a player fails; players are real processes."""

import os
import signal

import pytest

from judge.play.recheck import disagreements
from judge.processes import descendants
from judge.processes.spawn import JudgeFailure
from judge.sitting.opponent import Opponent
from protocol.records.record import Termination, read_records
from tests.judge.helpers.scripted import run_judge
from tests.judge.server.helpers.application import Application, engine

BOARDS = {"connect_four": None, "reversi": {"size": 4}, "dots": {"size": "2x2"}}
PATIENT = 600  # seconds: a player that does not reply in a test


def records_of(application):
    return read_records(application.folder / "records" / "serve.jsonl")[0]


def players(**more):
    """First legal moves in every game, and others."""
    firsts = {game: engine("first_legal", "--game", game) for game in BOARDS}
    return {**firsts, **more}


def of(game, mode, **options):
    """A bot that misbehaves in connect four."""
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return {game: engine("misbehave", mode, *words)}


@pytest.mark.parametrize("first", ["human", "player"])
@pytest.mark.parametrize("game", BOARDS)
def test_a_whole_game(tmp_path, game, first):
    with Application(tmp_path, **players()) as application:
        with application.seated(game, game, BOARDS[game], first) as seat:
            state = seat.my_turn()
            assert (state["human"], state["player"], state["limit_s"]) == ("A", game, 60)
            assert len(state["game"]["moves"]) == 0 or first == "player"
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
        assert descendants.registered_bots == {}
        assert application.told == []
    done = run_judge(tmp_path, "replay", "records/serve.jsonl", "--plain")
    assert done.returncode == 0, done.stderr


def test_what_the_rules_refuse_changes_nothing(application):
    with application.seated() as seat:
        before = seat.my_turn()["game"]["moves"]
        assert seat.refused("move", move="9") == "column 9 is off the board, expected 0..8"
        assert "'x' is no column" in seat.refused("move", move="x")
        assert "no column" in seat.refused("move", move="")
        assert "no move of yours" in seat.refused("undo")
        assert seat.refused("fly") == "there is no message of the type 'fly'"
        assert "is missing" in seat.refused("move")
        assert "unknown key 'more'" in seat.refused("undo", more=1)
        seat.move(4)
        assert seat.my_turn(2)["game"]["moves"][0] == "4" and before == []


@pytest.mark.parametrize("game", BOARDS)
def test_what_is_no_move_changes_nothing_in_any_game(tmp_path, game):
    with Application(tmp_path, **players()) as application, application.seated(game, game, BOARDS[game]) as seat:
        seat.my_turn()
        for text in ("zz", "", "-1", "a9b", "9" * 400, "\x1b[2J"):
            assert seat.refused("move", move=text)
        seat.move(seat.state["legal"][0])
        assert len(seat.my_turn(2)["game"]["moves"]) == 2
        assert application.told == []


def test_a_machine_that_fails_in_a_turn_costs_no_game(application, monkeypatch):
    """The player is started and asked anew, so often and no more."""
    asked, failures = Opponent.ask, iter([True, True, False, *[True] * 10])

    def ask(self, game):
        if next(failures):
            raise JudgeFailure("the judge was late")
        return asked(self, game)

    monkeypatch.setattr("judge.sitting.opponent.Opponent.ask", ask)
    with application.seated() as seat:
        seat.my_turn()
        seat.move(4)
        seat.my_turn(2)
        seat.move(4)
        trouble = seat.until(lambda state: state["trouble"] is not None)["trouble"]
        assert trouble["en"] == "the game cannot go on: the judge was late"


def test_a_move_out_of_turn_is_refused_and_not_kept(tmp_path):
    slow = engine("first_legal", "--delay", PATIENT)
    with Application(tmp_path, slow=slow) as application, application.seated("slow", limit_s=PATIENT) as seat:
        seat.my_turn()
        seat.move(4)
        seat.until(lambda state: state["turn"] == "player")
        for kind, fields in (("move", {"move": "5"}), ("undo", {}), ("hint", {})):
            assert seat.refused(kind, **fields) == "it is not your turn"
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
        assert descendants.registered_bots == {}


@pytest.mark.parametrize(
    "mode, options, ending",
    [
        ("exit_3", {}, "CRASH"),
        ("print_text", {}, "OUTPUT_LIMIT"),
        ("wrong_row", {}, "ILLEGAL_MOVE"),
        ("sleep_forever", {}, "STALL"),
    ],
)
def test_a_player_that_fails_has_lost_and_the_page_says_why(tmp_path, mode, options, ending):
    with Application(tmp_path, **of("bad", mode, **options)) as application:
        with application.seated("bad", limit_s=0.3) as seat:
            seat.my_turn()
            seat.move(4)
            state = seat.over()
            assert (state["game"]["termination"], state["game"]["fault"]) == (ending, "B")
            assert state["game"]["reason"]["en"] and state["trouble"] is None
        (record,) = records_of(application)
        assert (record.winner, disagreements(record)) == ("A", [])


def test_a_player_that_speaks_out_of_turn_has_lost_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("judge.server.tables.table.LOOK_PERIOD_S", 0.05)
    with Application(tmp_path, **of("bad", "out_of_turn")) as application, application.seated("bad") as seat:
        seat.my_turn()
        seat.move(4)
        state = seat.over()
        assert (state["game"]["termination"], state["game"]["fault"]) == ("BAD_FRAME", "B")


def bot_pids():
    return list(descendants.registered_bots)


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
            (pid,) = bot_pids()
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
            assert "no-such-program" in state["trouble"]["en"] and "选手无法启动" in state["trouble"]["zh"]
            assert state["over"] is None and state["turn"] is None
            assert seat.refused("move", move="4") == "the game is over"
        assert not (application.folder / "records").exists()


def test_a_name_that_has_left_the_players_file_is_no_command(tmp_path, monkeypatch):
    """It is looked up again when the player is started: what stands there then is never taken for a command line."""
    touch = f"touch {tmp_path}/evil"
    with Application(tmp_path, **{touch: engine("first_legal")}) as application:
        house = application.server.house
        names = house.names()
        monkeypatch.setattr(type(house), "names", lambda self: names)
        (tmp_path / "players.toml").write_text("")
        with application.seated(touch) as seat:
            state = seat.until(lambda state: state["trouble"] is not None)
            assert "no more" in state["trouble"]["en"] or "any more" in state["trouble"]["en"]
        assert not (tmp_path / "evil").exists()


def test_a_record_that_cannot_be_written_is_told(application, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(application.folder))  # where it is kept instead
    (application.folder / "records" / "serve.jsonl").mkdir(parents=True)
    with application.seated() as seat:
        seat.my_turn()
        seat.say("resign")
        state = seat.over()
        assert "serve.jsonl" in state["trouble"]["en"] and "the game is in " in state["trouble"]["en"]
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
