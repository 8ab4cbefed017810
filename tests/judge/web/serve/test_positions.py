"""Positions that are set up: what the rules say of them, their values as they deepen, and how many at a time."""

import random

import pytest
from anyio import CapacityLimiter

from judge.games import GAMES
from tests.judge.web.serve.helpers.application import Application

WON = "." * 72 + "000.111.."  # connect four of 9 x 9: whoever is to move has four in column 3
QUERY = {"type": "analyse", "game": "connect_four", "size": [9, 9], "cells": WON, "mover": "0", "seconds": 0.1}


BOARDS = {
    "connect_four": {"rows": 9, "cols": 10, "forbidden": [3, 4]},
    "reversi": {"size": 6, "opening": []},
    "dots": {"rows": 2, "columns": 3, "opening": []},
}


def set_up(application, **asked):
    answer = application.post("/api/position", asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("game", GAMES)
def test_the_server_plays_as_the_rules_do(application, game):
    rules, generator = GAMES[game], random.Random(1)
    position = rules.new_position(rules.read_board(BOARDS[game]))
    size, codes = list(rules.cells.size(position)), rules.cells.codes
    board = {"cells": codes(position)} if "#" in codes(position) else {}  # else that of a game which begins
    known = set_up(application, game=game, size=size, mover="0", **board)
    played = []
    while True:
        assert known == {
            "game": game,
            "size": size,
            "cells": codes(position),
            "mover": "-" if position.over else str(position.to_move),
            "moves": played,
            "move_of_cell": list(rules.cells.move_of_cell(tuple(size))),
            "choices": list(map(str, position.legal_moves())),
            "wrong": {"en": "The game is over.", "zh": "对局已经结束。"} if position.over else {},
        }
        same = {name: known[name] for name in ("game", "size", "cells", "mover", "moves")}
        assert set_up(application, **same) == known
        assert set_up(application, **{**same, "cells": board.get("cells", "." * len(same["cells"]))}) == known
        if position.over:
            break
        move = str(generator.choice(position.legal_moves()))
        by_hand = {name: value for name, value in same.items() if name != "moves"}
        after = set_up(application, **by_hand, move=move)
        known = set_up(application, **same, move=move)
        position.play(rules.read_move(move))
        played.append(move)
        assert after == {**known, "moves": known["moves"] if len(played) == 1 else None}


def test_a_position_that_cannot_be_says_why_and_one_that_is_none_is_refused(application):
    empty = {"game": "connect_four", "size": [4, 4], "mover": "0"}
    for change, wrong in (
        ({"cells": "." * 12 + "0000"}, "Somebody has four in a line: the game is over."),
        ({"cells": "." * 8 + "0..." + "...."}, "The stone in column 0 (row 2) has nothing below it."),
        ({"cells": "." * 16, "mover": "-"}, "The game is over."),
        ({"cells": "." * 15 + "-"}, "a cell is '-', expected one of . # 0 1"),
    ):
        found = set_up(application, **{**empty, **change})
        assert (found["wrong"]["en"], found["choices"], found["moves"]) == (wrong, [], None)
        assert found["cells"] == change["cells"] and set(found["wrong"]) == {"en", "zh"}
        answer = application.post("/api/position", {**empty, **change, "move": "0"})
        assert (answer.status_code, answer.json()["error"]) == (422, found["wrong"])
    # Moves that lead nowhere: the cells count.
    stones = "." * 14 + "01"
    found = set_up(application, **empty, cells=stones, moves=["7", "3"])
    assert (found["cells"], found["moves"], found["choices"]) == (stones, None, ["0", "1", "2", "3"])
    for change, words in (
        ({"size": [3, 4]}, "rows is 3, expected 4..12"),
        ({"game": "reversi", "size": [4, 6]}, "4x6"),
        ({"cells": "." * 15}, "the position has 15 cells, expected 16"),
        ({"move": "9"}, "column 9 is off the board"),
        ({"move": "d3"}, "is no column"),
    ):
        answer = application.post("/api/position", {**empty, **change})
        assert answer.status_code == 422 and words in answer.json()["error"]["en"], answer.text


@pytest.mark.parametrize(
    "game, size, clicks, cells",
    [
        ("connect_four", [4, 4], [(12, "0"), (13, "1"), (13, "0"), (12, "0"), (1, "#"), (2, "#")], "..#..........0.."),
        ("reversi", [4, 4], [(5, "."), (0, "1")], "1.....0..01....."),
        # Edges above, left, right and below a box, of which the last one completes it; then the box, and an edge less.
        ("dots", [1, 1], [(0, "0"), (2, "0"), (3, "0"), (4, "1"), (1, "1")], "----1"),
        ("dots", [1, 1], [(0, "0"), (2, "0"), (3, "0"), (1, "1"), (4, "0"), (4, ".")], "----0"),
        ("dots", [1, 1], [(0, "0"), (2, "0"), (3, "0"), (1, "1"), (2, "1")], "--.-."),
        ("dots", [1, 2], [(0, "0"), (2, "."), (0, ".")], "." * 9),
    ],
)
def test_a_click_by_hand_changes_what_the_game_says(application, game, size, clicks, cells):
    known = set_up(application, game=game, size=size, mover="-")
    for click in clicks:
        asked = {name: known[name] for name in ("game", "size", "cells", "mover", "moves")}
        known = set_up(application, **asked, put=click)
    assert (known["cells"], known["mover"]) == (cells, "0")
    answer = application.post("/api/position", {"game": game, "size": size, "mover": "0", "put": [399, "0"]})
    assert (
        answer.status_code == 422
        and "the board has no cell with the number 399, counted from 0" in answer.json()["error"]["en"]
    )


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
            assert last["expected"] == ("01" * len(last["pv"]))[: len(last["pv"])]
            assert [message["elapsed_s"] for message in found] == sorted(message["elapsed_s"] for message in found)


def test_what_is_no_position_is_refused_and_the_next_is_taken(application):
    with application.socket("/ws/position") as socket:
        for change, words in (
            ({"cells": "." * 80}, "80 cells, expected 81"),
            ({"cells": "x" * 81}, "cells: expected a string matching regex"),
            ({"size": [99, 99], "cells": "."}, "99"),
            ({"seconds": 601}, "seconds: expected a number <= 600"),
            ({"cells": "0" * 9 + "." * 72}, "The side to move has 9 stones and the other side 0"),
        ):
            socket.send_json({**QUERY, **change})
            answer = socket.receive_json()
            assert answer["type"] == "refused" and words in answer["error"]["en"], answer
        socket.send_json({**QUERY, "cells": "." * 81, "mover": "0", "seconds": 0.05})
        assert socket.receive_json()["type"] == "analysis"


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
        assert "expected such a key, got none" in socket.receive_json()["error"]["en"]


def test_so_many_at_a_time_and_no_more(tmp_path):
    empty = {**QUERY, "cells": "." * 81, "mover": "0"}
    with (
        Application(tmp_path, slots=CapacityLimiter(1)) as application,
        application.socket("/ws/position") as one,
        application.socket("/ws/position") as other,
    ):
        one.send_json({**empty, "seconds": 600})
        assert one.receive_json()["type"] == "analysis"
        other.send_json(empty)
        assert "1 positions are already being analysed" in other.receive_json()["error"]["en"]
        one.send_json({**empty, "seconds": 0.05})
        while not one.receive_json()["final"]:
            pass
        while (message := _asked(other, {**empty, "seconds": 0.05}))["type"] == "refused":
            assert "already being analysed" in message["error"]["en"]  # the one that has said all is just ending
        assert message["type"] == "analysis"


def _asked(socket, query):
    socket.send_json(query)
    return socket.receive_json()
