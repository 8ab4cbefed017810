"""The wires of every game: what judge and bot say comes back however it is cut, and what is wrong is named.

A game's tests/protocol/games/NAME/examples.py has, each by wire:

    FROM_JUDGE          transcripts, each what one process is sent: [(bytes written out by hand, message), ...]
    WAITING             types of messages that are complete only with the blank after them
    GREETINGS           what a bot sends before anything else, where it does
    ANSWERS             [(what a bot answers, its bytes, what the judge hears)]
    WRONG_FROM_JUDGE    [(bytes, field, expected, received)] of errors, of the last two a part
    WRONG_FROM_BOT      the same
    CUT                 [(bytes, the field in which they end)]
    UNSENDABLE          [(a call that says what may not be said, what of it the error names)], of all wires
    WORDS               pieces of messages, for nonsense
    games(wire), answers(wire)     hypothesis: a list of messages; a pair (answer, what the judge hears)
    encode(message, wire), encode_answer(answer, wire)     where the wire is not Botzone's
"""

import importlib
import subprocess
import sys
import traceback
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.botzone import WIRES as BOTZONE_WIRES
from protocol.botzone import NextRequest, Requests
from protocol.botzone.forms import Answer
from protocol.errors import EmptyFrame, FrameTooLong, LocalProtocolError, RemoteProtocolError
from protocol.framing import FramedDecoder, encode_frame
from tests.contracts.games import GAMES, examples
from tests.places import REPOSITORY
from tests.protocol.helpers.streams import (
    KEEP_RUNNING,
    check_named,
    error_of,
    every_cut,
    hands_out,
    kinds,
    refusal,
    taken,
    taken_in_pieces,
)


@dataclass(frozen=True)
class Wire:
    """One wire of one game, with its examples."""

    game: str
    name: str

    @property
    def package(self):
        return importlib.import_module(f"protocol.games.{self.game}")

    @property
    def examples(self):
        return examples("tests.protocol.games", self.game)

    @property
    def is_botzone(self):
        return self.name in BOTZONE_WIRES

    @property
    def botzone(self):
        return self.package.botzone

    @property
    def is_framed(self):
        return not self.is_botzone and issubclass(self.package.ReplyDecoder, FramedDecoder)

    @property
    def transcripts(self):
        return self.examples.FROM_JUDGE[self.name]

    @property
    def names(self):
        """What a bot may be told of this wire: its name, and to find out where the game has several forms."""
        return [self.name, *(["auto"] if "auto" in self.package.WIRES else [])]

    def bots_ears(self):
        return [self.package.MessageDecoder(name) for name in self.names]

    def judges_ear(self):
        if self.is_botzone:
            return self.botzone.answer_decoder(self.name)
        decoder = self.package.ReplyDecoder(self.name)
        decoder.feed(self.greeting)
        return decoder

    @property
    def greeting(self):
        return self.examples.GREETINGS.get(self.name, b"")

    def encoded(self, message):
        if isinstance(message, Requests):
            return self.botzone.encode_requests(message, self.name)
        if isinstance(message, NextRequest):
            return self.botzone.encode_next_request(message, self.name)
        return self.examples.encode(message, self.name)

    def answered(self, answer):
        if self.is_botzone:
            return self.package.encode_reply(answer, self.name, keep_running=True)
        return self.examples.encode_answer(answer, self.name)

    def heard(self, meaning, keep_running=True):
        return Answer(meaning, None, None, None, keep_running) if self.is_botzone else meaning

    @property
    def answers(self):
        """[(what a bot answers, its bytes with the line that asks to stay, what the judge hears)]"""
        line = KEEP_RUNNING if self.is_botzone else b""
        return [(answer, raw + line, self.heard(meaning)) for answer, raw, meaning in self.examples.ANSWERS[self.name]]

    def least(self, raw, message):
        """How many bytes of a message have to come before it is complete."""
        return len(raw) if type(message) in self.examples.WAITING else len(raw.rstrip())


WIRES = [
    Wire(game, name)
    for game in GAMES
    for name in importlib.import_module(f"protocol.games.{game}").WIRES
    if name != "auto"
]


