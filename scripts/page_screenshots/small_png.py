"""A picture of a page with few colours, as PNG has them: a third of the bytes that a browser needs for it.

PNG: W3C, "Portable Network Graphics (PNG) Specification", chunks, filters (9) and colour types (11.2.2).
"""

import collections
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = 256
RGB, INDEXED = 2, 3
CHANNELS = 3


def with_few_colours(png):
    """The PNG with its commonest 256 colours in place of all; png has 8 bits a channel, red, green and blue."""
    chunks = list(chunks_of(png))
    width, height, bits, kind, *_methods, interlaced = struct.unpack(">IIBBBBB", chunks[0][1])
    if (bits, kind, interlaced) != (8, RGB, 0):
        raise ValueError(f"expected 8 bits of RGB, got {bits} bits of type {kind}")
    data = zlib.decompress(b"".join(content for name, content in chunks if name == b"IDAT"))
    pixels = [pixel for row in _rows(data, width) for pixel in zip(row[::3], row[1::3], row[2::3], strict=True)]
    numbers, palette = _palette(pixels)
    indexed = bytes(numbers[pixel] for pixel in pixels)
    lines = b"".join(b"\0" + indexed[start : start + width] for start in range(0, len(indexed), width))
    header = struct.pack(">IIBBBBB", width, height, 8, INDEXED, 0, 0, 0)
    parts = ((b"IHDR", header), (b"PLTE", palette), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(*part) for part in parts)


def chunks_of(png):
    """(name, content) of each chunk."""
    place = len(SIGNATURE)
    while place < len(png):
        (length,) = struct.unpack_from(">I", png, place)
        yield png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        place += length + 12


def _chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _rows(data, width):
    """The rows of pixels without their filters, each of which tells from what its bytes are differences."""
    length = width * CHANNELS
    above = bytes(length)
    for start in range(0, len(data), length + 1):
        row = bytearray(data[start + 1 : start + 1 + length])
        predict = _PREDICTIONS[data[start]]
        for place in range(length):
            left, corner = (row[place - 3], above[place - 3]) if place >= CHANNELS else (0, 0)
            row[place] = (row[place] + predict(left, above[place], corner)) & 255
        yield bytes(row)
        above = row


def _paeth(left, above, corner):
    by_left, by_above, by_corner = abs(above - corner), abs(left - corner), abs(left + above - 2 * corner)
    if by_left <= by_above and by_left <= by_corner:
        return left
    return above if by_above <= by_corner else corner


_PREDICTIONS = (
    lambda left, above, corner: 0,
    lambda left, above, corner: left,
    lambda left, above, corner: above,
    lambda left, above, corner: (left + above) // 2,
    _paeth,
)


def _palette(pixels):
    """({colour: its number}, the colours' bytes); a colour beyond the palette has the number of the nearest in it."""
    counts = collections.Counter(pixels)
    kept = [colour for colour, _count in counts.most_common(COLOURS)]

    def nearest(colour):
        return min(range(len(kept)), key=lambda n: sum((a - b) ** 2 for a, b in zip(colour, kept[n], strict=True)))

    numbers = {colour: number for number, colour in enumerate(kept)}
    numbers.update({colour: nearest(colour) for colour in counts if colour not in numbers})
    return numbers, bytes(channel for colour in kept for channel in colour)
