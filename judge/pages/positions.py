"""A recorded game as its first position and what every move changed: what a page needs to draw it without the rules."""

from typing import Any

from judge.games import GAMES
from judge.games.positions import IllegalMove, Position
from judge.language import _, shown
from judge.pages.languages import Texts, in_each
from judge.play.recheck import new_position
from judge.play.scoresheet import in_order
from protocol.records.record import GameRecord


def positions_of(record: GameRecord) -> tuple[dict[str, Any], Position | None]:
    """The positions of a record as JSON; where the rules do not know its game or board, `refusal` alone.

    With it the last position, None unless all moves are legal and by the side that was to move.

    `size` is [rows, columns], `start` has the first position's characters (judge/games/cells.py); of each move
    `changes` holds a list: a character, then the numbers of the cells that have it now, the move's own cell first, and
    so on with the next character. `movers` are who moved, 0 or 1, by the rules, and behind them who is to move next,
    "-" if nobody; `line` are the cells that have won. `refusal` says in each language why there are less changes than
    moves, {} where there are not.
    """
    try:
        position = new_position(record)
    except ValueError as error:
        sentence = str(error)
        return {"refusal": in_each(lambda: _("cannot be shown: {error}").format(error=shown(sentence)))}, None
    cells = GAMES[record.game].cells
    start = latest = cells.codes(position)
    changes, movers = [], []
    refusal: Texts = {}
    for ply, move in enumerate(record.moves, start=1):
        mover = position.to_move
        try:
            position.play(move.move)
        except (ValueError, IllegalMove) as error:
            refusal = _refusal(ply, str(error))
            break
        codes = cells.codes(position)
        changes.append(_change(latest, codes, cells.last(position)))
        movers.append(str(mover))
        latest = codes
    content = {
        "size": list(cells.size(position)),
        "start": start,
        "changes": changes,
        "movers": "".join(movers) + _next(position),
        "line": cells.line(position),
        "refusal": refusal,
    }
    sides = in_order(record.first)
    is_sound = not refusal and all(move.side == sides[int(m)] for move, m in zip(record.moves, movers, strict=True))
    return content, position if is_sound else None


def _next(position: Position) -> str:
    return "-" if position.over else str(position.to_move)


def _refusal(ply: int, sentence: str) -> Texts:
    return in_each(lambda: _("ply {ply} cannot be shown: {error}").format(ply=ply, error=shown(sentence)))


def _change(before: str, after: str, moved: int) -> list[str | int]:
    """The change from one text to the next, as positions_of() has it."""
    numbers = [moved, *(n for n in range(len(after)) if after[n] != before[n] and n != moved)]
    change: list[str | int] = []
    latest = None
    for number in numbers:
        if after[number] != latest:
            latest = after[number]
            change.append(latest)
        change.append(number)
    return change
