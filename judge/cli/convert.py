"""`dropfour convert OLD NEW`: writes the games of a record file of an earlier version to a new file.

This is the only reader of older records. Those of version 2 are as today's, except that a reason is a sentence, and
stays one. Those of version 1 are older than the second game, so all of them are of connect four: `rows`, `cols` and
`forbidden` are keys of the record itself, a move is a `column`, and the sides move in turn.
"""

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from judge.cli import completers
from judge.cli.parser import Parser
from judge.files import write_new
from judge.language import _
from judge.play.scoresheet import in_order
from judge.runs import record_file
from judge.terminal import printable
from protocol.records.json_lines import read_lines
from protocol.records.record import (
    MOST_NESTED,
    RECORD_VERSION,
    GameRecord,
    Move,
    OldRecord,
    Player,
    RecordError,
    Termination,
    checked,
    in_lines,
)
from protocol.records.values import Integer, Seconds, Side, converted, decoded

INCOMPLETE = 1  # the exit status if lines were left out
Size = Annotated[int, Meta(ge=1, le=100)]


class MoveVersion1(Struct, forbid_unknown_fields=True):
    """A move of version 1."""

    column: Integer
    wall_s: Seconds
    cpu_s: Seconds | None = None
    report: dict[str, Any] | None = None


class RecordVersion1(Struct, kw_only=True, forbid_unknown_fields=True):
    """A record of version 1."""

    game: Literal["connect_four"] = "connect_four"
    rows: Size
    cols: Size
    forbidden: tuple[Integer, Integer] | None
    players: tuple[Player, Player]
    first: Side
    moves: tuple[MoveVersion1, ...]
    winner: Side | None
    termination: Termination
    at_fault: Side | None
    started: str
    finished: str
    judge_version: str
    seed: Integer | None = None
    pair: Integer | None = None
    extra: dict[str, Any] = {}
    record_version: Literal[1]

    def as_record(self) -> GameRecord:
        """Return the record in today's form."""
        order = in_order(self.first)
        return GameRecord(
            game=self.game,
            board={"rows": self.rows, "cols": self.cols, "forbidden": self.forbidden and list(self.forbidden)},
            players=self.players,
            first=self.first,
            moves=tuple(
                Move(order[ply % 2], move.column, move.wall_s, move.cpu_s, move.report)
                for ply, move in enumerate(self.moves)
            ),
            winner=self.winner,
            termination=self.termination,
            at_fault=self.at_fault,
            started=self.started,
            finished=self.finished,
            judge_version=self.judge_version,
            seed=self.seed,
            pair=self.pair,
            extra=self.extra,
        )


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status, 0 or INCOMPLETE."""
    parser = Parser(
        "convert",
        description=_(
            "Write the games of a record file of an earlier version to a new file, which all commands read. Lines that "
            "cannot be read are reported and left out; the old file is not changed."
        ),
        epilog=_(
            "Exit status: 0 if all games were written, 1 if lines were left out, 2 for bad arguments or files; then "
            "nothing is written."
        ),
    )
    parser.add_argument("old", type=Path, metavar="OLD", completer=completers.complete_record_file)
    parser.add_argument("new", type=Path, metavar="NEW", completer=completers.complete_path)
    options = parser.parse_args(argv)
    records: list[GameRecord] = []
    left_out: list[str] = []  # messages, one for each line that is left out
    try:
        for line in read_lines(options.old):
            try:
                records.append(read_any_version(line.content))
            except RecordError as error:
                reason = _("the line is incomplete") if line.is_torn else str(error)
                left_out.append(_("line {line} is left out: {error}").format(line=line.number, error=reason))
        if not records:
            parser.error("; ".join([_("{path} holds no game").format(path=printable(str(options.old))), *left_out[:1]]))
        write_new(options.new, in_lines(records))
    except (OSError, RecordError) as error:
        parser.error(record_file.in_words(error))
    for message in left_out:
        print(f"{printable(str(options.old))}: {message}", file=sys.stderr)
    print(_("{number} games were written to {path}").format(path=printable(str(options.new)), number=len(records)))
    return INCOMPLETE if left_out else 0


def read_any_version(line: bytes) -> GameRecord:
    """Return the record in a line of any version. Raises RecordError, which names the field, if it is malformed."""
    try:
        return GameRecord.from_json(line)
    except OldRecord:
        content = decoded(line, dict[str, Any], MOST_NESTED)
    version = content["record_version"]
    if version == 1:
        return checked(decoded(line, RecordVersion1, MOST_NESTED).as_record())
    if version != RECORD_VERSION - 1:
        raise RecordError(f"record_version: expected 1 to {RECORD_VERSION}, got {version}")
    return checked(converted({**content, "record_version": RECORD_VERSION}, GameRecord))
