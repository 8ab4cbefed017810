"""The lines of a file of running games: what is written of a game that has begun, moved or ended, and read again.

Each is a JSON object with `event` and the game's `id`, the one that its record will have. Text in them is data of
others: what is odd is no event.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from judge.play.scoresheet import GamePlan
from judge.players.players import Contestant
from protocol.records import strict_json
from protocol.records.extra import check_extra
from protocol.records.fields import RecordError, check_count, check_text
from protocol.records.record import MOST_NESTED, GameRecord, Move, Player, Termination

BEGINNING = b'{"event":'  # of every line
LONGEST_LINE = 1 << 16  # bytes that are read
LONGEST_MOVE = 1000  # bytes of a move's line
SHORT_REPORT = ("value", "depth", "iterations", "proven")  # what stays of a bot's report where it is too long
LONGEST_ID = 100


@dataclass(frozen=True)
class Begun:
    """A game has begun: `record` is its record without moves, as if it had ended as VOID."""

    game_id: str
    index: int
    record: GameRecord


@dataclass(frozen=True)
class Moved:
    """The ply's move, counted from 1."""

    game_id: str
    ply: int
    move: Move


@dataclass(frozen=True)
class Ended:
    """The game is in the record file, or will never be."""

    game_id: str


Event = Begun | Moved | Ended


def begun_line(game_id: str, plan: GamePlan, contestants: Sequence[Contestant], started: str) -> bytes:
    """The line of a game that begins; started: ISO 8601."""
    return _line(
        "begun",
        game_id,
        index=plan.index,
        game=plan.game,
        board=plan.board.as_json(),
        players=[asdict(Player(player.name, player.command, player.version)) for player in contestants],
        first=plan.first,
        limit_s=plan.limit_s,
        pair=plan.pair,
        seed=plan.seed,
        started=started,
    )


def moved_line(game_id: str, ply: int, move: Move) -> bytes:
    """The line of a move, at most LONGEST_MOVE bytes: a longer report is cut down, or left out."""
    report = move.report
    of_report = None if report is None else {name: report[name] for name in SHORT_REPORT if name in report}
    for kept in (report, of_report):
        line = _line("moved", game_id, **{**_fields_of(move), "report": kept}, ply=ply)
        if len(line) <= LONGEST_MOVE:
            return line
    return _line("moved", game_id, **{**_fields_of(move), "report": None}, ply=ply)


def _fields_of(move: Move) -> dict[str, Any]:
    return {"side": move.side, "move": move.move, "wall_s": move.wall_s, "cpu_s": move.cpu_s}


def ended_line(game_id: str) -> bytes:
    """The line of a game that is over."""
    return _line("ended", game_id)


def _line(event: str, game_id: str, **fields: Any) -> bytes:
    content = {"event": event, "id": game_id, **fields}
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return text.replace("\x7f", "\\u007f").encode("ascii") + b"\n"


def read_event(line: bytes) -> Event | None:
    """The event in a line, None where there is none."""
    try:
        content = strict_json.loads(line, MOST_NESTED)
        game_id = content["id"]
        check_text("id", game_id)
        if len(game_id) > LONGEST_ID:
            return None
        if content["event"] == "begun":
            return Begun(game_id, content["index"], _record(game_id, content))
        if content["event"] == "moved":
            check_count("ply", content["ply"])
            fields = {name: content[name] for name in ("side", "move", "wall_s", "cpu_s", "report")}
            return Moved(game_id, content["ply"], Move(**fields))
        return Ended(game_id) if content["event"] == "ended" else None
    except (ValueError, KeyError, TypeError, RecordError):
        return None


def _record(game_id: str, content: dict[str, Any]) -> GameRecord:
    extra = {"id": game_id, "index": content["index"], "limit_s": content["limit_s"], "reason": ""}
    check_extra(extra)
    first, second = (Player(player["name"], player["command"], player["version"]) for player in content["players"])
    return GameRecord(
        game=content["game"],
        board=content["board"],
        players=(first, second),
        first=content["first"],
        moves=(),
        winner=None,
        termination=Termination.VOID,
        at_fault=None,
        started=content["started"],
        finished=content["started"],
        judge_version="",
        seed=content["seed"],
        pair=content["pair"],
        extra=extra,
    )
