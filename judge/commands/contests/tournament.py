"""`dropfour tournament PLAYER...`: many players against each other, and a rating of each with its error."""

import argparse
import sys
from pathlib import Path
from typing import Any

from judge import terminal
from judge.command_line import arguments, game_options, number_types
from judge.command_line.cluster_options import add_cluster_options
from judge.command_line.exits import (
    FAILING_STATUS,
    VOID_STATUS,
    exit_status,
    keep_going_advice,
    numbers_in_file,
    resume_advice,
    view_command,
)
from judge.command_line.parser import Parser
from judge.command_parts import recorded_run
from judge.command_parts.sandbox import settle
from judge.command_parts.tournament_run import ADAPTIVE, GAUNTLET, MOST_ROUNDS, ROUND_ROBIN, ROUNDS, TournamentRun
from judge.language import _, shown
from judge.players.players import PlayerError, contestants, with_folders_opened
from judge.processes.spawn import JudgeFailure
from judge.reports import circumstances, forfeits, prints
from judge.reports import tournament as report
from judge.reports.standings import crosstable
from judge.runs.interruption import stop_event
from judge.runs.ledger import Ledger, ResumeError, identity, open_ledger
from judge.runs.schedule import conditions
from judge.runs.tournament import Entrants, Tournament
from judge.statistics import score

FORMAT = "tournament"
LIMIT_S = 0.1


def main(words: list[str]) -> int:
    """Run the command with its words; returns the exit status."""
    parser = _parser()
    options = parser.parse_intermixed_args(words)
    wishes, path = recorded_run.wishes_and_path(parser, options, FORMAT)
    casebook = recorded_run.casebook_for(parser, options)
    sandbox = settle(parser, options)
    try:
        players = contestants(with_folders_opened(options.PLAYER), options.players, options.game)
        if len(players) < 2:
            parser.error(_("a tournament takes at least two players"))
        entrants = Entrants(players)
        recorded_run.require_ready(players, options, sandbox)
        seed = recorded_run.seed_of(options, path)
        tournament = Tournament(entrants, seed, conditions(options), wishes)
        run = TournamentRun(options, tournament)
        who = identity(FORMAT, seed, options, **wishes)
        # What is announced can be stopped: a signal after it finds its handler.
        with open_ledger(path, who, tournament.recorded, options.resume) as ledger, stop_event() as stop:
            tournament.take_up(ledger)
            run.find_anchor()
            plan = run.plan(seed)
            to_play = 2 * plan.pairs_to_come(tournament.begun.values()) + tournament.games_missing()
            judged = tournament.games_judged
            run.total = judged + to_play
            _announce(run, seed, path, judged)
            run.is_done = run.has_reached_target()
            recorded_run.play(
                ledger,
                iter(()) if run.is_done else tournament.games(plan, ledger),
                options,
                stop,
                run.line,
                on_new=run.on_new,
                to_play=None if run.has_target else to_play,
                casebook=casebook,
                table=run.table,
                players=entrants.contestants[: entrants.playing],
            )
    except (PlayerError, ResumeError) as error:
        parser.error(str(error))
    except JudgeFailure as failure:
        parser.exit(VOID_STATUS, _("error: {message}").format(message=shown(str(failure))) + "\n")
    return _conclude(run, ledger, seed)


def _announce(run: TournamentRun, seed: int, path: Path, judged: int) -> None:
    who_plays = _("{number} players, {mode}, {games} games at most")
    print(who_plays.format(number=run.entrants.playing, mode=_(run.options.mode), games=run.total))
    plan = _("seed {seed}, limit {limit:g} s, records in {path}")
    print(plan.format(seed=seed, limit=run.options.limit, path=terminal.printable(str(path))), flush=True)
    if judged:
        resumed = _("resumed: {played} of {total} games are in the record")
        print(resumed.format(played=judged, total=run.total), flush=True)


