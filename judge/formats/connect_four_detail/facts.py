"""All that a match detail tells, as the content of one JSON object: what is shown and what --json prints."""

import re
from dataclasses import asdict
from typing import Any

from judge.formats.connect_four_detail.detail import Detail
from judge.formats.connect_four_detail.match_detail import Charge, Match
from judge.formats.connect_four_detail.moves import Game
from judge.formats.connect_four_detail.stdin_record import Stream, line_facts
from protocol.errors import excerpt

ENGINE_LINE = re.compile(r"dropfour: engine (\S+)(?: \((.*))?")


def facts(detail: Detail, threshold_s: float) -> dict[str, Any]:
    """The facts of a match detail.

    threshold_s: turns that took longer, in seconds, are counted. Cells and columns are the platform's.
    """
    match, game = detail.match, detail.game
    return {
        "match": {
            "id": match.number,
            "game": match.game,
            "game_name": match.game_name,
            "created": match.created,
            "state": match.state,
            "error": match.error,
            "logic_version": match.logic_version,
        },
        "threshold_s": threshold_s,
        "seats": [_seat(number, match, stream, threshold_s) for number, stream in enumerate(detail.streams)],
        "turns": _turns(match, game),
        "moves": None if game is None else _moves(game),
        "bytes_after_the_object": detail.junk,
    }


def _seat(number: int, match: Match, stream: Stream | None, threshold_s: float) -> dict[str, Any]:
    seat = match.seats[number]
    content: dict[str, Any] = {"seat": number, **asdict(seat)}
    charges = [charge for charge in match.charges if charge.seat == number]
    content["cost"] = _cost(charges, threshold_s)
    content["stdin"] = None if seat.stdin is None else _stdin(seat.stdin, stream)
    content["stderr"] = None if seat.stderr is None else _stderr(seat.stderr)
    return content


def _cost(charges: list[Charge], threshold_s: float) -> dict[str, Any]:
    """What a seat's turns took; `slowest` is the number of one of its turns, from 1."""
    times = [charge.time_s for charge in charges if charge.time_s is not None]
    memory = [charge.memory_bytes for charge in charges if charge.memory_bytes is not None]
    greatest = max(times, default=None)
    slowest = next((turn for turn, charge in enumerate(charges, start=1) if charge.time_s == greatest), None)
    return {
        "turns": len(charges),
        "first_s": charges[0].time_s if charges else None,
        "greatest_s": greatest,
        "slowest": None if greatest is None else slowest,
        "over_threshold": sum(time_s > threshold_s for time_s in times),
        "greatest_bytes": max(memory, default=None),
    }


def _stdin(data: bytes, stream: Stream | None) -> dict[str, Any]:
    """How the bytes are written, and what they say: nothing where the game is another one."""
    content = line_facts(data)
    if stream is not None:
        opening = stream.opening
        content |= {
            "opening": None if opening is None else opening._asdict(),
            "turns": len(stream.turns),
            "after_last_message": excerpt(stream.after),
            "fault_byte": stream.fault_byte,
            "fault": stream.fault,
        }
    return content


def _stderr(data: bytes) -> dict[str, Any]:
    """The text, bytes that are no UTF-8 as \\xNN, and what the bot says of the engine that it plays with."""
    text = data.decode("utf-8", "backslashreplace")
    found = filter(None, (ENGINE_LINE.fullmatch(line.rstrip()) for line in text.splitlines()))
    # The bot cuts a line that is too long, and the bracket with it.
    engines = [{"name": line[1], "reason": line[2] and line[2].removesuffix(")")} for line in found]
    return {"bytes": len(data), "engines": engines, "text": text}


def _turns(match: Match, game: Game | None) -> list[dict[str, Any]]:
    """The platform's figures in its order; `turn` counts a seat's turns from 1, `column` is what it played."""
    counts: dict[int, int] = {}
    turns = []
    for charge in match.charges:
        counts[charge.seat] = turn = counts.get(charge.seat, 0) + 1
        turns.append({**asdict(charge), "turn": turn, "column": _column(game, charge.seat, turn)})
    return turns


def _column(game: Game | None, seat: int, turn: int) -> int | None:
    """What a seat played in one of its turns (from 1), None where that is not known."""
    if game is None:
        return None
    ply = 2 * (turn - 1) + (seat != game.first)
    columns = game.all_columns
    return columns[ply] if ply < len(columns) else None


def _moves(game: Game) -> dict[str, Any]:
    """The game: columns in turn, and those of each seat; `to_move` was asked for the move after the shown ones."""
    columns = game.all_columns
    return {
        "first": game.first,
        "columns": columns,
        "by_seat": [[column for ply, column in enumerate(columns) if game.mover(ply) == seat] for seat in (0, 1)],
        "shown": len(game.columns),
        "to_move": game.to_move,
        "last_from_replay": game.last,
        "fault": game.fault,
    }
