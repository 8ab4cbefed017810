"""The record as a value and as one line of JSON."""

import dataclasses
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.records.json_lines import OF_GAME
from protocol.records.record import RECORD_VERSION, GameRecord, Move, Player, RecordError, Termination
from tests.protocol.records.examples import VERSION_1_LINE, record

SAMPLE = record()


def altered(path, value, line=None):
    """Return the JSON line (SAMPLE's) with the entry at `path` (keys, indices) replaced, or dropped if `...`."""
    content = json.loads(line or SAMPLE.to_json())
    part = content
    for key in path[:-1]:
        part = part[key]
    if value is ...:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return json.dumps(content)


def test_a_record_comes_back_equal_from_its_one_line():
    line = SAMPLE.to_json()
    assert "\n" not in line
    assert GameRecord.from_json(line) == SAMPLE
    assert GameRecord.from_json(line.encode()) == SAMPLE


def test_the_keys_are_the_published_ones():
    content = json.loads(SAMPLE.to_json())
    assert content["record_version"] == RECORD_VERSION == 3
    assert content["game"] == "connect_four"
    assert content["board"] == {"rows": 9, "cols": 10, "forbidden": [8, 3]}
    assert content["players"][0] == {"name": "bot", "command": "bot", "version": "0.1.0"}
    assert content["moves"][1] == {
        "side": "A",
        "move": 3,
        "wall_s": 0.001,
        "cpu_s": None,
        "report": None,
    }
    assert (content["termination"], content["winner"], content["at_fault"]) == ("NORMAL", "A", None)


def test_lists_are_taken_as_tuples():
    listed = record(players=list(SAMPLE.players), moves=list(SAMPLE.moves))
    assert listed == SAMPLE
    assert type(listed.moves) is type(listed.players) is tuple


def test_nothing_may_be_known():
    void = {"winner": None, "termination": Termination.VOID, "moves": ()}
    bare = record(board={}, seed=None, pair=None, extra={}, **void)
    assert GameRecord.from_json(bare.to_json()) == bare


def test_every_termination_comes_back():
    assert len(Termination) == 11
    for termination in Termination:
        fault = None if termination in (Termination.NORMAL, Termination.VOID) else "B"
        judged = record(termination=termination, at_fault=fault)
        assert GameRecord.from_json(judged.to_json()).termination is termination


def test_a_termination_shows_as_its_name():
    assert f"{Termination.STALL} {Termination.STALL!s} %s" % Termination.STALL == "STALL STALL STALL"


def test_a_missing_key_is_named_unless_it_has_a_default():
    for key in [field.name for field in dataclasses.fields(GameRecord)]:
        line = altered([key], ...)
        if key in ("seed", "pair", "extra"):
            assert isinstance(GameRecord.from_json(line), GameRecord)
        else:
            with pytest.raises(RecordError, match=f"^{key}: "):
                GameRecord.from_json(line)


WRONG = [
    (["board"], None, "board: expected an object, got None"),
    (["board"], [9, 10], "board: expected an object"),
    (["rows"], 9, "rows: expected no key of this name"),
    (["players"], [], "players: expected two players, got 0"),
    (["players"], None, "players: expected a list"),
    (["players", 1], "bot", r"players\[1\]\.entry: expected an object"),
    (["players", 1, "name"], None, r"players\[1\]\.name: expected a string"),
    (["players", 0, "command"], ..., r"players\[0\]\.command: expected in the record"),
    (["first"], "C", "first: expected A or B"),
    (["moves"], {}, "moves: expected a list"),
    (["moves", 0, "move"], 4.0, r"moves\[0\]\.move: expected an integer or a string"),
    (["moves", 0, "move"], True, r"moves\[0\]\.move: expected an integer or a string"),
    (["moves", 0, "move"], ..., r"moves\[0\]\.move: expected in the record"),
    (["moves", 1, "side"], "C", r"moves\[1\]\.side: expected A or B"),
    (["moves", 1, "side"], 0, r"moves\[1\]\.side: expected A or B"),
    (["moves", 1, "wall_s"], -1, r"moves\[1\]\.wall_s: expected a finite number of seconds"),
    (["moves", 1, "wall_s"], float("nan"), r"moves\[1\]\.wall_s: expected a finite number of at most 64 digits"),
    (["moves", 0, "cpu_s"], "x", r"moves\[0\]\.cpu_s: expected a finite number of seconds"),
    (["moves", 0, "report"], [], r"moves\[0\]\.report: expected an object"),
    (["moves", 0, "row"], 3, r"moves\[0\]\.row: expected no key of this name"),
    (["winner"], "bot", "winner: expected A, B or null"),
    (["at_fault"], 1, "at_fault: expected A, B or null"),
    (["termination"], "LOST", "termination: expected NORMAL, ILLEGAL_MOVE, .* got 'LOST'"),
    (["termination"], [], "termination: expected NORMAL"),
    (["started"], 5, "started: expected a string"),
    (["judge_version"], None, "judge_version: expected a string"),
    (["seed"], "7", "seed: expected an integer"),
    (["pair"], 1.5, "pair: expected an integer"),
    (["extra"], [], "extra: expected an object"),
    (["surprise"], 1, "surprise: expected no key of this name"),
    (["record_version"], 0, "record_version: expected 1\\.\\.3, got 0"),
    (["record_version"], "2", "record_version: expected an integer"),
    (["record_version"], 4, "record_version: expected at most 3, got 4: a newer version"),
]


