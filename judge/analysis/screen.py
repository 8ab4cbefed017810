"""An analysis for a reader at a terminal: a line that is replaced as it deepens, then a line for each move."""

import contextlib
from collections.abc import Iterator

from rich.console import Console
from rich.live import Live
from rich.text import Text

from judge.analysis.analysis import Analysis, MoveValue
from judge.analysis.analyst import Analyst
from judge.language import _
from judge.terminal import columns, printable

WAIT_S = 0.5  # at a time for the bot's next line, so that Ctrl-C is heard
MOST_LISTED = 24
LONGEST_MOVE = 24  # of a turn of dots and boxes, whose names have three letters for each edge


def followed(console: Console, analyst: Analyst) -> Analysis | None:
    """Wait for the analysis to its end and return its last line, None where there is none.

    On a terminal every line before is shown in the place of the one before it. Raises AnalysisError.
    """
    latest = None
    with contextlib.ExitStack() as stack:
        live = Live(console=console, auto_refresh=False, transient=True)
        if console.is_terminal:
            stack.enter_context(live)
        for latest in _lines_of(analyst):
            if console.is_terminal:
                live.update(Text(in_words(latest), no_wrap=True, overflow="ellipsis"), refresh=True)
    return latest


def _lines_of(analyst: Analyst) -> Iterator[Analysis]:
    while not analyst.has_ended:
        found = analyst.next_line(WAIT_S)
        if found is not None:
            yield found
            if found.final:
                return


def in_words(analysis: Analysis) -> str:
    """How far the analysis is, in one line."""
    words = _("{seconds:.1f} s, depth {depth}: {move} {value}")
    best = analysis.moves[0] if analysis.moves else None
    return words.format(
        seconds=analysis.elapsed_s,
        depth=analysis.depth,
        move="-" if best is None else _name(best),
        value=f"{analysis.value:+.3f}" if best is None else value_in_words(best),
    )


def lines(analysis: Analysis) -> list[str]:
    """A line for each move, the best one first: its value to who plays it, and how much was looked at for it."""
    listed = analysis.moves[:MOST_LISTED]
    names = [_name(known) for known in listed]
    width = max(map(columns, names), default=0)
    found = []
    for known, name in zip(listed, names, strict=True):
        effort = [
            form.format(number=number)
            for form, number in ((_("{number:,} visits"), known.visits), (_("depth {number:,}"), known.depth))
            if number is not None
        ]
        blanks = " " * (width - columns(name))
        found.append("  ".join([f"  {name}{blanks}", value_in_words(known), *effort]))
    if len(analysis.moves) > len(listed):
        found.append("  " + _("and {number} more").format(number=len(analysis.moves) - len(listed)))
    return found


def value_in_words(known: MoveValue) -> str:
    """What a move is worth to who plays it."""
    if known.value is None:
        return _("not looked at")
    if known.proven is not None:
        return {"win": _("win"), "draw": _("draw"), "loss": _("loss")}[known.proven]
    value = f"{known.value:+.3f}"
    return _("at most {value}").format(value=value) if known.is_bound else value


def _name(known: MoveValue) -> str:
    name = printable(known.move)
    return name if len(name) <= LONGEST_MOVE else name[: LONGEST_MOVE - 2] + ".."
