"""Whatever a browser sends is a value of the right kind or a refusal with texts: never anything else."""

import json
import math
import string

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.games import GAMES
from judge.games.positions import Position
from judge.web import inputs
from judge.web.answers import Refused
from tests.judge.helpers.random_games import recorded_game
from tests.judge.web.serve.helpers.application import ORIGIN, SMALL

PLAYERS = ["first", "bot"]
TABLE = {"game": "connect_four", "board": SMALL, "player": "first", "first": "human", "limit_s": 3}
QUERY = {"type": "analyse", "game": "reversi", "size": [4, 4], "cells": "." * 16, "mover": "0", "seconds": 1}
SET_UP = {"game": "reversi", "size": [4, 4], "cells": "." * 16, "mover": "0", "moves": ["a1"], "move": "b1"}
ODD = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
ANYTHING = st.recursive(
    ODD,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def reader(kind, use=lambda message: message):
    """A function that reads an object as a message of this kind."""
    return lambda content: use(inputs.read(json.dumps(content), kind))


READERS = {
    "table": reader(inputs.AskedTable, lambda asked: (asked, *inputs.new_table(asked, PLAYERS, 1))),
    "command": reader(inputs.Command),
    "query": reader(inputs.Query | inputs.Stop),
    "set_up": reader(inputs.SetUp),
}
KEYS = [*TABLE, "moves", *QUERY, "move", "on", "put"]


def read(name, content):
    """What a reader makes of a message; a Refused with sound texts is fine too."""
    try:
        return READERS[name](content)
    except Refused as refused:
        assert 400 <= refused.status < 500
        assert refused.texts["en"] and len(refused.texts["en"]) < 1500
        assert all(text.isprintable() for text in refused.texts.values())
        return refused


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=50)
@given(content=st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=8), ANYTHING, max_size=8))
def test_any_object_is_read_or_refused(name, content):
    read(name, content)


@pytest.mark.parametrize(
    "name, sound",
    [("table", TABLE), ("query", QUERY), ("set_up", SET_UP), ("command", {"type": "move", "move": "3"})],
)
@settings(max_examples=50)
@given(data=st.data())
def test_a_sound_message_with_one_odd_value_is_read_or_refused(name, sound, data):
    key = data.draw(st.sampled_from([*sound, "moves"]))
    read(name, {**sound, key: data.draw(ANYTHING)})


@settings(max_examples=80)
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
    found = read("table", {**TABLE, "game": game, "board": board, "moves": moves})
    if not isinstance(found, Refused):
        _, begun, played = found
        position: Position = GAMES[game].new_position(begun)
        for move in played:
            position.play(move)
        assert not position.over


def test_half_a_character_is_refused_wherever_it_stands(application):
    messages = {
        "/api/tables": TABLE,
        "/api/position": SET_UP,
        "/api/trash": {"path": "a.jsonl"},
        "/api/restore": {"trash": "20261127T061742Z-0123abcd"},
    }
    for address, message in messages.items():
        for key, value in message.items():
            if isinstance(value, str):
                answer = application.post(address, json.dumps({**message, key: value + "\ud800"}).encode())
                assert answer.status_code == 400, (address, key)
    with application.socket("/ws/position") as socket:
        socket.send_text(json.dumps({**QUERY, "cells": "\udfff"}))
        assert "surrogate" in socket.receive_json()["error"]["en"]
    assert application.told == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(
    body=st.binary(max_size=300)
    | st.builds(lambda value: json.dumps(value).encode(), ANYTHING)
    | st.sampled_from([b"[" * 30_000, b'{"game":' * 4000, b"\xff\xfe", b"", b"9" * 10_000, b'{"limit_s": 1e999}'])
)
def test_any_body_gets_a_clear_answer(application, body):
    for address in ("/api/tables", "/api/trash", "/api/restore"):
        answer = application.post(address, body)
        assert 400 <= answer.status_code < 500
        assert answer.json()["error"]["en"] and "Traceback" not in answer.text
    assert application.told == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(path=st.text(max_size=40).map(lambda text: text.replace("?", "_").replace("#", "_")), index=st.text(max_size=12))
def test_any_path_and_index_gets_a_clear_answer(application, path, index):
    quoted = "".join(f"%{byte:02x}" for byte in path.encode("utf-8", "replace"))
    for address in (f"/api/records/{quoted}", f"/api/games/{quoted}"):
        answer = application.client.get(address, params={"index": index} if "games" in address else None)
        assert 400 <= answer.status_code < 500
        assert answer.json()["error"]["en"]
    assert application.told == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(text=st.text(max_size=60) | st.builds(json.dumps, ANYTHING))
