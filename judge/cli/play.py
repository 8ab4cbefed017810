"""`python -m judge play A B`: plays, shows and judges one game."""

import argparse
import contextlib
import dataclasses
import itertools
import sys
from pathlib import Path

from judge.cli import arguments, completers, playing, record_file
from judge.cli.exits import INTERRUPTED_STATUS, exit_status, replay_command
from judge.cli.parser import Parser
from judge.language import _
from judge.live import LiveWriter
from judge.play.referee import Interrupted, play_game
from judge.play.screen import Screen, result_in_words, stderr_notes
from judge.play.start_trial import require_programs
from judge.players.players import OWN_BOT, PlayerError, contestants, known_names
from judge.reasons import reason_as_json
from judge.reports import circumstances, forfeits, phases, prints
from judge.runs.interruption import stop_event
from judge.runs.record_file import numbers_in_file
from judge.terminal import json_line, printable
from protocol.records.record import GameRecord

DEFAULT_RECORD = Path("records") / "play.jsonl"


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = _parser()
    options = parser.parse_intermixed_args(argv)
    board_options = arguments.board_options(parser, options, for_one_game=True)
    record_file.require_writable(parser, options.record)
    config = dataclasses.replace(
        playing.game_config(parser, options, options.record),
        board_options=board_options,
        seed=arguments.seed_or_random(options.seed),
    )
    incident_reports = playing.incident_reports_of(config)
    playing.require_sandbox(parser, config.conditions.sandbox)
    playing.warn_of_stack()
    try:
        plan = config.plan(pair=0, first=options.first, index=0)
        sandbox = config.conditions.sandbox
        players = contestants((options.A, options.B), config.players_file, config.game, sandbox)
        require_programs(players, config.conditions.limit_s, known_names(config.players_file), sandbox)
    except (ValueError, PlayerError) as error:
        parser.error(str(error))
    playing.warn_of_no_sandbox(config.conditions.sandbox)
    with LiveWriter(options.record) as live:
        try:
            with stop_event() as stop, contextlib.ExitStack() as stack:
                if not options.quiet:
                    line = _("{board}, seed {seed}, limit {limit:g} s")
                    print(line.format(board=plan.board.in_words(), seed=plan.seed, limit=options.limit), flush=True)
                screen = None if options.quiet else stack.enter_context(Screen(players))
                play = live.playing(incident_reports.play_game if incident_reports else play_game)
                record = play(players, plan, screen, stop)
        except Interrupted:
            print(_("interrupted: the game is not recorded"), flush=True)
            return INTERRUPTED_STATUS
        record_file.append_game(parser, options.record, record)
    number = numbers_in_file(options.record).get(record.extra["id"])
    if incident_reports is not None:
        incident_reports.write_report(record, options.record, number)
    _print_result(record, options, number)
    for note in incident_reports.notes() if incident_reports else ():
        print(note, file=sys.stderr, flush=True)
    return exit_status([record])


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        "play",
        (
            *("--first", "--game", "--seed", "--limit", "--rows", "--cols", "--forbidden"),
            *("--record", "--quiet", "--json"),
        ),
        description=arguments.paragraph(_("Play one game."), arguments.players_help()),
        epilog=arguments.exit_help(),
    )
    help_text = _("the player on side {side} (default: {value})")
    for side in "AB":
        parser.add_argument(
            side,
            nargs="?",
            default=OWN_BOT,
            completer=completers.complete_player,
            help=help_text.format(side=side, value=OWN_BOT),
        )
    parser.add_argument("--first", choices=("A", "B"), default="A", help=_("who moves first (default: A)"))
    arguments.add_game_options(parser, for_one_game=True)
    arguments.add_record_option(parser, DEFAULT_RECORD)
    parser.add_argument("--quiet", action="store_true", help=_("print only the result"))
    return parser


def _print_result(record: GameRecord, options: argparse.Namespace, number: int | None) -> None:
    """Print how the game ended, in the forms that the options choose.

    `number` is the game's number in the record file, or None if it is unknown.
    """
    print(result_in_words(record))
    if not options.quiet:
        notes = (phases.in_words(record), stderr_notes(record), forfeits.notes(record), prints.notes([record]))
        for note in itertools.chain(*notes):
            print(note)
        for warning in circumstances.warnings(record):
            print(warning)
        path = printable(str(options.record))
        print(_("record: {path}, game {number}").format(path=path, number=number or "-"))
        if record.at_fault:
            print(*playing.fault_hints(options.record, record, number), sep="\n")
        else:
            print(_("replay: {command}").format(command=replay_command(options.record, number)))
    if options.json:
        print(
            json_line(
                {
                    "winner": record.winner,
                    "termination": record.termination.value,
                    "at_fault": record.at_fault,
                    "plies": len(record.moves),
                    "moves": [move.move for move in record.moves],
                    **record.board,
                    "first": record.first,
                    "seed": record.seed,
                    **reason_as_json(record),
                    "short_of_core": record.extra["short_of_core"],
                    "times": phases.summary([record]),
                    "record": str(options.record),
                    "game": number,
                }
            )
        )
