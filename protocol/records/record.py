"""Records of games, one JSON object per line of an append-only file.

Each game has its own form of boards and moves. Connect four's board is {"rows", "cols", "forbidden": [row, column] or
null}, and a move is a column, counted from 0 from the left. Reversi's board is {"size", "opening": ["d3", ...]}, and a
move is a cell such as "d3": the column's letter, and the row's number from 1 at the top. All times are in seconds.
Reading a record checks its form; a replay checks the rules. This module is not part of the ladder bundle.

Records of version 1 are older than the second game, so all of them are of connect four. In these records `rows`, `cols`
and `forbidden` are keys of the record itself, a move is a `column`, and the sides move in turn. When such a record is
read, it is converted to version 2.
"""

import enum
import json
import os
from collections.abc import Iterable
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from protocol.records import json_lines
from protocol.records.json_lines import (
    RecordError,
    append,
    check_extra,
    check_integer,
    check_keys,
    check_object,
    check_seconds,
    check_text,
    checked_tuple,
    expect,
    read_lines,
)

FIRST_VERSION = 1
BOARD_OF_FIRST_VERSION = ("rows", "cols", "forbidden")
MOVE_KEYS = ("wall_s", "cpu_s", "report")  # keys of a move that are the same in version 2
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
    "record_in_line",
]

RECORD_VERSION = 3  # since version 3, extra.reason is an object of code and fields
MOST_NESTED = 200  # the most brackets inside each other; a bot's report on a move may have half as many
Part = TypeVar("Part", "Player", "Move", "GameRecord")
SIDES = ("A", "B")  # the players in the order of the command line


def as_version_2(content: dict[str, Any]) -> dict[str, Any]:
    """Convert `content`, the JSON object of a record of version 1, to the form of version 2. Its version number stays.

    Raises RecordError, which names the field, if a field to convert is missing or wrong. The other fields are copied
    unchecked.
    """
    expect("board" not in content, "board", "no key of this name", content.get("board"))
    check_keys(content, (*BOARD_OF_FIRST_VERSION, "first", "moves"), content)
    kept = {name: value for name, value in content.items() if name not in BOARD_OF_FIRST_VERSION}
    return {
        "game": "connect_four",
        **kept,
        "board": _board_of_first_version(content),
        "moves": _moves_of_first_version(content),
    }


def _board_of_first_version(content: dict[str, Any]) -> dict[str, Any]:
    for name in ("rows", "cols"):
        check_integer(name, content[name])
        expect(content[name] > 0, name, "a positive integer", content[name])
    forbidden = content["forbidden"]
    if forbidden is not None:
        cell = checked_tuple("forbidden", forbidden, int)
        inside = len(cell) == 2 and 0 <= cell[0] < content["rows"] and 0 <= cell[1] < content["cols"]
        expect(inside, "forbidden", "null or a cell (row, col) of the board", cell)
    return {name: content[name] for name in BOARD_OF_FIRST_VERSION}


def _moves_of_first_version(content: dict[str, Any]) -> list[dict[str, Any]]:
    order = {"A": "AB", "B": "BA"}.get(content["first"] if isinstance(content["first"], str) else "", "")
    expect(order != "", "first", "A or B", content["first"])
    expect(isinstance(content["moves"], list), "moves", "a list", content["moves"])
    moves = []
    for position, move in enumerate(content["moves"]):
        try:
            check_object("entry", move)
            check_keys(move, ("column",), MOVE_KEYS)
            check_integer("column", move["column"])
        except RecordError as error:
            raise RecordError(f"moves[{position}].{error}") from None
        rest = {name: value for name, value in move.items() if name != "column"}
        moves.append({"side": order[position % 2], "move": move["column"], **rest})
    return moves


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


@dataclass(frozen=True)
class Player:
    """The player on one side: the name to show, the command as given on the command line, and the version.

    `version` is None if it is unknown.
    """

    name: str
    command: str
    version: str | None = None

    def __post_init__(self) -> None:
        check_text("name", self.name)
        check_text("command", self.command)
        check_text("version", self.version, optional=True)


@dataclass(frozen=True)
class Move:
    """One legal move: its side ("A" or "B"), and the move in its game's notation (int or str).

    `wall_s` and `cpu_s` are seconds of wall time and CPU time. `report` is the bot's own report on the move, a JSON
    object. `cpu_s` and `report` are None where they are unknown.
    """

    side: str
    move: int | str
    wall_s: float
    cpu_s: float | None = None
    report: dict | None = None

    def __post_init__(self) -> None:
        expect(self.side in SIDES, "side", "A or B", self.side)
        expect(type(self.move) in (int, str), "move", "an integer or a string", self.move)
        check_seconds("wall_s", self.wall_s)
        check_seconds("cpu_s", self.cpu_s, optional=True)
        check_object("report", self.report, optional=True)


