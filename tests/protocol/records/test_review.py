"""Lines of a review file: read back as they were written, and refused by the field that is wrong."""

import json

import pytest
from msgspec import structs

from protocol.records.json_lines import append
from protocol.records.record import RecordError
from protocol.records.review import Reviewer, ReviewLine, game_key, in_lines, read_answers
from tests.protocol.records.examples import record as example

ENGINE = Reviewer("bot --limit 1", "bot --limit 1", None, 3.0)
OF_GAME = {"game": 3, "id": "id", "moves": "0123", "ply": 17, "engine": ENGINE}
LINE = ReviewLine(-0.5, "loss", "4", ("4", "5"), 12, 52_000, 0.75, **OF_GAME)


def test_a_line_is_read_back():
    for line in (
        LINE,
        ReviewLine(1, None, "é\x7f\u2028", **{**OF_GAME, "id": None}),
        ReviewLine(-1, "draw", "", **{**OF_GAME, "ply": 1, "game": 0}),
        structs.replace(LINE, engine=Reviewer("", "", "v", 1)),
    ):
        text = line.to_json()
        assert text.isascii() and text.isprintable()
        assert ReviewLine.from_json(text) == ReviewLine.from_json(text.encode()) == line


def test_a_wrong_field_is_named():
    for change, message in [
        ({"review": 2}, "review: no such value: 2"),
        ({"review": None}, "review: expected an integer"),
        ({"ply": 0}, "ply: expected an integer >= 1"),
        ({"ply": True}, "ply: "),
        ({"game": -1}, "game: "),
        ({"id": 5}, "id: expected a string or null"),
        ({"moves": None}, "moves: expected a string"),
        ({"value": 1.5}, "value: expected a number <= 1"),
        ({"value": -1.5}, "value: expected a number >= -1"),
        ({"value": None}, "value: "),
        ({"value": True}, "value: "),
        ({"proven": "maybe"}, "proven: no such value: 'maybe'"),
        ({"proven": []}, "proven: "),
        ({"best": 4}, "best: expected a string"),
        ({"pv": "4"}, "pv: expected a list"),
        ({"pv": [4]}, r"pv\[0\]: expected a string"),
        ({"depth": "deep"}, "depth: expected a number or null"),
        ({"elapsed_s": -1}, "elapsed_s: "),
        ({"engine": "bot"}, "engine: expected an object"),
        ({"engine": {"name": "bot"}}, "engine.command: expected such a key"),
        ({"engine": {**structs.asdict(ENGINE), "limit_s": "3"}}, "engine.limit_s: "),
        ({"more": 1}, "more: expected no key of this name"),
    ]:
        content = {**json.loads(LINE.to_json()), **change}
        with pytest.raises(RecordError, match=f"^{message}"):
            ReviewLine.from_json(json.dumps(content))
    for name in ("game", "id", "moves", "ply", "engine", "value", "proven", "best"):
        content = json.loads(LINE.to_json())
        del content[name]
        with pytest.raises(RecordError, match=f"^{name}: expected such a key"):
            ReviewLine.from_json(json.dumps(content))


def test_what_is_no_line_is_refused():
    odd = ('{"review": 1, "value": NaN}', '{"review": 1' + "0" * 70 + "}")
    for text in ("", "[]", "nothing", *odd, "[" * 5000, b"\xff"):
        with pytest.raises(RecordError):
            ReviewLine.from_json(text)


def test_a_file_grows_and_is_read(tmp_path):
    path = tmp_path / "folder" / "review"
    append(path, in_lines([LINE]))
    append(path, in_lines([LINE, LINE]))
    assert read_answers(path) == ([LINE] * 3, False)


def test_the_key_of_a_game_is_its_board_and_its_moves():
    record = example()
    key = game_key(record)
    assert len(key) == 16
    assert game_key(structs.replace(record, extra={"id": "x"}, seed=99)) == key
    assert game_key(structs.replace(record, moves=record.moves[:-1])) != key
    assert game_key(structs.replace(record, board={**record.board, "more": 1})) != key
    assert game_key(structs.replace(record, board=dict(reversed(record.board.items())))) == key
