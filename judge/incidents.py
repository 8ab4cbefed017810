"""Incident reports in the folder of --forensics: one folder for each abnormal game, written completely or not at all.

A report has the bytes that the judge and each bot exchanged, with their times and up to a limit. It also has the clock
of each turn, and a summary of the game with the command that plays the position of the incident again.
"""

import collections
import errno
import itertools
import json
import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.games import GAMES
from judge.games.game import Replies
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
from protocol.errors import RemoteProtocolError
from protocol.records.record import GameRecord, Termination

LONGEST_BYTES = 4096  # at most so many bytes of one transfer are recorded: twice the longest legal frame
FIRST_BYTES, LAST_BYTES = 256 * 1024, 64 * 1024  # so many bytes of a game are recorded, at its beginning and at its end
OVERHEAD_BYTES = 64  # roughly the memory that an entry takes besides its data
TO_BOT, FROM_BOT = "to_bot", "from_bot"
LATE = "LATE"  # stands for NORMAL if a reply was over the limit but excused because the machine was busy
MOST_GAMES = 1000  # the most reports of one run; more would fill the disk without new insight
UNFINISHED = ".unfinished-{}-"  # with the judge's process id; the start of a hidden folder's name, until it is complete
OF_UNFINISHED = re.compile(r"\.unfinished-(\d+)-")
IS_TAKEN = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR)  # the errors of rename() if the new name is in use


@dataclass(frozen=True)
class Transfer:
    """Bytes that the judge sent to a bot or received from it at once.

    `moment` is a time of time.monotonic(). `data` has the first LONGEST_BYTES bytes, and `length` is the number of all
    bytes.
    """

    moment: float
    is_from_bot: bool
    data: bytes
    length: int