def on(wires):
    return pytest.mark.parametrize("wire", wires, ids=[f"{wire.game}-{wire.name}" for wire in wires])


every_wire = on(WIRES)
botzones_wires = on([wire for wire in WIRES if wire.is_botzone])
framed_wires = on([wire for wire in WIRES if wire.is_framed])
other_wires = on([wire for wire in WIRES if not wire.is_botzone])
every_game = pytest.mark.parametrize("game", GAMES)


def stream_of(transcript):
    return b"".join(raw for raw, _ in transcript), kinds(message for _, message in transcript)


# From the judge


@every_wire
def test_the_judge_writes_its_messages_as_published(wire):
    assert wire.transcripts
    for transcript in wire.transcripts:
        for raw, message in transcript:
            assert wire.encoded(message) == raw


@every_wire
def test_messages_come_back_however_their_bytes_are_cut(wire):
    for transcript in wire.transcripts:
        stream, messages = stream_of(transcript)
        for cuts in every_cut(stream):
            for decoder in wire.bots_ears():
                assert kinds(taken_in_pieces(decoder, stream, cuts)) == messages, cuts
                assert not decoder.partial
                assert getattr(decoder, "wire", wire.name) == wire.name
                decoder.end()


@every_wire
def test_a_message_is_complete_with_its_last_byte(wire):
    for transcript in wire.transcripts:
        for decoder in wire.bots_ears():
            for raw, message in transcript:
                end = wire.least(raw, message)
                for place in range(end - 1):
                    decoder.feed(raw[place : place + 1])
                    assert (decoder.next_message(), decoder.partial) == (None, True), raw[: place + 1]
                decoder.feed(raw[end - 1 : end])
                assert decoder.partial
                assert kinds([decoder.next_message()]) == kinds([message])
                assert not decoder.partial
                decoder.feed(raw[end:])
                assert (decoder.next_message(), decoder.partial) == (None, False)
            decoder.end()


@every_wire
def test_a_message_is_delivered_while_the_next_has_begun(wire):
    for transcript in wire.transcripts:
        for count in range(1, len(transcript)):
            (before, messages), (after, later) = stream_of(transcript[:count]), stream_of(transcript[count:])
            for decoder in wire.bots_ears():
                decoder.feed(before + after[:1])
                assert kinds(taken(decoder.next_message)) == messages
                assert decoder.partial
                decoder.feed(after[1:])
                assert kinds(taken(decoder.next_message)) == later


@every_wire
def test_messages_come_without_end(wire):
    (first, first_message), (raw, message) = wire.transcripts[0][:2]
    for decoder in wire.bots_ears():
        decoder.feed(first + raw * 50)
        assert taken(decoder.next_message) == [first_message] + [message] * 50


@every_wire
def test_blanks_between_messages_are_none_of_them(wire):
    for blank in (b"\n", b"\r\n", b" ", b"\t\n\n "):
        for transcript in wire.transcripts:
            spread = blank + b"".join(raw.rstrip(b"\n") + b"\n" + blank for raw, _ in transcript)
            for cuts in ([], range(1, len(spread))):
                for decoder in wire.bots_ears():
                    decoder.feed(blank)
                    assert not decoder.partial
                    assert kinds(taken_in_pieces(decoder, spread, cuts)) == stream_of(transcript)[1], blank
                    assert not decoder.partial
                    decoder.end()


@every_wire
def test_the_judge_may_stop_between_messages_and_nowhere_else(wire):
    for decoder in wire.bots_ears():
        decoder.feed(b"\n ")
        decoder.end()
        with pytest.raises(LocalProtocolError, match="already ended"):
            decoder.feed(b"")
    for transcript in wire.transcripts:
        for count, (raw, message) in enumerate(transcript[:2]):
            start, messages = stream_of(transcript[:count])
            for cut in range(1, wire.least(raw, message)):
                for decoder in wire.bots_ears():
                    assert kinds(taken_in_pieces(decoder, start + raw[:cut])) == messages
                    assert decoder.partial
                    with pytest.raises(RemoteProtocolError, match="expected the rest of the message, received end of"):
                        decoder.end()
                    with pytest.raises(LocalProtocolError, match="already ended"):
                        decoder.feed(b"")


