"""Whatever a browser sends is a value of the right kind or a refusal with texts: never anything else."""

import json
import math
import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.games import GAMES
from judge.games.positions import Position
from judge.server import inputs
from judge.server.refusals import Refused
from tests.judge.helpers.random_games import recorded_game
from tests.judge.server.helpers.application import SMALL

PLAYERS = ["first", "bot"]
TABLE = {"game": "connect_four", "board": SMALL, "player": "first", "first": "human", "limit_s": 3}
MOVE = {"type": "move", "move": "3"}
QUERY = {"type": "analyse", "game": "reversi", "size": [4, 4], "cells": "." * 16, "mover": "0", "seconds": 1}
ODD = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
ANYTHING = st.recursive(
    ODD,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
READERS = {
    "table": lambda content: inputs.new_table(content, PLAYERS, 1),
    "command": inputs.command,
    "query": inputs.query,
}
KEYS = [*TABLE, "moves", *QUERY, "move", "on"]


def read(reader, content):
    """What a reader makes of a message; a Refused with sound texts is fine too."""
    try:
        return reader(content)
    except Refused as refused:
        assert 400 <= refused.status < 500
        assert refused.texts["en"] and len(refused.texts["en"]) < 1500
        assert all(text.isprintable() for text in refused.texts.values())
        return refused


@pytest.mark.parametrize("name", READERS)
@given(content=st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=8), ANYTHING, max_size=8))
def test_any_object_is_read_or_refused(name, content):
    read(READERS[name], content)


@pytest.mark.parametrize(
    "name, sound", [("table", TABLE), ("query", QUERY), ("command", {"type": "move", "move": "3"})]
)
@settings(max_examples=200)
@given(data=st.data())
def test_a_sound_message_with_one_odd_value_is_read_or_refused(name, sound, data):
    key = data.draw(st.sampled_from([*sound, "moves"]))
    read(READERS[name], {**sound, key: data.draw(ANYTHING)})


@settings(max_examples=200)
@given(
    game=st.sampled_from(sorted(GAMES)),
    board=st.dictionaries(
        st.sampled_from(["rows", "cols", "forbidden", "size", "opening_plies"]),
        st.integers(-2, 13) | st.text(string.digits + "x,-. ", max_size=6) | ODD,
        max_size=3,
    ),
    moves=st.lists(st.integers(-1, 12) | st.text("abcdefghABC0123456789", max_size=4), max_size=4),
)
def test_a_board_that_is_taken_can_be_played_on(game, board, moves):
    found = read(READERS["table"], {**TABLE, "game": game, "board": board, "moves": moves})
    if isinstance(found, inputs.NewTable):
        position: Position = GAMES[game].new_position(found.board)
        for move in found.moves:
            position.play(move)
        assert not position.over


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    body=st.binary(max_size=300)
    | st.builds(lambda value: json.dumps(value).encode(), ANYTHING)
    | st.sampled_from([b"[" * 30_000, b'{"game":' * 4000, b"\xff\xfe", b"", b"9" * 10_000, b'{"limit_s": 1e999}'])
)
def test_any_body_gets_a_clear_answer(application, body):
    answer = application.post("/api/tables", body)
    assert 400 <= answer.status_code < 500
    assert answer.json()["error"]["en"] and "Traceback" not in answer.text
    assert application.told == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(path=st.text(max_size=40).map(lambda text: text.replace("?", "_").replace("#", "_")), index=st.text(max_size=12))
def test_any_path_and_index_gets_a_clear_answer(application, path, index):
    quoted = "".join(f"%{byte:02x}" for byte in path.encode("utf-8", "replace"))
    for address in (f"/api/records/{quoted}", f"/api/games/{quoted}"):
        answer = application.client.get(address, params={"index": index} if "games" in address else None)
        assert 400 <= answer.status_code < 500
        assert answer.json()["error"]["en"]
    assert application.told == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(text=st.text(max_size=60) | st.builds(json.dumps, ANYTHING))
def test_any_text_on_a_socket_is_refused_and_the_socket_stays_open(application, text):
    with application.socket("/ws/position") as socket:
        for _ in range(2):
            socket.send_text(text)
            assert socket.receive_json()["type"] == "refused"
        socket.send_bytes(b"\x00")
        assert socket.receive_json()["type"] == "refused"
    assert application.told == []


