"""What commands share that play many games into a record file: `match`, `sprt`, `batch` and `tournament`."""

import argparse
import dataclasses
import itertools
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from judge.command_line import arguments, game_options
from judge.command_line.exits import numbers_in_file, repro_command
from judge.command_parts import cluster_run, machine_check
from judge.command_parts.sandbox import warn
from judge.forensics.casebook import Casebook
from judge.language import _
from judge.live.writer import LiveWriter
from judge.play.attempts import is_settled
from judge.play.referee import play_game
from judge.play.start_trial import require_start
from judge.play.walls import Sandbox
from judge.players.players import Contestant, names_known, require_engines
from judge.reports import circumstances, forfeits, prints
from judge.runs.ledger import Ledger, note_on_versions, recorded_seed
from judge.runs.progress import Progress
from judge.runs.schedule import ScheduledGame
from protocol.records.record import GameRecord


def wishes_and_path(
    parser: argparse.ArgumentParser, options: argparse.Namespace, name: str
) -> tuple[dict[str, Any], Path]:
    """(the board's wishes, the record file) that the options ask for, a fresh file of this name where they name none.

    Ends the program with a message where the options do not fit.
    """
    if options.resume and options.record is None:
        parser.error(_("--resume needs --record FILE: the record of the run to continue"))
    cluster_run.require_cluster(parser, options)
    jobs = cluster_run.jobs_here(options)
    if jobs is not None:
        machine_check.require_cores(parser, options, jobs)
    wishes = game_options.board_wishes(parser, options, for_one_game=False)
    return wishes, options.record or arguments.fresh_record_file(name)


def require_ready(players: Sequence[Contestant], options: argparse.Namespace, sandbox: Sandbox) -> None:
    """Raise PlayerError for a player without its engine, or that does not start; JudgeFailure where the machine fails.

    Whether a player starts on a cluster is for its workers to say: they have what commands start, or have not.
    """
    require_engines(players)
    warn(sandbox, options)
    if options.cluster is None:
        require_start(players, options.limit, names_known(options.players), sandbox)


def casebook_for(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Casebook | None:
    """The Casebook of --forensics, None without it. Ends the program with a message where nothing can be written."""
    if options.forensics is None:
        return None
    try:
        return Casebook(options.forensics, repro_command)
    except OSError as error:
        message = _("--forensics: {folder} cannot be written: {error}")
        parser.error(message.format(folder=options.forensics, error=error.strerror))


def seed_of(options: argparse.Namespace, path: Path) -> int:
    """The seed asked for, else that of the run that is resumed, else a fresh one. Raises ResumeError."""
    recorded = recorded_seed(path) if options.resume and options.seed is None else None
    return arguments.seed_or_random(options) if recorded is None else recorded


def play(
    ledger: Ledger,
    games: Iterable[ScheduledGame | None],
    options: argparse.Namespace,
    stop: threading.Event,
    line: Callable[[Sequence[GameRecord]], str],
    on_record: Callable[[GameRecord], bool] = lambda record: False,
    on_new: Callable[[GameRecord], bool] = lambda record: False,
    to_play: int | None = None,
    casebook: Casebook | None = None,
    table: Callable[[], Table] | None = None,
    players: Sequence[Contestant] = (),
) -> None:
    """Play these games of the ledger, as many at a time as the options say, and keep their records.

    Before the first, the machine is looked at, as each record tells then. `games` are as play_all() takes them;
    `players` are all who may play in them, whom a cluster is sent.
    line(records) tells how things stand; to_play and table are as Progress takes them. on_record(record) sees every
    record once, first those of the earlier run that is resumed, on_new(record) those of this run alone; where one
    returns True, no more is played and what is running is discarded. Neither sees a VOID game that is played again.
    `casebook` keeps the abnormal games' evidence. Meanwhile the games can be followed in the file beside the record
    (judge/live).
    """
    note = note_on_versions(ledger)
    if note:
        print(note, file=sys.stderr, flush=True)
    seen = [on_record(record) for record in ledger.records]
    waiting = iter(() if any(seen) or stop.is_set() else games)
    first = list(itertools.islice(waiting, 1))
    jobs = cluster_run.jobs_here(options)
    machine = machine_check.look(options, jobs) if first and jobs is not None else None
    unwalled: set[str] = set()
    with Progress(line, to_play, table=table) as progress, LiveWriter(ledger.path) as live:

        def keep(record: GameRecord) -> None:
            measured = dataclasses.replace(record, extra={circumstances.MACHINE: machine, **record.extra})
            ledger.keep(measured)
            live.ended(measured.extra["id"])
            if options.cluster is not None:
                cluster_run.tell_walls(unwalled, measured)
            if casebook is not None:
                casebook.keep(measured, ledger.path)
            if is_settled(measured) and on_record(measured) | on_new(measured):
                stop.set()
            progress.show(ledger.records, record)

        if not any(seen):
            progress.show(ledger.records)
        if first:
            if options.cluster is not None:
                live.open()
            play_one = play_game if casebook is None else casebook.play_game
            with cluster_run.playing(options, players, live.playing(play_one), ledger.path) as play_all:
                play_all(itertools.chain(first, waiting), stop=stop, on_record=keep)
    for told in [] if casebook is None else casebook.notes():
        print(told, file=sys.stderr, flush=True)


def tell_conditions(console: Console, records: Sequence[GameRecord], void_attempts: int) -> None:
    """Print under what conditions the games were played."""
    for line in circumstances.lines(records, void_attempts):
        console.print(line, soft_wrap=True)


def tell_forfeits_and_prints(console: Console, records: Sequence[GameRecord], path: Path) -> None:
    """Print why players have forfeited, and which print. The file is read for its games' numbers only if need be."""
    if any(record.at_fault for record in records):
        for line in forfeits.first_of_each_kind(records, numbers_in_file(path)):
            console.print(line, soft_wrap=True)
    for line in prints.notes(records):
        console.print(line, soft_wrap=True)
