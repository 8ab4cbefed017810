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
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.games import GAMES
from judge.games.positions import Position
from judge.language import _, shown
from judge.play.clock import TurnUsage
from judge.play.observer import EventSink, Observer
from judge.play.recheck import new_position
from judge.play.referee import play_game
from judge.play.scoresheet import GamePlan, in_order
from judge.play.screen import result_in_words, stderr_notes
from judge.play.seat import Seat, describe_exit
from judge.players.players import Contestant
from judge.processes.process import Recorder
from judge.reports import forfeits, phases, prints
from judge.terminal import MEGABYTE, printable
from protocol.records.record import GameRecord, Termination

LONGEST_BYTES = 4096  # at most so many bytes of one transfer are recorded: twice the longest legal frame
FIRST, LAST = 500, 100  # so many transfers of a game are recorded, at its beginning and at its end
LATE = "LATE"  # stands for NORMAL if a reply was over the limit but excused because the machine was busy
MOST_GAMES = 1000  # the most reports of one run; more would fill the disk without new insight


class TransferLog(Recorder):
    """Records the first and the last transfers of a game between the judge and the bot of a side.

    `first` and `last` have the transfers as JSON objects, with "t" in seconds of time.monotonic(). `number` counts all
    transfers, also those in between, which are not recorded.
    """

    def __init__(self, side: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.first: list[dict[str, Any]] = []
        self.last: collections.deque[dict[str, Any]] = collections.deque(maxlen=LAST)
        self.number = 0
        self._side, self._clock = side, clock

    def sent(self, data: bytes) -> None:
        if data:
            self._add(self._clock(), "to_bot", data)

    def received(self, now: float, data: bytes) -> None:
        self._add(now, "from_bot", data)

    def _add(self, moment: float, direction: str, data: bytes) -> None:
        self.number += 1
        text = data[:LONGEST_BYTES].decode("ascii", "backslashreplace")
        entry = {"t": moment, "side": self._side, "direction": direction, "bytes": len(data), "text": text}
        (self.first if len(self.first) < FIRST else self.last).append(entry)

    @property
    def left_out(self) -> int:
        """The number of transfers that are not recorded."""
        return self.number - len(self.first) - len(self.last)


@dataclass(frozen=True)
class Turn:
    """One turn of a side. `began_s` and `ended_s` are in seconds after the game's start.

    `used` is the time that the turn has used.
    """

    side: str
    ply: int
    began_s: float
    ended_s: float
    used: TurnUsage

    def entries(self) -> Iterator[dict[str, Any]]:
        """Yield the turn's begin and end as JSON objects, with "t" in seconds after the game's start.

        In the second one `allowance_s` is the part of the wall time that does not count.
        """
        wall_s = self.ended_s - self.began_s
        figures = {
            "wall_s": wall_s,
            "ran_s": self.used.ran_s,
            "waited_s": self.used.waited_s,
            "allowance_s": self.used.allowance_s(wall_s),
        }
        whose = {"side": self.side, "ply": self.ply}
        yield {"t": self.began_s, "event": "turn_begins", **whose}
        yield {"t": self.ended_s, "event": "turn_ends", **whose, **{name: round(figures[name], 6) for name in figures}}


class Case(EventSink):
    """Collects the events of one game. When the game has been judged, on_end(self) is called."""

    record: GameRecord  # from conclude() on

    def __init__(self, on_end: "Callable[[Case], None]", clock: Callable[[], float] = time.monotonic) -> None:
        self.transfers: dict[str, TransferLog] = {}
        self.turns: list[Turn] = []
        self.exit_status: dict[str, int | None] = {}  # of each bot that was started, as subprocess has it
        self.stderr: dict[str, str] = {}
        self.began = 0.0
        self._on_end, self._clock = on_end, clock

    def begin(self) -> None:
        self.began = self._clock()

    def process_started(self, seat: Seat) -> None:
        self.transfers[seat.side] = seat.bot.recorder = TransferLog(seat.side, self._clock)

    def turn(self, side: str, ply: int, started: float, ended: float, used: TurnUsage) -> None:
        self.turns.append(Turn(side, ply, started - self.began, ended - self.began, used))

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
        late = latest_reply(self.record)
        to_move = in_order(self.record.first)[last_position(self.record).to_move]
        return self.record.at_fault or (late[0] if late else to_move)

    @property
    def ply(self) -> int | None:
        """The ply of the turn that the report is about, or None for the last turn of the side.

        It is the ply that latest_reply() returns if the game is NORMAL.
        """
        late = latest_reply(self.record)
        return late[1] if late and self.record.termination is Termination.NORMAL else None

    def entries(self) -> list[dict[str, Any]]:
        """Return all turns and transfers as JSON objects, ordered by "t", the seconds after the game's start."""
        entries = [entry for turn in self.turns for entry in turn.entries()]
        for transfers in self.transfers.values():
            entries += [{**entry, "t": entry["t"] - self.began} for entry in (*transfers.first, *transfers.last)]
        return [{**entry, "t": round(entry["t"], 6)} for entry in sorted(entries, key=lambda entry: entry["t"])]


def latest_reply(record: GameRecord) -> tuple[str, int] | None:
    """Return (side, ply) of the excused late reply that was furthest over the limit, or None if there is none."""
    late = []
    for side in "AB":
        overtime = record.kept(side).get("overtime_s", {})
        late += [(over_s, side, int(ply)) for ply, over_s in overtime.items()]
    return max(late)[1:] if late else None


def is_abnormal(record: GameRecord) -> bool:
    """Return whether a game gets a report, because it ended by a fault, is VOID or has an excused late reply."""
    is_sound = record.termination.counts and record.termination.fault is None
    return not is_sound or latest_reply(record) is not None


def last_position(record: GameRecord) -> Position:
    """Return the position in which the game ended."""
    position = new_position(record)
    for move in record.moves:
        position.play(move.move)
    return position


def lines(case: Case, place: str, repro: str) -> Iterator[str]:
    """Yield the lines of the summary of a game.

    `place` is a text that says where the game's record is. `repro` is the command that plays the position of the
    incident again.
    """
    record = case.record
    position = last_position(record)
    yield place
    yield result_in_words(record)
    yield _("{started}, {board}, {mover} first, limit {limit:g} s").format(
        started=record.started,
        board=GAMES[record.game].read_board(record.board).in_words(),
        mover=record.first,
        limit=record.extra["limit_s"],
    )
    yield ""
    yield _("to play that position again:")
    yield f"  {repro}"
    yield ""
    yield from (line.rstrip() for line in GAMES[record.game].rendering(position).plain.split("\n"))
    for side, player in zip("AB", record.players, strict=True):
        yield ""
        yield _("{side}: {words}").format(side=side, words=printable(player.name))
        yield from (f"  {line}" for line in _of_side(case, side))
    yield ""
    yield from _last_turn(case)
    yield from phases.in_words(record)
    yield from [*stderr_notes(record), *forfeits.notes(record), *prints.notes([record])]
    yield ""
    yield _("frames.jsonl has all that passed and every turn, in seconds after the game's start")
    for side, transfers in case.transfers.items():
        if transfers.left_out:
            yield _("{number} frames of {side} are left out there").format(side=side, number=transfers.left_out)


def _of_side(case: Case, side: str) -> Iterator[str]:
    kept: dict[str, Any] = case.record.extra[side]
    if side not in case.exit_status:
        yield _("it was not started")
        return
    judged, ended = kept["exit_status"], case.exit_status[side]
    if judged is not None:
        yield _("when the game ended: it {end}").format(end=shown(describe_exit(judged)))
    else:
        yield _("when the game ended: it was running")
        yield _("afterwards, asked to end: it {end}").format(end=shown(describe_exit(ended)))
    limit = case.record.extra["memory_limit_bytes"]
    memory = _("memory: {number:.0f} MB at most").format(number=kept["peak_rss_bytes"] / MEGABYTE)
    yield memory + (_(", of {number:.0f} MB").format(number=limit / MEGABYTE) if limit else "")
    yield _("processor time: {number:.2f} s").format(number=kept["cpu_s"])
    yield _("stderr: {number} bytes").format(number=kept["stderr_bytes"])


def _last_turn(case: Case) -> Iterator[str]:
    turns = [turn for turn in case.turns if turn.side == case.side and case.ply in (None, turn.ply)]
    if not turns:
        return
    *_begin, end = turns[-1].entries()
    words = _(
        "turn of {side} for ply {ply}: {wall_s:.3f} s; its threads ran {ran_s:.3f} s in all, and one of them waited "
        "{waited_s:.3f} s for a core: {allowance_s:.3f} s do not count"
    )
    yield words.format(**end)


class IncidentReports:
    """The incident reports of a run.

    repro(record file, number of the game in that file, side, ply) returns the command that plays the position of a
    report again. `ply` is None for the last turn of the side. The constructor creates the folder. Raises OSError if the
    folder cannot be written.
    """

    def __init__(self, folder: Path, repro: Callable[[Path, int, str, int | None], str]) -> None:
        self.folder = folder
        self._repro = repro
        self._open: dict[str, Case] = {}  # {id of an abnormal game whose record is not written yet: its Case}
        self._written = self._too_many = 0
        self._failure = ""
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()

    def begin(self) -> Case:
        """Return a new EventSink for the next game."""
        return Case(self._keep_open)

    def play_game(
        self,
        contestants: Sequence[Contestant],
        plan: GamePlan,
        observer: Observer | None = None,
        stop: threading.Event | None = None,
    ) -> GameRecord:
        """Play a game with the referee's play_game(), and record the game's events."""
        return play_game(contestants, plan, observer, stop, self.begin())

    def _keep_open(self, case: Case) -> None:
        if is_abnormal(case.record):
            self._open[case.record.extra["id"]] = case

    def write_report(self, record: GameRecord, path: Path) -> None:
        """Write the report of an abnormal game. Do nothing for any other game.

        The record must be in the record file `path` already. This method raises no exception, because an error must not
        end the run. notes() reports errors later.
        """
        case = self._open.pop(record.extra["id"], None)
        if case is None:
            return
        if self._written == MOST_GAMES:
            self._too_many += 1
            return
        try:
            self._write(case, path)
            self._written += 1
        except Exception as error:  # the game is recorded, and the next one has to be played
            self._failure = self._failure or f"{type(error).__name__}: {error}"

    def notes(self) -> list[str]:
        """Return the lines about the reports to print at the end of the run."""
        found, folder = [], printable(str(self.folder))
        if self._written:
            told = _("forensics: {number} games in {folder}")
            found.append(told.format(number=self._written, folder=folder))
        if self._too_many:
            told = _("note: {number} more abnormal games have no folder in {folder}")
            found.append(told.format(number=self._too_many, folder=folder))
        if self._failure:
            told = _("note: not all forensics could be written to {folder}: {error}")
            found.append(told.format(folder=folder, error=printable(self._failure)))
        return found

    def _write(self, case: Case, path: Path) -> None:
        with path.open("rb") as file:
            own = f'"id":"{case.record.extra["id"]}"'.encode()
            number = next((number for number, line in enumerate(file, start=1) if own in line), None)
        if number is None:
            raise LookupError(_("{path} does not hold the game").format(path=path))
        place = _("{path}, game {number}").format(path=printable(str(path)), number=number)
        repro = self._repro(path.absolute(), number, case.side, case.ply)
        folder = self._new_folder(f"game-{number}-{case.name}")
        for side, text in case.stderr.items():
            (folder / f"{side}.stderr.txt").write_text(_lines_printable(text), "utf-8")
        entries = "".join(json.dumps(entry) + "\n" for entry in case.entries())
        (folder / "frames.jsonl").write_text(entries, "utf-8")
        content = {
            "record": json.loads(case.record.to_json()),
            "exit_status": case.exit_status,
            "cores": os.cpu_count(),
            "load": os.getloadavg(),
        }
        (folder / "game.json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")
        (folder / "summary.txt").write_text("".join(f"{line}\n" for line in lines(case, place, repro)), "utf-8")

    def _new_folder(self, name: str) -> Path:
        copies = (f"{name}-{copy}" for copy in itertools.count(2))
        folder = next(path for each in itertools.chain([name], copies) if not (path := self.folder / each).exists())
        folder.mkdir()
        return folder


def _lines_printable(text: str) -> str:
    return "".join(printable(line) + "\n" for line in text.split("\n")) if text else ""
