"""What a driver of bots hears of them on Botzone's wires."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.botzone.answers import Answer
from protocol.botzone.messages import MAX_MESSAGE_BYTES, WIRES
from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.games.reversi import Reply, encode_reply
from protocol.games.reversi.botzone import answer_decoder, encode_next_request, encode_requests, form
from tests.protocol.games.connect_four.examples import taken, taken_in_pieces
from tests.protocol.games.reversi.examples import JSON_REPLY, KEEP_RUNNING, PASSES, REPLIES, REPLY, SIMPLE_REPLY

every_wire = pytest.mark.parametrize("wire", WIRES)


def answer(move, keep_running, debug=None, data=None, globaldata=None):
    return Answer(move, debug, data, globaldata, keep_running)


@every_wire
def test_answers_of_a_process_that_stays_and_ends(wire):
    stays, last = encode_reply(REPLY, wire, keep_running=True), encode_reply(None, wire)
    stream = stays + stays + last
    for cuts in ([], range(1, len(stream)), *([cut] for cut in range(len(stream)))):
        decoder = answer_decoder(wire)
        assert taken_in_pieces(decoder, decoder.next_answer, stream, cuts) == [answer((2, 3), True)] * 2
        assert decoder.partial
        assert decoder.end() == answer(None, False)
        assert not decoder.partial


@every_wire
def test_an_answer_is_complete_with_the_line_that_asks_to_stay(wire):
    decoder = answer_decoder(wire)
    decoder.feed(REPLIES[wire] + KEEP_RUNNING[:-1])
    assert decoder.next_answer() is None
    decoder.feed(KEEP_RUNNING[-1:])
    assert decoder.next_answer() == answer((2, 3), True)
    assert not decoder.partial
    assert decoder.end() is None


@every_wire
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\n\n"])
def test_line_ends_of_any_kind(wire, line_end):
    decoder = answer_decoder(wire)
    decoder.feed(REPLIES[wire].rstrip(b"\n") + line_end + KEEP_RUNNING.rstrip(b"\n") + line_end)
    found = taken(decoder.next_answer)
    assert [(one.move, one.keep_running) for one in found] == [((2, 3), True)]
    assert not decoder.partial


@every_wire
def test_the_last_answer_needs_no_line_end(wire):
    decoder = answer_decoder(wire)
    decoder.feed(PASSES[wire].rstrip(b"\n"))
    assert decoder.next_answer() is None
    assert decoder.end() == answer(None, False)


def test_what_else_a_bot_may_write_in_json():
    decoder = answer_decoder("botzone")
    decoder.feed(b'{"response":{"x":2,"y":3},"debug":"why","data":[1,2],"globaldata":null,"more":1}\n' + KEEP_RUNNING)
    assert decoder.next_answer() == answer((2, 3), True, "why", [1, 2])


def test_what_else_a_bot_may_write_in_lines():
    decoder = answer_decoder("botzone-simple")
    decoder.feed(b"2 3\nwhy\n" + KEEP_RUNNING)
    decoder.feed(b"2 3\n\nsaved\n" + KEEP_RUNNING)
    decoder.feed(b"2 3\nwhy\nsaved\nfor\never \xff\n")
    assert decoder.next_answer() == answer((2, 3), True, "why")
    assert decoder.next_answer() == answer((2, 3), True, "", "saved")
    assert decoder.end() == answer((2, 3), False, "why", "saved", "for\never \ufffd")


@pytest.mark.parametrize(
    "wire, data, field",
    [
        ("botzone", b"2 3\n", "message"),
        ("botzone", b"[]\n", "message"),
        ("botzone", JSON_REPLY + JSON_REPLY, "message"),
        ("botzone", b"debug\n" + JSON_REPLY, "message"),
        ("botzone", b'{"x":2,"y":3}\n', "response"),
        ("botzone", b'{"response":"2 3"}\n', "response"),
        ("botzone", b'{"response":{"x":2}}\n', "response.y"),
        ("botzone", b'{"response":{"x":2,"y":8}}\n', "response.y"),
        ("botzone", b'{"response":{"x":2,"y":-1}}\n', "response"),
        ("botzone-simple", b"debug\n" + SIMPLE_REPLY, "response"),
        ("botzone-simple", b"2\n", "response"),
        ("botzone-simple", b"2 8\n", "response"),
        ("botzone-simple", b"2 -1\n", "response"),
        ("botzone-simple", b"2 3 4\n", "response"),
        ("botzone-simple", JSON_REPLY, "response"),
        ("botzone", b"\n", "message"),
        ("botzone-simple", b"\n", "response"),
        ("botzone", b"x" * MAX_MESSAGE_BYTES + b"\n", "message"),
        ("botzone-simple", b"2 3\n" + b"x" * MAX_MESSAGE_BYTES, "message"),
    ],
)
def test_what_is_no_answer_is_refused_again_and_again(wire, data, field):
    decoder = answer_decoder(wire)
    decoder.feed(data + KEEP_RUNNING)
    for call in (decoder.next_answer, decoder.next_answer, decoder.end):
        with pytest.raises(RemoteProtocolError) as caught:
            call()
        assert caught.value.field == field
        assert len(str(caught.value)) < 300
        decoder.feed(REPLIES[wire] + KEEP_RUNNING)


@every_wire
def test_an_endless_answer_is_too_long(wire):
    decoder = answer_decoder(wire)
    with pytest.raises(RemoteProtocolError, match="^message: expected at most 1000000 bytes"):
        for _ in range(250):
            decoder.feed(b"x\n" * 2048)
            assert decoder.next_answer() is None


@every_wire
def test_ending_with_answers_not_taken_is_our_own_fault(wire):
    decoder = answer_decoder(wire)
    decoder.feed(encode_reply(REPLY, wire, keep_running=True))
    with pytest.raises(LocalProtocolError, match="not taken"):
        decoder.end()


@pytest.mark.parametrize(
    "use",
    [
        form,
        answer_decoder,
        lambda wire: encode_requests(((None,), ()), wire),
        lambda wire: encode_next_request((None,), wire),
    ],
)
@pytest.mark.parametrize("wire", ["saiblo", "auto", "v4"])
def test_other_wires_are_refused_with_the_known_ones(use, wire):
    with pytest.raises(LocalProtocolError, match=f"one of botzone, botzone-simple, got {wire!r}"):
        use(wire)


MOVE = st.none() | st.builds(Reply, st.integers(0, 7), st.integers(0, 7))


@given(st.data(), st.sampled_from(WIRES), st.lists(MOVE, min_size=1, max_size=4))
def test_any_answers_cut_anywhere_come_back(data, wire, moves):
    stream = b"".join(encode_reply(move, wire, keep_running=True) for move in moves)
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=12))
    decoder = answer_decoder(wire)
    answers = taken_in_pieces(decoder, decoder.next_answer, stream, cuts)
    assert answers == [answer(move, True) for move in moves]
    assert decoder.end() is None
