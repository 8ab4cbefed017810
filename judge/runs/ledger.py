"""The record file as the state of a run of games, which may be killed at any moment and resumed.

A command makes its complete schedule from its arguments, or from its arguments and the records in the file. The
schedule is a sequence of ScheduledGame (judge/runs/schedule.py), numbered by plan.index. With it the command opens the
record file:

    who = identity("batch", config, opponents=12)
    with open_ledger(config, who, games) as ledger:
        play_all(ledger.remaining, jobs, stop, ledger.append)
        summary(ledger.records)

The identity is stored in every record, as extra["schedule"], and must be the same in all runs with one file. Everything
else may change from one run to the next. A larger number of games extends the schedule and must not renumber earlier
games. A game is done when its record is a complete line of the file. If the judge was killed before that, the next run
plays the game again, on the same board and with the same seeds. VOID games are played again too; see schedule.py. The
file may therefore have several records of one game. All of them, except perhaps the last, are VOID.
"""

import contextlib
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from judge.games import DEFAULT_GAME
from judge.language import _
from judge.play.scoresheet import Conditions, flags
from judge.players.own_bot import with_new_names
from judge.players.players import Contestant
from judge.runs import record_file, schedule
from judge.runs.config import RunConfig
from judge.runs.record_file import Altered, HeldFile, exclusive_lock, save_elsewhere
from judge.runs.schedule import attempts_made, is_settled
from judge.terminal import printable, shortened
from protocol.records.record import GameRecord, Player, RecordError, in_lines, read_records

IDENTITY_KEY = "schedule"  # the key in GameRecord.extra for the identity
REQUIRED_KEYS = ("id", "index", "limit_s", "reason")  # every record of a scheduled game has them in its `extra`
# A schedule, or a function that takes the records in the file and returns the schedule.
Games = Sequence[schedule.ScheduledGame] | Callable[[Sequence[GameRecord]], Sequence[schedule.ScheduledGame]]


class ResumeError(Exception):
    """The record file does not fit the command. The error's text explains to the user why."""


def identity(format_name: str, config: RunConfig, **others: Any) -> dict[str, Any]:
    """Return the identity of a run: a JSON object with the values that all games of a record file must share.

    `format_name` is the run's format, such as "batch". `others` are further keys that this format needs.
    """
    boards = {} if config.boards is None else {"boards": config.boards.name}
    return {
        "format": format_name,
        "seed": config.seed,
        "game": config.game,
        **config.conditions.as_json(),
        **config.board_options,
        **boards,
        **others,
    }


def first_record(path: str | Path) -> GameRecord | None:
    """Return the first game in the file at `path`, or None if the file has no games or does not exist.

    Raises ResumeError if the file cannot be read as records.
    """
    records = _read(Path(path))
    return records[0] if records else None


@contextlib.contextmanager
def open_ledger(
    config: RunConfig,
    identity: dict[str, Any],
    games: Games,
    extra: dict[str, Any] | None = None,
) -> Iterator["Ledger"]:
    """Yield the Ledger for the schedule `games` and the run's record file.

    Inside the `with` block the file is locked against other judges. `extra` is stored in the `extra` of each record
    beside the identity, and may differ from one run to the next. Raises ResumeError if the file has games and the run
    does not resume, if the file has games with another identity, other players or another board, or if the file cannot
    be read or is in use.
    """
    path = config.record
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(exclusive_lock(path))
        except (OSError, RecordError) as error:
            raise ResumeError(record_file.in_words(error)) from error
        if file is None:
            raise ResumeError(
                _(
                    "{path} is in use by another judge: wait until that judge ends, or name another file with --record"
                ).format(path=path)
            )
        recorded = _read(path)
        if recorded and not config.resume:
            message = _(
                "{path} has {number} games already: continue them with --resume, or name another file with --record"
            )
            raise ResumeError(message.format(path=path, number=len(recorded)))
        for number, record in enumerate(recorded, start=1):
            _check_identity(_("{path}, game {number}").format(path=path, number=number), record, identity)
        yield Ledger(path, file, identity, games(recorded) if callable(games) else games, recorded, extra or {})


