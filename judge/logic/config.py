"""The config of a match: the game, its board, the limits, and the protocol variant for the judger.

    {"game": "connect_four", "rows": 9, "cols": 9, "forbidden": [7, 1], "seed": 1,
     "time": 3, "length": 2048, "opening": "separate", "framing": "targeted"}

Every key is optional. Missing parts of the board are drawn from the seed. A missing seed is drawn at random.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judge.formats.registry import REPLAYS
from judge.games import DEFAULT_GAME, GAMES
from judge.games.boards import LARGEST_SEED, Board
from judge.language import _
from protocol.framing import MAX_BODY_BYTES
from protocol.judger import FRAMINGS, IN_A_BROWSER, Start, framing_of
from protocol.records.json_lines import LARGEST_S

PLAYERS = 2  # the number of players
DEFAULT_TIME_S = 3  # the platform's default; an integer, as in the platform's own logics
LARGEST_LENGTH = 1 << 16  # bytes of one message
LARGEST_CONFIG_SEED = 10**18
OPENINGS = JOINED, SEPARATE = ("joined", "separate")
PLATFORM_GAMES = tuple(REPLAYS)  # the games that the platform has
FORBIDDEN = "forbidden"
BOARD_KEYS = ("rows", "cols", FORBIDDEN)  # the keys of board options, which not every game has
MATCH_KEYS = ("game", "seed", "time", "length", "opening", "framing")
SHOWN_CHARACTERS = 60  # the most characters that are shown of a wrong value


class Refused(Exception):
    """The match cannot be refereed. The error's text gives the reason and what was expected, in the user's language."""


@dataclass(frozen=True)
class Config:
    """The configuration of a match.

    `time_s` are the seconds for each turn. `length` is the largest size of a player's message in bytes. With
    `is_joined` the opening is sent together with the first turn; without it, the opening has a round of its own.
    `framing` is one of protocol.judger.FRAMINGS.
    """

    game: str
    board: Board
    time_s: float
    length: int
    is_joined: bool
    framing: str


def framing_of_match(start: Start) -> str:
    """Return the framing that a start message asks for, or the one that its form implies if it asks for none.

    The rest of the config in the message may be wrong.
    """
    asked = start.config.get("framing") if isinstance(start.config, dict) else None
    return asked if isinstance(asked, str) and asked in FRAMINGS else framing_of(start)


def read_config(start: Start) -> Config:
    """Return the Config in a start message. Raises Refused if the match cannot be refereed."""
    if len(start.players) != PLAYERS:
        message = _("player_list has {number} players, expected {expected}")
        raise Refused(message.format(number=len(start.players), expected=PLAYERS))
    if IN_A_BROWSER in start.players:
        message = _("player_list: player {player} plays in a browser, expected only programs")
        raise Refused(message.format(player=start.players.index(IN_A_BROWSER)))
    content = {} if start.config is None else start.config
    if not isinstance(content, dict):
        raise Refused(_("config: expected a JSON object, got {value}").format(value=_shown(content)))
    game = _read_choice(content, "game", PLATFORM_GAMES, DEFAULT_GAME)
    options = {option.name for option in GAMES[game].board_options}
    keys = [*MATCH_KEYS, *(key for key in BOARD_KEYS if key in options)]
    for key in content:
        if key not in keys:
            message = _("config: there is no key {key} for {game}, expected one of {keys}")
            raise Refused(message.format(key=_shown(key), game=game, keys=", ".join(keys)))
    opening = _read_choice(content, "opening", OPENINGS, SEPARATE)
    _read_choice(content, "framing", FRAMINGS, FRAMINGS[0])
    return Config(
        game=game,
        board=_read_board(content, game),
        time_s=_read_seconds(content, "time", DEFAULT_TIME_S),
        length=_read_integer(content, "length", 1, LARGEST_LENGTH, MAX_BODY_BYTES),
        is_joined=opening == JOINED,
        framing=framing_of_match(start),
    )


def _read_board(content: Mapping[str, Any], game: str) -> Board:
    """Return the board that the config asks for. Raises Refused if the values of its keys are wrong."""
    seed = _read_integer(content, "seed", -LARGEST_CONFIG_SEED, LARGEST_CONFIG_SEED, None)
    options: dict[str, Any] = {}
    for key in BOARD_KEYS:
        if key in content:
            is_cell = key == FORBIDDEN
            options[key] = _read_cell(content, key) if is_cell else _read_integer(content, key, 0, LARGEST_SEED, None)
    if seed is None:
        seed = secrets.randbelow(LARGEST_SEED + 1)
    try:
        board: Board = GAMES[game].draw_board(seed, 0, **GAMES[game].complete_board_options(options, True))
    except ValueError as error:
        raise Refused(_("config: {error}").format(error=error)) from error
    return board


def _read_choice(content: Mapping[str, Any], key: str, choices: tuple[str, ...], default: str) -> str:
    """Return the text of a key, or `default` if the key is missing. Raises Refused unless it is one of `choices`."""
    value = content.get(key, default)
    if not isinstance(value, str) or value not in choices:
        raise _wrong(content, key, _("one of {choices}").format(choices=", ".join(choices)))
    return value


def _read_integer(content: Mapping[str, Any], key: str, low: int, high: int, default: Any) -> Any:
    """Return the integer of a key, or `default` if the key is missing. Raises Refused unless it is in low..high."""
    value = content.get(key, default)
    if key in content and (type(value) is not int or not low <= value <= high):  # exactly int: true would pass as 1
        raise _wrong(content, key, _("an integer from {low} to {high}").format(low=low, high=high))
    return value


def _read_seconds(content: Mapping[str, Any], key: str, default: float) -> float:
    """Return the seconds of a key, or `default` if the key is missing. Raises Refused unless they are above 0."""
    value = content.get(key, default)
    if type(value) not in (int, float) or not 0 < value <= LARGEST_S:
        raise _wrong(content, key, _("a number of seconds above 0"))
    return value


def _read_cell(content: Mapping[str, Any], key: str) -> tuple[int, int]:
    """Return the (row, column) of a key. Raises Refused if the value is not a list of two integers."""
    value = content[key]
    if type(value) is not list or [type(part) for part in value] != [int, int]:
        raise _wrong(content, key, _("[row, column], both counted from 0"))
    return value[0], value[1]


def _wrong(content: Mapping[str, Any], key: str, expected: str) -> Refused:
    """Return the error that says that the value of a key is wrong, and what was expected."""
    message = _("config: {key} is {value}, expected {expected}")
    return Refused(message.format(key=key, value=_shown(content.get(key)), expected=expected))


def _shown(value: object) -> str:
    return f"{value!r:.{SHOWN_CHARACTERS}}"
