"""A board with what is known of each move: as text for people, and as JSON."""

from __future__ import annotations

import importlib
import os
import sys

from protocol.value_types import ValueType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ..interfaces import Adapter, MoveValue, Position, StaticValues

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"
THOUSANDS = ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k"))
WIDEST_COUNT = 10_000  # counts below it are shown in full


class Label(ValueType):
    """What stands on the board for a move."""

    text: str  # its value, at most 5 characters
    visits: str  # at most 4, "" where there are none
    is_best: bool


def labels_of(values: Iterable[MoveValue], best: int) -> dict[int, Label]:
    """{move: Label}, in the order of the values; best: the move to be marked."""
    return {known.move: Label(value_text(known), _short(known.visits), known.move == best) for known in values}


def value_text(known: MoveValue) -> str:
    """A value in at most 5 characters: "win", "+.25", "<-.10" for at most so much, "+.25!" proven, "-" not known."""
    if known.value is None:
        return "-"
    certain = {1.0: "win", -1.0: "loss", 0.0: "draw"}.get(known.value) if known.proven else None
    if certain is not None:
        return certain
    return "<" * known.is_bound + _digits(known.value) + "!" * (known.proven is not None)


def _digits(value: float) -> str:
    """A value in 4 characters at most: "+.25", "-1.0"."""
    digits = f"{value:+.2f}"
    return digits[:4] if digits[1] == "1" else digits[0] + digits[2:]


def _short(count: int | None) -> str:
    if count is None:
        return ""
    for size, letter in THOUSANDS:
        if count >= max(size, WIDEST_COUNT):
            return f"{count // size}{letter}"
    return str(count)


def lines(game: str, position: Position, mover: int, labels: dict[int, Label]) -> list[str]:
    """The board of that game, for a reader on this process's stdout."""
    drawing: Any = importlib.import_module(f"bot.games.{game}.drawing")
    drawn: list[str] = drawing.drawn(position, mover, labels, _strong())
    return drawn


def _strong() -> Callable[[str], str]:
    """What makes a text bold on stdout, if that is a terminal that can."""
    if sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb":
        return lambda text: BOLD + text + PLAIN
    return lambda text: text


def legend(values: Iterable[MoveValue]) -> list[str]:
    """What the signs of these values mean, and how deep they were searched."""
    values = list(values)
    meanings = []
    if any(known.is_bound for known in values):
        meanings.append("< at most")
    if any(value_text(known).endswith("!") for known in values):
        meanings.append("! proven")
    if any(known.value is None for known in values):
        meanings.append("- not looked at")
    depths = sorted({known.depth for known in values if known.depth is not None})
    if depths:
        plies = str(depths[0]) if len(depths) == 1 else f"{depths[0]} to {depths[-1]}"
        meanings.append(f"moves searched {plies} plies deep")
    return [f"             ({', '.join(meanings)})"] if meanings else []


def as_json(values: Iterable[MoveValue], adapter: Adapter) -> list[dict[str, object]]:
    """The values as --json has them."""
    return [
        {
            "move": adapter.move_name(known.move),
            "value": None if known.value is None else round(known.value, 4),
            "at_most": known.is_bound,
            "proven": known.proven,
            "visits": known.visits,
            "depth": known.depth,
        }
        for known in values
    ]


def static_lines(values: StaticValues | None, adapter: Adapter) -> list[str]:
    """What the engine's evaluation says without a search (Engine.static_values): of the position, and of each move."""
    if values is None:
        return []
    value, of_moves = values
    moves = ", ".join(f"{adapter.move_name(move)} {_digits(of_moves[move])}" for move in sorted(of_moves))
    return [f"unsearched   {value:+.3f} as the evaluation alone sees it", f"its moves    {moves}"]


def static_as_json(values: StaticValues | None, adapter: Adapter) -> dict[str, object]:
    """The same as --json has it; nothing where the engine has no such evaluation."""
    if values is None:
        return {}
    value, of_moves = values
    moves = [{"move": adapter.move_name(move), "value": round(of_moves[move], 4)} for move in sorted(of_moves)]
    return {"evaluation": {"value": round(value, 4), "moves": moves}}
