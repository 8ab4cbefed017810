"""Saiblo's judger and the game logic that it starts: messages <-> bytes, both directions, without I/O.

    judger -> logic    frames holding a JSON object: Start first, then Spoke and Failed
    logic -> judger    targeted frames holding a JSON object, or bytes to be forwarded to a player

A round (the judger's word; one turn of one player here) begins where `state` grows: the clock of the players listened
to restarts then. The platform's judger of 2021 reads frames without a target ("plain"); it has no forwarding, no `time`
with what a player said, and sends a Start that holds nothing but the players.

Evidence: the platform's docs/developer/developer.md, and whole games captured under saiblo-local-judger 0.0.2 and
judger.py of 2021. Not part of the ladder bundle.
"""

from __future__ import annotations

from .messages import (
    END_OF_MATCH,
    FAILED_TO_START,
    IN_A_BROWSER,
    ON_THIS_MACHINE,
    OUTPUT_LIMIT,
    RUN_ERROR,
    TIME_OUT,
    Failed,
    Other,
    Spoke,
    Start,
)
from .reading import LONGEST_MESSAGE, MessageDecoder
from .writing import (
    FRAMINGS,
    PLAIN,
    TARGETED,
    encode_end,
    encode_forward,
    encode_limits,
    encode_round,
    framing_of,
)

__all__ = [
    "END_OF_MATCH",
    "FAILED_TO_START",
    "FRAMINGS",
    "IN_A_BROWSER",
    "LONGEST_MESSAGE",
    "ON_THIS_MACHINE",
    "OUTPUT_LIMIT",
    "PLAIN",
    "RUN_ERROR",
    "TARGETED",
    "TIME_OUT",
    "Failed",
    "MessageDecoder",
    "Other",
    "Spoke",
    "Start",
    "encode_end",
    "encode_forward",
    "encode_limits",
    "encode_round",
    "framing_of",
]