class TransferLog(Recorder):
    """Records the first and the last transfers of a game.

    `dropped` is the number of the transfers in between, which are not recorded, and `dropped_bytes` counts their bytes.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.first: list[Transfer] = []
        self.last: collections.deque[Transfer] = collections.deque()
        self.dropped = self.dropped_bytes = 0
        self._clock = clock
        self._room, self._held_last = FIRST_BYTES, 0

    def sent(self, data: bytes) -> None:
        if data:
            self._keep(Transfer(self._clock(), False, data[:LONGEST_BYTES], len(data)))

    def received(self, now: float, data: bytes) -> None:
        self._keep(Transfer(now, True, data[:LONGEST_BYTES], len(data)))

    def _keep(self, transfer: Transfer) -> None:
        size = _size(transfer)
        if not self.last and size <= self._room:
            self.first.append(transfer)
            self._room -= size
            return
        self.last.append(transfer)
        self._held_last += size
        while self._held_last > LAST_BYTES:
            oldest = self.last.popleft()
            self._held_last -= _size(oldest)
            self.dropped += 1
            self.dropped_bytes += oldest.length

    def entries(self, side: str, began: float, replies: Replies) -> Iterator[tuple[float, dict[str, Any]]]:
        """Yield (moment, JSON object) for each recorded transfer, in order. `replies` decodes the bot's bytes.

        The times in the JSON objects are in seconds after `began`. After a gap nothing is decoded, because it is not
        known where a frame starts.
        """
        decoder = _Decoder(replies)
        for transfer in self.first:
            yield transfer.moment, _entry(transfer, side, began, decoder)
        if self.dropped:
            gap_s = self.last[0].moment if self.last else self.first[-1].moment
            yield gap_s, {"side": side, "event": "left_out", "frames": self.dropped, "bytes": self.dropped_bytes}
            decoder.is_lost = True
        for transfer in self.last:
            yield transfer.moment, _entry(transfer, side, began, decoder)


def _size(transfer: Transfer) -> int:
    return len(transfer.data) + OVERHEAD_BYTES


class _Decoder:
    def __init__(self, replies: Replies) -> None:
        self._replies = replies
        self.is_lost = False

    def decoded(self, transfer: Transfer) -> list[str]:
        """Return, as texts, the replies that the bytes of `transfer` complete.

        If decoding fails, the last text is the error.
        """
        found: list[str] = []
        if self.is_lost:
            return found
        try:
            self._replies.feed(transfer.data)
            while (reply := self._replies.next_reply()) is not None:
                found.append(str(reply))
        except RemoteProtocolError as error:
            found.append(str(error))
            self.is_lost = True
        self.is_lost |= transfer.length > len(transfer.data)
        return found


def _entry(transfer: Transfer, side: str, began: float, decoder: _Decoder) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "t": round(transfer.moment - began, 6),
        "side": side,
        "direction": FROM_BOT if transfer.is_from_bot else TO_BOT,
        "bytes": transfer.length,
    }
    if transfer.length > len(transfer.data):
        entry["bytes_shown"] = len(transfer.data)
    text = transfer.data.decode("ascii", "backslashreplace")
    entry["text"] = text
    if not text.replace("\n", "").isprintable() or not transfer.data.isascii():
        entry["hex"] = transfer.data.hex()
    if transfer.is_from_bot:
        entry["decoded"] = decoder.decoded(transfer)
    return entry


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

    def as_json(self) -> dict[str, Any]:
        """Return the turn as a JSON object. In it `allowance_s` is the part of the wall time that does not count."""
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
    """A bot's process after its end.

    `wire` is the protocol that the process used, `exit_status` has the form of subprocess.Popen.returncode, and
    `stderr` is what it wrote to stderr.
    """

    wire: str
    exit_status: int | None
    stderr: str


class Case(EventSink):
    """Collects the events of one game. When the game has been judged, on_end(self) is called."""

    record: GameRecord  # from conclude() on

    def __init__(self, on_end: "Callable[[Case], None]", clock: Callable[[], float] = time.monotonic) -> None:
        self.transfers: dict[str, TransferLog] = {}
        self.turns: list[Turn] = []
        self.ended: dict[str, Ended] = {}
        self.began = 0.0
        self._on_end, self._clock = on_end, clock

    def begin(self) -> None:
        self.began = self._clock()

    def process_started(self, seat: Seat) -> None:
        self.transfers[seat.side] = seat.bot.recorder = TransferLog(self._clock)

    def turn(self, side: str, ply: int, started: float, ended: float, used: TurnUsage) -> None:
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

    def entries(self) -> Iterator[dict[str, Any]]:
        """Return all turns and transfers as JSON objects, ordered by time."""
        found: list[tuple[float, dict[str, Any]]] = []
        for turn in self.turns:
            begins = {"t": round(turn.began_s, 6), "side": turn.side, "event": "turn_begins", "ply": turn.ply}
            found.append((turn.began_s + self.began, begins))
            ends = {**turn.as_json(), "t": round(turn.ended_s, 6), "event": "turn_ends"}
            found.append((turn.ended_s + self.began, ends))
        for side, transfers in self.transfers.items():
            wire = GAMES[self.record.game].wire(self.ended[side].wire, new_position(self.record))
            found += transfers.entries(side, self.began, wire.replies)
        return (entry for _moment, entry in sorted(found, key=lambda timed: timed[0]))


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
        if transfers.dropped:
            left_out = _("{number} frames of {side}, {size} bytes in all, are left out there")
            yield left_out.format(side=side, number=transfers.dropped, size=transfers.dropped_bytes)


def _of_side(case: Case, side: str) -> Iterator[str]:
    kept: dict[str, Any] = case.record.extra[side]
    if side not in case.ended:
        yield _("it was not started")
        return
    judged, ended = kept["exit_status"], case.ended[side].exit_status
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
    told = turns[-1].as_json()
    words = _(
        "turn of {side} for ply {ply}: {wall_s:.3f} s; its threads ran {ran_s:.3f} s in all, and one of them waited "
        "{waited_s:.3f} s for a core: {allowance_s:.3f} s do not count"
    )
    yield words.format(**told)


class IncidentReports:
    """The incident reports of a run.

    repro(record file, number of the game in that file, side, ply) returns the command that plays the position of a
    report again. `ply` is None for the last turn of the side. The constructor creates the folder and removes unfinished
    reports of judges that no longer run. Raises OSError if the folder cannot be written.
    """

    def __init__(self, folder: Path, repro: Callable[[Path, int, str, int | None], str]) -> None:
        self.folder = folder
        self._repro = repro
        self._open: dict[str, Case] = {}  # {id of an abnormal game whose record is not written yet: its Case}
        self._numbers = _Numbers()
        self._written = self._too_many = 0
        self._failure = ""
        folder.mkdir(parents=True, exist_ok=True)
        _remove_unfinished(folder)
        self._new_folder().rmdir()

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
        number = self._numbers.number(path, case.record.extra["id"])
        unfinished = self._new_folder()
        try:
            for name, text in self._texts(case, path, number).items():
                (unfinished / name).write_text(text, "utf-8")
            _rename(unfinished, self.folder / f"game-{number}-{case.name}")
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise

    def _new_folder(self) -> Path:
        folder = Path(tempfile.mkdtemp(prefix=UNFINISHED.format(os.getpid()), dir=self.folder))
        folder.chmod(0o755)  # at first only the owner can read a temporary folder
        return folder

    def _texts(self, case: Case, path: Path, number: int) -> dict[str, str]:
        """Return the files of a report as {file name: text}. `number` is the number of the game in the file `path`."""
        place = _("{path}, game {number}").format(path=printable(str(path)), number=number)
        repro = self._repro(path.absolute(), number, case.side, case.ply)
        entries = "".join(json.dumps(entry) + "\n" for entry in case.entries())
        stderr = {f"{side}.stderr.txt": _lines_printable(ended.stderr) for side, ended in case.ended.items()}
        words = "".join(f"{line}\n" for line in lines(case, place, repro))
        return {"summary.txt": words, "frames.jsonl": entries, "game.json": _game_json(case), **stderr}


class _Numbers:
    """Finds the numbers of games in a growing record file, and reads each line only once."""

    def __init__(self) -> None:
        self._offset = self._lines = 0
        self._path: Path | None = None

    def number(self, path: Path, game_id: str) -> int:
        """Return the number, from 1, of the game with the id `game_id` in the record file `path`.

        Raises LookupError if the game is not in the lines of the file that were not read before.
        """
        if path != self._path:
            self._path, self._offset, self._lines = path, 0, 0
        offset, lines = self._offset, self._lines
        with path.open("rb") as file:
            file.seek(offset)
            for line in file:
                offset, lines = offset + len(line), lines + 1
                if f'"id":"{game_id}"'.encode() in line:
                    self._offset, self._lines = (offset, lines)
                    return lines
        raise LookupError(_("{path} does not hold the game").format(path=path))


def _remove_unfinished(folder: Path) -> None:
    """Remove from `folder` the unfinished reports of judges that no longer run."""
    for entry in folder.iterdir():
        found = OF_UNFINISHED.match(entry.name)
        if found and not os.path.exists(f"/proc/{found[1]}"):
            shutil.rmtree(entry, ignore_errors=True)


def _rename(unfinished: Path, name: Path) -> None:
    """Rename the folder `unfinished` to `name`, with a number appended if that name is in use."""
    for copy in itertools.count(1):
        try:
            unfinished.rename(name if copy == 1 else name.with_name(f"{name.name}-{copy}"))
            return
        except OSError as error:
            if error.errno not in IS_TAKEN:
                raise


def _lines_printable(text: str) -> str:
    return "".join(printable(line) + "\n" for line in text.split("\n")) if text else ""


def _game_json(case: Case) -> str:
    content: dict[str, Any] = {
        "record": json.loads(case.record.to_json()),
        "exit_status": {side: ended.exit_status for side, ended in case.ended.items()},
        "turns": [turn.as_json() for turn in case.turns],
        "cores": os.cpu_count(),
        "load": list(os.getloadavg()),
    }
    return json.dumps(content, indent=1) + "\n"