@pytest.mark.parametrize(
    "change, status, words",
    [
        ({"game": "chess"}, 422, "'chess', expected one of connect_four, reversi, dots"),
        ({"player": "python -c 'evil'"}, 422, "expected one of first, bot"),
        ({"player": "bot:weak"}, 422, "expected one of first, bot"),
        ({"player": "bot --log /tmp/x"}, 422, "expected one of first, bot"),
        ({"player": "src:/tmp"}, 422, "expected one of first, bot"),
        ({"player": 3}, 400, "player is 3, expected a text"),
        ({"first": "A"}, 422, "'A', expected one of human, player"),
        ({"limit_s": 0.04}, 422, "expected a number from 0.05 to 600"),
        ({"limit_s": 601}, 422, "expected a number from 0.05 to 600"),
        ({"limit_s": True}, 400, "expected a number"),
        ({"limit_s": "3"}, 400, "expected a number"),
        ({"board": []}, 400, "board is [], expected an object"),
        ({"board": {"size": 8}}, 422, "'size' is no option of the boards of connect_four"),
        ({"board": {"rows": 13}}, 422, "rows is 13, expected 9..12"),
        ({"board": {"rows": [9]}}, 400, "rows is [9]"),
        ({"board": {"forbidden": "9"}}, 422, "'9' is not a cell"),
        ({"moves": [9]}, 422, "column 9 is off the board"),
        ({"moves": ["x"]}, 422, "'x' is no column"),
        ({"moves": [True]}, 400, "moves is"),
        ({"moves": [4, 0, 4, 0, 4, 0, 4]}, 422, "has four in a line"),
        ({"more": 1}, 400, "unknown key 'more'"),
    ],
)
def test_what_is_wrong_is_named(change, status, words):
    refused = read(READERS["table"], {**TABLE, **change})
    assert isinstance(refused, Refused)
    assert (refused.status, words in refused.texts["en"]) == (status, True), refused.texts["en"]


def test_refusals_are_in_the_readers_languages():
    refused = read(READERS["table"], {**TABLE, "moves": [9]})
    assert refused.texts["en"] == "column 9 is off the board, expected 0..8"
    assert "9" in refused.texts["zh"] and refused.texts["zh"] != refused.texts["en"]


def test_a_key_that_is_missing_is_named():
    for name in TABLE:
        refused = read(READERS["table"], {key: value for key, value in TABLE.items() if key != name})
        assert (refused.status, refused.texts["en"]) == (400, f"the key {name!r} is missing")


def test_numbers_and_texts_are_options_alike():
    by_number = read(READERS["table"], {**TABLE, "board": {"rows": 10, "cols": 11, "forbidden": "1,2"}})
    by_text = read(READERS["table"], {**TABLE, "board": {"rows": "10", "cols": "11", "forbidden": "1,2"}})
    assert by_number == by_text
    assert by_number.board.as_json() == {"rows": 10, "cols": 11, "forbidden": [1, 2]}


@pytest.mark.parametrize("game", GAMES)
def test_a_game_may_begin_with_the_moves_of_another(game):
    record = recorded_game(game, {"size": 6, "opening": []} if game == "reversi" else None)
    board = {
        "connect_four": {"rows": 12, "cols": 12, "forbidden": "5,7"},
        "reversi": {"size": 6},
        "dots": {"size": "7x7"},
    }
    moves = [move.move for move in record.moves]
    content = {**TABLE, "game": game, "board": board[game], "moves": [str(move) for move in moves[:10]]}
    found = read(READERS["table"], content)
    assert list(found.moves) == moves[:10]
    assert isinstance(read(READERS["table"], {**content, "moves": list(map(str, moves))}), Refused)  # it is over then


@pytest.mark.parametrize("seconds", [math.nan, math.inf, -1, 0, 1e9])
def test_odd_times_are_refused(seconds):
    assert isinstance(read(READERS["query"], {**QUERY, "seconds": seconds}), Refused)


def test_a_body_may_be_neither_too_long_nor_of_another_type(application):
    assert application.post("/api/tables", b" " * (inputs.LARGEST_MESSAGE + 1)).status_code == 413
    for kind in ("text/plain", "application/x-www-form-urlencoded", "", None):
        assert application.post("/api/tables", TABLE, **{"content-type": kind}).status_code == 415
    with application.socket("/ws/position") as socket:
        socket.send_text(" " * (inputs.LARGEST_MESSAGE + 1))
        assert "at most" in socket.receive_json()["error"]["en"]
