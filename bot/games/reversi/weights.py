"""The groups of squares that the evaluation looks at, and the file with their learnt weights. Standard library only.

A shape is a list of squares. Its images under the eight symmetries of the board are its features, and all of them share
the shape's weights. The content of a feature, the discs that lie on it, is a number in balanced ternary: the k-th
square of the list adds 3**k if it has a disc of the side to move, -(3**k) if it has a disc of the opponent, and 0 if it
is empty. So the other side sees the negative of that number. If a shape is its own mirror image, a content and the
mirror image of that content have the same weight. The weights that can be learnt, one for each such pair, are called
`unique` weights. They are numbered consecutively through all shapes. Two constants follow them, for an even and for an
odd number of discs on the board.

The shapes are those of Logistello (Buro 1997) in the selection of Edax (Delorme): edges and corners in blocks of up to
10 squares, lines, diagonals.
"""

import os
import struct
import zlib

SIZE = 8
_SHAPES = {
    "corner 3x3": "a1 b1 c1 a2 b2 c2 a3 b3 c3",
    "corner wedge": "a1 b1 c1 d1 a2 b2 c2 a3 b3 a4",
    "edge with X squares": "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2",
    "edge block": "a1 c1 d1 e1 f1 h1 c2 d2 e2 f2",
    "line 2": "a2 b2 c2 d2 e2 f2 g2 h2",
    "line 3": "a3 b3 c3 d3 e3 f3 g3 h3",
    "line 4": "a4 b4 c4 d4 e4 f4 g4 h4",
    "diagonal 8": "a1 b2 c3 d4 e5 f6 g7 h8",
    "diagonal 7": "a2 b3 c4 d5 e6 f7 g8",
    "diagonal 6": "a3 b4 c5 d6 e7 f8",
    "diagonal 5": "a4 b5 c6 d7 e8",
    "diagonal 4": "a5 b6 c7 d8",
}
NAMES = tuple(_SHAPES)
LANES = 48  # room for this many features, a multiple of a vector register's 16 lanes


def _square(name):
    return SIZE * (int(name[1]) - 1) + ord(name[0]) - ord("a")


def _images(squares):
    """Yields the image of a list of squares under each symmetry of the board. The order of the squares is kept."""
    for mirrored in (False, True):
        for turns in range(4):
            image = []
            for square in squares:
                row, column = divmod(square, SIZE)
                if mirrored:
                    row, column = column, row
                for _ in range(turns):
                    row, column = column, SIZE - 1 - row
                image.append(SIZE * row + column)
            yield tuple(image)


def _features(squares):
    """Returns (the features of a shape, the order of its squares in the mirror image).

    If the shape is not its own mirror image, the order is None.
    """
    features, mirror = {}, None
    for image in _images(squares):
        first = features.setdefault(frozenset(image), image)
        if first != image:
            mirror = tuple(first.index(square) for square in image)
    return tuple(features.values()), mirror


# For each shape: its features, each of which is a tuple of squares; and the order of its squares in its mirror image,
# or their own order if the shape is not its own mirror image.
FEATURES, MIRRORS = [], []
for _names in _SHAPES.values():
    _squares = tuple(_square(name) for name in _names.split())
    _found, _mirror = _features(_squares)
    FEATURES.append(_found)
    MIRRORS.append(_mirror or tuple(range(len(_squares))))

LENGTHS = tuple(len(features[0]) for features in FEATURES)
CONTENTS = tuple(3**length for length in LENGTHS)
# The index at which each shape's weights begin in a table that has one weight for every content.
FIRST_CONTENTS = tuple(sum(CONTENTS[:shape]) for shape in range(len(CONTENTS)))
TABLE_WEIGHTS = sum(CONTENTS)
# The number of unique weights of each shape: a content and its mirror image count once.
UNIQUE = tuple(
    (count + 3 ** sum(place <= mirror[place] for place in range(length))) // 2
    if mirror != tuple(range(length))
    else count
    for count, length, mirror in zip(CONTENTS, LENGTHS, MIRRORS)
)
FIRST_UNIQUE = tuple(sum(UNIQUE[:shape]) for shape in range(len(UNIQUE)))
CONSTANT = sum(UNIQUE)
UNIQUE_WEIGHTS = CONSTANT + 2
# (shape, squares) of each feature, in the order of the lanes.
LANE_FEATURES = tuple((shape, squares) for shape, features in enumerate(FEATURES) for squares in features)
# The number of weights that add up to a position's value: one for each feature, and a constant.
WEIGHTS_A_POSITION = len(LANE_FEATURES) + 1

