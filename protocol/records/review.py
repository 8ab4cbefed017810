"""What engines say of the positions of recorded games: one JSON object per line of a file that only grows.

Not part of the ladder bundle. A line is an answer with what it answers. A position is named by a hash of the game that
it lies in and by the number of the ply before which it stands: the same game recorded twice has the same positions.
"""

import hashlib
import json
import math
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from protocol.records import json_lines
from protocol.records.json_lines import (
    RecordError,
    append,
    check_count,
    check_integer,
    check_keys,
    check_object,
    check_seconds,
    check_text,
    expect,
    read_lines,
)
from protocol.records.record import GameRecord

REVIEW_VERSION = 1
WIN, DRAW, LOSS = RESULTS = ("win", "draw", "loss")
MOST_NESTED = 8  # brackets of a line; ours have two
KEY_DIGITS = 16  # of a hash


def game_key(record: GameRecord) -> str:
    """What tells the positions of a game from those of others: a hash of its board and its moves."""
    content = [record.game, record.board, [move.move for move in record.moves]]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]


@dataclass(frozen=True)
class Reviewer:
    """An engine as its answers are kept: its command has its options, `limit_s` is what {limit} stood for in it."""

    name: str
    command: str
    version: str | None
    limit_s: float

    def __post_init__(self) -> None:
        check_text("name", self.name)
        check_text("command", self.command)
        check_text("version", self.version, optional=True)
        check_seconds("limit_s", self.limit_s)


@dataclass(frozen=True)
class Answer:
    """What a position is worth to the side to move: value in -1..1, `proven` one of RESULTS or None.

    `best` is the move that the engine would make, `pv` are the moves that it expects, its own first; all as text.
    `elapsed_s` is the time until its reply; depth and iterations are None where it states none.
    """

    value: float
    proven: str | None
    best: str
    pv: tuple[str, ...] = ()
    depth: float | None = None
    iterations: float | None = None
    elapsed_s: float = 0.0

    def __post_init__(self) -> None:
        expect(_is_number(self.value) and -1 <= self.value <= 1, "value", "a number from -1 to 1", self.value)
        expect(self.proven is None or self.proven in RESULTS, "proven", "win, draw, loss or null", self.proven)
        check_text("best", self.best)
        for place, move in enumerate(self.pv):
            check_text(f"pv[{place}]", move)
        for name in ("depth", "iterations"):
            number = getattr(self, name)
            expect(number is None or _is_number(number), name, "a finite number or null", number)
        check_seconds("elapsed_s", self.elapsed_s)


@dataclass(frozen=True)
class ReviewLine:
    """An answer with what it answers: `moves` is the game_key(), `ply` the one that the position stands before, from 1.

    `game` is the game's number in its file when it was asked, and `id` the game's own: both are for readers alone.
    """

    game: int
    id: str | None
    moves: str
    ply: int
    engine: Reviewer
    answer: Answer

    def __post_init__(self) -> None:
        check_count("game", self.game)
        check_text("id", self.id, optional=True)
        check_text("moves", self.moves)
        check_count("ply", self.ply)
        expect(self.ply > 0, "ply", "an integer of at least 1", self.ply)

    def to_json(self) -> str:
        """The line as JSON (str without a newline)."""
        question = {"game": self.game, "id": self.id, "moves": self.moves, "ply": self.ply}
        content = {"review": REVIEW_VERSION, **question, "engine": asdict(self.engine), **asdict(self.answer)}
        line = json.dumps(content, allow_nan=False, separators=(",", ":"))
        return line.replace("\x7f", "\\u007f")  # the one control character that json leaves as it is

    @classmethod
    def from_json(cls, text: str | bytes) -> "ReviewLine":
        """Read a line back. Raises RecordError naming the field that is missing, unknown or wrong."""
        try:
            content = json_lines.loads(text, MOST_NESTED)
        except ValueError as error:
            raise RecordError(f"review: expected one JSON object: {error}") from None
        check_object("review", content)
        _check_version(content.get("review"))
        of_answer = [entry.name for entry in fields(Answer)]
        check_keys(content, ["review", "game", "id", "moves", "ply", "engine", *of_answer], ())
        check_object("engine", content["engine"])
        check_keys(content["engine"], [entry.name for entry in fields(Reviewer)], ())
        expect(isinstance(content["pv"], list), "pv", "a list", content["pv"])
        answer = {name: content[name] for name in of_answer}
        return cls(
            content["game"],
            content["id"],
            content["moves"],
            content["ply"],
            Reviewer(**content["engine"]),
            Answer(**{**answer, "pv": tuple(content["pv"])}),
        )


def append_answers(path: str | os.PathLike[str], lines: Iterable[ReviewLine]) -> None:
    """Append to the file at `path`, on disk when this returns; see lines.append."""
    append(Path(path), "".join(f"{line.to_json()}\n" for line in lines).encode("ascii"))


def read_answers(path: str | os.PathLike[str]) -> tuple[list[ReviewLine], bool]:
    """(the lines of the file at `path`, whether it ends in one that its writer was killed in, which is left out).

    Raises OSError if it cannot be read, RecordError naming the number of any other line that is none.
    """
    found: list[ReviewLine] = []
    for line in read_lines(Path(path)):
        if line.is_torn:
            return found, True
        try:
            found.append(ReviewLine.from_json(line.content))
        except RecordError as error:
            raise RecordError(f"{path}, line {line.number}: {error}", path, line.number) from None
    return found, False


def _check_version(version: Any) -> None:
    check_integer("review", version)
    if version > REVIEW_VERSION:
        expected = f"expected at most {REVIEW_VERSION}, got {version}"
        raise RecordError(f"review: {expected}: a newer version of this program wrote it")
    expect(version == REVIEW_VERSION, "review", REVIEW_VERSION, version)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)
