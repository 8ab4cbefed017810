"""`python -m protocol.strategy_library PATH.so`: a strategy library of the course as a bot on stdin, stdout.

A strategy library is a shared object with two C functions,

    Point *getPoint(const int M, const int N, const int *top, const int *board,
                    const int lastX, const int lastY, const int noX, const int noY);
    void clearPoint(Point *point);

where Point is two ints x and y, M and N are rows and columns, x counts rows from the top and y columns from
the left, both from 0, and lastX and lastY are -1 on an empty board. `top` (N ints) and `board` (M * N ints,
row by row; 0 free or forbidden, 1 the opponent's, 2 one's own) mean what they mean on the wire. The library
owns the Point until clearPoint gives it back.

What the library prints does not reach the real stdout, which is for replies. It goes nowhere, or to the pipe whose
descriptor the variable DROPFOUR_PRINTS names; before a reply is sent, what lies in the library's buffers is there too.

Not part of the ladder bundle. Exit status: 0 at the end of the input, 1 where the library fails in a game or
the input is malformed, 2 where it cannot be loaded.
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
PRINTS = "DROPFOUR_PRINTS"  # the environment variable: where the library's stdout goes

# The course's sample libraries use these without naming them as needed.
LIBSTDCXX = "libstdc++.so.6"
UNNAMED_NEEDS = (LIBSTDCXX, "libm.so.6", "libgcc_s.so.1")
# std::cout, std::ostream::flush() and the constructor of std::ios_base::Init, as that library names them.
COUT, FLUSH_STREAM, INIT_STREAMS = "_ZSt4cout", "_ZNSo5flushEv", "_ZNSt8ios_base4InitC1Ev"


class LibraryFailure(Exception):
    """The library cannot be loaded, or answered with nothing."""


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
                pass  # not on this machine: if the strategy needs it, loading that fails and says so
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
        """The library's Reply to a turn, legal or not. Raises LibraryFailure if it returns a null pointer."""
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
    """A descriptor of the real stdout, after pointing descriptor 1 to where prints go: the libraries print to it."""
    replies = os.dup(STDOUT)
    given = os.environ.pop(PRINTS, None)
    prints = os.open(os.devnull, os.O_WRONLY) if given is None else int(given)
    os.dup2(prints, STDOUT)
    os.close(prints)
    return replies


class Buffers:
    """The library's buffers for stdout: C's, and C++'s where it keeps one of its own."""

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
            self._init = ctypes.create_string_buffer(ctypes.sizeof(ctypes.c_void_p))  # has no members in itself
            init_streams(ctypes.addressof(self._init))  # else there is no cout where nothing else uses it
            self._flushes.insert(0, lambda: flush_stream(cout))  # what it holds may go through C's
        except (OSError, ValueError, AttributeError):
            pass  # another system, or no C++ here: what can be flushed is

    def flush(self) -> None:
        """Write out what they hold, as the platform's main() does before it sends a reply."""
        for flush in self._flushes:
            flush()


def play(strategy: Strategy, replies: int, buffers: Buffers) -> None:
    """Answer turns from stdin on the descriptor `replies` until the input ends.

    Raises LibraryFailure, RemoteProtocolError for malformed input, OSError if nobody reads the replies.
    """
    buffers.flush()  # loading may print as well
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
            assert opening is not None and isinstance(message, Turn)  # the decoder sees to it
            reply = strategy.reply(opening, message)
            buffers.flush()
            _write(replies, encode_reply(reply, WIRE))


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def main(words: list[str]) -> int:
    """Host the library that the command line's words name; returns the exit status."""
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
        return 0  # the judge has gone
    return 0


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(status)  # the library's destructors have nothing to do with the game, and may crash
