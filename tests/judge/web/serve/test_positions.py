"""Positions that are set up: their values as they deepen, what is no position, and how many at a time."""

import pytest

from judge.web.answers import Refused
from judge.web.hints import AnalysisSlots
from tests.judge.web.serve.helpers.application import Application

WON = "." * 72 + "000.111.."  # connect four of 9 x 9: whoever is to move has four in column 3
QUERY = {"type": "analyse", "game": "connect_four", "size": [9, 9], "cells": WON, "mover": "0", "seconds": 0.1}


def test_values_come_as_they_deepen(application):
    with application.socket("/ws/position") as socket:
        for cells, proven in ((WON, "win"), ("." * 81, None)):
            socket.send_json({**QUERY, "cells": cells})
            found = []
            while not found or not found[-1]["final"]:
                found.append(socket.receive_json())
                assert found[-1]["type"] == "analysis", found[-1]
            last = found[-1]
            assert last["proven"] == proven and (last["best"] == "3" or not proven)
            assert {"value", "best", "pv", "depth", "iterations", "elapsed_s", "moves"} <= set(last)
            assert [message["elapsed_s"] for message in found] == sorted(message["elapsed_s"] for message in found)


def test_what_is_no_position_is_refused_and_the_next_is_taken(application):
    with application.socket("/ws/position") as socket:
        for change, words in (
            ({"cells": "." * 80}, "80 cells, expected 81"),
            ({"cells": "x" * 81}, "expected # - . 0 1"),
            ({"size": [99, 99], "cells": "."}, "99"),
            ({"seconds": 601}, "expected a number from 0.05 to 600"),
            ({"cells": "0" * 9 + "." * 72}, "the side to move has 9 stones and the other 0"),
        ):
            socket.send_json({**QUERY, **change})
            answer = socket.receive_json()
            assert answer["type"] == "refused" and words in answer["error"]["en"], answer
        socket.send_json({**QUERY, "cells": "." * 81, "mover": "0", "seconds": 0.05})
        assert socket.receive_json()["type"] == "analysis"


def test_slots_are_so_many_and_can_be_had_again():
    slots = AnalysisSlots()
    for _ in range(4):
        slots.take()
    with pytest.raises(Refused, match="4 positions are analysed already, no more at a time: try again later"):
        slots.take()
    slots.give_back()
    slots.take()


def test_a_new_position_takes_the_place_of_the_one_before(application):
    with application.socket("/ws/position") as socket:
        socket.send_json({**QUERY, "cells": "." * 81, "mover": "0", "seconds": 600})
        assert socket.receive_json()["final"] is False
        socket.send_json(
            {
                "type": "analyse",
                "game": "reversi",
                "size": [4, 4],
                "cells": "." * 5 + "10..01" + "." * 5,
                "mover": "0",
                "seconds": 0.05,
            }
        )
        while (message := socket.receive_json())["moves"][0]["move"].isdecimal():
            assert message["type"] == "analysis"
        socket.send_json({"type": "stop"})
        socket.send_json({"type": "analyse"})
        assert "is missing" in socket.receive_json()["error"]["en"]


def test_so_many_at_a_time_and_no_more(tmp_path):
    empty = {**QUERY, "cells": "." * 81, "mover": "0"}
    with (
        Application(tmp_path, slots=AnalysisSlots(1)) as application,
        application.socket("/ws/position") as one,
        application.socket("/ws/position") as other,
    ):
        one.send_json({**empty, "seconds": 600})
        assert one.receive_json()["type"] == "analysis"
        other.send_json(empty)
        assert "1 positions are analysed already" in other.receive_json()["error"]["en"]
        one.send_json({**empty, "seconds": 0.05})
        while not one.receive_json()["final"]:
            pass
        while (message := _asked(other, {**empty, "seconds": 0.05}))["type"] == "refused":
            assert "analysed already" in message["error"]["en"]  # the one that has said all is just ending
        assert message["type"] == "analysis"


def _asked(socket, query):
    socket.send_json(query)
    return socket.receive_json()
