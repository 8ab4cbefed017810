"""Evaluations by engines of positions in recorded games, one JSON object per line of an append-only file.

A line names a position and holds an engine's answer. A position is named by a hash of its game and by the number of the
ply that follows the position, so that the same game recorded twice has the same positions. This module is not part of
the ladder bundle.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from protocol.records.json_lines import read_values
from protocol.records.record import GameRecord
from protocol.records.values import Count, Seconds, decoded

WIN, DRAW, LOSS = RESULTS = ("win", "draw", "loss")
MOST_NESTED = 8  # the most brackets inside each other in a line; to_json() writes two
KEY_DIGITS = 16  # the digits of a hash


def game_key(record: GameRecord) -> str:
    """Return the hash that identifies a game in reviews, KEY_DIGITS hexadecimal digits.

    It is made of the game's name, board and moves.
    """
    content = [record.game, record.board, [move.move for move in record.moves]]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]


class Reviewer(Struct, frozen=True, forbid_unknown_fields=True):
    """An engine that gives answers: its name, its command with options, and its version (None if unknown).

    `limit_s` is the value of {limit} in the command, in seconds per move.
    """

    name: str
    command: str
    version: str | None
    limit_s: Seconds


class Answer(Struct, frozen=True):
    """An engine's evaluation of a position, seen from the side to move.

    `value` is from -1 (lost) to 1 (won); `proven` is one of RESULTS, or None. `best` is the engine's move; `pv` is its
    principal variation, which begins with that move. All moves are texts. `elapsed_s` is the time until the engine's
    reply, in seconds. `depth` and `iterations` are None if the engine does not report them.
    """

    value: Annotated[float, Meta(ge=-1, le=1)]
    proven: Literal["win", "draw", "loss"] | None
    best: str
    pv: tuple[str, ...] = ()
    depth: float | None = None
    iterations: float | None = None
    elapsed_s: Seconds = 0.0


class ReviewLine(Answer, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An engine's answer on a position.

    `moves` is the game_key() of the game, `ply` the number, from 1, of the ply that follows the position. `game` was
    the number of the game in its file when it was reviewed, and `id` is the id in its record; both are only for people.
    """

    review: Literal[1] = 1  # the version of the line
    game: Count
    id: str | None
    moves: str
    ply: Annotated[int, Meta(ge=1, le=2**63 - 1)]
    engine: Reviewer

    def to_json(self) -> str:
        """Return the line as JSON (str without a newline)."""
        line = json.dumps(msgspec.to_builtins(self), allow_nan=False, separators=(",", ":"))
        return line.replace("\x7f", "\\u007f")  # json escapes every other control character

    @classmethod
    def from_json(cls, text: str | bytes) -> "ReviewLine":
        """Return the ReviewLine in a line of a file.

        Raises RecordError, which names the missing, unknown or wrong field.
        """
        return decoded(text, cls, MOST_NESTED)


def in_lines(answers: Iterable[ReviewLine]) -> bytes:
    """Return the answers as lines of a file."""
    return "".join(f"{answer.to_json()}\n" for answer in answers).encode("ascii")


def read_answers(path: str | os.PathLike[str]) -> tuple[list[ReviewLine], bool]:
    """Return (the lines of the file at `path`, whether a torn last line was left out).

    Raises OSError if the file cannot be read, RecordError, which has the number of the line, for any other malformed
    line.
    """
    found, torn_lines = read_values(Path(path), ReviewLine.from_json)
    return found, bool(torn_lines)