WEIGHTS_PER_DISC = 128  # the unit of the weights in a table is 1/128 of a disc
MAX_KNOTS = 12
_MAGIC = b"reversi weights 1\n"
_HEADER = struct.Struct("<IIII")  # shapes_sum(), number of knots, number of unique weights, steps of a disc


class WeightsError(ValueError):
    """The evaluation's weights file cannot be used. str() says why."""


def shapes_sum():
    """Returns a checksum of the shapes.

    A weights file has it too, so that its weights are never used for other shapes.
    """
    return zlib.crc32(repr((LANE_FEATURES, MIRRORS)).encode())


def pack_weights(knots, weights, steps):
    """Returns the bytes of a weights file. Raises WeightsError.

    `knots` are numbers of discs on the board, in ascending order, between which weights change linearly. `weights` has
    for each knot UNIQUE_WEIGHTS integers in -32768 .. 32767, in 1/steps of a disc.
    """
    if not 1 <= len(knots) <= MAX_KNOTS or list(knots) != sorted(set(knots)) or len(weights) != len(knots):
        raise WeightsError(f"1 to {MAX_KNOTS} knots, ascending, each with its weights")
    folded = []
    for row in weights:
        if len(row) != UNIQUE_WEIGHTS:
            raise WeightsError(f"{UNIQUE_WEIGHTS} weights a knot, got {len(row)}")
        folded.extend((value << 1 ^ value >> 31) & 0xFFFF for value in map(int, row))
    # All low bytes come first, then all high bytes, almost all of which are zero: this compresses best.
    planes = bytes(value & 0xFF for value in folded) + bytes(value >> 8 for value in folded)
    return (
        _MAGIC + _HEADER.pack(shapes_sum(), len(knots), UNIQUE_WEIGHTS, steps) + bytes(knots) + zlib.compress(planes, 9)
    )


def small_weights():
    """Returns the bytes of a weights file with one knot and small weights of all kinds, for trial runs of the kernels.

    The file is made quickly.
    """
    low = (bytes(range(64)) * (UNIQUE_WEIGHTS // 64 + 1))[:UNIQUE_WEIGHTS]
    return (
        _MAGIC
        + _HEADER.pack(shapes_sum(), 1, UNIQUE_WEIGHTS, 64)
        + bytes((32,))
        + zlib.compress(low + bytes(UNIQUE_WEIGHTS), 1)
    )


def unpack_weights(data):
    """Returns (knots, low bytes, high bytes, steps) of a weights file. Raises WeightsError.

    The low bytes and the high bytes belong to the weights as pack_weights folds them, knot by knot.
    """
    if not data.startswith(_MAGIC):
        raise WeightsError("not a file of weights")
    try:
        found, count, unique, steps = _HEADER.unpack_from(data, len(_MAGIC))
        first = len(_MAGIC) + _HEADER.size
        knots = tuple(data[first : first + count])
        planes = zlib.decompress(data[first + count :])
    except (struct.error, zlib.error) as error:
        raise WeightsError(f"damaged: {error}") from error
    if (found, unique) != (shapes_sum(), UNIQUE_WEIGHTS):
        raise WeightsError("the weights are of other shapes")
    if not 1 <= count <= MAX_KNOTS or len(planes) != 2 * count * unique or not steps:
        raise WeightsError(f"damaged: {len(planes)} bytes of weights for {count} knots")
    return knots, planes[: count * unique], planes[count * unique :], steps


NAME = "weights.bin"
_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), NAME)


def stored_weights():
    """Returns what unpack_weights() returns for the package's weights file.

    Raises WeightsError if it cannot be used.
    """
    try:
        with open(_PATH, "rb") as file:
            data = file.read()
    except OSError as error:
        raise WeightsError(f"{_PATH}: {error.strerror}") from error
    try:
        return unpack_weights(data)
    except WeightsError as error:
        raise WeightsError(f"{_PATH}: {error}") from error
