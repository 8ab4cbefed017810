"""The documentation's pictures of pages: which there are, and that they lose nothing but rare colours."""

import struct
import zlib

import pytest

from page_screenshots import application, shots
from page_screenshots.shots import sources_of
from page_screenshots.small_png import INDEXED, SIGNATURE, chunks_of, with_few_colours
from tests.places import REPOSITORY

PICTURES = REPOSITORY / "docs" / "pictures"
ALL_OF_THEM = 600_000  # bytes


def rgb_png(rows, filters):
    """A PNG of rows of (red, green, blue), each with the filter of that number, from 0 to 4."""
    lines, above = b"", bytes(3 * len(rows[0]))
    for row, kind in zip(rows, filters, strict=True):
        flat = bytes(channel for pixel in row for channel in pixel)
        left, corner = bytes(3) + flat[:-3], bytes(3) + above[:-3]
        told = {
            0: bytes(len(flat)),
            1: left,
            2: above,
            3: bytes((a + b) // 2 for a, b in zip(left, above, strict=True)),
            4: bytes(map(nearest, left, above, corner)),
        }[kind]
        lines += bytes([kind]) + bytes((a - b) & 255 for a, b in zip(flat, told, strict=True))
        above = flat
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return SIGNATURE + b"".join(struct.pack(">I", len(data)) + name + data + bytes(4) for name, data in parts)


def nearest(left, above, corner):
    """The one of the three that is nearest to left + above - corner (PNG, 9.4)."""
    return min((left, above, corner), key=lambda value: abs(value - (left + above - corner)))


def pixels_of(png):
    """The rows of pixels of a PNG with a palette and without filters."""
    chunks = dict(chunks_of(png))
    width, _height, _bits, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert kind == INDEXED
    lines, palette = zlib.decompress(chunks[b"IDAT"]), chunks[b"PLTE"]
    rows = [lines[start + 1 : start + 1 + width] for start in range(0, len(lines), width + 1)]
    return [[tuple(palette[3 * number : 3 * number + 3]) for number in row] for row in rows]


def test_a_picture_of_few_colours_keeps_every_pixel():
    rows = [[((7 * x) % 256, (31 * y) % 256, (x * y) % 256) for x in range(9)] for y in range(8)]
    for kind in range(5):
        assert pixels_of(with_few_colours(rgb_png(rows, [kind] * 8))) == rows, kind


def test_a_rare_colour_becomes_the_nearest_that_is_kept():
    rows = [[(x, 0, 0) for x in range(256)], [(x, 0, 0) for x in range(256)], [(9, 1, 0)] * 256]
    rows[2][1:] = [(20, 0, 0)] * 255
    assert pixels_of(with_few_colours(rgb_png(rows, [0, 0, 0])))[2][0] == (9, 0, 0)


@pytest.mark.parametrize("page, taken", [("view", shots.SHOTS), ("serve", application.SHOTS)])
def test_every_picture_is_there_and_shown(page, taken):
    shown = (REPOSITORY / "docs" / f"{page}.md").read_text("utf-8")
    for shot in taken:
        assert f"](pictures/{shot.name})" in shown
        header = dict(chunks_of((PICTURES / shot.name).read_bytes()))[b"IHDR"]
        assert struct.unpack(">II", header[:8]) == shot.window
    assert sum((PICTURES / shot.name).stat().st_size for shot in taken) < ALL_OF_THEM


@pytest.mark.slow
def test_the_games_shown_are_there():
    for shot in shots.SHOTS:
        sources, names = sources_of(shot.records)
        assert len(sources) >= 20 and len(names) == sources[-1].file + 1
