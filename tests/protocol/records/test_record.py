"""The record as a value and as one line of JSON."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.records.record import RECORD_VERSION, Extra, GameRecord, Move, OldRecord, Player, RecordError, Termination
from tests.protocol.records.examples import record

SAMPLE = record()


def altered(path, value):
    """Return SAMPLE's JSON line with the entry at `path` (keys, indices) replaced, or dropped if `...`."""
    content = json.loads(SAMPLE.to_json())
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


def test_a_termination_shows_as_its_name():
    assert f"{Termination.STALL} {Termination.STALL!s} %s" % Termination.STALL == "STALL STALL STALL"


def test_a_missing_key_is_named_unless_it_has_a_default():
    for key in GameRecord.__struct_fields__:
        line = altered([key], ...)
        if key in ("seed", "pair", "extra", "record_version"):
            assert isinstance(GameRecord.from_json(line), GameRecord)
        else:
            with pytest.raises(RecordError, match=f"^{key}: "):
                GameRecord.from_json(line)


WRONG = [
    (["board"], None, "board: expected an object, got null"),
    (["board"], [9, 10], "board: expected an object, got a list"),
    (["board", "rows"], 10**64, "board.rows: expected a finite number of at most 64 digits"),
    (["rows"], 9, "rows: expected no key of this name"),
    (["players"], [], "players: expected a list of length 2"),
    (["players"], None, "players: expected a list"),
    (["players", 1], "bot", "players[1]: expected an object"),
    (["players", 1, "name"], None, "players[1].name: expected a string"),
    (["players", 0, "command"], ..., "players[0].command: expected such a key, got none"),
    (["first"], "C", "first: expected A or B"),
    (["moves"], {}, "moves: expected a list"),
    (["moves", 0, "move"], 4.0, "moves[0].move: expected an integer or a string, got a number"),
    (["moves", 0, "move"], True, "moves[0].move: expected an integer or a string, got true or false"),
    (["moves", 0, "move"], ..., "moves[0].move: expected such a key, got none"),
    (["moves", 1, "side"], "C", "moves[1].side: expected A or B"),
    (["moves", 1, "side"], 0, "moves[1].side: expected a string, got an integer"),
    (["moves", 1, "wall_s"], -1, "moves[1].wall_s: expected a number >= 0"),
    (["moves", 1, "wall_s"], 10**10, "moves[1].wall_s: expected a number <= 1000000000"),
    (["moves", 0, "cpu_s"], "x", "moves[0].cpu_s: expected a number or null, got a string"),
    (["moves", 0, "report"], [], "moves[0].report: expected an object or null, got a list"),
    (["moves", 0, "report", "a"], [{"b": 10**70}], "moves[0].report.a[0].b: expected a finite number"),
    (["moves", 0, "row"], 3, "moves[0].row: expected no key of this name"),
    (["winner"], "bot", "winner: expected A or B"),
    (["at_fault"], 1, "at_fault: expected a string or null"),
    (["termination"], "LOST", "termination: no such value: 'LOST'"),
    (["termination"], [], "termination: expected a string"),
    (["started"], 5, "started: expected a string"),
    (["judge_version"], None, "judge_version: expected a string"),
    (["seed"], "7", "seed: expected an integer or null"),
    (["pair"], 1.5, "pair: expected an integer or null"),
    (["extra"], [], "extra: expected an object"),
    (["moves", 0, "wall_s"], float("inf"), "expected one JSON object: "),
    (["surprise"], 1, "surprise: expected no key of this name"),
    (["\x1b[2J\n\u202e" + "x" * 1000], 1, "\\x1b[2J\\n\\u202ex"),
    (["record_version"], "2", "record_version: expected an integer"),
    (["record_version"], 4, "record_version: expected 3, got 4: a newer version"),
]
WRONG_EXTRA = [
    ({"A": []}, "A: expected an object or null"),
    ({"A": {"waits_s": 1}}, "A.waits_s: expected a list"),
    ({"A": {"waits_s": [0.5, "x"]}}, "A.waits_s[1]: expected a number"),
    ({"B": {"overtime_s": []}}, "B.overtime_s: expected an object"),
    ({"B": {"overtime_s": {"3": -1}}}, "B.overtime_s[...]: expected a number >= 0"),
    ({"B": {"stderr": None}}, "B.stderr: expected a string"),
    ({"B": {"peak_rss_bytes": 2**64}}, "B.peak_rss_bytes: "),
    ({"B": {"peak_rss_bytes": 2**63}}, "B.peak_rss_bytes: "),
    ({"B": {"peak_rss_bytes": 0.5}}, "B.peak_rss_bytes: expected an integer"),
    ({"A": {"exit_status": "0"}}, "A.exit_status: expected an integer or null"),
    ({"A": {"cpu_s": 10**10}}, "A.cpu_s: expected a number <= 1000000000"),
    ({"A": {"cpu_s": None}}, "A.cpu_s: expected a number"),
    ({"limit_s": "3"}, "limit_s: expected a number or null"),
    ({"index": 10**40}, "index: "),
    ({"index": -1}, "index: expected an integer >= 0"),
    ({"index": True}, "index: expected an integer"),
    ({"id": 5}, "id: expected a string"),
    ({"schedule": "pairs"}, "schedule: expected an object"),
    ({"reason": 7}, "reason: expected a string or an object, got an integer"),
    ({"reason": {"code": 1, "fields": {}}}, "reason.code: expected a string"),
    ({"reason": {"code": "a", "fields": []}}, "reason.fields: expected an object"),
    ({"reason": {"code": "a"}}, "reason.fields: expected such a key, got none"),
    ({"reason": {"code": "a", "fields": {"b": None}}}, "reason.fields[...]: expected a string or an object"),
]


