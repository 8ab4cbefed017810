"""Finds where a bot failed: in a sanitizer's report or Python's traceback on stderr, or in a witness's backtrace.

checks/debugging.py gets a backtrace of a compiled bot from gdb, and from Python where a Python bot printed text or sent
an illegal move. checks/trial.py gets the backtrace of a Python bot that hangs.
"""

import contextlib
import enum
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from judge.language import _, marked
from judge.players import versions
from judge.processes.folders import is_inside
from protocol.records.record import GameRecord, Termination

LINES_SHOWN = 8
FROM_DEBUGGER = "backtrace"  # the key in a side's measurements: a backtrace of gdb or Python, or a sanitizer's report


class Source(enum.Enum):
    """The program that wrote a backtrace.

    The value of a member is the heading above the backtrace, with a field {side}.
    """

    SANITIZER = marked("the sanitizer's report on {side}:")
    TRACEBACK = marked("Python's traceback of {side}:")
    PYTHON = marked("where {side} was in its program, from Python (the innermost call first):")
    DEBUGGER = marked("where {side} was in its program, from gdb (the innermost call first):")
    ALLOCATED = marked("a call that allocated much of {side}'s memory, from gdb (the innermost call first):")
    ASKED = marked("where {side} was asked for the illegal move, from gdb (the innermost call first):")
    RETURNED = marked(
        "the last lines that {side} ran before the illegal move was returned, and the calls that led there, from gdb:"
    )


@dataclass(frozen=True)
class Backtrace:
    """The place where a bot failed, as a report states it.

    `lines` are at most LINES_SHOWN lines of the report. `place` is FILE:LINE, and `what` names the fault, such as
    "heap-buffer-overflow" or "KeyError". `place` and `what` are "" if the report does not state them.
    """

    source: Source
    lines: tuple[str, ...]
    place: str
    what: str = ""

    def in_words(self) -> str:
        """Return the fault and its place in a few words, "" if the report states neither."""
        if not self.place:
            return self.what
        if self.what:
            return _("{fault} in the bot's program at {place}").format(fault=self.what, place=self.place)
        messages = {
            Source.ASKED: _("the bot was asked for the illegal move at {place}"),
            Source.RETURNED: _("the bot returned the illegal move at {place}"),
            Source.ALLOCATED: _("the bot allocated much of its memory at {place}"),
        }
        return messages.get(self.source, _("in the bot's program at {place}")).format(place=self.place)

    def heading(self, side: str) -> str:
        """Return the line to show above the backtrace; `side` is "A" or "B"."""
        return _(self.source.value).format(side=side)


def backtrace_of(record: GameRecord, side: str) -> Backtrace | None:
    """Return the Backtrace of the bot on this side, None if the record holds none.

    The record's text of FROM_DEBUGGER is preferred to the bot's stderr.
    """
    measurements = record.kept(side)
    from_debugger = measurements.get(FROM_DEBUGGER)
    if from_debugger:
        report = backtrace_in(from_debugger)
        if report is not None:  # the debugger has run a build with sanitizers
            return report
        frames = from_debugger.splitlines()
        lines = tuple(frames[:LINES_SHOWN])
        if _PYTHON_FRAME.match(lines[0]):
            return Backtrace(Source.PYTHON, lines, _python_place_in(frames))
        sources = {Termination.ILLEGAL_MOVE: Source.ASKED, Termination.MEMORY_LIMIT: Source.ALLOCATED}
        source = sources.get(record.termination, Source.DEBUGGER)
        # The last lines before the return stand above the call itself; gdb numbers that call 0.
        if source is Source.ASKED and lines[1:] and lines[1].startswith("#0"):
            source = Source.RETURNED
        return Backtrace(source, lines, place_in(frames))
    return backtrace_in(measurements.get("stderr", ""))


def with_line_numbers(stderr: str) -> str:
    """Return a bot's stderr with FILE:LINE in the frames for which a sanitizer states only (PROGRAM+OFFSET).

    The sanitizers of g++ 12 find no line for a method inside a class in some projects of several files; addr2line does.
    Only programs that the judge has built are read. A frame stays as it is if addr2line fails or finds no line.
    """
    builds = os.path.realpath(versions.cache_folder())
    for program, offset in dict.fromkeys(re.findall(r"\((/[^()\s]+)\+(0x[0-9a-f]+)\)$", stderr, re.MULTILINE)):
        if is_inside(os.path.realpath(program), builds):
            command = ["addr2line", "-e", program, offset]
            with contextlib.suppress(OSError, subprocess.SubprocessError):
                place = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout
                if not place.startswith("?"):
                    stderr = stderr.replace(f"({program}+{offset})", place.split()[0])
    return stderr


def backtrace_in(stderr: str) -> Backtrace | None:
    """Return the last backtrace in a bot's stderr, None if there is none.

    If stderr holds backtraces of several kinds, the kind that comes first in _READERS is taken.
    """
    lines = [line.rstrip() for line in stderr.splitlines()]
    for first_line, read in _READERS:
        starts = [number for number, line in enumerate(lines) if first_line.search(line)]
        backtrace = read([line for line in lines[starts[-1] :] if line]) if starts else None
        if backtrace is not None:
            return backtrace
    return None


