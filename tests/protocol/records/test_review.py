"""Lines of a review file: read back as they were written, and refused by the field that is wrong."""

import dataclasses
import json

import pytest

from protocol.records.json_lines import append
from protocol.records.record import RecordError
from protocol.records.review import Answer, Reviewer, ReviewLine, game_key, in_lines, read_answers
from tests.protocol.records.examples import record as example

ENGINE = Reviewer("bot --limit 1", "bot --limit 1", None, 3.0)
LINE = ReviewLine(3, "id", "0123", 17, ENGINE, Answer(-0.5, "loss", "4", ("4", "5"), 12, 52_000, 0.75))


def test_a_line_is_read_back():
    for line in (
        LINE,
        dataclasses.replace(LINE, id=None, answer=Answer(1, None, "é\x7f\u2028")),
        dataclasses.replace(LINE, ply=1, game=0, answer=Answer(-1, "draw", "")),
        dataclasses.replace(LINE, engine=Reviewer("", "", "v", 1)),
    ):
        text = line.to_json()
        assert text.isascii() and text.isprintable()
        assert ReviewLine.from_json(text) == ReviewLine.from_json(text.encode()) == line


def test_a_wrong_field_is_named():
    for change, message in [
        ({"review": 2}, "expected at most 1, got 2: a newer version"),
        ({"review": 0}, "review: expected 1"),
        ({"review": None}, "review: expected an integer"),
        ({"ply": 0}, "ply: expected an integer of at least 1"),
        ({"ply": True}, "ply: "),
        ({"game": -1}, "game: "),
        ({"id": 5}, "id: expected a string"),
        ({"moves": None}, "moves: expected a string"),
        ({"value": 1.5}, "value: expected a number from -1 to 1"),
        ({"value": None}, "value: "),
        ({"value": True}, "value: "),
        ({"proven": "maybe"}, "proven: expected win, draw, loss or null"),
        ({"proven": []}, "proven: "),
        ({"best": 4}, "best: expected a string"),
        ({"pv": "4"}, "pv: expected a list"),
        ({"pv": [4]}, r"pv\[0\]: expected a string"),
        ({"depth": "deep"}, "depth: expected a finite number or null"),
        ({"elapsed_s": -1}, "elapsed_s: "),
        ({"engine": "bot"}, "engine: expected an object"),
        ({"engine": {"name": "bot"}}, "command: expected in the record"),
        ({"engine": {**dataclasses.asdict(ENGINE), "limit_s": "3"}}, "limit_s: "),
        ({"more": 1}, "more: expected no key of this name"),
        ({"value": -1.5}, "value: expected a number from -1 to 1"),
    ]:
        content = {**json.loads(LINE.to_json()), **change}
        with pytest.raises(RecordError, match=message):
            ReviewLine.from_json(json.dumps(content))
    for name in json.loads(LINE.to_json()):
        content = json.loads(LINE.to_json())
        del content[name]
        with pytest.raises(RecordError, match=f"^{name}: expected"):
            ReviewLine.from_json(json.dumps(content))


def test_what_is_no_line_is_refused():
    odd = ('{"review": 1, "value": NaN}', '{"review": 1' + "0" * 70 + "}")
    for text in ("", "[]", "nothing", *odd, "[" * 5000, b"\xff"):
        with pytest.raises(RecordError, match="^review: expected"):
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
    assert game_key(dataclasses.replace(record, extra={"id": "x"}, seed=99)) == key
    assert game_key(dataclasses.replace(record, moves=record.moves[:-1])) != key
    assert game_key(dataclasses.replace(record, board={**record.board, "more": 1})) != key
    assert game_key(dataclasses.replace(record, board=dict(reversed(record.board.items())))) == key
