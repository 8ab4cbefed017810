"""Runs a Python program, and reports on stderr which of its lines write to stdout: a backtrace, innermost call first.

`check` passes the text of this file to the player's own Python: python -c TEXT WHAT HOW PROGRAM ARGUMENT .. If WHAT is
"replies", every write is reported. Before each call of a backtrace stands the line at which the last function that it
called returned a value, and then the last lines before the call: they show where a move came from. Otherwise WHAT is
the beginning of a text in hexadecimal digits, and only the first write of that text is reported. HOW is "file" or
"module", the kind of PROGRAM. Runs on Python 3.6 and newer.
"""

import io
import linecache
import os
import runpy
import sys
import threading
from types import FrameType

HEADING = "written to stdout (the innermost call first):"
REPLIES = "replies"
STDOUT, STDERR = 1, 2
LINES_SHOWN, CHARACTERS_SHOWN = 4, 60  # of the lines before a call, and of each value and line
FOREIGN_CODE = (os.path.dirname(os.__file__), "<string>")  # the libraries' code, and this one behind -c

PARTS_OF_A_LINE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # functions of their own in older Pythons


class Watch:
    """Reports writes to stdout, and stores the last returns of functions for them; `what` is WHAT, see above."""

    def __init__(self, what: str) -> None:
        self.text = None if what == REPLIES else bytes.fromhex(what)
        self.is_over = False
        # {active frame: (file, line, name, value) of the last return from a function that it called, and its own line}
        self.returned: dict = {}

    def store_return(self, frame: FrameType, event: str, value: object) -> None:
        """Store the place and the value when a function of the program returns; a hook of sys.setprofile()."""
        if event == "return":
            self.returned.pop(frame, None)
            code = frame.f_code
            is_wanted = value is not None and not isinstance(value, bytes) and code.co_name not in PARTS_OF_A_LINE
            if is_wanted and not code.co_filename.startswith(FOREIGN_CODE):
                caller = frame.f_back
                line = caller.f_lineno if caller else 0
                self.returned[caller] = code.co_filename, frame.f_lineno, code.co_name, value, line

    def report_write(self, data: bytes) -> None:
        """Report that the caller's caller writes `data` to stdout, if this write is to be reported."""
        is_wanted = self.text is None or (data and (self.text.startswith(data) or data.startswith(self.text)))
        if self.is_over or not is_wanted:
            return
        self.is_over = self.text is not None
        lines, frame = [HEADING], sys._getframe(2)
        while frame and frame.f_code.co_filename != runpy.run_path.__code__.co_filename:
            if self.text is None and frame in self.returned:
                lines += self.lines_before_call(frame)
            lines.append(f'  File "{frame.f_code.co_filename}", line {frame.f_lineno}, in {frame.f_code.co_name}')
            frame = frame.f_back  # type: ignore[assignment]
        os.write(STDERR, "".join(line + "\n" for line in lines).encode("utf-8", "replace"))

    def lines_before_call(self, frame: FrameType) -> list:
        """Return the report's lines on the last return into `frame`, and on at most LINES_SHOWN lines since then."""
        file, number, name, value, returned_to = self.returned[frame]
        lines = [f'  File "{file}", line {number}, in {name}, which returned {repr(value)[:CHARACTERS_SHOWN]}']
        code = frame.f_code
        for line in range(max(returned_to + 1, frame.f_lineno - LINES_SHOWN), frame.f_lineno):
            text = linecache.getline(code.co_filename, line).strip()[:CHARACTERS_SHOWN]
            if text and not text.startswith("#"):
                lines.append(f'  File "{code.co_filename}", line {line}, in {code.co_name}: {text}')
        return lines


watch: Watch


class Bytes(io.BufferedWriter):
    """The binary stdout, whose writes are reported."""

    is_reported = False  # whether Text has reported the bytes that are written now

    def write(self, data) -> int:  # type: ignore[no-untyped-def]
        if not self.is_reported:
            watch.report_write(bytes(data))
        return super().write(data)


class Text(io.TextIOWrapper):
    """The text stdout, whose writes are reported, and flushed at once: a later flush would come from another line."""

    buffer: Bytes

    def write(self, text: str) -> int:
        watch.report_write(text.encode("utf-8", "replace"))
        self.buffer.is_reported = True
        try:
            written = super().write(text)
            self.flush()
        finally:
            self.buffer.is_reported = False
        return written


def os_write(descriptor, data, write=os.write) -> int:  # type: ignore[no-untyped-def]
    """Write like os.write(), and report a write to stdout."""
    if descriptor == STDOUT:
        watch.report_write(bytes(data))
    return write(descriptor, data)


def main() -> None:
    """Put the reporting streams and hooks into place, and run the program."""
    global watch
    _, what, how, program, *arguments = sys.argv
    watch = Watch(what)
    sys.argv = [program, *arguments]
    sys.stdout = Text(Bytes(io.FileIO(STDOUT, "w", closefd=False)), encoding=sys.stdout.encoding, errors="replace")
    os.write = os_write
    if what == REPLIES:
        threading.setprofile(watch.store_return)
        sys.setprofile(watch.store_return)
    if how == "module":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(program))
        runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
