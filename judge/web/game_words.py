"""Tells pages what the games are called and how they are drawn, as the games describe themselves."""

from typing import Any

from judge.games import GAMES
from judge.games.game import PageDescription
from judge.language import _
from judge.web.texts import Texts, in_each


def games_json() -> dict[str, dict[str, Any]]:
    """Return, as JSON, the PageDescription of each game by the game's name. Texts are in every language."""
    return {name: _json(game.on_pages) for name, game in GAMES.items()}


def _json(words: PageDescription) -> dict[str, Any]:
    return {
        "name": _in_each(words.name),
        "face": words.face,
        "letters": words.letters,
        "first_row": words.first_row,
        "cell": _in_each(words.cell),
        "move": _in_each(words.move),
        "again": _in_each(words.again) if words.again else None,
        "more": list(map(_in_each, words.more)),
        "hints": _in_each(words.hints),
        "counts": words.counts,
        "setup": {
            "sides": words.sides,
            "is_square": words.is_square,
            "usual": words.usual_size,
            "tools": [[code, _in_each(text)] for code, text in words.tools],
            "board": words.board,
        },
    }


def _in_each(text: str) -> Texts:
    return in_each(lambda: _(text))
