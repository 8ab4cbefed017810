"""Records of games, one JSON object per line of an append-only file.

Each game has its own form of boards and moves. Connect four's board is {"rows", "cols", "forbidden": [row, column] or
null}, and a move is a column, counted from 0 from the left. Reversi's board is {"size", "opening": ["d3", ...]}, and a
move is a cell such as "d3": the column's letter, and the row's number from 1 at the top. All times are in seconds.
Reading a record checks its form; a replay checks the rules. This module is not part of the ladder bundle.

Only records of RECORD_VERSION are read; `dropfour convert` (judge/cli/convert.py) makes them of older ones.
"""

import enum
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, Union

import msgspec
from msgspec import Struct, structs

from protocol.records.json_lines import RecordError, append, read_values
from protocol.records.values import Count, Integer, Seconds, Side, check, converted, decoded

__all__ = [
    "RECORD_VERSION",
    "Fault",
    "GameRecord",
    "Move",
    "Player",
    "RecordError",
    "Termination",
    "append_record",
    "append_records",
    "in_lines",
    "read_records",
]

RECORD_VERSION = 3  # since version 3, extra.reason is an object of code and fields
MOST_NESTED = 200  # the most brackets inside each other; a bot's report on a move may have half as many
SIDES = ("A", "B")  # the players in the order of the command line


class Fault(enum.Enum):
    """What the player at fault did wrong. Endings with the same fault are treated alike, unless a column says more."""

    REPLY = enum.auto()  # it sent something that is not a legal move
    TIME = enum.auto()  # it used too much time
    MEMORY = enum.auto()  # it used too much memory
    PROGRAM = enum.auto()  # its program did not run or did not go on


class Termination(str, enum.Enum):
    """How a game ended: the table of all endings. Whatever differs from one ending to another is a column of it.

    The value is the code in records, and the name that people read, which judge/locale translates. The columns:

    * `end_state` is what Saiblo calls the end of the side at fault; "OK" if nobody is at fault.
    * `fault` is None if nobody is at fault.
    * `is_by_mover` says that only the side to move can be at fault.
    * `is_without_reply` says that the side at fault has not sent a reply, as if it did not know the protocol.
    * `counts` is False for a game without a result, because the judge or the machine failed or a log ends early. It is
      in no statistics, and is played again.
    """

    # fmt: off
    #                  code               end state  fault          movers without counts
    NORMAL          = "NORMAL",          "OK",       None,          False, False,  True  # by the rules: a win or a draw
    ILLEGAL_MOVE    = "ILLEGAL_MOVE",    "IA",       Fault.REPLY,   True,  False,  True  # a reply that is no legal move
    BAD_FRAME       = "BAD_FRAME",       "IA",       Fault.REPLY,   False, True,   True  # wrong bytes, or out of turn
    OUTPUT_LIMIT    = "OUTPUT_LIMIT",    "OLE",      Fault.REPLY,   True,  True,   True  # a frame over the limit
    TIME_FORFEIT    = "TIME_FORFEIT",    "TLE",      Fault.TIME,    True,  False,  True  # a reply after the limit
    MEMORY_LIMIT    = "MEMORY_LIMIT",    "MLE",      Fault.MEMORY,  False, False,  True  # all its processes together
    STALL           = "STALL",           "TLE",      Fault.TIME,    True,  True,   True  # no reply, well over the limit
    CRASH           = "CRASH",           "RE",       Fault.PROGRAM, True,  True,   True  # exit, signal or closed output
    STARTUP_FAILURE = "STARTUP_FAILURE", "RE",       Fault.PROGRAM, False, False,  True  # it cannot be executed
    RESIGNATION     = "RESIGNATION",     "OK",       None,          False, False,  True  # a human resigned
    VOID            = "VOID",            "OK",       None,          False, False,  False  # judge or machine failed
    # fmt: on

    _value_: str
    end_state: str
    fault: Fault | None
    is_by_mover: bool
    is_without_reply: bool
    counts: bool

    def __new__(cls, code: str, *columns: Any) -> "Termination":
        member = str.__new__(cls, code)
        member._value_ = code
        member.end_state, member.fault, member.is_by_mover, member.is_without_reply, member.counts = columns
        return member

    __str__ = str.__str__  # without this line the text of f"{termination}" depends on Python's version


class Player(Struct, frozen=True, forbid_unknown_fields=True):
    """The player on one side: the name to show, the command as given on the command line, and the version.

    `version` is None if it is unknown.
    """

    name: str
    command: str
    version: str | None = None


class Move(Struct, frozen=True, forbid_unknown_fields=True):
    """One legal move: its side ("A" or "B"), and the move in its game's notation (int or str).

    `wall_s` and `cpu_s` are seconds of wall time and CPU time. `report` is the bot's own report on the move, a JSON
    object. `cpu_s` and `report` are None where they are unknown.
    """

    side: Side
    move: Integer | str
    wall_s: Seconds
    cpu_s: Seconds | None = None
    report: dict[str, Any] | None = None


class Reason(Struct, forbid_unknown_fields=True):
    """Why a game ended: the code of a sentence, and its fields, which are reasons or texts (judge/language.py)."""

    code: str
    fields: dict[str, Union["Reason", str]]


