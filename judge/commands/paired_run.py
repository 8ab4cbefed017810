"""What `judge match` and `judge sprt` share: games in pairs between two players, kept in a record file."""

import argparse
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from judge.commands import arguments, recorded_run
from judge.players.players import PlayerError, contestants
from judge.runs.interruption import stop_event
from judge.runs.ledger import Ledger, ResumeError, identity, open_ledger
from judge.runs.schedule import conditions, paired_games
from protocol.records.record import GameRecord

FORMAT = "pairs"  # one for both: a match may be taken up as a test, and the other way round


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the players A and B and the options that run() reads, but for --games."""
    parser.add_argument("A")
    parser.add_argument("B")
    arguments.add_jobs_option(parser)
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

    line and on_record are as recorded_run.play() takes them. With `replay_void` the VOID games of the earlier run
    are played again, and seen again.
    Ends the program with a message where the options fit no player or no record.
    """
    wishes, path = recorded_run.wishes_and_path(parser, options, name)
    try:
        players = contestants((options.A, options.B), options.players, options.game)
        seed = recorded_run.seed_of(options, path)
        games = paired_games(players, options.games, seed, conditions(options), wishes)
        who = identity(FORMAT, seed, options, **wishes)
        # What is announced can be stopped: a signal after it finds its handler.
        with open_ledger(path, who, games, options.resume) as ledger, stop_event() as stop:
            _announce(options, seed, path, ledger)
            games = ledger.remaining if replay_void else ledger.unplayed
            recorded_run.play(ledger, games, options.jobs, stop, line, on_record)
    except (PlayerError, ResumeError) as error:
        parser.error(str(error))
    return ledger.records, seed, path


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