class Ledger:
    """A schedule and the records of its games so far.

    `unsettled` are the scheduled games that had no record when the file was opened, and the VOID games that have
    attempts left; see schedule.py. `remaining` are the games in `unsettled` and all other VOID games. It is for formats
    that accept results in any order. `void_attempts` counts all VOID records, even if the game has a later result.
    `unversioned` are the commands of players whose version is known now but is missing in earlier records.
    """

    def __init__(
        self,
        path: Path,
        file: HeldFile,
        identity: dict[str, Any],
        games: Sequence[schedule.ScheduledGame],
        recorded: Sequence[GameRecord],
        extra: dict[str, Any],
    ) -> None:
        self._extra = extra
        self._file = file
        self.path = path
        self.identity = identity
        self._latest: dict[int, GameRecord] = {}  # {index of a game: the record of the latest attempt}
        self.unversioned: set[str] = set()
        self.void_attempts = 0
        for record in recorded:
            index = record.extra["index"]
            if not 0 <= index < len(games):  # an earlier run with a longer schedule has written the record
                continue
            place = _("{path}, game {number} of the run").format(path=path, number=index + 1)
            self.unversioned |= _check_game(place, record, games[index])
            earlier = self._latest.get(index)
            if earlier is not None and earlier.termination.counts:
                message = _("{path} has two results for game {number} of the run: name another file with --record")
                raise ResumeError(message.format(path=path, number=index + 1))
            self._add(record)
        self._in_file = list(recorded)
        latest = self._latest.items()
        self.unsettled = self._without(games, [index for index, record in latest if is_settled(record)])
        self.remaining = self._without(games, [index for index, record in latest if record.termination.counts])

    def _add(self, record: GameRecord) -> None:
        """Make `record` the latest record of its game."""
        self._latest[record.extra["index"]] = record
        self.void_attempts += not record.termination.counts

    def attempts_at(self, index: int) -> int:
        """Return how many attempts were made at the game with the index `index`."""
        return attempts_made(self._latest.get(index))

    @property
    def records(self) -> list[GameRecord]:
        """The latest record of each game played so far, in the order of the schedule.

        A VOID game with attempts left counts as not played.
        """
        return [record for _, record in sorted(self._latest.items()) if is_settled(record)]

    def append(self, record: GameRecord) -> int:
        """Append a game's record to the file, and return its number there. The record is on disk when this returns.

        If the file was removed, it is written again with all its records. Raises ResumeError if the file cannot be
        written; the earlier records are still in it. Raises ResumeError also if another program has altered the file;
        all records are then saved in another file, which the message names.
        """
        scheduled = record.changed(extra={**record.extra, IDENTITY_KEY: self.identity, **self._extra})
        is_removed, new = False, [scheduled]
        try:
            is_removed = self._file.is_removed()
            if is_removed:
                if self._in_file:
                    note = _("note: {path} was removed; its {number} games are written again")
                    line = note.format(path=printable(str(self.path)), number=len(self._in_file))
                    print(line, file=sys.stderr, flush=True)
                self._file.create()
                new = [*self._in_file, scheduled]
            self._file.append(in_lines(new))
        except Altered as error:
            raise ResumeError(self._save_elsewhere(str(error), scheduled)) from error
        except (OSError, RecordError) as error:
            reason = record_file.in_words(error)
            if is_removed:
                raise ResumeError(self._save_elsewhere(reason, scheduled)) from error
            message = _("{error}; when that is done, continue by the same command with --record {path} --resume")
            raise ResumeError(message.format(error=reason, path=printable(shlex.quote(str(self.path))))) from error
        self._in_file.append(scheduled)
        self._add(scheduled)
        return len(self._in_file)

    def _save_elsewhere(self, reason: str, latest: GameRecord) -> str:
        """Write all records to a new file, and return the error message, which names the new file.

        The new file is beside the record file or in the folder for temporary files. `reason` is the first part of the
        message. `latest` is the newest record, which is not in the record file.
        """
        records = [*self._in_file, latest]
        place = save_elsewhere(records, [self.path.parent, tempfile.gettempdir()], self.path.name)
        if place is None:
            message = _("{error}; the {number} games could not be saved in another file either")
            return message.format(error=reason, number=len(records))
        message = _(
            "{error}; the {number} games are saved in another file: continue by the same command with "
            "--record {path} --resume"
        )
        return message.format(error=reason, number=len(records), path=printable(shlex.quote(str(place))))

    def _without(self, games: Sequence[schedule.ScheduledGame], left_out: Sequence[int]) -> schedule.Schedule:
        """Return the schedule without the games whose indices are in `left_out`.

        Each ScheduledGame in it has the number of earlier attempts at the game.
        """
        attempts = {index: attempts_made(record) for index, record in self._latest.items()}
        return schedule.without(games, left_out, attempts)