class SideExtra(Struct):
    """What reports read of the objects "A" and "B" in a record's `extra`. Other keys may have any value."""

    cpu_s: Seconds = 0
    start_up_s: Seconds | None = None
    peak_rss_bytes: Count = 0
    stderr_bytes: Count = 0
    printed_bytes: Count = 0
    exit_status: Integer | None = None
    waits_s: list[Seconds] = []
    overtime_s: dict[str, Seconds] = {}  # {ply: seconds over the limit that were allowed}
    backtrace: str = ""
    folder: str = ""
    printed: str = ""
    stderr: str = ""
    stdout: str = ""


class Extra(Struct):
    """What reports read of a record's `extra`. Other keys may have any value.

    A reason without a code is a text: the reason of an old record, or of a file of another program.
    """

    id: str = ""
    index: Count = 0
    attempt: Count = 0
    reason: Reason | str = ""
    illegal_cell: Count = 0
    no_sandbox: Reason | str = ""
    limit_s: Seconds | None = None
    player_limit_s: Seconds | None = None
    schedule: dict[str, Any] = {}
    A: SideExtra | None = None
    B: SideExtra | None = None


class GameRecord(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One judged game.

    `board` is the game's JSON object for its initial board. `players` are A and B. `first` is the side, "A" or "B",
    that is player 0 of the rules; player 0 moves first unless the board has an opening. `winner` is None for a draw or
    a VOID game. `at_fault` is None unless a player caused the termination by a fault. `started` and `finished` are ISO
    8601 in UTC. `seed` and `pair` (the index of the board in its match) may be None. `extra` is a JSON object for other
    data of the judge, of which Extra is checked.
    """

    game: str
    board: dict[str, Any]
    players: tuple[Player, Player]
    first: Side
    moves: tuple[Move, ...]
    winner: Side | None
    termination: Termination
    at_fault: Side | None
    started: str
    finished: str
    judge_version: str
    seed: Integer | None = None
    pair: Integer | None = None
    extra: dict[str, Any] = {}
    record_version: Literal[3] = 3  # RECORD_VERSION

    def kept(self, name: str) -> dict[str, Any]:
        """Return the object `extra[name]`, {} if the record has no object of this name."""
        found = self.extra.get(name)
        return found if isinstance(found, dict) else {}

    def changed(self, **changes: Any) -> "GameRecord":
        """Return a copy of the record with other values of the fields that `changes` names."""
        return structs.replace(self, **changes)

    def to_json(self) -> str:
        """Return the record as one line of JSON (str without a newline).

        Raises RecordError, which names the field, if from_json() would not read the line.
        """
        try:
            line = json.dumps(msgspec.to_builtins(self, enc_hook=_plain), allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError, RecursionError) as error:
            raise RecordError(f"board, extra or report: expected JSON values: {error}") from None
        line = line.replace("\x7f", "\\u007f")  # json escapes every other control character
        self.from_json(line)
        return line

    @classmethod
    def from_json(cls, text: str | bytes) -> "GameRecord":
        """Return the record in a line that to_json() wrote (str or bytes).

        Raises RecordError, which names the field that is missing, unknown or wrong, and OldRecord for a record of an
        older version.
        """
        try:
            return checked(decoded(text, cls, MOST_NESTED))
        except RecordError as error:
            try:
                version = decoded(text, _Versioned, MOST_NESTED).record_version
            except RecordError as of_version:
                raise (of_version if str(of_version).startswith("record_version") else error) from None
            if version == RECORD_VERSION:
                raise
        newer = ": a newer version of this program wrote it" if version > RECORD_VERSION else ""
        kind = RecordError if newer else OldRecord
        raise kind(f"record_version: expected {RECORD_VERSION}, got {version}{newer}")


def _plain(value: object) -> str:
    """Return the text of a str of another class, such as a Sentence of the judge."""
    if isinstance(value, str):
        return value + ""
    raise TypeError(f"{type(value).__name__} is no JSON")


class _Versioned(Struct):
    record_version: Integer


class OldRecord(RecordError):
    """A record has an older version, which only `dropfour convert` reads."""


def checked(record: GameRecord) -> GameRecord:
    """Return the record, whose fields have the declared types. Raises RecordError for a wrong value inside them."""
    check(record.board, MOST_NESTED - 1, "board")
    check(record.extra, MOST_NESTED - 1, "extra")
    converted(record.extra, Extra, "extra")
    for number, move in enumerate(record.moves):
        if move.report is not None:
            check(move.report, MOST_NESTED - 3, f"moves[{number}].report")
    return record


def append_record(path: str | os.PathLike[str], record: GameRecord) -> None:
    """Append `record` to the file at `path` as one line, and wait until the line is on disk.

    Raises OSError, which names the path, if the line cannot be written whole; the file is then as it was. Raises
    RecordError if the record cannot be represented in JSON, or if json_lines.append() refuses the file.
    """
    append_records(path, [record])


def append_records(path: str | os.PathLike[str], records: Iterable[GameRecord]) -> None:
    """Append several records at once, all or none of them. The errors are those of append_record()."""
    append(Path(path), in_lines(records))


def in_lines(records: Iterable[GameRecord]) -> bytes:
    """Return the records as lines of a file. Raises RecordError if a record cannot be represented in JSON."""
    return "".join(f"{record.to_json()}\n" for record in records).encode("ascii")


def read_records(path: str | os.PathLike[str]) -> tuple[list[GameRecord], list[bytes]]:
    """Return (records, torn_lines) of the file at `path`.

    `torn_lines` (list of bytes) holds the last line if it is torn, else it is empty. The file is not changed. Raises
    OSError if the file cannot be read, RecordError, which has the number of the line, for any other malformed line.
    """
    return read_values(Path(path), GameRecord.from_json)
