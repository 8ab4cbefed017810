"""What `judge match` and `judge sprt` share: games in pairs between two players, kept in a record file."""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge.command_line import arguments, game_options
from judge.command_line.cluster_options import add_cluster_options
from judge.command_line.exits import FAILING_STATUS, VOID_STATUS, exit_status, keep_going_advice, resume_advice
from judge.command_parts import recorded_run
from judge.command_parts.sandbox import settle
from judge.language import _, shown
from judge.players.players import Contestant, PlayerError, contestants
from judge.processes.spawn import JudgeFailure
from judge.runs.failure_streak import FailureStreaks, in_words
from judge.runs.interruption import stop_event
from judge.runs.ledger import Ledger, ResumeError, identity, open_ledger
from judge.runs.schedule import conditions, paired_games
from judge.terminal import printable
from protocol.records.record import GameRecord

FORMAT = "pairs"  # one for both: a match may be taken up as a test, and the other way round


@dataclass(frozen=True)
class PairedRun:
    """What a run leaves: records in the order of the schedule, seed, record file; `failing`: why it stopped, or "";
    how many attempts at its games were VOID.
    """

    records: list[GameRecord]
    seed: int
    path: Path
    failing: str
    void_attempts: int

    def end(self) -> int:
        """Say what stopped the run if a player's failures did; returns the command's exit status."""
        if not self.failing:
            return exit_status(self.records)
        print(_("error: {message}").format(message=self.failing), file=sys.stderr, flush=True)
        return FAILING_STATUS

    def advice(self, more: str = "") -> str:
        """What the reader types to continue the run; `more` tells what else must change."""
        return keep_going_advice(self.path) if self.failing else resume_advice(self.path, more)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the players A and B and the options that run() reads, but for --games."""
    parser.add_argument("A")
    parser.add_argument("B")
    arguments.add_jobs_option(parser)
    add_cluster_options(parser)
    game_options.add_game_options(parser)


def run(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    name: str,
    line: Callable[[Sequence[GameRecord]], str],
    on_record: Callable[[GameRecord], bool] | None,
    replay_void: bool,
    also: dict[str, Any] | None = None,
) -> PairedRun:
    """Play what the options ask for.

    line and on_record are as recorded_run.play() takes them; None: nothing ends the run before its games are played.
    `also` is kept with each game, in its record's `extra`.
    VOID games of the earlier run are played again where they have attempts left; with `replay_void` all of them are,
    and are seen again.
    Ends the program with a message where the options fit no player or no record.
    """
    wishes, path = recorded_run.wishes_and_path(parser, options, name)
    casebook = recorded_run.casebook_for(parser, options)
    sandbox = settle(parser, options)
    streaks, failing, is_decided = FailureStreaks(), "", False

    def fails(record: GameRecord) -> bool:
        nonlocal failing
        side = None if options.keep_going else streaks.add(record)
        failing = in_words(record, side) if side else failing
        return bool(failing)

    def decides(record: GameRecord) -> bool:
        nonlocal is_decided
        is_decided |= on_record is not None and on_record(record)
        return is_decided

    try:
        players = contestants((options.A, options.B), options.players, options.game)
        recorded_run.require_ready(players, options, sandbox)
        seed = recorded_run.seed_of(options, path)
        games = paired_games(players, options.games, seed, conditions(options), wishes)
        who = identity(FORMAT, seed, options, **wishes)
        # What is announced can be stopped: a signal after it finds its handler.
        with open_ledger(path, who, games, options.resume, also) as ledger, stop_event() as stop:
            _announce(options, players, seed, path, ledger)
            games = ledger.remaining if replay_void else ledger.unsettled
            to_play = len(games) if on_record is None else None
            recorded_run.play(ledger, games, options, stop, line, decides, fails, to_play, casebook, players=players)
    except (PlayerError, ResumeError) as error:
        parser.error(str(error))
    except JudgeFailure as failure:
        parser.exit(VOID_STATUS, _("error: {message}").format(message=shown(str(failure))) + "\n")
    is_complete = is_decided or len(ledger.records) >= options.games
    return PairedRun(ledger.records, seed, path, "" if is_complete else failing, ledger.void_attempts)


def _announce(
    options: argparse.Namespace, players: Sequence[Contestant], seed: int, path: Path, ledger: Ledger
) -> None:
    for side, text, player in zip("AB", (options.A, options.B), players, strict=True):
        print(f"{side}: {player.name}" + (f" ({printable(text)})" if text != player.name else ""))
    plan = _("seed {seed}, limit {limit:g} s, records in {path}")
    print(plan.format(seed=seed, limit=options.limit, path=printable(str(path))), flush=True)
    if ledger.records:
        resumed = _("resumed: {played} of {total} games are in the record")
        print(resumed.format(played=len(ledger.records), total=options.games), flush=True)
