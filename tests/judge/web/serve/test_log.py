"""What the server tells on its terminal: a line for each failure, so many and no more, and no tracebacks."""

import io
import logging

import pytest

from judge.web.serving import MOST_LINES, BoundedLog


def warning(text):
    """A log record."""
    return logging.LogRecord("name", logging.WARNING, "", 0, text, (), None)


def test_lines_are_short_printable_and_bounded(capsys):
    log = BoundedLog()
    for number in range(3 * MOST_LINES):
        log.handle(warning(f"{number}\x1b[31m\n" + "x" * 10_000))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == MOST_LINES + 1
    assert lines[0].startswith("note: name: 0\\x1b[31m\\nxxx") and max(map(len, lines)) < 500
    assert lines[-1] == f"note: the server prints no more notes, because it has already printed {MOST_LINES} of them"


def test_a_terminal_that_is_gone_ends_nothing(monkeypatch):
    full = open("/dev/full", "w")  # noqa: SIM115  # it cannot be closed in order
    monkeypatch.setattr("sys.stderr", full)
    BoundedLog().handle(warning("nobody reads it"))
    with pytest.raises(OSError, match="No space"):
        full.close()
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr("sys.stderr", closed)
    BoundedLog().handle(warning("nobody reads it"))


def test_what_others_log_is_a_line_without_its_traceback(capsys):
    logger = logging.getLogger("tests.of.serve")
    logger.propagate = False
    logger.addHandler(BoundedLog())
    logger.info("not told")
    try:
        raise KeyError("why")
    except KeyError:
        logger.exception("failed at %d", 3)
    assert capsys.readouterr().err == "note: tests.of.serve: failed at 3 KeyError: 'why'\n"
