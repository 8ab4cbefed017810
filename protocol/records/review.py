"""Evaluations by engines of positions in recorded games, one JSON object per line of an append-only file.

Not part of the ladder bundle. A line names a position and holds an engine's answer. A position is named by a hash of
its game and by the number of the ply that follows it, so that the same game recorded twice has the same positions.
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
    """Return the hash that identifies a game in reviews: KEY_DIGITS hex digits, made of its name, board and moves."""
    content = [record.game, record.board, [move.move for move in record.moves]]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]


@dataclass(frozen=True)
class Reviewer:
    """An engine that gives answers: its name, its command with options, its version.

    `limit_s` is the value of {limit} in the command, in seconds.
    """

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
    """An engine's evaluation of a position, for the side to move: value in -1..1, `proven` one of RESULTS or None.

    `best` is the engine's move; `pv` its principal variation, which begins with that move; all moves are texts.
    `elapsed_s` is the time until its reply in seconds; depth and iterations are None if it reports none.
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
    """A position and an engine's answer: `moves` is the game_key(), `ply` the number, from 1, of the ply that follows.

    `game` was the number of the game in its file when it was reviewed, `id` is the id in its record; both are for
    people only.
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
        """Return the line as JSON (str without a newline)."""
        question = {"game": self.game, "id": self.id, "moves": self.moves, "ply": self.ply}
        content = {"review": REVIEW_VERSION, **question, "engine": asdict(self.engine), **asdict(self.answer)}
        line = json.dumps(content, allow_nan=False, separators=(",", ":"))
        return line.replace("\x7f", "\\u007f")  # json escapes every other control character

    @classmethod
    def from_json(cls, text: str | bytes) -> "ReviewLine":
        """Return the ReviewLine in a line of a file. Raises RecordError naming the missing, unknown or wrong field."""
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


def in_lines(answers: Iterable[ReviewLine]) -> bytes:
    """Return the answers as lines of a file."""
    return "".join(f"{answer.to_json()}\n" for answer in answers).encode("ascii")


def read_answers(path: str | os.PathLike[str]) -> tuple[list[ReviewLine], bool]:
    """Return (the lines of the file at `path`, whether a torn last line was left out).

    Raises OSError if it cannot be read, RecordError naming the number of any other malformed line.
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
