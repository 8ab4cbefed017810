"""What a human is told on demand: a hint of the player's, and our bot's values of the moves."""

from judge.server.analyses import Slots
from tests.judge.server.helpers.application import Application, engine


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


class NoAnalysis:
    """In place of an analysis: it says nothing."""

    has_ended = True

    def __init__(self, *_arguments):
        pass

    def start(self):
        pass

    stop = join = start


def test_so_many_tables_have_values_and_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr("judge.server.tables.advice.Deepening", NoAnalysis)
    with Application(tmp_path, slots=Slots(1)) as application, application.seated() as one, application.seated() as two:
        one.my_turn()
        two.my_turn()
        one.say("evaluate", on=True)
        assert one.until(lambda state: state["evaluating"])["evaluation"] == {"ply": 0, "thinking": True}
        assert "1 positions are analysed already" in two.refused("evaluate", on=True)
        one.say("evaluate", on=False)
        one.until(lambda state: not state["evaluating"])
        two.say("evaluate", on=True)
        assert two.until(lambda state: state["evaluating"])
        two.say("resign")
        assert two.over()["evaluating"] is False
        one.say("evaluate", on=True)
        one.until(lambda state: state["evaluating"])
