"""What `judge match` and `judge sprt` share: games in pairs between two players, kept in a record file."""

import argparse
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from judge.commands import arguments
from judge.players.players import PlayerError, contestants
from judge.runs.interruption import stop_event
from judge.runs.ledger import Ledger, ResumeError, identity, open_ledger, recorded_seed
from judge.runs.progress import Progress
from judge.runs.schedule import ScheduledGame, conditions, paired_games, play_all
from protocol.records.record import GameRecord, Termination

FORMAT = "pairs"  # one for both: a match may be taken up as a test, and the other way round


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the players A and B and the options that run() reads, but for --games."""
    parser.add_argument("A")
    parser.add_argument("B")
    parser.add_argument("--jobs", type=arguments.count, default=1, metavar="J", help="games at a time (default: 1)")
    arguments.add_game_options(parser)


def run(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    name: str,
    line: Callable[[Sequence[GameRecord]], str],
    on_record: Callable[[GameRecord], bool],
    replay_void: bool,
) -> tuple[list[GameRecord], int, Path]:
    """Play what the options ask for and return (records in the order of the schedule, seed, path).

    line(records) tells how things stand. on_record(record) sees every record once, first those of the
    earlier run that is resumed; where it returns True, no more is played and what is running is discarded.
    With `replay_void` the VOID games of the earlier run are played again, and seen again.
    Ends the program with a message where the options fit no player or no record.
    """
    if options.resume and options.record is None:
        parser.error("--resume needs --record FILE: the record of the run to continue")
    wishes = arguments.board_wishes(parser, options, for_one_game=False)
    path = options.record or arguments.fresh_record_file(name)
    try:
        players = contestants((options.A, options.B), options.players, options.game)
        if options.resume and options.seed is None:
            options.seed = recorded_seed(path)
        seed = arguments.seed_or_random(options)
        games = paired_games(players, options.games, seed, conditions(options), wishes)
        who = identity(FORMAT, seed, options, **wishes)
        # What is announced can be stopped: a signal after it finds its handler.
        with open_ledger(path, who, games, options.resume) as ledger, stop_event() as stop:
            _announce(options, seed, path, ledger)
            games = ledger.remaining if replay_void else ledger.unplayed
            _play(ledger, games, options.jobs, stop, line, on_record)
    except (PlayerError, ResumeError) as error:
        parser.error(str(error))
    return ledger.records, seed, path


def _play(
    ledger: Ledger,
    games: Sequence[ScheduledGame],
    jobs: int,
    stop: threading.Event,
    line: Callable[[Sequence[GameRecord]], str],
    on_record: Callable[[GameRecord], bool],
) -> None:
    with Progress(line) as progress:

        def keep(record: GameRecord) -> None:
            ledger.keep(record)
            if on_record(record):
                stop.set()
            progress.show(ledger.records, record)

        enough = [on_record(record) for record in ledger.records]
        if not any(enough):
            progress.show(ledger.records)
            play_all(games, jobs, stop, keep)


def exit_status(records: Sequence[GameRecord]) -> int:
    """3 if there is a VOID game among the records, else 0."""
    return 3 if any(record.termination is Termination.VOID for record in records) else 0


def _announce(options: argparse.Namespace, seed: int, path: Path, ledger: Ledger) -> None:
    print(
        f"A: {options.A}\nB: {options.B}\nseed {seed}, limit {options.limit:g} s, records in {path}",
        flush=True,
    )
    if ledger.records:
        print(f"resumed: {len(ledger.records)} of {options.games} games are in the record", flush=True)
    if options.jobs > (os.cpu_count() or 1):
        print(
            f"note: {options.jobs} games at a time share {os.cpu_count()} cores; times will suffer",
            flush=True,
        )
