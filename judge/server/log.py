"""What the server has to tell on stderr beside its address: a line for each failure, so many lines and no more."""

import contextlib
import logging
import sys
import threading

from judge.language import _
from judge.terminal import shortened

MOST_LINES = 200
LONGEST_LINE = 400  # characters


class BoundedLog(logging.Handler):
    """Takes what Starlette, uvicorn and asyncio log from warnings on, and lines of our own; tracebacks are left out."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._guard = threading.Lock()
        self._lines = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Print a record of somebody's."""
        error = record.exc_info[1] if record.exc_info else None
        reason = f" {type(error).__name__}: {error}" if error is not None else ""
        self.tell(f"{record.name}: {record.getMessage()}{reason}")

    def tell(self, text: str) -> None:
        """Print a line, if there were not too many."""
        with self._guard:
            self._lines += 1
            number = self._lines
        with contextlib.suppress(OSError, ValueError):  # nobody reads it any more, or it is closed
            if number <= MOST_LINES:
                print(_("note: {text}").format(text=shortened(text, LONGEST_LINE)), file=sys.stderr, flush=True)
            if number == MOST_LINES:
                print(_("note: nothing more is told here"), file=sys.stderr, flush=True)