def _conclude(run: TournamentRun, ledger: Ledger, seed: int) -> int:
    """Tell what came of it; returns the exit status."""
    console, records, path = terminal.console(), ledger.records, ledger.path
    rows, ratings = run.rows()
    against = crosstable(len(run.entrants.contestants), run.tournament.boards.values())
    console.print(report.standings_table(rows, run.former))
    for line in report.notes(rows, ratings):
        console.print(line, soft_wrap=True)
    if report.fits(len(rows), console.width):
        console.print(report.crosstable_table(rows, against))
    else:
        console.print(_("crosstable: {command}").format(command=view_command(path)), soft_wrap=True)
    forfeited = report.forfeits_table(records, run.player_of)
    if forfeited is not None:
        console.print(forfeited)
    if records:
        lines = [
            *circumstances.lines(records, ledger.void_attempts, run.player_of),
            *forfeits.first_of_each_kind(records, numbers_in_file(path), run.player_of),
            *prints.notes_of_players(records, run.player_of),
        ]
        for line in lines:
            console.print(line, soft_wrap=True)
    is_complete = run.is_done or len(records) >= run.total
    if run.has_target and (run.is_done or is_complete):
        told = report.target_in_words(rows, run.options.target_error, run.is_done)
        console.print(told, soft_wrap=True)
    if not is_complete:
        _tell_stopped(run, len(records), path)
    if run.options.json:
        print(terminal.json_line(_outcome(run, ledger, seed)), flush=True)
    return FAILING_STATUS if run.has_failed and not is_complete else exit_status(records)


def _tell_stopped(run: TournamentRun, played: int, path: Path) -> None:
    for reason in run.skipped.values():
        print(_("skipped: {reason}").format(reason=reason), file=sys.stderr, flush=True)
    print(_("stopped: {played} of {total} games were played").format(played=played, total=run.total))
    print(keep_going_advice(path) if run.skipped else resume_advice(path), flush=True)


def _outcome(run: TournamentRun, ledger: Ledger, seed: int) -> dict[str, Any]:
    rows, ratings = run.rows()
    players, records = run.entrants.contestants, ledger.records
    against = crosstable(len(players), run.tournament.boards.values())
    commands = {number: (player.command, player.version) for number, player in enumerate(players)}
    return {
        "mode": run.options.mode,
        "games": sum(map(len, run.tournament.boards.values())),
        **report.summary(rows, against, ratings, commands, run.former),
        "target_error": run.options.target_error,
        "target_reached": run.is_done if run.has_target else None,
        "terminations": score.terminations(records),
        "at_fault": report.at_fault(records, run.player_of),
        **circumstances.summary(records, ledger.void_attempts, run.player_of),
        "seed": seed,
        "record": str(ledger.path),
    }


def _anchor(text: str) -> tuple[str, float]:
    """PLAYER=ELO; a player's name may have a "=" itself."""
    name, equals, figure = text.rpartition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(_("{text!r} is not PLAYER=ELO").format(text=terminal.shortened(text)))
    return name, number_types.elo(figure)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        FORMAT,
        description=arguments.paragraph(
            _("Play many players against each other, in pairs of games, and rate them."), arguments.players_help()
        ),
        epilog=arguments.exit_help_of_runs(),
    )
    parser.add_argument(
        "PLAYER",
        nargs="+",
        help=_("at least two; a folder of strategy libraries (*.so), or lib:FOLDER, stands for all in it"),
    )
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument(
        "--gauntlet",
        dest="mode",
        action="store_const",
        const=GAUNTLET,
        default=ROUND_ROBIN,
        help=_("the first player against each of the others (default: everybody against everybody)"),
    )
    modes.add_argument(
        "--adaptive",
        dest="mode",
        action="store_const",
        const=ADAPTIVE,
        help=_("next whichever two would tell most about the ratings"),
    )
    parser.add_argument(
        "--rounds",
        type=number_types.count,
        metavar="N",
        help=_(
            "pairs of games of every two players; with --adaptive as many in all (default: {rounds}, with "
            "--target-error {most})"
        ).format(rounds=ROUNDS, most=MOST_ROUNDS),
    )
    parser.add_argument(
        "--target-error",
        type=number_types.elo_error,
        metavar="E",
        help=_("end once every rating is known to E Elo either way, 95 times in 100"),
    )
    parser.add_argument(
        "--anchor",
        type=_anchor,
        metavar="PLAYER=ELO",
        help=_("the rating that one player has (default: the mean of all is 0)"),
    )
    arguments.add_jobs_option(parser)
    add_cluster_options(parser)
    game_options.add_game_options(parser, limit_s=LIMIT_S)
    parser.add_argument(
        "--charge-start",
        dest="free_start",
        action="store_false",
        help=_("charge starting up to the first move, as the platform does; with so short a limit it is free"),
    )
    parser.set_defaults(free_start=True)
    arguments.add_record_options(parser, FORMAT)
    return parser
