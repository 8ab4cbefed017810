"""What the judger tells a game logic, as values. Players are numbered from 0."""

from __future__ import annotations

from protocol.value_types import ValueType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Kinds of players in a Start.
FAILED_TO_START, ON_THIS_MACHINE, IN_A_BROWSER = range(3)
# Errors of a Failed.
RUN_ERROR, TIME_OUT, OUTPUT_LIMIT = range(3)
END_OF_MATCH = -1  # the state of the logic's last message


class Start(ValueType):
    """The first message: one kind for each player, the match's options, and the path of the replay to be written.

    `config` is what the judger was given, whatever that is, None where there is none; `replay` is None where no
    replay is wanted. `is_bare`: there was nothing but the players, as the judger of 2021 has it.
    """

    players: tuple[int, ...]
    config: Any
    replay: str | None
    is_bare: bool


class Spoke(ValueType):
    """What a player has sent: the body of its frame, and after how many ms, None where the judger does not tell."""

    player: int
    content: str
    time_ms: float | None


class Failed(ValueType):
    """A player's failure, one of RUN_ERROR, TIME_OUT and OUTPUT_LIMIT, in the round `state`, None where it is not told.

    `player` is None where the judger names the round alone, as that of 2021 does of a time-out.
    """

    player: int | None
    state: int | None
    error: int


class Other(ValueType):
    """A JSON object of another kind, by its first keys: nothing that a logic has asked for."""

    keys: tuple[str, ...]
