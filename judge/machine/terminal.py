"""The terminal that the judge prints on: its size, its colours, its characters."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

from judge.machine.fact import Fact, State

WIDE_ENOUGH = 80  # columns that the tables of match and check are made for
TRUE_COLOUR = ("truecolor", "24bit")


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
        return "no colours (NO_COLOR is set)"
    if kind in ("", "dumb", "unknown"):
        return "no colours"
    if environment.get("COLORTERM", "").lower() in TRUE_COLOUR:
        return "all colours"
    return "256 colours" if "256color" in kind else "16 colours"


def terminal_facts(terminal: Terminal) -> list[Fact]:
    """Whether boards and tables look as they should."""
    return [_shape(terminal), _encoding(terminal)]


def _shape(terminal: Terminal) -> Fact:
    if terminal.size is None:
        return Fact("terminal", State.OK, "output goes to a file or a pipe, without colours")
    columns, rows = terminal.size
    text = f"{columns} x {rows}, {terminal.colours}, TERM={terminal.kind}"
    if terminal.kind in ("", "dumb", "unknown"):
        text = f"{text}: lines cannot be redrawn, so progress is not shown"
        return Fact("terminal", State.WARNING, text, "use another one, or say which it is: export TERM=xterm-256color")
    if 0 < columns < WIDE_ENOUGH:
        return Fact("terminal", State.WARNING, f"{text}: tables break", f"make it {WIDE_ENOUGH} columns wide")
    return Fact("terminal", State.OK, text)


def _encoding(terminal: Terminal) -> Fact:
    if terminal.encoding.lower().replace("-", "") == "utf8":
        return Fact("characters", State.OK, "UTF-8")
    text = f"{terminal.encoding}: names in other scripts cannot be shown"
    return Fact("characters", State.WARNING, text, "export LC_ALL=C.UTF-8 (or PYTHONUTF8=1)")
