"""What terminals send for keys, whole and in pieces."""

from hypothesis import given
from hypothesis import strategies as st

from judge import viewer
from judge.viewer import KeyReader

WRITTEN = (
    (b"n", ["n"]),
    (b" ", [" "]),
    (b"\x1b[C", [viewer.RIGHT]),
    (b"\x1bOC", [viewer.RIGHT]),
    (b"\x1b[D", [viewer.LEFT]),
    (b"\x1bOD", [viewer.LEFT]),
    (b"\x1b[H\x1bOH\x1b[1~\x1b[7~", [viewer.HOME] * 4),
    (b"\x1b[F\x1bOF\x1b[4~\x1b[8~", [viewer.END] * 4),
    (b"12\r", ["1", "2", viewer.ENTER]),
    (b"\n\x7f\x08", [viewer.ENTER, viewer.BACKSPACE, viewer.BACKSPACE]),
    (b"\x1b[5~\x1b[1;5C\x1b[A\x1bq\x00\xff", [viewer.OTHER] * 5 + ["\xff"]),  # what means nothing is one key
)


def test_keys_are_read():
    for data, expected in WRITTEN:
        reader = KeyReader()
        assert reader.feed(data) == expected
        assert not reader.is_open, data


def test_a_lone_escape_is_known_once_nothing_follows():
    reader = KeyReader()
    assert reader.feed(b"\x1b") == []
    assert reader.is_open
    assert reader.end() == [viewer.ESCAPE]
    assert not reader.is_open and reader.end() == []


def test_a_sequence_without_an_end_is_given_up():
    reader = KeyReader()
    assert viewer.OTHER in reader.feed(b"\x1b[" + b"1" * 100)
    assert reader.feed(b"q")[-1] == "q"


@given(st.lists(st.sampled_from([b"\x1b[C", b"\x1bOD", b"\x1b[1~", b"q", b"7", b"\r"])), st.data())
def test_it_does_not_matter_how_bytes_are_cut(sequences, data):
    whole = b"".join(sequences)
    cut = data.draw(st.integers(0, len(whole)))
    reader = KeyReader()
    assert reader.feed(whole[:cut]) + reader.feed(whole[cut:]) == KeyReader().feed(whole)
    assert not reader.is_open


@given(st.lists(st.binary(max_size=8)))
def test_no_bytes_break_the_reader(pieces):
    reader = KeyReader()
    for piece in pieces:
        assert all(isinstance(key, str) and key for key in reader.feed(piece))
    reader.end()
    assert reader.feed(b"q") == ["q"]
