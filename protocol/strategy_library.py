"""`python -m protocol.strategy_library PATH.so` runs a strategy library of the course as a bot on stdin and stdout.

A strategy library is a shared object with two C functions,

    Point *getPoint(const int M, const int N, const int *top, const int *board,
                    const int lastX, const int lastY, const int noX, const int noY);
    void clearPoint(Point *point);

where Point is two ints x and y, M and N are rows and columns, x counts rows from the top and y columns from
the left, both from 0, and lastX and lastY are -1 on an empty board. `top` (N ints) and `board` (M * N ints,
row by row; 0 free or forbidden, 1 the opponent's, 2 one's own) are the same as on the wire. clearPoint frees
the Point that getPoint returned.

The real stdout is for replies. What the library prints goes to the pipe whose descriptor is in the environment variable
DROPFOUR_PRINTS, or to /dev/null without the variable; the library's buffers are flushed before each reply.

Not part of the ladder bundle. Exit status: 0 at the end of the input, 1 if the library fails in a game or
the input is malformed, 2 if the library cannot be loaded.
"""

from __future__ import annotations

import ctypes
import os
import sys

from protocol.errors import RemoteProtocolError
from protocol.games.connect_four import MessageDecoder, Opening, Reply, Turn, encode_reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

WIRE = "saiblo"
STDIN, STDOUT = 0, 1
READ_BYTES = 65536
PRINTS = "DROPFOUR_PRINTS"  # the environment variable with the descriptor for the library's stdout

# The course's sample libraries use these libraries without listing them as dependencies.
LIBSTDCXX = "libstdc++.so.6"
UNNAMED_NEEDS = (LIBSTDCXX, "libm.so.6", "libgcc_s.so.1")
# The symbols of std::cout, std::ostream::flush() and the constructor of std::ios_base::Init in libstdc++.
COUT, FLUSH_STREAM, INIT_STREAMS = "_ZSt4cout", "_ZNSo5flushEv", "_ZNSt8ios_base4InitC1Ev"


class LibraryFailure(Exception):
    """The library cannot be loaded, or returned a null pointer."""


class Point(ctypes.Structure):
    """A cell as the library returns it: x is the row from the top, y the column from the left."""

    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int)]


class Strategy:
    """A loaded strategy library. Raises LibraryFailure if it cannot be loaded or lacks a function."""

    def __init__(self, path: str) -> None:
        for name in UNNAMED_NEEDS:
            try:
                ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
            except OSError:
                pass  # not on this machine: if the strategy needs it, loading the strategy reports it
        try:
            library = ctypes.CDLL(os.path.abspath(path))
            self._get_point, self._clear_point = library.getPoint, library.clearPoint
        except (OSError, AttributeError) as error:
            raise LibraryFailure(f"cannot be loaded: {error}") from None
        ints = ctypes.POINTER(ctypes.c_int)
        self._get_point.argtypes = [ctypes.c_int, ctypes.c_int, ints, ints, *[ctypes.c_int] * 4]
        self._get_point.restype = ctypes.POINTER(Point)
        self._clear_point.argtypes = [ctypes.POINTER(Point)]
        self._clear_point.restype = None

    def reply(self, opening: Opening, turn: Turn) -> Reply:
        """Return the library's Reply to a turn, unchecked. Raises LibraryFailure if it returns a null pointer."""
        tops = (ctypes.c_int * len(turn.tops))(*turn.tops)
        board = (ctypes.c_int * len(turn.board))(*turn.board)
        last = turn.last or (-1, -1)
        point = self._get_point(opening.rows, opening.cols, tops, board, *last, *opening.forbidden)
        if not point:
            raise LibraryFailure("getPoint returned a null pointer, expected a Point")
        reply = Reply(point.contents.x, point.contents.y)
        self._clear_point(point)
        return reply


def take_stdout_away() -> int:
    """Redirect descriptor 1, to which libraries print, and return a new descriptor of the real stdout."""
    replies = os.dup(STDOUT)
    given = os.environ.pop(PRINTS, None)
    prints = os.open(os.devnull, os.O_WRONLY) if given is None else int(given)
    os.dup2(prints, STDOUT)
    os.close(prints)
    return replies


class Buffers:
    """The buffers in which a library's text for stdout waits: that of C, and that of C++ if libstdc++ can be loaded."""

    def __init__(self) -> None:
        self._flushes: list[Callable[[], object]] = []
        try:
            standard = ctypes.CDLL(None)
            stdout = ctypes.c_void_p.in_dll(standard, "stdout")
            standard.fflush.argtypes = [ctypes.c_void_p]
            self._flushes.append(lambda: standard.fflush(stdout))
            streams = ctypes.CDLL(LIBSTDCXX)
            cout = ctypes.addressof(ctypes.c_char.in_dll(streams, COUT))
            init_streams, flush_stream = streams[INIT_STREAMS], streams[FLUSH_STREAM]
            for function in (init_streams, flush_stream):
                function.argtypes, function.restype = [ctypes.c_void_p], ctypes.c_void_p
            self._init = ctypes.create_string_buffer(ctypes.sizeof(ctypes.c_void_p))  # more than the object's size
            init_streams(ctypes.addressof(self._init))  # makes std::cout, in case nothing else does
            self._flushes.insert(0, lambda: flush_stream(cout))  # first, because it may write to C's buffer
        except (OSError, ValueError, AttributeError):
            pass  # another system, or no C++ here: flush() does what was found

    def flush(self) -> None:
        """Write out the buffers, as the platform's main() does before it sends a reply."""
        for flush in self._flushes:
            flush()


def play(strategy: Strategy, replies: int, buffers: Buffers) -> None:
    """Answer turns from stdin on the descriptor `replies` until the input ends.

    Raises LibraryFailure if the library fails, RemoteProtocolError for malformed input, OSError if nobody reads the
    replies any more.
    """
    buffers.flush()  # the library may have printed while it was loaded
    decoder = MessageDecoder(WIRE)
    opening: Opening | None = None
    while True:
        message = decoder.next_message()
        if message is None:
            data = os.read(STDIN, READ_BYTES)
            if not data:
                decoder.end()
                return
            decoder.feed(data)
        elif isinstance(message, Opening):
            opening = message
        else:
            assert opening is not None and isinstance(message, Turn)  # the decoder returns an Opening first
            reply = strategy.reply(opening, message)
            buffers.flush()
            _write(replies, encode_reply(reply, WIRE))


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def main(words: list[str]) -> int:
    """Run the strategy library named by `words`, the command line's arguments, as a bot; return the exit status."""
    if len(words) != 1:
        print("usage: python -m protocol.strategy_library PATH.so", file=sys.stderr)
        return 2
    replies = take_stdout_away()
    try:
        strategy = Strategy(words[0])
    except LibraryFailure as failure:
        print(f"strategy library {words[0]}: {failure}", file=sys.stderr)
        return 2
    try:
        play(strategy, replies, Buffers())
    except LibraryFailure as failure:
        print(f"strategy library {words[0]}: {failure}", file=sys.stderr)
        return 1
    except RemoteProtocolError as error:
        print(f"malformed input: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 0  # the judge has ended
    return 0


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(status)  # skips the library's destructors, which may crash after the game
