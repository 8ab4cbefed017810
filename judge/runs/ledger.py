"""The record file as the state of a run of games: begun, killed at any moment, taken up again.

A command builds its whole schedule (judge.runs.schedule.ScheduledGame, numbered by plan.index) from its arguments,
or from these and what the file holds already, and opens the file with it:

    who = identity("batch", config, opponents=12)
    with open_ledger(config, who, games) as ledger:
        play_all(ledger.remaining, jobs, stop, ledger.keep)
        summary(ledger.records)

Every record is stamped with the identity (extra["schedule"]). What is not in the identity may change from
one run to the next: a larger number of games is the same schedule with more at its end, so it must not
renumber the games before. A game is done when its record is a whole line of the file: a judge killed
earlier plays that game again, on the same board and with the same seeds. So it does with a VOID one (schedule.py):
the file may have several records of one game, all but the last of them VOID.
"""

import contextlib
import dataclasses
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from judge.games import DEFAULT_GAME
from judge.language import _
from judge.players.own_bot import with_new_names
from judge.players.players import Contestant
from judge.runs import record_file, schedule
from judge.runs.config import RunConfig
from judge.runs.record_file import alone
from judge.runs.schedule import attempts_made, is_settled
from judge.terminal import printable, shortened
from protocol.records.record import GameRecord, Player, RecordError, Termination, append_records, read_records

STAMP = "schedule"  # the key of GameRecord.extra
NEEDED = ("id", "index", "limit_s", "reason")  # keys of it that every such game has
# A schedule, or what makes it of the records of the file that is opened.
Games = Sequence[schedule.ScheduledGame] | Callable[[Sequence[GameRecord]], Sequence[schedule.ScheduledGame]]


class ResumeError(Exception):
    """The file does not fit the command; str() says how, for the user."""


def identity(format_name: str, config: RunConfig, **others: Any) -> dict[str, Any]:
    """What a record file's games have in common: a JSON object; `others` are what the format needs beside."""
    return {"format": format_name, "seed": config.seed, **config.conditions(), **config.board_options, **others}


def recorded_seed(path: str | Path) -> int | None:
    """The seed that the games in the file at `path` were scheduled with, None if it has none yet.

    Raises ResumeError if the file cannot be read as records.
    """
    records = _read(Path(path))
    return records[0].seed if records else None


@contextlib.contextmanager
def open_ledger(
    config: RunConfig,
    identity: dict[str, Any],
    games: Games,
    also: dict[str, Any] | None = None,
) -> Iterator["Ledger"]:
    """The Ledger of the Schedule `games` in the run's record file, which no other judge may use meanwhile.

    `also` is kept in the `extra` of each record beside the identity; it may differ from one run to the next.
    Unless the run resumes, the file must be absent or empty; with it, it may be. Raises ResumeError if it holds
    games of another identity, other players or another board, or is in use.
    """
    path = config.record
    with contextlib.ExitStack() as stack:
        try:
            is_free = stack.enter_context(alone(path))
        except OSError as error:
            raise ResumeError(record_file.in_words(error)) from error
        if not is_free:
            raise ResumeError(_("{path} is in use by another judge").format(path=path))
        recorded = _read(path)
        if recorded and not config.resume:
            message = _(
                "{path} holds {number} games already: --resume continues them, --record with another file begins anew"
            )
            raise ResumeError(message.format(path=path, number=len(recorded)))
        for number, record in enumerate(recorded, start=1):
            _check_identity(_("{path}, game {number}").format(path=path, number=number), record, identity)
        yield Ledger(path, identity, games(recorded) if callable(games) else games, recorded, also or {})