@dataclass(frozen=True, kw_only=True)
class GameRecord:
    """One judged game. Raises RecordError, which names the first field of a wrong type or value.

    `board` is the game's JSON object for its initial board. `players` are A and B. `first` is the side, "A" or "B",
    that is player 0 of the rules; player 0 moves first unless the board has an opening. `winner` is None for a draw or
    a VOID game. `at_fault` is None unless a player caused the termination by a fault. `started` and `finished` are ISO
    8601 in UTC. `seed` and `pair` (the index of the board in its match) may be None. `extra` is a JSON object for other
    data of the judge.
    """

    game: str
    board: dict
    players: tuple[Player, Player]
    first: str
    moves: tuple[Move, ...]
    winner: str | None
    termination: Termination
    at_fault: str | None
    started: str
    finished: str
    judge_version: str
    seed: int | None = None
    pair: int | None = None
    extra: dict = field(default_factory=dict)
    record_version: int = RECORD_VERSION

    def __post_init__(self) -> None:
        check_integer("record_version", self.record_version)
        expect(self.record_version == RECORD_VERSION, "record_version", RECORD_VERSION, self.record_version)
        for name in ("game", "started", "finished", "judge_version"):
            check_text(name, getattr(self, name))
        for name in ("seed", "pair"):
            check_integer(name, getattr(self, name), optional=True)
        for name in ("board", "extra"):
            check_object(name, getattr(self, name))
        expect(self.first in SIDES, "first", "A or B", self.first)
        for name in ("winner", "at_fault"):
            side = getattr(self, name)
            expect(side is None or side in SIDES, name, "A, B or null", side)
        terminations = ", ".join(member.value for member in Termination)
        expect(isinstance(self.termination, Termination), "termination", terminations, self.termination)
        # Lists are converted to tuples, so that a record that is read back equals the record that was written.
        object.__setattr__(self, "players", checked_tuple("players", self.players, Player))
        object.__setattr__(self, "moves", checked_tuple("moves", self.moves, Move))
        expect(len(self.players) == 2, "players", "two players", len(self.players))

    def kept(self, name: str) -> dict[str, Any]:
        """Return the object `extra[name]`, {} if the record has no object of this name."""
        found = self.extra.get(name)
        return found if isinstance(found, dict) else {}

    def to_json(self) -> str:
        """Return the record as one line of JSON (str without a newline).

        Raises RecordError if `board`, `extra` or a move's report holds a value that JSON cannot represent.
        """
        try:
            line = json.dumps(asdict(self), allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError, RecursionError) as error:
            raise RecordError(f"board, extra or report: expected JSON values: {error}") from None
        return line.replace("\x7f", "\\u007f")  # json escapes every other control character

    @classmethod
    def from_json(cls, text: str | bytes) -> "GameRecord":
        """Return the record in a line that to_json() wrote (str or bytes), in this or an earlier record version.

        Raises RecordError, which names the field that is missing, unknown or wrong.
        """
        try:
            content = json_lines.loads(text, MOST_NESTED)
        except json_lines.InvalidNumber as error:
            raise RecordError(str(error)) from None
        except ValueError as error:
            raise RecordError(f"record: expected one JSON object: {error}") from None
        check_object("record", content)
        version = content.get("record_version")
        check_integer("record_version", version)
        if version > RECORD_VERSION:
            raise RecordError(
                f"record_version: expected at most {RECORD_VERSION}, got {version}: "
                "a newer version of this program wrote it"
            )
        expect(version >= FIRST_VERSION, "record_version", f"{FIRST_VERSION}..{RECORD_VERSION}", version)
        check_object("extra", content.get("extra", {}))
        check_extra(content.get("extra", {}))
        if version == FIRST_VERSION:
            content = as_version_2(content)
        return _build(
            cls,
            {
                **content,
                "record_version": RECORD_VERSION,
                "players": _parts(Player, content, "players"),
                "moves": _parts(Move, content, "moves"),
                "termination": _termination(content.get("termination")),
            },
        )


def _build(kind: type[Part], content: dict[str, Any]) -> Part:
    required = [entry.name for entry in fields(kind) if _is_required(entry)]
    check_keys(content, required, [entry.name for entry in fields(kind)])
    return kind(**content)


def _is_required(entry: Field[Any]) -> bool:
    return entry.default is MISSING and entry.default_factory is MISSING


def _parts(kind: type[Part], content: dict[str, Any], name: str) -> list[Part]:
    """Return the players or moves in `content[name]`; `kind` is Player or Move.

    Raises RecordError, which names the entry and its field, if an entry is malformed.
    """
    expect(isinstance(content.get(name), list), name, "a list", content.get(name))
    parts = []
    for position, part in enumerate(content[name]):
        try:
            check_object("entry", part)
            parts.append(_build(kind, part))
        except RecordError as error:
            raise RecordError(f"{name}[{position}].{error}") from None
    return parts


def _termination(value: Any) -> Any:
    try:
        return Termination(value)
    except ValueError:
        return value  # GameRecord raises the error that names the field


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
    records: list[GameRecord] = []
    torn_lines: list[bytes] = []
    for line in read_lines(Path(path)):
        if line.is_torn:
            torn_lines.append(line.content)
            break
        records.append(record_in_line(path, line.number, line.content))
    return records, torn_lines


def record_in_line(path: str | os.PathLike[str], number: int, content: bytes) -> GameRecord:
    """Return the record in `content`, which is line `number` (from 1) of the file at `path`.

    Raises RecordError, which names the path and the number, if the line is malformed.
    """
    try:
        return GameRecord.from_json(content)
    except RecordError as error:
        raise RecordError(f"{path}, line {number}: {error}", path, number) from None