@every_wire
def test_an_end_names_the_field_it_cut(wire):
    assert wire.examples.CUT[wire.name]
    for data, field in wire.examples.CUT[wire.name]:
        decoder = wire.package.MessageDecoder(wire.name)
        taken_in_pieces(decoder, data)
        check_named(error_of(decoder.end), field, "the rest of the message", "end of input")


@every_wire
def test_ending_with_something_not_taken_is_our_own_fault(wire):
    for decoder in wire.bots_ears():
        decoder.feed(wire.transcripts[0][0][0])
        with pytest.raises(LocalProtocolError, match="complete messages were not taken"):
            decoder.end()
    decoder = wire.judges_ear()
    decoder.feed(wire.answers[0][1])
    with pytest.raises(LocalProtocolError, match="complete (replies|answers) were not taken"):
        decoder.end()


@every_wire
def test_what_is_wrong_from_a_judge_is_named(wire):
    """In pieces, a message may have been whole before what spoils it came."""
    assert wire.examples.WRONG_FROM_JUDGE[wire.name]
    for data, field, expected, received in wire.examples.WRONG_FROM_JUDGE[wire.name]:
        check_named(refusal(wire.package.MessageDecoder(wire.name), data), field, expected, received)
        if len(data) > 1000:
            continue
        error = refusal(wire.package.MessageDecoder(wire.name), data, piecewise=True)
        if error.expected != "the end of its line":
            assert error.field == field, data
            assert expected in error.expected or error.expected == "a line of integers", data


@every_wire
def test_a_wire_that_is_told_takes_no_other(wire):
    for other, transcripts in wire.examples.FROM_JUDGE.items():
        stream = stream_of(transcripts[0])[0]
        if stream != stream_of(wire.transcripts[0])[0]:
            decoder = wire.package.MessageDecoder(wire.name)
            refusal(decoder, stream)
            assert getattr(decoder, "wire", wire.name) == wire.name, other


@every_wire
def test_the_first_error_ends_a_stream_and_stays(wire):
    wrong_answer = wire.examples.WRONG_FROM_BOT[wire.name][0][0] + KEEP_RUNNING * wire.is_botzone
    wrong_message = wire.examples.WRONG_FROM_JUDGE[wire.name][0][0]
    cases = [(decoder, wrong_message, wire.transcripts[0][0][0]) for decoder in wire.bots_ears()[:1]]
    cases += [(wire.judges_ear(), wrong_answer, wire.answers[0][1])]
    for decoder, wrong, right in cases:
        decoder.feed(wrong)
        error = error_of(hands_out(decoder))
        partial, depths = decoder.partial, set()
        for _ in range(3):
            decoder.feed(right)
            assert error_of(hands_out(decoder)) is error
            assert decoder.partial == partial
            depths.add(len(traceback.extract_tb(error.__traceback__)))
        assert len(depths) == 1
        assert error_of(decoder.end) is error


@every_wire
@settings(max_examples=25)
@given(data=st.data())
def test_any_game_cut_anywhere_comes_back(wire, data):
    messages = data.draw(wire.examples.games(wire.name))
    stream = b"".join(map(wire.encoded, messages))
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=12))
    for decoder in wire.bots_ears():
        assert kinds(taken_in_pieces(decoder, stream, cuts)) == kinds(messages)
        assert getattr(decoder, "wire", wire.name) == wire.name
        decoder.end()


# From a bot


@every_wire
def test_answers_come_back_however_their_bytes_are_cut(wire):
    assert wire.answers
    for answer, raw, _ in wire.answers:
        assert wire.answered(answer) == raw
    stream = b"".join(raw for _, raw, _ in wire.answers) * 2
    for cuts in every_cut(stream):
        decoder = wire.judges_ear()
        heard = taken_in_pieces(decoder, stream, cuts)
        assert kinds(heard) == kinds([meaning for *_, meaning in wire.answers] * 2), cuts
        assert not decoder.partial
        assert decoder.end() is None