class Ledger:
    """A schedule and what has been played of it, as it is when opened.

    `unsettled` are the ScheduledGames without a record yet, and the VOID ones that have attempts left (schedule.py);
    `remaining` are these and all other VOID ones, for formats in which a result may come later than others.
    `void_attempts` counts the VOID records, be they followed by a result or not. `unversioned` are the players, as the
    command line calls them, whose version the records before do not tell, though it is known now.
    """

    def __init__(
        self,
        path: Path,
        identity: dict[str, Any],
        games: Sequence[schedule.ScheduledGame],
        recorded: Sequence[GameRecord],
        also: dict[str, Any],
    ) -> None:
        self._also = also
        self.path = path
        self.identity = identity
        self._finished: dict[int, GameRecord] = {}
        self.unversioned: set[str] = set()
        self.void_attempts = 0
        for record in recorded:
            index = record.extra["index"]
            if not 0 <= index < len(games):  # of an earlier run that was to play more
                continue
            place = _("{path}, game of index {index}").format(path=path, index=index)
            self.unversioned |= _check_game(place, record, games[index])
            earlier = self._finished.get(index)
            if earlier is not None and earlier.termination is not Termination.VOID:
                message = _("{path} holds two results of the game of index {index}")
                raise ResumeError(message.format(path=path, index=index))
            self._note(record)
        self._in_file = list(recorded)
        finished = self._finished.items()
        self.unsettled = self._chosen(games, [index for index, record in finished if is_settled(record)])
        self.remaining = self._chosen(games, [index for index, record in finished if _is_judged(record)])

    def _note(self, record: GameRecord) -> None:
        self._finished[record.extra["index"]] = record
        self.void_attempts += record.termination is Termination.VOID

    def attempts_at(self, index: int) -> int:
        """How many attempts were made at the game of this number."""
        return attempts_made(self._finished.get(index))

    @property
    def records(self) -> list[GameRecord]:
        """The records so far in the order of the schedule: one per game played, the latest.

        A VOID game that has attempts left is as one not played yet.
        """
        return [record for _, record in sorted(self._finished.items()) if is_settled(record)]

    def keep(self, record: GameRecord) -> None:
        """Append a record of one of the games to the file; it is on disk when this returns.

        A file that somebody has removed is written anew, with all that it held. Raises ResumeError if the file cannot
        be written; the records before are in it then.
        """
        stamped = dataclasses.replace(record, extra={**record.extra, STAMP: self.identity, **self._also})
        try:
            if self._in_file and not self.path.exists():
                note = _("note: {path} was removed; its {number} games are written again")
                print(
                    note.format(path=printable(str(self.path)), number=len(self._in_file)), file=sys.stderr, flush=True
                )
                append_records(self.path, self._in_file)
            append_records(self.path, [stamped])
        except (OSError, RecordError) as error:
            message = _("{error}; then the same command with --record {path} --resume")
            name = printable(shlex.quote(str(self.path)))
            raise ResumeError(message.format(error=record_file.in_words(error), path=name)) from error
        self._in_file.append(stamped)
        self._note(stamped)

    def _chosen(self, games: Sequence[schedule.ScheduledGame], left_out: Sequence[int]) -> schedule.Schedule:
        """The games but those left out, each with the number of attempts made before."""

        made = {index: attempts_made(record) for index, record in self._finished.items()}
        return schedule.without(games, left_out, made)


def _is_judged(record: GameRecord) -> bool:
    return record.termination is not Termination.VOID


def _read(path: Path) -> list[GameRecord]:
    try:
        return read_records(path)[0]
    except FileNotFoundError:
        return []
    except (OSError, RecordError) as error:
        raise ResumeError(record_file.in_words(error)) from error


def _check_identity(place: str, record: GameRecord, identity: dict[str, Any]) -> None:
    stamp = record.extra.get(STAMP)
    if not isinstance(stamp, dict) or any(record.extra.get(name) is None for name in NEEDED):
        message = _("{place} does not belong to a run that can be resumed")
        raise ResumeError(message.format(place=place))
    # What was played before there was a choice names no game and no clock, and stopped nobody.
    recorded = {"game": DEFAULT_GAME, "strict_clock": identity.get("strict_clock"), "freeze": False, **stamp}
    for name in sorted({*recorded, *identity}):
        if recorded.get(name) != identity.get(name):
            message = _("{place} was played with {name} {recorded}, this command has {own}")
            told = shortened(repr(recorded.get(name)))
            raise ResumeError(
                message.format(place=place, name=printable(name), recorded=told, own=repr(identity.get(name)))
            )


def _check_game(place: str, record: GameRecord, game: schedule.ScheduledGame) -> set[str]:
    """Raise ResumeError if a record is not of that game; returns the players whose version it does not tell."""
    unversioned = set()
    for side, recorded, player in zip("AB", record.players, game.contestants, strict=True):
        # What was begun under a preset's old name goes on under its new one.
        same_command = with_new_names(recorded.command) == with_new_names(player.command)
        is_told = recorded.version is not None or player.version is None
        if not is_told:
            unversioned.add(player.command)
        if not same_command or (is_told and recorded.version != player.version):
            message = _("{place} has {side} {recorded}, this command has {own}")
            raise ResumeError(
                message.format(place=place, side=side, recorded=_in_words(recorded), own=_in_words(player))
            )
    plan = game.plan
    played = (record.game, record.board, record.first, record.pair, record.seed)
    if played != (plan.game, plan.board.as_json(), plan.first, plan.pair, plan.seed):
        message = _("{place} was played on another board or with the other side first")
        raise ResumeError(message.format(place=place))
    return unversioned


def note_on_versions(ledger: Ledger) -> str:
    """What to tell of an earlier run's players without a version, "" where all have theirs."""
    names = printable(", ".join(sorted(ledger.unversioned)))
    note = _("note: {path} does not tell the version of {names}: taken for the same")
    return note.format(path=ledger.path, names=names) if names else ""


def _in_words(player: Player | Contestant) -> str:
    command = printable(player.command)
    if not player.version:
        return command
    return _("{command} at version {version}").format(command=command, version=printable(player.version))
