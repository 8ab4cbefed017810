"""The terminal that the judge prints on: its size, its colours, its characters."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

from judge.language import recorded
from judge.machine.fact import Fact, State

WIDE_ENOUGH = 80  # columns that the tables of match and check are made for
TRUE_COLOUR = ("truecolor", "24bit")
# What is said, as JSON has it.
NAME, CHARACTERS = recorded("terminal"), recorded("characters")
SWITCHED_OFF, NONE = recorded("no colours (NO_COLOR is set)"), recorded("no colours")
ALL, MANY, FEW = recorded("all colours"), recorded("256 colours"), recorded("16 colours")
NO_TERMINAL = recorded("output goes to a file or a pipe, without colours")
SHAPE = recorded("{columns} x {rows}, {colours}, TERM={kind}")
NOT_REDRAWN = recorded("{terminal}: lines cannot be redrawn, so progress is not shown")
SAY_WHICH = recorded("use another one, or say which it is: export TERM=xterm-256color")
NARROW = recorded("{terminal}: tables break")
MAKE_WIDER = recorded("make it {columns} columns wide")
NOT_UTF_8 = recorded("{encoding}: names in other scripts cannot be shown")
USE_UTF_8 = recorded("export LC_ALL=C.UTF-8 (or PYTHONUTF8=1)")


@dataclass(frozen=True)
class Terminal:
    """size: (columns, rows), None where stdout is no terminal; kind: TERM; colours: in words."""

    size: tuple[int, int] | None
    kind: str
    colours: str
    encoding: str


def read_terminal(stream: TextIO | None = None, environment: Mapping[str, str] = os.environ) -> Terminal:
    """The Terminal behind a stream, None for stdout."""
    stream = stream or sys.stdout
    kind = environment.get("TERM", "")
    try:
        size = tuple(os.get_terminal_size(stream.fileno()))
    except (OSError, ValueError, AttributeError):
        size = None
    return Terminal(size, kind, _colours(kind, environment), stream.encoding or "unknown")  # type: ignore[arg-type]


def _colours(kind: str, environment: Mapping[str, str]) -> str:
    """What the environment says of colours; TERM and COLORTERM are all that most terminals tell."""
    if environment.get("NO_COLOR"):
        return SWITCHED_OFF
    if kind in ("", "dumb", "unknown"):
        return NONE
    if environment.get("COLORTERM", "").lower() in TRUE_COLOUR:
        return ALL
    return MANY if "256color" in kind else FEW


def terminal_facts(terminal: Terminal) -> list[Fact]:
    """Whether boards and tables look as they should."""
    return [_shape(terminal), _encoding(terminal)]


def _shape(terminal: Terminal) -> Fact:
    if terminal.size is None:
        return Fact(NAME, State.OK, NO_TERMINAL)
    columns, rows = terminal.size
    text = SHAPE.format(columns=columns, rows=rows, colours=terminal.colours, kind=terminal.kind)
    if terminal.kind in ("", "dumb", "unknown"):
        return Fact(NAME, State.WARNING, NOT_REDRAWN.format(terminal=text), SAY_WHICH)
    if 0 < columns < WIDE_ENOUGH:
        return Fact(NAME, State.WARNING, NARROW.format(terminal=text), MAKE_WIDER.format(columns=WIDE_ENOUGH))
    return Fact(NAME, State.OK, text)


def _encoding(terminal: Terminal) -> Fact:
    if terminal.encoding.lower().replace("-", "") == "utf8":
        return Fact(CHARACTERS, State.OK, "UTF-8")
    return Fact(CHARACTERS, State.WARNING, NOT_UTF_8.format(encoding=terminal.encoding), USE_UTF_8)
