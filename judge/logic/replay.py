"""The replay of a match, in the platform's form: the file that `import` reads too."""

from datetime import datetime, timezone

from judge.formats.documents import NotThisForm
from judge.formats.export import REPLAYS
from judge.language import shown
from judge.logic.endings import Ending
from judge.logic.match import SIDES, Match
from protocol.records.record import GameRecord, Player

# What the platform's replays say where our rules say it of the winner.
IN_REPLAYS = {"has four in a line": "four in a row"}


def write_replay(path: str, match: Match, ending: Ending) -> str | None:
    """Write the replay of a match that is over to the path, and close it; returns why there is none, or None."""
    try:
        content = REPLAYS[match.config.game](_record(match, ending))
        with open(path, "w", encoding="ascii") as file:
            file.write(content)
    except NotThisForm as error:
        return shown(str(error))
    except (OSError, ValueError) as error:  # a path with a null byte is a ValueError
        return getattr(error, "strerror", None) or str(error)
    return None


def _record(match: Match, ending: Ending) -> GameRecord:
    """The match as a record, as far as a replay needs it."""
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    first, second = (Player(side, "") for side in SIDES)
    return GameRecord(
        game=match.config.game,
        board=match.config.board.as_json(),
        players=(first, second),
        first=SIDES[0],
        moves=tuple(match.moves),
        winner=None if ending.winner is None else SIDES[ending.winner],
        termination=ending.termination,
        at_fault=SIDES[ending.at_fault[0]] if ending.at_fault else None,
        started=now,
        finished=now,
        judge_version="",
        extra={"reason": IN_REPLAYS.get(ending.reason, ending.reason)},
    )
