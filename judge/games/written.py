"""How people write a game's boards and moves down, in files and as `analyze --moves` takes them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from judge.games.positions import AnyMove
from judge.language import recorded

SEPARATORS = re.compile(r"[\s,;]+")
OPENING = re.compile(r"opening\s+(?P<moves>.+)", re.IGNORECASE)
# Problems, as JSON keeps them.
NO_MOVE = recorded("{found} is no move of {game}, expected such as {example}")
WHAT_ELSE = recorded("{found} behind the size of the board, expected such as: {example}")


@dataclass(frozen=True)
class Written:
    """A game's way to write boards and moves.

    A board is ROWSxCOLUMNS with what `rest_example` shows behind it, or nothing: read_board(rows, columns, rest) is the
    board as records have it, write_board(board) the text. `own_rest` matches a rest that no other game has. A word of
    moves, such as move_example, matches `word`; read_word(word) are its moves. The functions raise ValueError with a
    problem's text.
    """

    word: re.Pattern[str]
    move_example: str
    rest_example: str
    own_rest: re.Pattern[str] | None
    read_word: Callable[[str], list[AnyMove]]
    read_board: Callable[[int, int, str], dict[str, Any]]
    write_board: Callable[[dict[str, Any]], str]


def words_of(text: str) -> list[str]:
    """The words between commas and blanks."""
    return [word for word in SEPARATORS.split(text) if word]


def opening_of(rest: str, read_word: Callable[[str], list[AnyMove]], example: str) -> list[AnyMove]:
    """The moves of an opening behind a board's size. Raises ValueError where something else stands there."""
    if not rest:
        return []
    found = OPENING.fullmatch(rest)
    if found is None:
        raise ValueError(WHAT_ELSE.format(found=quoted(rest), example=example))
    return [move for word in words_of(found["moves"]) for move in read_word(word)]


def with_opening(size: str, opening: Sequence[str]) -> str:
    """A board's text."""
    return f"{size} opening {','.join(opening)}" if opening else size


def quoted(text: str) -> str:
    """The beginning of a text, in quotes."""
    return repr(text[:40])
