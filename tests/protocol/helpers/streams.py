"""Bytes to a decoder, cut in any way, and what it makes of them."""

import pytest

from protocol.errors import RemoteProtocolError

KEEP_RUNNING = b">>>BOTZONE_REQUEST_KEEP_RUNNING<<<\n"


def hexadecimal(*parts):
    return bytes.fromhex(" ".join(parts))


def hands_out(decoder):
    """The method of a decoder that returns the next thing."""
    names = ("next_message", "next_reply", "next_answer", "next_frame")
    return next(getattr(decoder, name) for name in names if hasattr(decoder, name))


def taken(next_item):
    """Everything that `next_item` delivers until it returns None."""
    return list(iter(next_item, None))


def taken_in_pieces(decoder, data, cuts=()):
    """Feed `data` cut at the given offsets, taking everything complete after each piece."""
    items = []
    edges = [0, *sorted(cuts), len(data)]
    for start, end in zip(edges, edges[1:], strict=False):
        decoder.feed(data[start:end])
        items += taken(hands_out(decoder))
    return items


def every_cut(data):
    """The ways to cut: not at all, at every byte, and in two at each place."""
    return [[], range(1, len(data)), *([cut] for cut in range(1, len(data)))]


def kinds(messages):
    """Messages with their types: value types with equal fields equal each other otherwise."""
    return [(type(message), message) for message in messages]


def error_of(call):
    with pytest.raises(RemoteProtocolError) as caught:
        call()
    assert len(str(caught.value)) < 300
    return caught.value


def refusal(decoder, data, piecewise=False):
    """The error of a decoder fed with `data`, all at once or byte by byte."""
    cuts = range(1, len(data)) if piecewise else ()
    return error_of(lambda: taken_in_pieces(decoder, data, cuts))


def check_named(error, field, expected, received=""):
    """Assert that an error says so: the field exactly, of the others a part."""
    assert (error.field, expected in error.expected, received in error.received) == (field, True, True), error
    assert str(error) == f"{error.field}: expected {error.expected}, received {error.received}"
