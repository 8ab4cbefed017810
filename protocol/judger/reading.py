"""A game logic's ear: bytes from the judger -> Start, then Spoke, Failed and Other."""

from __future__ import annotations

from protocol.errors import RemoteProtocolError, excerpt
from protocol.framing import FramedDecoder
from protocol.integers import Field, describe_range
from protocol.records import strict_json

from .messages import (
    FAILED_TO_START,
    IN_A_BROWSER,
    OUTPUT_LIMIT,
    RUN_ERROR,
    TIME_OUT,
    Failed,
    Other,
    Spoke,
    Start,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Message = Start | Spoke | Failed | Other

# A player's message of the longest length that this project asks for, every byte of it escaped, and room to spare.
LONGEST_MESSAGE = 1 << 20
MOST_NESTED = 32  # brackets
MOST_PLAYERS = 64
MOST_ROUNDS = (1 << 31) - 1
JUDGER = -1  # in the place of a player: the judger itself speaks
SHOWN_KEYS = 4

KINDS = Field("player_list", FAILED_TO_START, IN_A_BROWSER)
PLAYER = Field("player", JUDGER, MOST_PLAYERS - 1)
STATE = Field("state", -1, MOST_ROUNDS)
ERROR = Field("error", RUN_ERROR, OUTPUT_LIMIT)


class MessageDecoder(FramedDecoder):
    """The logic's ear. The first message has to be a Start; there is no other."""

    THINGS = "messages"

    def __init__(self) -> None:
        super().__init__(LONGEST_MESSAGE)
        self._has_started = False

    def next_message(self) -> Message | None:
        """Return the next message, or None until it is complete.

        Raises RemoteProtocolError naming the field, what was expected and what came.
        """
        return self._latched(self._read)

    def _read(self) -> Message | None:
        body = self._take_frame()
        if body is None:
            return None
        content = _object(body, "message")
        if not self._has_started:
            self._has_started = True
            return _start(content)
        return _message(content)


def _start(content: dict[str, Any]) -> Start:
    kinds = content.get("player_list")
    if type(kinds) is not list or not 0 < len(kinds) <= MOST_PLAYERS:
        received = f"{len(kinds)} players" if type(kinds) is list else _kind(content, "player_list")
        raise RemoteProtocolError(field="player_list", expected=f"1 to {MOST_PLAYERS} players", received=received)
    players = [_integer(KINDS._replace(name=f"player_list[{place}]"), kind) for place, kind in enumerate(kinds)]
    if content.get("player_num") is not None:
        _integer(Field("player_num", len(kinds), len(kinds)), content["player_num"])
    replay = content.get("replay")
    if replay is not None and type(replay) is not str:
        raise RemoteProtocolError(field="replay", expected="a path", received=_kind(content, "replay"))
    return Start(tuple(players), content.get("config"), replay or None, set(content) == {"player_list"})


def _message(content: dict[str, Any]) -> Spoke | Failed | Other:
    if "player" not in content or "content" not in content:
        return Other(tuple([name[: strict_json.SHOWN_CHARACTERS] for name in list(content)[:SHOWN_KEYS]]))
    player, text, time_ms = _integer(PLAYER, content["player"]), content["content"], content.get("time")
    if type(text) is not str:
        raise RemoteProtocolError(field="content", expected="a string", received=_kind(content, "content"))
    if player == JUDGER:
        return _failed(_object(text.encode("utf-8", "replace"), "content"))
    if time_ms is not None and (type(time_ms) not in (int, float) or time_ms < 0):
        raise RemoteProtocolError(field="time", expected="milliseconds, not negative", received=_shown(time_ms))
    return Spoke(player, text, time_ms)


def _failed(content: dict[str, Any]) -> Failed:
    error, player, state = _integer(ERROR, content.get("error")), content.get("player"), content.get("state")
    if state is None and error == TIME_OUT:  # the judger of 2021 puts the round where the player belongs
        return Failed(None, _integer(STATE._replace(name="player"), player), error)
    return Failed(_integer(PLAYER._replace(low=0), player), None if state is None else _integer(STATE, state), error)


def _object(text: bytes, field: str) -> dict[str, Any]:
    try:
        value = strict_json.loads(text, MOST_NESTED)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise RemoteProtocolError(field=field, expected="a JSON object", received=excerpt(text))
    return value


def _integer(field: Field, value: Any) -> int:
    """The value, which has to be an integer within the field's range."""
    if type(value) is not int or not field.low <= value <= field.high:  # exactly int: true would pass as 1
        raise RemoteProtocolError(field=field.name, expected=describe_range(field), received=_shown(value))
    return value


def _shown(value: object) -> str:
    return str(value)[: strict_json.SHOWN_CHARACTERS]


def _kind(content: dict[str, Any], key: str) -> str:
    return f"a {type(content[key]).__name__}" if key in content else "no such key"
