"""The transcripts of dots and boxes on every wire, cut in every way, told the wire or not."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.games.dots import (
    WIRES,
    Board,
    MessageDecoder,
    New,
    NextRequest,
    Requests,
    Turn,
    edge_at,
    encode_message,
    place_of,
)
from protocol.games.dots.botzone import encode_next_request, encode_requests
from protocol.games.dots.messages import LETTERS, is_edge
from tests.places import REPOSITORY
from tests.protocol.games.connect_four.examples import taken, taken_in_pieces
from tests.protocol.games.dots.examples import (
    FROM_JUDGE,
    JSON_LATER,
    JSON_OPENING,
    LATER_REQUESTS,
    OPENING_REQUESTS,
    OPENINGS,
    OWN_JUDGE,
    PLATFORM,
    kinds,
)

every_wire = pytest.mark.parametrize("wire", WIRES[1:])
told_or_not = pytest.mark.parametrize("told", [True, False])
TRANSCRIPTS = {**FROM_JUDGE, "own judge": OWN_JUDGE}
every_transcript = pytest.mark.parametrize("name", TRANSCRIPTS)


def decoder_for(wire, told):
    return MessageDecoder(wire if told else "auto")


def transcript(name):
    messages = TRANSCRIPTS[name]
    return b"".join(raw for raw, _ in messages), kinds(meaning for _, meaning in messages)


def encoded(message, wire):
    if isinstance(message, (Requests, NextRequest)):
        return (encode_requests if isinstance(message, Requests) else encode_next_request)(message, wire)
    return encode_message(message)


def test_the_wires_are_all_here():
    assert WIRES == ("auto", "platform", "botzone", "botzone-simple")
    assert set(FROM_JUDGE) == set(WIRES[1:])


@every_transcript
def test_the_judge_writes_the_transcript(name):
    for raw, meaning in TRANSCRIPTS[name]:
        assert encoded(meaning, name) == raw


@pytest.mark.parametrize("wire", OPENINGS)
def test_black_is_asked_to_open(wire):
    assert encode_requests(OPENING_REQUESTS, wire) == OPENINGS[wire]
    decoder = MessageDecoder()
    decoder.feed(OPENINGS[wire])
    assert taken(decoder.next_message) == [OPENING_REQUESTS]


@told_or_not
@every_transcript
def test_the_transcript_at_once(name, told):
    stream, meanings = transcript(name)
    wire = name if name in WIRES else "platform"
    decoder = decoder_for(wire, told)
    decoder.feed(stream)
    assert kinds(taken(decoder.next_message)) == meanings
    assert not decoder.partial
    assert decoder.wire == wire
    decoder.end()


@every_transcript
def test_every_cut_and_byte_by_byte(name):
    stream, meanings = transcript(name)
    for cuts in (*([cut] for cut in range(len(stream) + 1)), range(1, len(stream))):
        decoder = MessageDecoder()
        assert kinds(taken_in_pieces(decoder, decoder.next_message, stream, cuts)) == meanings
        assert not decoder.partial
        decoder.end()


@pytest.mark.parametrize("line_end", [b"\0", b"\n\0", b"\r\n", b"\r\n\0", b"\r", b"\n\n \t\n", b" \n"])
@pytest.mark.parametrize("name", ["platform", "own judge"])
def test_lines_of_the_platform_may_end_in_many_ways(name, line_end):
    stream, meanings = transcript(name)
    for beginning in (b"", b"\0", b" \0\r\n"):
        changed = beginning + stream.replace(b"\n", line_end)
        for cuts in ([], range(1, len(changed))):
            decoder = MessageDecoder()
            assert kinds(taken_in_pieces(decoder, decoder.next_message, changed, cuts)) == meanings
            decoder.end()


@pytest.mark.parametrize("raw, meaning", [pair for pair in (*PLATFORM, *OWN_JUDGE) if type(pair[1]) is not Board])
def test_what_is_whole_does_not_wait_for_the_end_of_its_line(raw, meaning):
    decoder = MessageDecoder("platform")
    decoder.feed(raw[:-2])
    assert decoder.next_message() is None
    assert decoder.partial
    decoder.feed(raw[-2:-1])
    assert kinds([decoder.next_message()]) == kinds([meaning])
    assert not decoder.partial
    decoder.feed(b"\nend")
    assert decoder.next_message() == ()


@pytest.mark.parametrize("raw, meaning", [(b"board 2x7", Board(2, 7, ())), (b"move AABBCD", Turn(("AAB", "BCD")))])
def test_a_board_and_a_turn_without_its_number_wait_for_the_end_of_their_line(raw, meaning):
    decoder = MessageDecoder("platform")
    decoder.feed(raw)
    assert decoder.next_message() is None
    with pytest.raises(RemoteProtocolError, match="the rest of the message, received end of input"):
        decoder.end()
    decoder = MessageDecoder("platform")
    decoder.feed(raw + b"\0")
    assert decoder.next_message() == meaning


def test_words_may_stand_apart():
    decoder = MessageDecoder("platform")
    decoder.feed(b"  new \t white \n move  2   AABBCD \n")
    assert kinds(taken(decoder.next_message)) == kinds([New(1), Turn(("AAB", "BCD"))])


def test_later_requests_with_history_tell_the_game_anew():
    decoder = MessageDecoder()
    decoder.feed(JSON_OPENING + JSON_LATER)
    assert taken(decoder.next_message) == [OPENING_REQUESTS, LATER_REQUESTS]


def test_json_may_say_pass_in_words_or_not_at_all():
    decoder = MessageDecoder()
    decoder.feed(b'{"requests":[{"x":-1,"y":-1},{"x":1,"y":0,"pass":true}],"responses":[{"x":0,"y":1,"pass":7}]}')
    assert decoder.next_message() == Requests(((-1, -1, 0), (1, 0, 1)), ((0, 1),))


@every_wire
def test_a_message_is_delivered_while_the_next_has_begun(wire):
    stream, meanings = transcript(wire)
    before_last = stream[: -len(FROM_JUDGE[wire][-1][0])]
    decoder = MessageDecoder()
    decoder.feed(stream[: len(before_last) + 1])
    assert kinds(taken(decoder.next_message)) == meanings[:-1]
    assert decoder.partial
    decoder.feed(stream[len(before_last) + 1 :])
    assert kinds(taken(decoder.next_message)) == meanings[-1:]
    decoder.end()


@every_wire
def test_an_end_inside_a_message_is_an_error(wire):
    decoder = MessageDecoder(wire)
    decoder.feed(FROM_JUDGE[wire][0][0][:3])
    with pytest.raises(RemoteProtocolError, match="the rest of the message, received end of input"):
        decoder.end()
    with pytest.raises(LocalProtocolError, match="already ended"):
        decoder.feed(b"")


def test_an_end_before_everything_was_taken_is_the_callers_fault():
    decoder = MessageDecoder()
    decoder.feed(b"name?\n")
    with pytest.raises(LocalProtocolError, match="complete messages were not taken"):
        decoder.end()


@pytest.mark.parametrize("wire", ["", "saiblo", "PLATFORM", None])
def test_an_unknown_wire_is_refused(wire):
    with pytest.raises(LocalProtocolError, match="wire: expected one of platform, botzone, botzone-simple"):
        MessageDecoder(wire)


@given(st.data(), st.integers(1, 7), st.integers(1, 7), st.integers(0, 1))
def test_games_survive_the_way(data, rows, columns, side):
    names = [kind + line + place for kind in "AB" for line in LETTERS for place in LETTERS]
    on_board = [name for name in names if is_edge(name, rows, columns)]
    assert len(on_board) == (rows + 1) * columns + rows * (columns + 1)
    edges = st.lists(st.sampled_from(on_board), min_size=1, max_size=112).map(tuple)
    messages = [
        Board(rows, columns, data.draw(edges | st.just(()))),
        New(side),
        *map(Turn, data.draw(st.lists(edges, max_size=5))),
    ]
    stream = b"".join(map(encode_message, messages))
    cuts = data.draw(st.sets(st.integers(0, len(stream))))
    decoder = MessageDecoder()
    assert kinds(taken_in_pieces(decoder, decoder.next_message, stream, sorted(cuts))) == kinds(messages)
    decoder.end()


def test_every_edge_has_its_place_in_the_grid():
    places = [(x, y) for x in range(11) for y in range(11) if (x + y) % 2]
    assert [place_of(edge_at(x, y)) for x, y in places] == places
    assert len({edge_at(x, y) for x, y in places}) == 60
    assert [edge_at(1, 0), edge_at(3, 0), edge_at(1, 2), edge_at(9, 10)] == ["AAA", "AAB", "ABA", "AFE"]
    assert [edge_at(0, 1), edge_at(2, 1), edge_at(0, 3), edge_at(10, 9)] == ["BAA", "BBA", "BAB", "BFE"]


@pytest.mark.parametrize("x, y", [(0, 0), (1, 1), (-1, -1), (-1, 0), (11, 0), (0, 11)])
def test_what_is_no_place_of_an_edge_is_refused(x, y):
    with pytest.raises(LocalProtocolError, match="grid of 11 x 11"):
        edge_at(x, y)


@pytest.mark.parametrize("edge", ["AGA", "AAF", "BGA", "BAF", "CAA", "aab", "AA", "AABB", "", None])
def test_what_is_no_edge_of_the_grid_is_refused(edge):
    with pytest.raises(LocalProtocolError, match="an edge of 5 x 5 boxes"):
        place_of(edge)


def test_a_bot_on_the_platform_reads_no_json():
    """A start-up is on the clock."""
    code = PLATFORM_ALONE % str(REPOSITORY)
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, check=True, timeout=30)
    loaded = set(done.stdout.decode().split())
    assert "protocol.games.dots.platform" in loaded
    assert loaded.isdisjoint(
        {"dataclasses", "json", "re", "typing", "protocol.botzone.json_form", "protocol.games.dots.botzone"}
    )


PLATFORM_ALONE = """
import sys
sys.path.insert(0, %r)
from protocol.games.dots import *
decoder = MessageDecoder()
decoder.feed(b"new black\\n")
assert decoder.next_message() == (0,)
assert encode_reply(("AAB",), decoder.wire) == b"move 1 AAB\\n"
print(*sys.modules)
"""