def test_a_wrong_field_is_named():
    of_extra = [(["extra"], extra, f"extra.{message}") for extra, message in WRONG_EXTRA]
    for path, value, message in WRONG + of_extra:
        with pytest.raises(RecordError) as refused:
            GameRecord.from_json(altered(path, value))
        assert str(refused.value).startswith(message) and str(refused.value).isprintable()
        assert len(str(refused.value)) < 200


def test_what_nobody_reads_may_be_anything_and_what_is_known_goes_to_its_limits():
    greatest = {"peak_rss_bytes": 2**63 - 1, "cpu_s": 10**9, "exit_status": None, "start_up_s": None}
    reason = {"code": "ended", "fields": {"side": "A", "end": {"code": "closed_stdout", "fields": {}}}}
    for extra in (
        {"A": {"mine": [1]}, "B": {}, "limit_s": None, "mine": {"waits_s": "x"}, "waits_s": 3, "reason": "a sentence"},
        {"A": greatest, "index": 0, "player_limit_s": None, "reason": reason},
    ):
        assert GameRecord.from_json(altered(["extra"], extra)).extra == extra


def test_an_older_record_is_one_of_its_own_kind():
    for version in (0, 1, 2):
        with pytest.raises(OldRecord, match=f"^record_version: expected 3, got {version}$"):
            GameRecord.from_json(altered(["record_version"], version))


def test_a_newer_record_is_said_to_be_newer_whatever_else_it_holds():
    with pytest.raises(RecordError, match="a newer version of this program wrote it"):
        GameRecord.from_json('{"record_version": 4, "something": "else"}')


def test_what_is_no_object_is_no_record():
    for line in ("", "[]", "7", '{"rows": 9', b"\xff\xfe", b"\0\0", "[" * 100_000):
        with pytest.raises(RecordError, match="^(expected |record_version: |rows: )"):
            GameRecord.from_json(line)


def test_brackets_are_read_to_their_greatest_depth():
    deep = "[" * 198 + "]" * 198  # in the record and its board
    line = SAMPLE.to_json().replace('{"rows":9', '{"deep":%s,"rows":9')
    assert GameRecord.from_json(line % deep).board["rows"] == 9
    with pytest.raises(RecordError, match="^board.deep.*: expected less brackets inside each other"):
        GameRecord.from_json(line % f"[{deep}]")


def test_what_json_cannot_hold_is_refused():
    for name in ("extra", "board"):
        for value in ({"a": object()}, {"a": float("inf")}, {(1, 2): 3}):
            with pytest.raises(RecordError, match="expected JSON values"):
                record(**{name: value}).to_json()


def test_no_line_is_written_that_would_not_be_read():
    for name, value in (("players", (SAMPLE.players[0],) * 3), ("winner", "C"), ("moves", (Move("A", 1, -1.0),))):
        with pytest.raises(RecordError, match=f"^{name}"):
            record(**{name: value}).to_json()


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(-1e9, 1e9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


# What judges write in `extra` is checked: the other names are whoever wrote them's own.
UNKNOWN_NAMES = st.text().filter(lambda name: name not in Extra.__struct_fields__)


@settings(max_examples=40)
@given(st.dictionaries(UNKNOWN_NAMES, JSON_VALUES, max_size=3), st.text(), st.floats(0, 1e6))
def test_any_text_and_report_come_back(report, text, seconds):
    moves = (Move("A", 0, seconds, seconds, report), Move("B", text, seconds))
    sample = record(moves=moves, players=(Player(text, text, text), Player("", "")), extra=report, board=report)
    line = sample.to_json()
    assert len(line.splitlines()) == 1
    assert GameRecord.from_json(line) == sample


@settings(max_examples=40)
@given(st.sampled_from(GameRecord.__struct_fields__), JSON_VALUES)
def test_any_value_in_any_field_raises_only_record_errors(key, value):
    try:
        assert isinstance(GameRecord.from_json(altered([key], value)), GameRecord)
    except RecordError as error:
        assert str(error).startswith(key)
