"""Messages between Saiblo's judger and the game logic that it starts as values and as bytes, without I/O.

    judger -> logic    frames holding a JSON object: Start first, then PlayerReply and PlayerFailure
    logic -> judger    targeted frames holding a JSON object, or bytes to be forwarded to a player

The logic's messages:

    limits     {"state": 0, "time": seconds, "length": bytes}
    round      {"state": k, "listen": [..], "player": [..], "content": [..]}     k from 1 on
    forward    bytes, unchanged, to one player; no clock restarts
    end        {"state": -1, "end_info": "{\\"0\\": 1, \\"1\\": 0}", "end_state": "[\\"OK\\", \\"IA\\"]"}

`end_info` and `end_state` are JSON in strings. Without `end_state` the judger uses the end states that it found itself.

"Round" is the judger's word; here it is one turn of one player. A round begins when `state` grows; then the clocks of
the players in `listen` restart. The platform's judger of 2021 reads frames without a target ("plain"). It has no
forwarding and no `time` in a player's message, and its Start holds only the players.

Evidence: the platform's docs/developer/developer.md, and whole games captured under saiblo-local-judger 0.0.2 and
judger.py of 2021. This module is not part of the ladder bundle.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from protocol.errors import LocalProtocolError, RemoteProtocolError, excerpt
from protocol.framing import FramedDecoder, encode_frame, encode_targeted_frame
from protocol.integers import Field, describe_range
from protocol.records.json_lines import RecordError
from protocol.records.values import decoded
from protocol.value_types import ValueType

# Kinds of players in a Start.
FAILED_TO_START, ON_THIS_MACHINE, IN_A_BROWSER = range(3)
# Errors of a PlayerFailure.
RUN_ERROR, TIME_OUT, OUTPUT_LIMIT = range(3)
END_OF_MATCH = -1  # the state of the logic's last message

# In bytes. A player's message of the longest length that this project allows takes less, even with every byte escaped.
LONGEST_MESSAGE = 1 << 20
SHOWN_CHARACTERS = 24  # the most characters of a name that messages show
MOST_NESTED = 32  # the most brackets inside each other
MOST_PLAYERS = 64
MOST_ROUNDS = (1 << 31) - 1
JUDGER = -1  # as a player's number: the message is the judger's own
SHOWN_KEYS = 4

KINDS = Field("player_list", FAILED_TO_START, IN_A_BROWSER)
PLAYER = Field("player", JUDGER, MOST_PLAYERS - 1)
STATE = Field("state", -1, MOST_ROUNDS)
ERROR = Field("error", RUN_ERROR, OUTPUT_LIMIT)
TARGETED, PLAIN = FRAMINGS = ("targeted", "plain")
TO_JUDGER = -1  # the target of messages for the judger itself
_LIMITS = 0  # the state that announces limits


class Start(ValueType):
    """The judger's first message: the kind of each player, the match's options, and the path for the replay.

    `config` is the JSON value that the judger was given for the match, None if it was given none. `replay` is None if
    no replay is requested. `is_bare` says that the message held only the players, like a message of the judger of 2021.
    """

    players: tuple[int, ...]
    config: Any
    replay: str | None
    is_bare: bool


class PlayerReply(ValueType):
    """A player's message: the body of its frame in `content`, and the time that it took.

    `time_ms` is in milliseconds, None if the judger sends no time.
    """

    player: int
    content: str
    time_ms: float | None


class PlayerFailure(ValueType):
    """A player's failure. `error` is RUN_ERROR, TIME_OUT or OUTPUT_LIMIT.

    `state` is the number of the round in which the player failed, None if it is unknown. `player` is None if the judger
    names only the round, as the judger of 2021 does for a time-out.
    """

    player: int | None
    state: int | None
    error: int


class UnknownMessage(ValueType):
    """A JSON object of an unknown kind. `keys` are its first SHOWN_KEYS keys, shortened."""

    keys: tuple[str, ...]


Message = Start | PlayerReply | PlayerFailure | UnknownMessage


class MessageDecoder(FramedDecoder):
    """The logic's decoder: frames from the judger -> a Start, then PlayerReply, PlayerFailure and UnknownMessage."""

    THINGS = "messages"

    def __init__(self) -> None:
        super().__init__(LONGEST_MESSAGE)
        self._has_started = False

    def next_message(self) -> Message | None:
        """Return the next message, None until it is complete.

        Raises RemoteProtocolError, which names the field, what was expected and what came.
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


def _message(content: dict[str, Any]) -> PlayerReply | PlayerFailure | UnknownMessage:
    if "player" not in content or "content" not in content:
        return UnknownMessage(tuple([name[:SHOWN_CHARACTERS] for name in list(content)[:SHOWN_KEYS]]))
    player, text, time_ms = _integer(PLAYER, content["player"]), content["content"], content.get("time")
    if type(text) is not str:
        raise RemoteProtocolError(field="content", expected="a string", received=_kind(content, "content"))
    if player == JUDGER:
        return _failed(_object(text.encode("utf-8", "replace"), "content"))
    if time_ms is not None and (type(time_ms) not in (int, float) or time_ms < 0):
        raise RemoteProtocolError(field="time", expected="milliseconds, not negative", received=_shown(time_ms))
    return PlayerReply(player, text, time_ms)


def _failed(content: dict[str, Any]) -> PlayerFailure:
    error, player, state = _integer(ERROR, content.get("error")), content.get("player"), content.get("state")
    if state is None and error == TIME_OUT:  # the judger of 2021 sends the round as `player`
        return PlayerFailure(None, _integer(STATE._replace(name="player"), player), error)
    return PlayerFailure(
        _integer(PLAYER._replace(low=0), player), None if state is None else _integer(STATE, state), error
    )


def _object(text: bytes, field: str) -> dict[str, Any]:
    try:
        return decoded(text, dict[str, Any], MOST_NESTED)
    except RecordError:
        raise RemoteProtocolError(field=field, expected="a JSON object", received=excerpt(text)) from None


def _integer(field: Field, value: Any) -> int:
    """Return `value`. Raises RemoteProtocolError unless it is an integer within the field's range."""
    if type(value) is not int or not field.low <= value <= field.high:  # exactly int: true would pass as 1
        raise RemoteProtocolError(field=field.name, expected=describe_range(field), received=_shown(value))
    return value


