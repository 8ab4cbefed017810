"""What of JSON is read at all, and how the place of an odd number is named."""

import json

import pytest

from protocol.records.json_lines import InvalidNumber, loads, without_surrogates


def test_odd_numbers_are_named():
    for text, place in [
        ("1e400", "value"),
        ('{"a": -1e999}', "a"),
        ('{"a": [{"b": 0}, {"b": NaN}]}', "a[1].b"),
        ("[[], [Infinity]]", "[1][0]"),
        ('{"n": ' + "9" * 65 + "}", "n"),
        ('{"n": 1' + "0" * 64 + "}", "n"),
        ('{"n": -' + "9" * 400 + "}", "n"),
    ]:
        with pytest.raises(InvalidNumber) as refused:
            loads(text, 9)
        assert str(refused.value).startswith(f"{place}: expected a finite number of at most 64 digits, got ")
        assert len(str(refused.value)) < 120


def test_other_values_are_read():
    for text in ("1e308", "-0.0", "9" * 64, "-" + "9" * 64, '{"a": [true, null, "NaN"]}', '"\\u0000"', "[]"):
        assert loads(text, 9) == loads(text.encode(), 9) == json.loads(text)


def test_what_is_no_json_or_beyond_reading_is_a_value_error():
    for text in (b"", b"{", b"\xff", b"nan", b"9" * 5000, b"[" * 10**6, b"{'a': 1}", b"1 2"):
        with pytest.raises(ValueError):
            loads(text, 9)


def test_brackets_have_a_greatest_depth():
    for opened, inner, closed in (("[", "", "]"), ('{"a":', "1", "}")):
        assert loads(opened * 9 + inner + closed * 9, 9) is not None
        for depth in (10, 500, 100_000):
            with pytest.raises(ValueError, match="at most 9 deep"):
                loads(opened * depth + inner + closed * depth, 9)


def test_a_byte_order_mark_is_no_part_of_the_text():
    assert loads(b"\xef\xbb\xbf{}", 9) == {}


def test_halves_of_characters_are_replaced_everywhere():
    assert without_surrogates({"\ud800": ["a\udfff", {"b": ("\ud83d\ude00", 1, None)}]}) == {
        "\ufffd": ["a\ufffd", {"b": ["\ufffd\ufffd", 1, None]}]
    }