def _read(path: Path) -> list[GameRecord]:
    """Return the records in a file, [] if it does not exist. Raises ResumeError if they cannot be read."""
    try:
        return read_records(path)[0]
    except FileNotFoundError:
        return []
    except (OSError, RecordError) as error:
        raise ResumeError(record_file.in_words(error)) from error


def _check_identity(place: str, record: GameRecord, identity: dict[str, Any]) -> None:
    """Raise ResumeError unless `record` has this identity. `place` says in the message where the record is."""
    identity_in_record = record.extra.get(IDENTITY_KEY)
    if not isinstance(identity_in_record, dict) or any(record.extra.get(name) is None for name in REQUIRED_KEYS):
        message = _("{place} does not belong to a run that can be resumed: name another file with --record")
        raise ResumeError(message.format(place=place))
    # Older records lack conditions that did not exist then. Assume the default game, the present clock, no other flag.
    older = {**dict.fromkeys(flags(Conditions), False), "strict_clock": identity.get("strict_clock")}
    recorded = {"game": DEFAULT_GAME, **older, **identity_in_record}
    for name in sorted({*recorded, *identity}):
        if recorded.get(name) != identity.get(name):
            message = _(
                "{place} was played with {name} {recorded}, but this command has {own}: give the options of the "
                "earlier run, or name another file with --record"
            )
            value = shortened(repr(recorded.get(name)))
            raise ResumeError(
                message.format(place=place, name=printable(name), recorded=value, own=repr(identity.get(name)))
            )


def _check_game(place: str, record: GameRecord, game: schedule.ScheduledGame) -> set[str]:
    """Raise ResumeError unless `record` is a record of the scheduled game `game`.

    Returns the commands of the players whose version is known but is missing in the record. `place` says in the error
    message where the record is.
    """
    unversioned = set()
    for side, recorded, player in zip("AB", record.players, game.contestants, strict=True):
        # A run that began with the old name of a preset may continue with the preset's new name.
        same_command = with_new_names(recorded.command) == with_new_names(player.command)
        lacks_version = recorded.version is None and player.version is not None
        if lacks_version:
            unversioned.add(player.command)
        if not same_command or (not lacks_version and recorded.version != player.version):
            message = _(
                "{place} has the player {recorded} as {side}, but this command has {own}: name the players of the "
                "earlier run, or name another file with --record"
            )
            raise ResumeError(
                message.format(place=place, side=side, recorded=_in_words(recorded), own=_in_words(player))
            )
    plan = game.plan
    played = (record.game, record.board, record.first, record.pair, record.seed)
    if played != (plan.game, plan.board.as_json(), plan.first, plan.pair, plan.seed):
        message = _(
            "{place} has another board, first side or seed than this command would play with: give the "
            "options of the earlier run, or name another file with --record"
        )
        raise ResumeError(message.format(place=place))
    return unversioned


def note_on_versions(ledger: Ledger) -> str:
    """Return a note that names the players whose version is missing in earlier records, or "" if there are none."""
    names = printable(", ".join(sorted(ledger.unversioned)))
    note = _(
        "note: {path} does not say which version of {names} has played; this run assumes that it was the "
        "present version"
    )
    return note.format(path=ledger.path, names=names) if names else ""


def _in_words(player: Player | Contestant) -> str:
    """Return a player's command and, if it is known, the version."""
    command = printable(player.command)
    if not player.version:
        return command
    return _("{command} at version {version}").format(command=command, version=printable(player.version))
