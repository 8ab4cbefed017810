"""What share of a side's turns was short of a core: got less than 95 % of its time, because the machine ran others.

A turn's shortage is the longest wait of one of its side's threads for a core (GameRecord.extra[side]["waits_s"]), but
no more than the turn's time less the processor time of all of them, as the side's clock has it (turn_clock.py): threads
that crowd each other out are no fault of the machine's.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from protocol.records.record import GameRecord, Move

LEAST_SHARE = 0.95  # of its time that a turn should get
MOST_SHORT = 0.02  # of a side's turns: above, a result carries a warning
LEAST_SHORTAGE_S = 0.005  # about a scheduler's time slice: no less can matter, however short a turn is
CPU_STEP_S = 0.01  # of Move.cpu_s, which may be too large by it


@dataclass(frozen=True)
class Turns:
    """How many turns of a side were measured, and how many of them were short of a core."""

    measured: int
    short: int

    @property
    def share(self) -> float | None:
        """That were short, None of no turn."""
        return self.short / self.measured if self.measured else None


def of_moves(moves: Iterable[Move], side: str, waits_s: Sequence[float]) -> Turns:
    """The Turns of a side in one game; waits_s are its longest waits in seconds, turn by turn.

    Of several moves in one turn the first has the turn's time. A last turn without a move is left out.
    """
    turns = [move for move in moves if move.side == side and move.wall_s > 0]
    pairs = list(zip(turns, waits_s, strict=False))
    return Turns(len(pairs), sum(_is_short(move, wait_s) for move, wait_s in pairs))


def _is_short(move: Move, wait_s: float) -> bool:
    idle_s = math.inf if move.cpu_s is None else move.wall_s - move.cpu_s + CPU_STEP_S
    shortage_s = min(wait_s, idle_s)
    return shortage_s > max(LEAST_SHORTAGE_S, (1 - LEAST_SHARE) * move.wall_s)


def of_record(record: GameRecord, side: str) -> Turns | None:
    """The Turns of a side in a recorded game, None where the record does not tell its waits."""
    kept = record.extra.get(side)
    waits_s = kept.get("waits_s") if isinstance(kept, dict) else None
    if not isinstance(waits_s, list) or not all(type(wait_s) in (int, float) for wait_s in waits_s):
        return None
    return of_moves(record.moves, side, waits_s)


def in_all(
    records: Iterable[GameRecord], player_of: Callable[[GameRecord, str], str] = lambda record, side: side
) -> dict[str, Turns | None]:
    """{side: the Turns of all games whose records tell its waits}, None where there is none such.

    player_of(record, side) is whose Turns are added up, where that is not the side.
    """
    found: dict[str, Turns | None] = {}
    for record in records:
        for side in "AB":
            before, turns = found.setdefault(player_of(record, side), None), of_record(record, side)
            if turns is not None:
                measured, short = (before.measured, before.short) if before else (0, 0)
                found[player_of(record, side)] = Turns(measured + turns.measured, short + turns.short)
    return found or dict.fromkeys("AB")


def exceeds_bound(turns: Mapping[str, Turns | None]) -> bool:
    """True if more than MOST_SHORT of any side's turns were short of a core."""
    shares = [each.share for each in turns.values() if each is not None]
    return any(share is not None and share > MOST_SHORT for share in shares)


def as_json(turns: Mapping[str, Turns | None]) -> dict[str, Any]:
    """The shares by side for records and programs, None where not measured, the bound, and whether one is above it."""
    return {**rounded_shares(turns), "bound": MOST_SHORT, "warning": exceeds_bound(turns)}


def rounded_shares(turns: Mapping[str, Turns | None]) -> dict[str, float | None]:
    """The shares of all Turns as JSON has them, None where not measured."""
    shares = {side: None if each is None else each.share for side, each in turns.items()}
    return {side: None if share is None else round(share, 4) for side, share in shares.items()}
