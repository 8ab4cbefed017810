"""What a page has to know before it shows anything: texts, games with the options of their boards, players, limits."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from judge import language
from judge.games import GAMES
from judge.games.boards import BoardOption
from judge.language import shown
from judge.pages.languages import in_each
from judge.pages.words import translations
from judge.players.players import OWN_BOT, PlayerError
from judge.server.inputs import LEAST_S, MOST_S
from judge.server.tables import tables
from judge.server.words import WORDS
from judge.terminal import printable

INTEGER, TEXT = "integer", "text"


def start_json(version: str, records: Path, names: Callable[[], list[str]]) -> dict[str, Any]:
    """The answer to /api/start; names() are the players, or raises PlayerError."""
    error = None
    try:
        players = names()
    except PlayerError as found:
        reason = printable(shown(str(found)))
        players, error = [OWN_BOT], in_each(lambda: reason)
    return {
        "language": language.spoken(),
        "words": translations(WORDS),
        "version": version,
        "players": players,
        "players_error": error,
        "games": {
            name: {"options": list(map(_option, game.board_options)), "stones": game.stones}
            for name, game in GAMES.items()
        },
        "limits": {"tables": tables.MOST, "least_s": LEAST_S, "most_s": MOST_S},
        "records_folder": printable(str(records)),
    }


def _option(option: BoardOption) -> dict[str, Any]:
    """An option as a form needs it; a default of None is drawn."""
    found: dict[str, Any] = {"name": option.name, "kind": TEXT if option.bounds is None else INTEGER}
    if option.bounds is not None:
        found["least"], found["most"] = option.bounds
    if option.choices:
        found["choices"] = option.choices
    return {**found, "default": option.default}