def test_any_text_on_a_socket_is_refused_and_the_socket_stays_open(application, text):
    with application.socket("/ws/position") as socket:
        for _ in range(2):
            socket.send_text(text)
            assert socket.receive_json()["type"] == "refused"
        socket.send_bytes(b"\x00")
        assert socket.receive_json()["type"] == "refused"
    assert application.told == []


def changed(sound, change):
    """The sound message with a change; a key that is to be None is left out."""
    return {key: value for key, value in {**sound, **change}.items() if value is not ...}


def refusal_of(name, content):
    """(status, English text) of what a reader refuses."""
    with pytest.raises(Refused) as refused:
        READERS[name](content)
    return refused.value.status, refused.value.texts["en"]


MISSING = "expected such a key, got none"
UNKNOWN = "expected no key of this name"
WRONG_TABLES = (
    ({"game": "chess"}, 400, "game: expected"),
    ({"game": "dots\n"}, 400, "game: expected"),
    ({"player": "python -c 'evil'"}, 422, "player is \"python -c 'evil'\", expected one of first, bot"),
    ({"player": 3}, 400, "player: expected a string, got an integer"),
    ({"player": "x" * 200}, 422, "expected one of first, bot"),
    ({"player": "x" * 201}, 400, "player: expected a string of length <= 200"),
    ({"first": "A"}, 400, "first: no such value: 'A'"),
    ({"limit_s": 0.049}, 400, "limit_s: expected a number >= 0.05"),
    ({"limit_s": 600.1}, 400, "limit_s: expected a number <= 600"),
    ({"limit_s": True}, 400, "limit_s: expected a number, got true or false"),
    (
        {"limit_s": math.nan},
        400,
        "the server cannot read a message of this page, load the page again: expected one JSON object: ",
    ),
    ({"board": []}, 400, "board: expected an object, got a list"),
    ({"board": {"size": 8}}, 422, "the boards of connect_four have no option 'size'"),
    ({"board": {"rows": 13}}, 422, "rows is 13, expected 9..12"),
    ({"board": {"rows": [9]}}, 400, "board[...]: expected an integer or a string, got a list"),
    ({"board": {"rows": "9" * 201}}, 400, "board[...]: expected a string of length <= 200"),
    ({"board": {"forbidden": "9"}}, 422, "'9' is not a cell"),
    ({"moves": [9]}, 422, "column 9 is off the board, expected 0..8"),
    ({"moves": ["x"]}, 422, "'x' is no column"),
    ({"moves": [True]}, 400, "moves[0]: expected an integer or a string, got true or false"),
    ({"moves": [4] * 1001}, 400, "moves: expected a list of length <= 1000"),
    ({"moves": [4] * 1000}, 422, "column 4"),
    ({"moves": [4, 0, 4, 0, 4, 0, 4]}, 422, "has four in a line"),
    ({"more": 1}, 400, f"more: {UNKNOWN}"),
    *(({name: ...}, 400, f"{name}: {MISSING}") for name in TABLE),
)
WRONG_COMMANDS = (
    ({"type": "fly"}, 400, "type: no such value: 'fly'"),
    ({}, 400, f"type: {MISSING}"),
    ({"type": "move", "move": 3}, 400, "move: expected a string, got an integer"),
    ({"type": "evaluate", "on": 1}, 400, "on: expected true or false, got an integer"),
    ({"type": "undo", "more": True}, 400, f"more: {UNKNOWN}"),
)
WRONG_QUERIES = (
    ({"cells": "x" * 16}, 400, "cells: expected a string matching regex"),
    ({"cells": "." * 401}, 400, "cells: expected a string of length <= 400"),
    ({"size": [9]}, 400, "size: expected a list of length 2"),
    ({"size": [0, 9]}, 400, "size[0]: expected an integer >= 1"),
    ({"size": [9, 101]}, 400, "size[1]: expected an integer <= 100"),
    ({"mover": "2"}, 400, "mover: no such value: '2'"),
    ({"game": "go"}, 400, "game: expected"),
    ({"seconds": 0.04}, 400, "seconds: expected a number >= 0.05"),
    ({"seconds": 601}, 400, "seconds: expected a number <= 600"),
    ({"more": 1}, 400, f"more: {UNKNOWN}"),
    *(({name: ...}, 400, f"{name}: {MISSING}") for name in QUERY),
    ({"type": "stop"}, 400, UNKNOWN),
)
WRONG_SET_UPS = (
    ({"mover": "2"}, 400, "mover: no such value: '2'"),
    ({"moves": [1]}, 400, "moves[0]: expected a string, got an integer"),
    ({"moves": ["a1"] * 1001}, 400, "moves: expected a list of length <= 1000"),
    ({"type": "analyse"}, 400, f"type: {UNKNOWN}"),
    ({"put": [400, "0"]}, 400, "put[0]: expected an integer <= 399"),
    ({"put": [0, "x"]}, 400, "put[1]: no such value: 'x'"),
)


