"""Incident reports in the folder of --forensics: one folder for each abnormal game.

A report is what somebody needs to find a bot's fault without the judge's machine: the game's record, the bytes that the
judge and each bot exchanged with their times, the clock of each turn, what the bots wrote to stderr, and a summary with
the command that plays the position of the incident again. The summary is written last: a report without one is of a
judge that was killed meanwhile.
"""

import collections
import itertools
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from judge.games import GAMES
from judge.games.positions import Position
from judge.language import _
from judge.play.clock import TurnUsage
from judge.play.observer import EventSink, Observer
from judge.play.recheck import new_position
from judge.play.referee import play_game
from judge.play.scoresheet import GamePlan, in_order
from judge.play.screen import result_in_words, stderr_notes
from judge.play.seat import Seat
from judge.players.players import Contestant
from judge.processes.process import Recorder
from judge.reports import forfeits, phases, prints
from judge.terminal import printable
from protocol.records.record import GameRecord, Termination

MOST_TRANSFERS = 600  # the most transfers of a side that are recorded, the latest ones
LATE = "LATE"  # stands for NORMAL if a reply was over the limit but excused because the machine was busy


class TransferLog(Recorder):
    """Records the latest transfers of a game between the judge and the bot of a side.

    `entries` has them as JSON objects, with "t" in seconds of time.monotonic(). `number` counts all transfers.
    """

    def __init__(self, side: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.entries: collections.deque[dict[str, Any]] = collections.deque(maxlen=MOST_TRANSFERS)
        self.number = 0
        self._side, self._clock = side, clock

    def sent(self, data: bytes) -> None:
        if data:
            self._add(self._clock(), "to_bot", data)

    def received(self, now: float, data: bytes) -> None:
        self._add(now, "from_bot", data)

    def _add(self, moment: float, direction: str, data: bytes) -> None:
        """Add a transfer at `moment`, in seconds of the clock. `direction` is "to_bot" or "from_bot"."""
        self.number += 1
        text = data[:4096].decode("ascii", "backslashreplace")  # twice the longest legal frame
        entry = {"t": moment, "side": self._side, "direction": direction, "bytes": len(data), "text": text}
        self.entries.append(entry)


class Case(EventSink):
    """Collects the events of one game, as EventSink describes them. When the game has ended, it calls on_end(self)."""

    record: GameRecord  # set by conclude()

    def __init__(self, on_end: "Callable[[Case], None]", clock: Callable[[], float] = time.monotonic) -> None:
        self.transfers: dict[str, TransferLog] = {}
        self.turns: list[dict[str, Any]] = []  # begins and ends of turns as JSON objects
        self.exit_status: dict[str, int | None] = {}  # of each bot that was started, as subprocess has it
        self.stderr: dict[str, str] = {}
        self.began = 0.0
        self._on_end, self._clock = on_end, clock

    def begin(self) -> None:
        self.began = self._clock()

    def process_started(self, seat: Seat) -> None:
        self.transfers[seat.side] = seat.bot.recorder = TransferLog(seat.side, self._clock)

    def turn(self, side: str, ply: int, started: float, ended: float, used: TurnUsage) -> None:
        wall_s = ended - started
        figures = {"wall_s": wall_s, "ran_s": used.ran_s, "waited_s": used.waited_s}
        figures["allowance_s"] = used.allowance_s(wall_s)  # the part of the wall time that does not count
        rounded = {name: round(figure, 6) for name, figure in figures.items()}
        self.turns.append({"t": started, "event": "turn_begins", "side": side, "ply": ply})
        self.turns.append({"t": ended, "event": "turn_ends", "side": side, "ply": ply, **rounded})

    def conclude(self, record: GameRecord, seats: Sequence[Seat]) -> None:
        self.record = record
        for seat in seats:
            if seat.process is not None:
                self.exit_status[seat.side] = seat.process.exit_status
                self.stderr[seat.side] = seat.process.stderr_log.text()
        self._on_end(self)

    @property
    def name(self) -> str:
        """The name of the case: the kind of ending and, if a side is at fault, the side, such as "CRASH-B" or "VOID".

        It is "LATE-A" or "LATE-B" after an excused late reply.
        """
        if self.record.termination is Termination.NORMAL:
            return f"{LATE}-{self.side}"
        return self.record.termination.value + (f"-{self.record.at_fault}" if self.record.at_fault else "")

    @property
    def side(self) -> str:
        """The side that the report is about.

        It is the side at fault, else the side whose late reply was excused, else the side to move.
        """
        late = worst_excused_reply(self.record)
        to_move = in_order(self.record.first)[last_position(self.record).to_move]
        return self.record.at_fault or (late[0] if late else to_move)

    @property
    def ply(self) -> int | None:
        """The ply of the turn that the report is about, or None for the last turn of the side.

        It is the ply that worst_excused_reply() returns if the game is NORMAL.
        """
        late = worst_excused_reply(self.record)
        return late[1] if late and self.record.termination is Termination.NORMAL else None

    def entries(self) -> list[dict[str, Any]]:
        """Return all turns and transfers as JSON objects, ordered by "t", the seconds after the game's start."""
        logs = [log.entries for log in self.transfers.values()]
        entries = sorted(itertools.chain(self.turns, *logs), key=lambda entry: entry["t"])
        return [{**entry, "t": round(entry["t"] - self.began, 6)} for entry in entries]


def worst_excused_reply(record: GameRecord) -> tuple[str, int] | None:
    """Return (side, ply) of the excused late reply that was furthest over the limit, or None if there is none."""
    late = []
    for side in "AB":
        overtime = record.kept(side).get("overtime_s", {})
        late += [(over_s, side, int(ply)) for ply, over_s in overtime.items()]
    return max(late)[1:] if late else None


def is_abnormal(record: GameRecord) -> bool:
    """Return whether a game gets a report, because it ended by a fault, is VOID or has an excused late reply."""
    is_normal = record.termination.counts and record.termination.fault is None
    return not is_normal or worst_excused_reply(record) is not None


def last_position(record: GameRecord) -> Position:
    """Return the position in which the game ended."""
    position = new_position(record)
    for move in record.moves:
        position.play(move.move)
    return position


def summary_lines(case: Case, place: str, command: str) -> Iterator[str]:
    """Yield the lines of the summary of a game.

    `place` is a text that says where the game's record is. `command` is the command that plays the position of the
    incident again.
    """
    record = case.record
    position = last_position(record)
    yield place
    yield result_in_words(record)
    yield _("the game began at {started}: {board}, {mover} moved first, at most {limit:g} s per move").format(
        started=record.started,
        board=GAMES[record.game].read_board(record.board).in_words(),
        mover=record.first,
        limit=record.extra["limit_s"],
    )
    yield ""
    yield _("the command that plays this position again:")
    yield f"  {command}"
    yield ""
    yield from (line.rstrip() for line in GAMES[record.game].rendering(position).plain.split("\n"))
    yield ""
    ends = [turn for turn in case.turns if turn["event"] == "turn_ends" and turn["side"] == case.side]
    turns = [turn for turn in ends if case.ply in (None, turn["ply"])]
    if turns:
        sentence = _(
            "{side} took {wall_s:.3f} s for ply {ply}, of which {allowance_s:.3f} s do not count; its "
            "threads ran {ran_s:.3f} s in total, and one of them waited {waited_s:.3f} s for a CPU core"
        )
        yield sentence.format(**turns[-1])
    yield from phases.in_words(record)
    yield from [*stderr_notes(record), *forfeits.notes(record), *prints.notes([record])]
    yield ""
    yield _("game.json has the game's record and the exit status of each bot")
    yield _(
        "frames.jsonl has every message between the judge and the bots and every turn, with times "
        "in seconds after the game's start"
    )
    for side, transfers in case.transfers.items():
        missing = transfers.number - len(transfers.entries)
        if missing:
            yield _("frames.jsonl lacks the first {number} messages between the judge and {side}").format(
                number=missing, side=side
            )


class IncidentReports:
    """The incident reports of a run.

    repro_command(record file, number of the game in that file, side, ply) returns the command that plays the position
    of a report again. `ply` is None for the last turn of the side. Precondition: the folder exists.
    """

    def __init__(self, folder: Path, repro_command: Callable[[Path, int, str, int | None], str]) -> None:
        self.folder = folder
        self._repro_command = repro_command
        self._unwritten: dict[str, Case] = {}  # {id of an abnormal game whose record is not written yet: its Case}
        self._written = 0
        self._failure = ""

    def begin(self) -> Case:
        """Return a new EventSink for the next game."""
        return Case(self._collect)

    def play_game(
        self,
        contestants: Sequence[Contestant],
        plan: GamePlan,
        observer: Observer | None = None,
        stop: threading.Event | None = None,
    ) -> GameRecord:
        """Play a game with the referee's play_game(), and record the game's events."""
        return play_game(contestants, plan, observer, stop, self.begin())

    def _collect(self, case: Case) -> None:
        """Store the Case of an abnormal game until write_report() is called with the game's record."""
        if is_abnormal(case.record):
            self._unwritten[case.record.extra["id"]] = case

    def write_report(self, record: GameRecord, path: Path, number: int | None) -> None:
        """Write the report of an abnormal game. Do nothing for any other game.

        `number` is the game's number in the record file `path`, or None if the file does not have the game any more.
        This method raises no exception, because an error must not end the run. notes() reports errors later.
        """
        case = self._unwritten.pop(record.extra["id"], None)
        if case is None:
            return
        try:
            if number is None:
                raise LookupError(_("{path} no longer has the game of this report").format(path=path))
            self._write(case, path, number)
            self._written += 1
        except Exception as error:  # the game is recorded, and the next one has to be played
            self._failure = self._failure or f"{type(error).__name__}: {error}"

    def notes(self) -> list[str]:
        """Return the lines about the reports to print at the end of the run."""
        lines, folder = [], printable(str(self.folder))
        if self._written:
            lines.append(
                _("incident reports of {number} games are in {folder}").format(number=self._written, folder=folder)
            )
        if self._failure:
            note = _("note: an incident report could not be written to {folder}: {error}")
            lines.append(note.format(folder=folder, error=printable(self._failure)))
        return lines

    def _write(self, case: Case, path: Path, number: int) -> None:
        """Write the report of a game, which has the number `number` in the record file `path`. Raises OSError."""
        place = _("{path}, game {number}").format(path=printable(str(path)), number=number)
        command = self._repro_command(path.absolute(), number, case.side, case.ply)
        folder = self._new_folder(f"game-{number}-{case.name}")
        for side, text in case.stderr.items():
            lines = "".join(printable(line) + "\n" for line in text.split("\n")) if text else ""
            (folder / f"{side}.stderr.txt").write_text(lines, "utf-8")
        entries = "".join(json.dumps(entry) + "\n" for entry in case.entries())
        (folder / "frames.jsonl").write_text(entries, "utf-8")
        content = {
            "record": json.loads(case.record.to_json()),
            "exit_status": case.exit_status,
            "cores": os.cpu_count(),
            "load": os.getloadavg(),
        }
        (folder / "game.json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")
        summary = "".join(f"{line}\n" for line in summary_lines(case, place, command))
        (folder / "summary.txt").write_text(summary, "utf-8")

    def _new_folder(self, name: str) -> Path:
        """Create a folder for a report and return its path. If the name is taken, a number is added."""
        folder, copies = self.folder / name, itertools.count(2)
        while folder.exists():
            folder = self.folder / f"{name}-{next(copies)}"
        folder.mkdir()
        return folder
