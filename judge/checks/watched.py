"""Run a Python program, and write to stderr from which of its lines it writes to stdout, the innermost call first.

`check` gives this text to the player's own Python: python -c TEXT WHAT HOW PROGRAM ARGUMENT .. WHAT is "replies": every
write is told, and in front of each call the line from which the function that it called last has returned. Or it is the
beginning of a text, as hexadecimal digits: the first write of that text is told. HOW is "file" or "module".
Runs on Python 3.6 and newer.
"""

import io
import os
import runpy
import sys
import threading
from types import FrameType

HEADING = "written to stdout (the innermost call first):"
REPLIES = "replies"
STDOUT, STDERR = 1, 2
LONGEST_VALUE = 60  # characters of a returned value
NOT_THE_PROGRAMS = (os.path.dirname(os.__file__), "<string>")  # the libraries' code, and this one behind -c

PARTS_OF_A_LINE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # functions of their own in older Pythons


class Watch:
    """What is looked for, and what has been seen."""

    def __init__(self, what: str) -> None:
        self.text = None if what == REPLIES else bytes.fromhex(what)
        self.is_over = False
        # {an active frame: where the function that it called last has returned, its name, and what it has returned}
        self.returned: dict = {}

    def follow(self, frame: FrameType, event: str, value: object) -> None:
        """Note where a function of the program returns a value, as sys.setprofile() calls this."""
        if event == "return":
            self.returned.pop(frame, None)
            code = frame.f_code
            is_told = value is not None and not isinstance(value, bytes) and code.co_name not in PARTS_OF_A_LINE
            if is_told and not code.co_filename.startswith(NOT_THE_PROGRAMS):
                self.returned[frame.f_back] = code.co_filename, frame.f_lineno, code.co_name, value

    def note(self, data: bytes) -> None:
        """Tell of a write of these bytes by the caller of the caller, if it is looked for."""
        is_wanted = self.text is None or (data and (self.text.startswith(data) or data.startswith(self.text)))
        if self.is_over or not is_wanted:
            return
        self.is_over = self.text is not None
        lines, frame = [HEADING], sys._getframe(2)
        while frame and frame.f_code.co_filename != runpy.run_path.__code__.co_filename:
            if self.text is None and frame in self.returned:
                file, number, name, value = self.returned[frame]
                lines.append(f'  File "{file}", line {number}, in {name}, which returned {repr(value)[:LONGEST_VALUE]}')
            code = frame.f_code
            lines.append(f'  File "{code.co_filename}", line {frame.f_lineno}, in {code.co_name}')
            frame = frame.f_back  # type: ignore[assignment]
        os.write(STDERR, "".join(line + "\n" for line in lines).encode("utf-8", "replace"))


watch: Watch


class Bytes(io.BufferedWriter):
    """stdout for bytes."""

    is_told = False  # the bytes that come now have been noted as text

    def write(self, data) -> int:  # type: ignore[no-untyped-def]
        if not self.is_told:
            watch.note(bytes(data))
        return super().write(data)


class Text(io.TextIOWrapper):
    """stdout for text, which passes it on at once: who flushes it later is not who has written it."""

    buffer: Bytes

    def write(self, text: str) -> int:
        watch.note(text.encode("utf-8", "replace"))
        self.buffer.is_told = True
        try:
            written = super().write(text)
            self.flush()
        finally:
            self.buffer.is_told = False
        return written


def os_write(descriptor, data, write=os.write) -> int:  # type: ignore[no-untyped-def]
    if descriptor == STDOUT:
        watch.note(bytes(data))
    return write(descriptor, data)


def main() -> None:
    global watch
    _, what, how, program, *arguments = sys.argv
    watch = Watch(what)
    sys.argv = [program, *arguments]
    sys.stdout = Text(Bytes(io.FileIO(STDOUT, "w", closefd=False)), encoding=sys.stdout.encoding, errors="replace")
    os.write = os_write
    if what == REPLIES:
        threading.setprofile(watch.follow)
        sys.setprofile(watch.follow)
    if how == "module":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(program))
        runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
