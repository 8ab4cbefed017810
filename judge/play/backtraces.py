"""Finds where a bot failed: in a sanitizer's report or Python's traceback on stderr, or in a debugger's backtrace.

checks/debugging.py gets the backtrace of a compiled bot from gdb, checks/trial.py that of a Python bot that hangs.
"""

import enum
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from judge.language import _, marked
from protocol.records.record import GameRecord

LINES_SHOWN = 8
FROM_DEBUGGER = "backtrace"  # the key of a debugger's backtrace in a record's measurements of a side


class Source(enum.Enum):
    """Who wrote a backtrace; the value is the line above it."""

    SANITIZER = marked("what the sanitizer says of {side}:")
    TRACEBACK = marked("Python's traceback of {side}:")
    PYTHON = marked("where {side} was, as Python says (the innermost call first):")
    DEBUGGER = marked("where {side} was, as gdb says (the innermost call first):")


@dataclass(frozen=True)
class Backtrace:
    """Where a bot failed, as a report says: at most LINES_SHOWN `lines` of it, and the `place` in it as FILE:LINE.

    `what` names the fault, such as "heap-buffer-overflow" or "KeyError". `place` and `what` are "" if the report does
    not name them.
    """

    source: Source
    lines: tuple[str, ...]
    place: str
    what: str = ""

    def in_words(self) -> str:
        """Return the fault and its place in a few words, "" if neither is known."""
        if not self.place:
            return self.what
        found = _("{fault} at {place}") if self.what else _("at {place}")
        return found.format(fault=self.what, place=self.place)

    def heading(self, side: str) -> str:
        """Return the line above the backtrace; side: A or B."""
        return _(self.source.value).format(side=side)


def backtrace_of(record: GameRecord, side: str) -> Backtrace | None:
    """Return where the bot on this side failed, None if neither its stderr nor a debugger says so."""
    kept = record.kept(side)
    of_debugger, stderr = kept.get(FROM_DEBUGGER), kept.get("stderr")
    if isinstance(of_debugger, str) and of_debugger:
        return _of_debugger(of_debugger.splitlines())
    return backtrace_in(stderr) if isinstance(stderr, str) else None


def backtrace_in(stderr: str) -> Backtrace | None:
    """Return the last backtrace in a bot's stderr, None if there is none.

    If there are several kinds, the first of _READERS counts.
    """
    lines = [line.rstrip() for line in stderr.splitlines()]
    for begins, read in _READERS:
        places = [place for place, line in enumerate(lines) if begins.search(line)]
        found = read([line for line in lines[places[-1] :] if line]) if places else None
        if found is not None:
            return found
    return None


# A frame of a sanitizer's or gdb's: the function, then the file and line if they are known.
_FRAME = re.compile(r"^\s*#\d+ .* (?:in |at )?(?P<place>[^\s()]+:\d+)(?::\d+)?$")
_OF_SYSTEM = re.compile(r"libsanitizer|^\.\./|^/usr/(include|lib)|/sysdeps/")
_ADDRESSES = re.compile(r"ERROR: \w+Sanitizer: (?:attempting )?(?P<what>[\w-]+)")
_UNDEFINED = re.compile(r"^(?P<place>.+?:\d+)(?::\d+)?: runtime error: (?P<what>.+)$")
_OF_PYTHON = re.compile(r"/lib(?:64)?/python\d|^<")  # its libraries, installed packages, and code without a file
_FILE = re.compile(r'^\s*File "(?P<file>.+)", line (?P<line>\d+)')
_EXCEPTION = re.compile(r"^(?P<what>[A-Za-z_][\w.]*)(?::|$)")


def place_in(frames: Sequence[str]) -> str:
    """Return FILE:LINE of the first of a sanitizer's or gdb's frames that is not the system's, "" if there is none."""
    places = [_plain(found["place"]) for line in frames if (found := _FRAME.match(line))]
    return next((place for place in places if not _OF_SYSTEM.search(place)), "")


def _plain(place: str) -> str:
    """Return the place without the "./" that a build puts before the names of sources."""
    return place.replace("/./", "/").removeprefix("./")


def _of_sanitizer(lines: Sequence[str]) -> Backtrace:
    undefined, addresses = _UNDEFINED.search(lines[0]), _ADDRESSES.search(lines[0])
    if undefined:
        place, what = _plain(undefined["place"]), undefined["what"]
    else:
        place, what = place_in(lines), addresses["what"] if addresses else ""
    return Backtrace(Source.SANITIZER, tuple(lines[:LINES_SHOWN]), place, what)


def _of_traceback(lines: Sequence[str]) -> Backtrace | None:
    """Return the backtrace of an exception. A long one is cut to its first line and its last ones, where the fault is.

    Return None if at least LINES_SHOWN lines follow it on stderr: the bot went on, so it has caught the exception.
    """
    end = next((place for place, line in enumerate(lines[1:], start=1) if not line.startswith(" ")), len(lines) - 1)
    if len(lines) - end > LINES_SHOWN:
        return None
    report, exception = lines[: end + 1], _EXCEPTION.match(lines[end])
    shown = report if len(report) <= LINES_SHOWN else [report[0], *report[1 - LINES_SHOWN :]]
    return Backtrace(Source.TRACEBACK, tuple(shown), _file_in(report[::-1]), exception["what"] if exception else "")


def _of_faulthandler(lines: Sequence[str]) -> Backtrace:
    frames = [line for line in lines[1:] if _FILE.match(line)][: LINES_SHOWN - 1]
    return Backtrace(Source.PYTHON, tuple(frames), _file_in(frames))


def _of_debugger(frames: Sequence[str]) -> Backtrace:
    return Backtrace(Source.DEBUGGER, tuple(frames[:LINES_SHOWN]), place_in(frames))


def _file_in(lines: Sequence[str]) -> str:
    """Return FILE:LINE of the first of Python's frames that is in the bot's own files, of the first frame if none is.

    Return "" if no line is a frame.
    """
    found = [found for line in lines if (found := _FILE.match(line))]
    own = next((frame for frame in found if not _OF_PYTHON.search(frame["file"])), next(iter(found), None))
    return f"{own['file']}:{own['line']}" if own else ""


# The first line of each kind of report, and the function that reads it, in the order in which they are tried. A
# sanitizer's report comes first: when it stops a strategy library, our host may write a traceback of its own as well.
_READERS: tuple[tuple[re.Pattern[str], Callable[[Sequence[str]], Backtrace | None]], ...] = (
    (re.compile(r"ERROR: \w+Sanitizer: |: runtime error: "), _of_sanitizer),
    (re.compile(r"^Traceback \(most recent call last\):"), _of_traceback),
    (re.compile(r"^(?:Current thread|Thread) 0x\w+.*\(most recent call first\):"), _of_faulthandler),
)