# A line on one call in a report of a sanitizer or gdb: the function, then the file and line if they are known.
_FRAME = re.compile(r"^\s*#\d+ .* (?:in |at )?(?P<place>[^\s()]+:\d+)(?::\d+)?$")
# The system's sources: the C library's own have names below the folder that it was built in.
_SYSTEM_SOURCE = re.compile(
    r"libsanitizer|^\.\./|^/usr/(include|lib)|/sysdeps/"
    r"|^(assert|csu|debug|elf|io|libio|malloc|math|nptl|posix|setjmp|signal|stdio-common|stdlib|string|time|wcsmbs)/[^/]+\.[ch]:"
)
_ADDRESS_ERROR = re.compile(r"ERROR: \w+Sanitizer: (?:attempting )?(?P<what>[\w-]+)")
_UNDEFINED_BEHAVIOUR = re.compile(r"^(?P<place>.+?:\d+)(?::\d+)?: runtime error: (?P<what>.+)$")
# Python's libraries, installed packages, and code without a file.
_PYTHON_LIBRARY = re.compile(r"/lib(?:64)?/python\d|^<")
_PYTHON_FRAME = re.compile(r'^\s*File "(?P<file>.+)", line (?P<line>\d+)')
_EXCEPTION = re.compile(r"^(?P<what>[A-Za-z_][\w.]*)(?::|$)")


def place_in(frames: Sequence[str]) -> str:
    """Return FILE:LINE of the first frame that is not in a file of the system, "" if there is none.

    `frames` are lines of a report by a sanitizer or gdb.
    """
    places = [_without_dot_slash(match["place"]) for line in frames if (match := _FRAME.match(line))]
    return next((place for place in places if not _SYSTEM_SOURCE.search(place)), "")


def _without_dot_slash(place: str) -> str:
    """Return `place` without the "./" that a build puts before the names of source files."""
    return place.replace("/./", "/").removeprefix("./")


def _read_sanitizer_report(lines: Sequence[str]) -> Backtrace:
    """Return the backtrace in a sanitizer's report, which begins with the first of the lines."""
    undefined = _UNDEFINED_BEHAVIOUR.search(lines[0])
    fault = undefined or _ADDRESS_ERROR.search(lines[0])
    place = _without_dot_slash(undefined["place"]) if undefined else ""
    if not place or _SYSTEM_SOURCE.search(place):
        place = place_in(lines)
    return Backtrace(Source.SANITIZER, tuple(lines[:LINES_SHOWN]), place, fault["what"] if fault else "")


def _read_traceback(lines: Sequence[str]) -> Backtrace | None:
    """Return the backtrace of an exception whose traceback begins with the first of the lines.

    Return None if at least LINES_SHOWN lines follow the traceback: the bot went on, so it has caught the exception. A
    long traceback is cut to its first line and its last lines, where the fault is.
    """
    # The frames are indented; the line behind them names the exception.
    end = next((number for number, line in enumerate(lines[1:], start=1) if not line.startswith(" ")), len(lines) - 1)
    if len(lines) - end > LINES_SHOWN:
        return None
    report, exception = lines[: end + 1], _EXCEPTION.match(lines[end])
    shown = report if len(report) <= LINES_SHOWN else [report[0], *report[1 - LINES_SHOWN :]]
    innermost_first = report[::-1]
    what = exception["what"] if exception else ""
    return Backtrace(Source.TRACEBACK, tuple(shown), _python_place_in(innermost_first), what)


def _read_faulthandler(lines: Sequence[str]) -> Backtrace:
    """Return the backtrace that Python's faulthandler wrote, whose heading is the first of the lines."""
    frames = [line for line in lines[1:] if _PYTHON_FRAME.match(line)][: LINES_SHOWN - 1]
    return Backtrace(Source.PYTHON, tuple(frames), _python_place_in(frames))


def _python_place_in(lines: Sequence[str]) -> str:
    """Return FILE:LINE of the first of Python's frames in `lines` that is in one of the bot's own files.

    If no frame is in the bot's files, return the place of the first frame; if no line is a frame, return "".
    """
    frames = [match for line in lines if (match := _PYTHON_FRAME.match(line))]
    of_bot = [frame for frame in frames if not _PYTHON_LIBRARY.search(frame["file"])]
    return next((f"{frame['file']}:{frame['line']}" for frame in of_bot or frames), "")


# The first line of each kind of report, and the function that reads it, in the order in which they are tried. A
# sanitizer's report comes first: when it stops a strategy library, our host may write a traceback of its own as well.
_READERS: tuple[tuple[re.Pattern[str], Callable[[Sequence[str]], Backtrace | None]], ...] = (
    (re.compile(r"ERROR: \w+Sanitizer: |: runtime error: "), _read_sanitizer_report),
    (re.compile(r"^Traceback \(most recent call last\):"), _read_traceback),
    (re.compile(r"^(?:Current thread|Thread) 0x\w+.*\(most recent call first\):"), _read_faulthandler),
)
