"""Text of others on a terminal: nothing to obey, nothing unseen, no line of its own."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from judge.safe_text import printable, printable_lines
from judge.terminal import console, json_line

# Controls of C0 and C1, those of the direction, what is not seen, ends of lines, halves of characters.
UNSAFE = (
    *map(chr, [*range(0x20), *range(0x7F, 0xA0)]),
    *"\u061c\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff",
    *"\u034f\u115f\u3164\ufe0f\U000e0001\U000e0100\ud800\udfff",
)


def test_what_a_terminal_obeys_or_nobody_sees_is_escaped():
    for character in UNSAFE:
        shown = printable(f"a{character}b")
        assert shown == "a" + character.encode("unicode_escape").decode() + "b"
        assert shown.isascii()


def test_what_is_seen_stays():
    for text in ("", "plain", "[bold]", ":smile:", "四子棋，先手", "é ü ß", "█▁▂ X·O", "\\x1b"):
        assert printable(text) == text


@given(st.text())
def test_lines_stay_lines_and_nothing_else_is_unprintable(text):
    assert printable(text).isprintable()
    assert printable_lines(text).count("\n") == text.count("\n")
    assert all(line.isprintable() for line in printable_lines(text).split("\n"))


def test_the_console_escapes_what_was_forgotten(capsys, monkeypatch):
    """Wherever it stands: in a line, in a text with a style, in a table's cell."""
    monkeypatch.setenv("COLUMNS", "80")
    for character in sorted(set(UNSAFE) - {"\n", "\r", "\t", "\ud800"}):
        text = f"a{character}b"
        table = Table(title=Text(text))
        table.add_column(text)
        table.add_row(Text(text, "bold"))
        for shown in (text, Text(text, "red"), table):
            console().print(shown)
        lines = capsys.readouterr().out.split("\n")
        assert all(line.isprintable() for line in lines) and len(lines) > 6, f"{ord(character):x}"


def test_json_has_nothing_to_obey_and_is_read_by_strict_readers():
    line = json_line({"\x7f": "\x1b\n\ud800四\U0001f600", "list": [("\udfff", 1)]})
    assert line.isascii() and line.isprintable()
    assert json.loads(line) == {"\x7f": "\x1b\n\ufffd四\U0001f600", "list": [["\ufffd", 1]]}
    with pytest.raises(ValueError):
        json_line({"value": float("inf")})