def test_what_is_wrong_is_named():
    for name, sound, cases in (
        ("table", TABLE, WRONG_TABLES),
        ("command", {}, WRONG_COMMANDS),
        ("query", QUERY, WRONG_QUERIES),
        ("set_up", SET_UP, WRONG_SET_UPS),
    ):
        for change, status, words in cases:
            found = refusal_of(name, changed(sound, change))
            assert found[0] == status and words in found[1], (change, found)
    refused = read("table", {**TABLE, "moves": [9]})
    assert refused.texts["en"] == "column 9 is off the board, expected 0..8"
    assert "9" in refused.texts["zh"] and refused.texts["zh"] != refused.texts["en"]


def test_what_is_right_is_taken_as_it_is():
    asked, board, moves = read("table", {**TABLE, "player": "bot", "limit_s": 0.05, "moves": [4, "3"]})
    assert (asked.game, asked.player, asked.first, asked.limit_s) == ("connect_four", "bot", "human", 0.05)
    assert moves == (4, 3)
    assert board.as_json() == {"rows": 9, "cols": 9, "forbidden": [0, 8]}
    asked, _, _ = read("table", {**TABLE, "first": "player", "limit_s": 600})
    assert asked.first == "player" and type(asked.limit_s) is float
    asked = inputs.read(json.dumps({**TABLE, "board": {}}), inputs.AskedTable)
    drawn = [inputs.new_table(asked, PLAYERS, seed)[0].as_json() for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert read("command", {"type": "move", "move": "4" * 200}) == inputs.Command("move", "4" * 200)
    for on in (True, False):
        assert read("command", {"type": "evaluate", "on": on}) == inputs.Command("evaluate", on=on)
    found = read("query", {**QUERY, "size": [1, 100], "cells": ".#-01" * 80, "mover": "1", "seconds": 600})
    assert found == inputs.Query("reversi", (1, 100), ".#-01" * 80, "1", 600.0)
    assert read("query", {"type": "stop"}) == inputs.Stop()
    bare = {name: SET_UP[name] for name in ("game", "size", "mover")}
    assert read("set_up", bare) == inputs.SetUp("reversi", (4, 4), "0")
    assert read("set_up", {**SET_UP, "mover": "-"}) == inputs.SetUp("reversi", (4, 4), "-", "." * 16, ("a1",), "b1")


def test_numbers_of_games():
    assert [inputs.read_query({"index": text}, inputs.AskedGame).index for text in ("0", "999999999")] == [0, 999999999]
    for query in ({}, *({"index": text} for text in ("", "-1", "x", "1.5", "1" * 30, "１"))):
        with pytest.raises(
            Refused, match="the server cannot read a message of this page, load the page again: index: expected "
        ) as refused:
            inputs.read_query(query, inputs.AskedGame)
        assert refused.value.status == 400


def test_numbers_and_texts_are_options_alike():
    _, by_number, _ = read("table", {**TABLE, "board": {"rows": 10, "cols": 11, "forbidden": "1,2"}})
    _, by_text, _ = read("table", {**TABLE, "board": {"rows": "10", "cols": "11", "forbidden": "1,2"}})
    assert by_number.as_json() == by_text.as_json() == {"rows": 10, "cols": 11, "forbidden": [1, 2]}


def test_a_game_may_begin_with_the_moves_of_another():
    for game, board in (("connect_four", {"rows": 12, "cols": 12, "forbidden": "5,7"}), ("dots", {"size": "7x7"})):
        moves = [move.move for move in recorded_game(game).moves]
        content = {**TABLE, "game": game, "board": board, "moves": [str(move) for move in moves[:10]]}
        assert list(read("table", content)[2]) == moves[:10]
        over = read("table", {**content, "moves": list(map(str, moves))})
        assert isinstance(over, Refused), game


def test_a_body_may_not_be_too_long(application):
    sound = json.dumps(TABLE).encode()
    longest = sound + b" " * (inputs.LARGEST_MESSAGE - len(sound))
    assert len(longest) == 65536
    assert application.post("/api/tables", longest).status_code == 201
    assert application.post("/api/tables", longest + b" ").status_code == 413
    parts = iter([longest, b" "])  # of unknown length
    assert application.client.post("/api/tables", content=parts, headers={"origin": ORIGIN}).status_code == 413