def test_a_wrong_field_is_named():
    for path, value, message in WRONG:
        with pytest.raises(RecordError, match="^" + message):
            GameRecord.from_json(altered(path, value))


def test_a_line_of_version_1_is_read_as_the_same_game():
    read = GameRecord.from_json(VERSION_1_LINE)
    assert read == SAMPLE
    assert json.loads(read.to_json())["record_version"] == RECORD_VERSION


def test_in_version_1_the_sides_move_in_turn_from_the_first():
    moves = json.loads(VERSION_1_LINE)["moves"] * 3
    for first, sides in (("A", "ABABAB"), ("B", "BABABA")):
        line = altered(["moves"], moves, altered(["first"], first, VERSION_1_LINE))
        assert "".join(move.side for move in GameRecord.from_json(line).moves) == sides


def test_version_1_did_not_need_all_its_keys():
    line = VERSION_1_LINE
    for key in ("game", "seed", "pair", "extra"):
        line = altered([key], ..., line)
    assert GameRecord.from_json(line) == record(seed=None, pair=None, extra={})
    assert GameRecord.from_json(altered(["forbidden"], None, line)).board["forbidden"] is None


WRONG_IN_VERSION_1 = [
    (["rows"], "9", "rows: expected an integer, got '9'"),
    (["rows"], 0, "rows: expected a positive integer"),
    (["rows"], ..., "rows: expected in the record"),
    (["cols"], True, "cols: expected an integer"),
    (["forbidden"], [9, 3], "forbidden: expected null or a cell"),
    (["forbidden"], [8], "forbidden: expected null or a cell"),
    (["forbidden"], [8, None], r"forbidden\[1\]: expected of type int"),
    (["forbidden"], "83", "forbidden: expected a list"),
    (["board"], {}, "board: expected no key of this name"),
    (["first"], "C", "first: expected A or B"),
    (["first"], ["A"], "first: expected A or B"),
    (["moves"], {}, "moves: expected a list"),
    (["moves", 0], 4, r"moves\[0\]\.entry: expected an object"),
    (["moves", 0, "column"], 4.0, r"moves\[0\]\.column: expected an integer"),
    (["moves", 1, "column"], ..., r"moves\[1\]\.column: expected in the record"),
    (["moves", 1, "side"], "A", r"moves\[1\]\.side: expected no key of this name"),
    (["moves", 1, "wall_s"], -1, r"moves\[1\]\.wall_s: expected a finite number of seconds"),
    (["players", 1, "name"], None, r"players\[1\]\.name: expected a string"),
    (["surprise"], 1, "surprise: expected no key of this name"),
]


def test_a_wrong_field_of_version_1_is_named_as_it_stands_there():
    for path, value, message in WRONG_IN_VERSION_1:
        with pytest.raises(RecordError, match="^" + message):
            GameRecord.from_json(altered(path, value, VERSION_1_LINE))


