"""One game as it is looked into afterwards: what its record has, and what passed, and what the machine did."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from judge.forensics.frames import Frames
from judge.games import GAMES
from judge.games.positions import Position
from judge.play.evidence import Evidence
from judge.play.recheck import new_position
from judge.play.scoresheet import in_order
from judge.play.seat import Seat
from judge.play.turn_clock import Used
from protocol.records.record import GameRecord, Termination

LATE = "LATE"  # in place of NORMAL, where a reply came past the limit and was in time: the machine was busy


@dataclass(frozen=True)
class Turn:
    """One turn: whose, for which ply, from when to when (seconds after the game's start), and what was made of it."""

    side: str
    ply: int
    began_s: float
    ended_s: float
    used: Used

    def as_json(self) -> dict[str, Any]:
        """The turn as a JSON object; `allowance_s` is what the clock stood still at most."""
        wall_s = self.ended_s - self.began_s
        figures = {
            "t": self.began_s,
            "wall_s": wall_s,
            "ran_s": self.used.ran_s,
            "waited_s": self.used.waited_s,
            "allowance_s": self.used.allowance_s(wall_s),
        }
        return {"side": self.side, "ply": self.ply, **{name: round(value, 6) for name, value in figures.items()}}


@dataclass(frozen=True)
class Ended:
    """What is left of a bot's process: its status as subprocess reports it, its stderr as text."""

    wire: str
    exit_status: int | None
    stderr: str


class Case(Evidence):
    """The evidence of one game. `on_end` is called with it when the game has been judged."""

    record: GameRecord  # from conclude() on

    def __init__(self, on_end: "Callable[[Case], None]", clock: Callable[[], float] = time.monotonic) -> None:
        self.frames: dict[str, Frames] = {}
        self.turns: list[Turn] = []
        self.ended: dict[str, Ended] = {}
        self.began = 0.0
        self._on_end, self._clock = on_end, clock

    def begin(self) -> None:
        self.began = self._clock()

    def seated(self, seat: Seat) -> None:
        self.frames[seat.side] = seat.bot.recorder = Frames(self._clock)

    def turn(self, side: str, ply: int, started: float, ended: float, used: Used) -> None:
        self.turns.append(Turn(side, ply, started - self.began, ended - self.began, used))

    def conclude(self, record: GameRecord, seats: Sequence[Seat]) -> None:
        self.record = record
        for seat in seats:
            if seat.process is not None:
                log = seat.process.stderr_log
                self.ended[seat.side] = Ended(seat.contestant.wire, seat.process.exit_status, log.text())
        self._on_end(self)

    @property
    def name(self) -> str:
        """What kind of ending it was, and whose fault: "CRASH-B", "VOID", "LATE-A"."""
        if self.record.termination is Termination.NORMAL:
            return f"{LATE}-{self.side}"
        return self.record.termination.value + (f"-{self.record.at_fault}" if self.record.at_fault else "")

    @property
    def side(self) -> str:
        """The side that it is about: who was at fault, else who was late, else who was to move."""
        late = latest_reply(self.record)
        to_move = in_order(self.record.first)[last_position(self.record).to_move]
        return self.record.at_fault or (late[0] if late else to_move)

    @property
    def ply(self) -> int | None:
        """The ply that it is about where that is not the side's last: of the reply that was the latest."""
        late = latest_reply(self.record)
        return late[1] if late and self.record.termination is Termination.NORMAL else None

    def entries(self) -> Iterator[dict[str, Any]]:
        """Everything that happened, in the order of time, as JSON objects."""
        found: list[tuple[float, dict[str, Any]]] = []
        for turn in self.turns:
            begins = {"t": round(turn.began_s, 6), "side": turn.side, "event": "turn_begins", "ply": turn.ply}
            found.append((turn.began_s + self.began, begins))
            ends = {**turn.as_json(), "t": round(turn.ended_s, 6), "event": "turn_ends"}
            found.append((turn.ended_s + self.began, ends))
        for side, frames in self.frames.items():
            wire = GAMES[self.record.game].wire(self.ended[side].wire, new_position(self.record))
            found += frames.entries(side, self.began, wire.replies)
        return (entry for _moment, entry in sorted(found, key=lambda timed: timed[0]))


def latest_reply(record: GameRecord) -> tuple[str, int] | None:
    """(side, ply) of the reply that came longest past the limit and was in time, None where there is none."""
    late = []
    for side in "AB":
        overtime = record.extra.get(side, {}).get("overtime_s", {})
        late += [(over_s, side, int(ply)) for ply, over_s in overtime.items()]
    return max(late)[1:] if late else None


def is_abnormal(record: GameRecord) -> bool:
    """Whether somebody may want to know what happened: a fault, a void game, a reply that was late and in time."""
    is_sound = record.termination in (Termination.NORMAL, Termination.RESIGNATION)
    return not is_sound or latest_reply(record) is not None


def last_position(record: GameRecord) -> Position:
    """The position that the game ended in."""
    position = new_position(record)
    for move in record.moves:
        position.play(move.move)
    return position
