"""One recorded game as the JSON that the page shows; it may as well come to the page later, by a socket."""

from typing import Any

from judge.games import GAMES
from judge.games.positions import Position
from judge.pages.languages import Texts, in_each, recorded_in_each
from judge.pages.positions import positions_of
from judge.pages.reports import columns
from judge.play.recheck import disagreements, disagreements_at_end, recorded_limit_s
from judge.play.screen import stderr_notes
from judge.reports import forfeits, imports, prints
from judge.review.marks import GameReview
from judge.terminal import printable
from protocol.records.record import GameRecord, Player

TIME_DIGITS = 4  # of a second: nobody sees more, and a time is a tenth of what a move takes in a page
SHOWN_CHARACTERS = 8 * 1024  # of the end of a forfeit's stderr; the record keeps up to 64 KB


def game_json(record: GameRecord, review: GameReview | None = None, is_running: bool = False) -> dict[str, Any]:
    """All that the page shows of a game, with its review where there is one.

    Texts by language are {"en": ..., "zh": ...}; other text is the record's.
    Times are seconds, None where an imported game's file does not tell one; lists that go by moves have one entry for
    each. Of one that `is_running` nothing says its ending.
    """
    positions, last = positions_of(record)
    return {
        "running": is_running,
        "game": printable(record.game),
        "board": board_in_words(record),
        "players": [_player(player) for player in record.players],
        "first": record.first,
        "winner": record.winner,
        "termination": None if is_running else record.termination.value,
        "fault": record.at_fault,
        "reason": reason_of(record),
        "started": printable(imports.started(record)),
        "limit": recorded_limit_s(record),
        **positions,
        "moves": [printable(str(move.move)) for move in record.moves],
        "sides": "".join(move.side for move in record.moves),
        "wall": [None if wall_s is None else round(wall_s, TIME_DIGITS) for wall_s in imports.walls_s(record)],
        "reports": columns(record.moves),
        "late": late_plies(record),
        "review": None if review is None else review.as_json(),
        "notes": {} if is_running else in_each(lambda: "\n".join(_notes(record))),
        "verdict": {} if is_running else _verdict(record, last),
        **_of_the_player_at_fault(record),
    }


def _player(player: Player) -> dict[str, str | None]:
    version = None if player.version is None else printable(player.version)
    return {"name": printable(player.name), "command": printable(player.command), "version": version}


def board_in_words(record: GameRecord) -> Texts:
    """The board a game began with, in each language."""
    return in_each(lambda: _board(record))


def _board(record: GameRecord) -> str:
    try:
        words: str = GAMES[record.game].read_board(record.board).in_words()
    except (KeyError, ValueError):
        return printable(f"{record.game} {record.board}"[:200])
    return printable(words)


def reason_of(record: GameRecord) -> Texts:
    """Why the game ended, in each language."""
    return {name: printable(text) for name, text in recorded_in_each(str(record.extra.get("reason", ""))).items()}


def _verdict(record: GameRecord, last: Position | None) -> Texts:
    """What the rules say differently, a sentence in each line, in each language; {} for a sound record.

    `last` is the last position of a record with sound moves: they need not be made again, which takes long in reversi.
    """
    if last is not None and not disagreements_at_end(record, last):
        return {}
    return in_each(lambda: "\n".join(disagreements(record)))


def late_plies(record: GameRecord) -> list[int]:
    """The plies, from 1, that took longer than the limit."""
    limit_s = recorded_limit_s(record)
    if limit_s is None:
        return []
    return [ply for ply, move in enumerate(record.moves, start=1) if move.wall_s > limit_s]


def _notes(record: GameRecord) -> list[str]:
    """What there is to tell beside the result; a forfeit's stderr and stdout are told by themselves."""
    is_measured = all(isinstance(record.extra.get(side, {}), dict) for side in "AB")
    return [
        *imports.notes(record),
        *forfeits.notes(record),
        *prints.notes([record]),
        *(stderr_notes(record) if is_measured else []),
    ]


def _of_the_player_at_fault(record: GameRecord) -> dict[str, str]:
    """The end of what it wrote to stderr, and what came on stdout and was no reply, as the record keeps them."""
    kept = record.extra.get(record.at_fault) if record.at_fault else None
    kept = kept if isinstance(kept, dict) else {}
    return {
        "stderr": _lines(kept.get("stderr"))[-SHOWN_CHARACTERS:],
        "stdout": _lines(kept.get("stdout")),
    }


def _lines(text: Any) -> str:
    """Text in lines, without what a terminal or a page would obey."""
    return "\n".join(map(printable, text.split("\n"))) if isinstance(text, str) else ""
