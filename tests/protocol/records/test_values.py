"""What of others' JSON is read at all, and how the place of an odd value is named."""

import json
from typing import Any

import pytest

from protocol.records.json_lines import RecordError, without_surrogates
from protocol.records.values import check, decoded

NO_JSON = "expected one JSON object: "
TOO_LONG = "expected a finite number of at most 64 digits"


def test_odd_numbers_and_halves_of_json_are_refused_where_they_stand():
    for text, told in [
        ('{"n": ' + "9" * 65 + "}", f"n: {TOO_LONG}"),
        ('{"a": [{"b": 1' + "0" * 64 + "}]}", f"a[0].b: {TOO_LONG}"),
        ("[[], [-" + "9" * 400 + "]]", f"[1][0]: {TOO_LONG}"),
        ("1e400", "number out of range"),
        ('{"a": [0, 1e400]}', "[...][1]: number out of range"),
        ('{"a": NaN}', "expected one JSON object: JSON is malformed: invalid character (byte 6)"),
        ("9" * 5000, "integer value out of range"),
        *((text, NO_JSON) for text in ("", "{", "nan", "{'a': 1}", "1 2", '{"a": "\n"}', "[01]")),
        ("{}".encode("utf-16"), NO_JSON),
        (b'{"a": "\xe5\x9b\x9b\xff"}', "expected UTF-8, character 9 is none"),
        (b'"\xed\xa0\x80"', "expected UTF-8, character 2 is none"),
    ]:
        with pytest.raises(RecordError) as refused:
            decoded(text, Any, 9)
        assert str(refused.value).startswith(told), text
        assert len(str(refused.value)) < 120


def test_other_values_are_read():
    for text in (
        "1e308",
        "-0.0",
        "9" * 64,
        "-" + "9" * 64,
        '{"a": [true, null, "NaN"]}',
        '"\\u0000\\ud83d\\ude00"',
        "[]",
    ):
        assert decoded(text, Any, 9) == decoded(text.encode(), Any, 9) == json.loads(text)
    assert decoded(b"\xef\xbb\xbf{}", dict[str, Any], 9) == {}


def test_brackets_have_a_greatest_depth():
    for opened, inner, closed in (("[", "", "]"), ('{"a":', "1", "}")):
        assert decoded(opened * 9 + inner + closed * 9, Any, 9) is not None
        for depth in (10, 500, 100_000):
            with pytest.raises(RecordError, match="expected less brackets inside each other"):
                decoded(opened * depth + inner + closed * depth, Any, 9)


def test_halves_of_characters_are_replaced_everywhere():
    odd = {"\ud800": ["a\udfff", {"b": ["\ud83d\ude00", 1, None]}]}
    plain = {"\ufffd": ["a\ufffd", {"b": ["\ufffd\ufffd", 1, None]}]}
    assert without_surrogates(odd) == plain
    # In JSON two halves that belong together are a character.
    assert decoded(json.dumps({"\ud800": ["a\udfff", "\ud83d", "\U0001f600", "四\\ud800"]}), Any, 9) == {
        "\ufffd": ["a\ufffd", "\ufffd", "\U0001f600", "四\\ud800"]
    }


def test_values_of_other_origin_are_checked_alike():
    for value in (float("inf"), float("nan"), 10**64):
        with pytest.raises(RecordError, match=r"^players\.a: expected a finite number"):
            check({"a": value}, 2, "players")
    check({"a": [10**64 - 1, 1e308, "x"]}, 2)