def test_a_reason_is_a_sentence_or_a_code_with_fields():
    reason = {"code": "ended", "fields": {"side": "A", "end": {"code": "closed_stdout", "fields": {}}}}
    for kept in (reason, "a sentence of version 2"):
        extra = {**SAMPLE.extra, "reason": kept}
        line = altered(["extra"], extra)
        assert GameRecord.from_json(line).extra["reason"] == kept
        assert GameRecord.from_json(altered(["record_version"], 2, line)) == GameRecord.from_json(line)
    deep = "end"
    for _ in range(9):
        deep = {"code": "a", "fields": {"b": deep}}
    for wrong, message in (
        (7, "expected a string, or an object of code and fields, got 7"),
        ({"code": 1, "fields": {}}, "code: expected a string, got 1"),
        ({"code": "a", "fields": []}, "fields: expected"),
        ({"code": "a"}, "expected the keys code and fields"),
        (
            {"code": "a", "fields": {"b": None}},
            "fields.b: expected a string, or an object of code and fields",
        ),
        (deep, "expected at most 8 reasons in one another"),
    ):
        with pytest.raises(RecordError, match=f"^extra.reason.*{re.escape(message)}"):
            GameRecord.from_json(altered(["extra"], {"reason": wrong}))


def test_a_newer_record_is_said_to_be_newer_whatever_else_it_holds():
    with pytest.raises(RecordError, match="a newer version of this program wrote it"):
        GameRecord.from_json('{"record_version": 4, "something": "else"}')


def test_what_is_no_object_is_no_record():
    for line in ("", "[]", "7", '{"rows": 9', b"\xff\xfe", b"\0\0", "[" * 100_000):
        with pytest.raises(RecordError, match="^record"):
            GameRecord.from_json(line)


def test_brackets_are_read_to_their_greatest_depth():
    deep = "[" * 198 + "]" * 198  # in the record and its board
    line = SAMPLE.to_json().replace('{"rows":9', '{"deep":%s,"rows":9')
    assert GameRecord.from_json(line % deep).board["rows"] == 9
    with pytest.raises(RecordError, match="^record: expected one JSON object: expected brackets at most 200 deep"):
        GameRecord.from_json(line % f"[{deep}]")


def test_what_json_cannot_hold_is_refused():
    for name in ("extra", "board"):
        for value in ({"a": {1, 2}}, {"a": float("inf")}, {(1, 2): 3}):
            with pytest.raises(RecordError, match="expected JSON values"):
                record(**{name: value}).to_json()


def test_a_record_is_checked_when_it_is_made():
    for changes in ({"players": (SAMPLE.players[0],) * 3}, {"termination": "NORMAL"}, {"moves": [4]}):
        with pytest.raises(RecordError, match=f"^{next(iter(changes))}"):
            record(**changes)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(-1e9, 1e9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


# What judges write in `extra` is checked: the other names are whoever wrote them's own.
UNKNOWN_NAMES = st.text().filter(lambda name: name not in {"A", "B", *OF_GAME})


@settings(max_examples=40)
@given(st.dictionaries(UNKNOWN_NAMES, JSON_VALUES, max_size=3), st.text(), st.floats(0, 1e6))
def test_any_text_and_report_come_back(report, text, seconds):
    moves = (Move("A", 0, seconds, seconds, report), Move("B", text, seconds))
    sample = record(moves=moves, players=(Player(text, text, text), Player("", "")), extra=report, board=report)
    line = sample.to_json()
    assert len(line.splitlines()) == 1
    assert GameRecord.from_json(line) == sample


@settings(max_examples=40)
@given(st.sampled_from([field.name for field in dataclasses.fields(GameRecord)]), JSON_VALUES)
def test_any_value_in_any_field_raises_only_record_errors(key, value):
    try:
        assert isinstance(GameRecord.from_json(altered([key], value)), GameRecord)
    except RecordError as error:
        assert str(error).startswith(key)


@settings(max_examples=40)
@given(st.sampled_from(list(json.loads(VERSION_1_LINE))), JSON_VALUES)
def test_any_value_in_any_field_of_version_1_raises_only_record_errors(key, value):
    try:
        assert isinstance(GameRecord.from_json(altered([key], value, VERSION_1_LINE)), GameRecord)
    except RecordError as error:
        assert str(error).startswith(key) or key in ("rows", "cols", "record_version")
