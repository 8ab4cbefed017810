"""A game logic's voice: what the judger is told -> bytes.

    limits     {"state": 0, "time": seconds, "length": bytes}
    round      {"state": k, "listen": [..], "player": [..], "content": [..]}     k from 1 on
    forward    bytes, as they are, to one player; no clock restarts
    end        {"state": -1, "end_info": "{\"0\": 1, \"1\": 0}", "end_state": "[\"OK\", \"IA\"]"}

Both values of the end are texts that hold JSON. Without `end_state` the judger's own findings stand.
"""

from __future__ import annotations

import json

from protocol.errors import LocalProtocolError
from protocol.framing import encode_frame, encode_targeted_frame

from .messages import END_OF_MATCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .messages import Start

TARGETED, PLAIN = FRAMINGS = ("targeted", "plain")
TO_JUDGER = -1  # as a target
_LIMITS = 0  # the state that announces limits


def framing_of(start: Start) -> str:
    """How a judger reads frames that began so, unless it is told: that of 2021 wants no targets."""
    return PLAIN if start.is_bare else TARGETED


def encode_limits(time_s: float, length: int, framing: str) -> bytes:
    """The limits on every turn from now on: seconds, and bytes of a player's message."""
    return _message({"state": _LIMITS, "time": time_s, "length": length}, framing)


def encode_round(state: int, listen: Sequence[int], contents: Sequence[tuple[int, bytes]], framing: str) -> bytes:
    """What players are sent, as (player, bytes of ASCII), and whom the judger listens to then.

    Raises LocalProtocolError for a state that begins no round.
    """
    if state < 1:
        raise LocalProtocolError(f"state: expected 1 or more, got {state!r}")
    players = [player for player, _ in contents]
    texts = [content.decode("ascii") for _, content in contents]
    return _message({"state": state, "listen": list(listen), "player": players, "content": texts}, framing)


def encode_forward(player: int, content: bytes) -> bytes:
    """Bytes for one player in the midst of its turn, on the targeted framing alone; `listen` stays as it is."""
    return encode_targeted_frame(player, content)


def encode_end(scores: Sequence[int], end_states: Sequence[str] | None, framing: str) -> bytes:
    """The end of the match: each player's score, and its end state ("OK", "RE", "TLE", "OLE", "IA", ..) or None."""
    content = {
        "state": END_OF_MATCH,
        "end_info": json.dumps({str(player): score for player, score in enumerate(scores)}),
    }
    if end_states is not None:
        content["end_state"] = json.dumps(list(end_states))
    return _message(content, framing)


def _message(content: dict[str, Any], framing: str) -> bytes:
    body = json.dumps(content).encode("ascii")
    if framing == PLAIN:
        return encode_frame(body)
    if framing == TARGETED:
        return encode_targeted_frame(TO_JUDGER, body)
    raise LocalProtocolError(f"framing: expected {' or '.join(FRAMINGS)}, got {framing!r}")