@other_wires
def test_a_bot_may_stop_between_replies_and_nowhere_else(wire):
    wire.judges_ear().end()
    for answer, raw, _ in wire.answers:
        for cut in range(1, len(raw.rstrip())):
            decoder = wire.judges_ear()
            assert taken_in_pieces(decoder, wire.answers[0][1] + raw[:cut]) == [wire.answers[0][2]], answer
            assert decoder.partial
            assert decoder.unread == raw[:cut]
            with pytest.raises(RemoteProtocolError, match="end of input"):
                decoder.end()


@botzones_wires
def test_the_last_answer_on_botzone_is_complete_with_the_end(wire):
    for answer, raw, meaning in wire.examples.ANSWERS[wire.name]:
        assert wire.package.encode_reply(answer, wire.name) == raw
        for end in (len(raw), len(raw.rstrip())):
            decoder = wire.judges_ear()
            assert taken_in_pieces(decoder, wire.answers[0][1] + raw[:end]) == [wire.answers[0][2]]
            assert decoder.partial
            assert decoder.end() == wire.heard(meaning, keep_running=False)
            assert not decoder.partial


@every_wire
def test_what_is_wrong_from_a_bot_is_named(wire):
    assert wire.examples.WRONG_FROM_BOT[wire.name]
    for data, field, expected, received in wire.examples.WRONG_FROM_BOT[wire.name]:
        error = refusal(wire.judges_ear(), data + KEEP_RUNNING * wire.is_botzone)
        check_named(error, field, expected, received)


@framed_wires
def test_a_frame_of_a_wrong_length_is_refused_by_its_header(wire):
    longest = wire.package.ReplyDecoder(wire.name, max_length=5)
    cases = [
        (wire.judges_ear(), b"\0\0\0\0", EmptyFrame),
        (wire.judges_ear(), b"\0\0\x08\x01", FrameTooLong),
        (longest, b"\0\0\0\x06", FrameTooLong),
    ]
    for decoder, header, kind in cases:
        taken_in_pieces(decoder, header[:3])
        for call in (lambda: taken_in_pieces(decoder, header[3:]), decoder.next_reply, decoder.end):  # noqa: B023
            assert type(error_of(call)) is kind
    for length in (b"\0\0\0\x05", b"\0\0\x08\0"):
        decoder = wire.package.ReplyDecoder(wire.name, max_length=5) if length[3] else wire.judges_ear()
        decoder.feed(length)
        assert decoder.next_reply() is None


@every_wire
@settings(max_examples=25)
@given(data=st.data())
def test_any_answers_cut_anywhere_come_back(wire, data):
    pairs = data.draw(st.lists(wire.examples.answers(wire.name), max_size=5))
    stream = b"".join(wire.answered(answer) for answer, _ in pairs)
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=12))
    decoder = wire.judges_ear()
    assert kinds(taken_in_pieces(decoder, stream, cuts)) == kinds(wire.heard(meaning) for _, meaning in pairs)
    assert decoder.end() is None


# Nonsense


def outcome(decoder, pieces):
    """(what was heard of pieces that are the whole input, whether it ended in an error), nothing else being raised."""
    heard = []
    try:
        for piece in pieces:
            decoder.feed(piece)
            assert isinstance(decoder.partial, bool)
            heard += iter(hands_out(decoder), None)
        last = decoder.end()
    except RemoteProtocolError as error:
        assert len(str(error)) < 300
        return kinds(heard), True
    return kinds([*heard, *([] if last is None else [last])]), False


def check_the_same_however_cut(new_decoder, pieces):
    stream = b"".join(pieces)
    at_once, refused = outcome(new_decoder(), [stream])
    for cut in ([bytes([byte]) for byte in stream], pieces):
        heard, refused_too = outcome(new_decoder(), cut)
        assert refused_too == refused
        # In pieces, even what is whole and spoilt afterwards is heard.
        assert heard == at_once or (refused and heard[: len(at_once)] == at_once)
    return {kind for kind, _ in at_once}