def _shown(value: object) -> str:
    return str(value)[:SHOWN_CHARACTERS]


def _kind(content: dict[str, Any], key: str) -> str:
    return f"a {type(content[key]).__name__}" if key in content else "no such key"


def framing_of(start: Start) -> str:
    """Return the framing that the judger of this Start reads by default.

    It is PLAIN for the judger of 2021, else TARGETED.
    """
    return PLAIN if start.is_bare else TARGETED


def encode_limits(time_s: float, length: int, framing: str) -> bytes:
    """Return the message (bytes) that limits all later turns to `time_s` seconds, and messages to `length` bytes."""
    return _encoded({"state": _LIMITS, "time": time_s, "length": length}, framing)


def encode_round(state: int, listen: Sequence[int], contents: Sequence[tuple[int, bytes]], framing: str) -> bytes:
    """Return the message (bytes) that begins the round number `state`, from 1, in the `framing` PLAIN or TARGETED.

    The judger sends the `contents`, which are pairs of (player, ASCII bytes), and then listens to the players `listen`.
    Raises LocalProtocolError for a state below 1.
    """
    if state < 1:
        raise LocalProtocolError(f"state: expected 1 or more, got {state!r}")
    players = [player for player, _ in contents]
    texts = [content.decode("ascii") for _, content in contents]
    return _encoded({"state": state, "listen": list(listen), "player": players, "content": texts}, framing)


def encode_forward(player: int, content: bytes) -> bytes:
    """Return the frame that sends bytes to one player during its turn. The judger goes on listening as before.

    Only targeted framing has this message.
    """
    return encode_targeted_frame(player, content)


def encode_end(scores: Sequence[int], end_states: Sequence[str] | None, framing: str) -> bytes:
    """Return the last message (bytes), which holds the players' scores and end states.

    An end state is "OK", "RE", "TLE" etc.; an `end_states` of None leaves them out.
    """
    content = {
        "state": END_OF_MATCH,
        "end_info": json.dumps({str(player): score for player, score in enumerate(scores)}),
    }
    if end_states is not None:
        content["end_state"] = json.dumps(list(end_states))
    return _encoded(content, framing)


def _encoded(content: dict[str, Any], framing: str) -> bytes:
    body = json.dumps(content).encode("ascii")
    if framing == PLAIN:
        return encode_frame(body)
    if framing == TARGETED:
        return encode_targeted_frame(TO_JUDGER, body)
    raise LocalProtocolError(f"framing: expected {' or '.join(FRAMINGS)}, got {framing!r}")
