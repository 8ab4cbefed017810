"""Describes the games to pages: their names, how they are drawn, and how their moves and cells are named."""

from typing import Any

from judge.games import GAMES
from judge.games.game import PageDescription
from judge.web.texts import marked_in_each


def games_json() -> dict[str, dict[str, Any]]:
    """Return, as JSON, {name of a game: its PageDescription}. Texts are in every language."""
    return {name: _description_json(game.on_pages) for name, game in GAMES.items()}


def _description_json(description: PageDescription) -> dict[str, Any]:
    """Return a PageDescription as JSON, with its texts in every language."""
    return {
        "name": marked_in_each(description.name),
        "face": description.face,
        "letters": description.letters,
        "first_row": description.first_row,
        "cell": marked_in_each(description.cell),
        "move": marked_in_each(description.move),
        "again": marked_in_each(description.again) if description.again else None,
        "more": list(map(marked_in_each, description.more)),
        "hints": marked_in_each(description.hints),
        "counts": description.counts,
        "setup": {
            "sides": description.sides,
            "is_square": description.is_square,
            "usual": description.usual_size,
            "tools": [[code, marked_in_each(text)] for code, text in description.tools],
            "board": description.board,
        },
    }
