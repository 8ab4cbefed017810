"""What the bot has said of a position, read from a line of `bot analyze --json --deepen` and checked."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from protocol.records import strict_json

MOST_NESTED = 8  # brackets of a line; there are three
OUTCOMES = (None, "win", "draw", "loss")


class BadAnalysis(ValueError):
    """A line is none of `bot analyze`; str() says what is wrong with it."""


@dataclass(frozen=True)
class MoveValue:
    """What is known of a move: `value` from -1, lost, to 1, won, for who plays it, None where nothing is known.

    `move` is a text as people write it, in dots and boxes a whole turn, its edges one after another. `is_bound`: it is
    worth that or less; `proven` is "win", "draw", "loss" or None; `visits` and `depth` (plies) are None where the
    search has none.
    """

    move: str
    value: float | None
    is_bound: bool
    proven: str | None
    visits: int | None
    depth: int | None


@dataclass(frozen=True)
class Analysis:
    """What is known of a position after elapsed_s seconds, for the side to move; the best move is the first of `moves`.

    `pv` is the line that the bot expects, `depth` its longest in plies; `final` is True of the last one.
    """

    value: float
    proven: str | None
    best: str | None
    pv: tuple[str, ...]
    depth: int
    iterations: int
    elapsed_s: float
    moves: tuple[MoveValue, ...]
    final: bool

    def as_json(self) -> dict[str, Any]:
        """The same as a JSON object."""
        return asdict(self)


def read_analysis(line: bytes) -> Analysis:
    """The Analysis in a line of the bot's. Raises BadAnalysis."""
    try:
        content = strict_json.loads(line, MOST_NESTED)
        return Analysis(
            value=_number(content["value"], least=-1, most=1),
            proven=_outcome(content["proven"]),
            best=None if content["best"] is None else _text(content["best"]),
            pv=tuple(_text(move) for move in _list(content["pv"])),
            depth=_count(content["depth"]),
            iterations=_count(content["iterations"]),
            elapsed_s=_number(content["elapsed_s"], least=0),
            moves=tuple(_move_value(known) for known in _list(content["moves"])),
            final=_is_true(content["final"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise BadAnalysis(f"{type(error).__name__}: {error}") from error


def _move_value(content: Any) -> MoveValue:
    return MoveValue(
        move=_text(content["move"]),
        value=_optional(lambda value: _number(value, least=-1, most=1), content["value"]),
        is_bound=_is_true(content["at_most"]),
        proven=_outcome(content["proven"]),
        visits=_optional(_count, content["visits"]),
        depth=_optional(_count, content["depth"]),
    )


def _optional(read: Callable[[Any], Any], content: Any) -> Any:
    return None if content is None else read(content)


def _number(content: Any, least: float = -math.inf, most: float = math.inf) -> float:
    if type(content) not in (int, float) or not least <= content <= most:
        raise TypeError(content)
    return float(content)


def _count(content: Any) -> int:
    if type(content) is not int or content < 0:
        raise TypeError(content)
    return content


def _is_true(content: Any) -> bool:
    if type(content) is not bool:
        raise TypeError(content)
    return content


def _outcome(content: Any) -> str | None:
    if content is not None and content not in OUTCOMES:
        raise TypeError(content)
    return None if content is None else str(content)


def _list(content: Any) -> list[Any]:
    if not isinstance(content, list):
        raise TypeError(content)
    return content


def _text(content: Any) -> str:
    """A move: connect four's are integers."""
    if type(content) not in (int, str):
        raise TypeError(content)
    return str(content)