def pieces_for(wire):
    text = st.text(alphabet='0123456789- \n\r\0{}[]":,#AB?xymovenwhit', max_size=60).map(str.encode)
    return st.lists(st.binary(max_size=40) | text | st.sampled_from(wire.examples.WORDS), max_size=14)


@every_wire
@settings(max_examples=25)
@given(data=st.data())
def test_nonsense_from_a_judge_is_refused_and_no_more_however_it_is_cut(wire, data):
    start = data.draw(st.sampled_from([b"", wire.transcripts[0][0][0]]))
    name = data.draw(st.sampled_from(wire.names))
    transcripts = sum(wire.examples.FROM_JUDGE.values(), [])
    known = {type(message) for transcript in transcripts for _, message in transcript}
    pieces = [start, *data.draw(pieces_for(wire))]
    assert check_the_same_however_cut(lambda: wire.package.MessageDecoder(name), pieces) <= known


@every_wire
@settings(max_examples=25)
@given(data=st.data())
def test_nonsense_from_a_bot_is_refused_and_no_more_however_it_is_cut(wire, data):
    pieces = data.draw(pieces_for(wire))
    if wire.is_botzone:
        pieces = [piece + KEEP_RUNNING for piece in pieces]
    if wire.is_framed and data.draw(st.booleans()):
        pieces = [encode_frame(piece) for piece in pieces if piece]
    known = {type(meaning) for *_, meaning in wire.answers}
    assert check_the_same_however_cut(wire.judges_ear, pieces) <= known


# A game's package


@every_game
def test_every_wire_of_a_game_has_its_examples(game):
    of_game = examples("tests.protocol.games", game)
    names = {wire.name for wire in WIRES if wire.game == game}
    for name in ("FROM_JUDGE", "ANSWERS", "WRONG_FROM_JUDGE", "WRONG_FROM_BOT", "CUT"):
        assert set(getattr(of_game, name)) == names, name


@every_game
def test_an_unknown_wire_is_refused_with_the_known_ones(game):
    package = importlib.import_module(f"protocol.games.{game}")
    known = ", ".join(name for name in package.WIRES if name != "auto")
    for name in ("", "v4", "SAIBLO", None):
        with pytest.raises(LocalProtocolError, match=f"^wire: expected one of {known}, got {name!r}$"):
            package.MessageDecoder(name)
    answer = list(examples("tests.protocol.games", game).ANSWERS.values())[-1][0][0]
    for name in ("v4", "auto"):
        with pytest.raises(LocalProtocolError, match=f"^wire: expected .*, got {name!r}$"):
            package.ReplyDecoder(name)
        with pytest.raises(LocalProtocolError, match=f"^wire: expected one of .*, got {name!r}$"):
            package.encode_reply(answer, name)


@every_game
def test_what_may_not_be_said_is_not_said(game):
    for place, (call, named) in enumerate(examples("tests.protocol.games", game).UNSENDABLE):
        with pytest.raises(LocalProtocolError, match=named):
            call()
            pytest.fail(f"UNSENDABLE[{place}], which should name {named}")


ALONE = """
import sys
sys.path.insert(0, {repository!r})
from protocol.games import {game} as game
decoder = game.MessageDecoder({wire!r})
decoder.feed({message!r})
assert decoder.next_message() is not None
assert game.encode_reply({answer!r}, {wire!r}) == {reply!r}
replies = game.ReplyDecoder({wire!r})
replies.feed({reply!r})
assert replies.next_reply() is not None
print(*sys.modules)
"""


@every_game
def test_the_platforms_wire_loads_nothing_slow(game):
    """A bot's start-up is on its clock."""
    wire = next(wire for wire in WIRES if wire.game == game)
    answer, reply, _ = wire.answers[0]
    code = ALONE.format(
        repository=str(REPOSITORY),
        game=game,
        wire=wire.name,
        message=wire.transcripts[0][0][0],
        answer=tuple(answer),
        reply=reply,
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, check=True, timeout=60)
    loaded = set(done.stdout.decode().split())
    assert f"protocol.games.{game}" in loaded
    assert loaded.isdisjoint({"dataclasses", "json", "re", "typing", "protocol.botzone.forms"})
