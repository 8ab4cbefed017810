"""`python -m judge batch BOT --against PLAYER...`: plays one player against many, as the platform does."""

import argparse
import functools
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from judge import terminal
from judge.cli import arguments, completers, number_types, playing
from judge.cli.exits import FAILING_STATUS, KEEP_GOING, exit_status, resume_hint
from judge.cli.parser import Parser
from judge.formats import compete, csv_table
from judge.games import DEFAULT_GAME
from judge.language import _
from judge.players.opponents import ALL
from judge.players.players import Contestant, contestants, with_groups_expanded
from judge.reports import batch as batch_report
from judge.reports import circumstances, forfeits, prints
from judge.reports.match import score_in_words
from judge.runs import record_file
from judge.runs.config import RunConfig
from judge.runs.interruption import stop_event
from judge.runs.ledger import identity, open_ledger
from judge.runs.record_file import numbers_in_file
from judge.runs.schedule import FailureStreaks, Schedule, ScheduledGame, paired_game
from protocol.records.record import GameRecord, Player

FORMAT = "batch"
INCOMPLETE = 1  # the exit status if a file of --compete could not be written
BOT = "A"  # the side of the player whom the command names first


def schedule(bot: Contestant, opponents: Sequence[Contestant], rounds: int, config: RunConfig) -> Schedule:
    """Return the Schedule of a batch. In every round `bot`, as side A, plays each opponent twice, once moving first.

    All games of a round are on the same board. The games are ordered by round, so that a larger number of rounds only
    adds games at the end.
    """

    def game_at(index: int) -> ScheduledGame:
        """Return the game at `index`, from 0. Two games in a row are the two of a pair."""
        round_number, opponent_number = divmod(index // 2, len(opponents))
        return paired_game((bot, opponents[opponent_number]), index, config, config.board(round_number))

    return Schedule(2 * rounds * len(opponents), game_at)


def _opponent_of(game: GameRecord | ScheduledGame) -> tuple[str, str]:
    """Return (name, command) of side B, the opponent. Opponents in different folders may have the same command."""
    opponent: Player | Contestant = game.players[1] if isinstance(game, GameRecord) else game.contestants[1]
    return opponent.name, opponent.command


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.compete and options.game != DEFAULT_GAME:
        message = _(
            "--compete writes results for the course's program Compete, which plays {own_game} only, but this game "
            "is {game}"
        )
        parser.error(message.format(own_game=DEFAULT_GAME, game=options.game))
    config = playing.run_config(parser, options, options.compete)
    streaks = FailureStreaks(lambda record, side: side if side == BOT else _opponent_of(record), config.keep_going)
    with playing.exit_on_errors(parser):
        texts = [options.BOT, *with_groups_expanded(options.against, config.game)]
        bot, *opponents = contestants(texts, config.players_file, config.game, config.conditions.sandbox)
        playing.require_ready([bot, *opponents], config)
        config = playing.with_seed(config)
        games = schedule(bot, opponents, options.rounds, config)
        who = identity(FORMAT, config, opponents=len(opponents), common_boards=True)
        # The handler is installed before the announcement, so that any signal after it is handled.
        with stop_event() as stop:
            playing.print_player("BOT", options.BOT, bot)
            who_plays = _("{player} against {number} players, {games} games")
            print(who_plays.format(player=bot.name, number=len(opponents), games=len(games)))
            playing.announce(config)
            with open_ledger(config, who, games) as ledger:
                view = playing.RunView(
                    line=lambda records: batch_report.running_score(records, len(games)),
                    to_play=len(ledger.remaining),
                    on_new=lambda record: BOT in streaks.add(record),
                )
                # Whether an opponent fails repeatedly is looked up only when its game is to begin.
                to_come = (game for game in ledger.remaining if _opponent_of(game) not in streaks.reasons)
                playing.play(ledger, to_come, config, stop, view, [bot, *opponents])
    results = batch_report.results(opponents, ledger.records, options.rounds)
    status = _print_results(results, options, config, streaks.reasons, ledger.void_attempts)
    is_stopped = BOT in streaks.reasons and len(ledger.records) < len(games)
    return FAILING_STATUS if is_stopped else exit_status(ledger.records) or status


def _print_results(
    results: Sequence[batch_report.Result],
    options: argparse.Namespace,
    config: RunConfig,
    failing: Mapping[Any, str],
    void_attempts: int,
) -> int:
    """Print the results and write the files of --compete. Returns the exit status, INCOMPLETE if a file is missing.

    `failing` maps players that failed repeatedly, BOT or an opponent's (name, command), to the reason in words.
    """
    console, path = terminal.console(), config.record
    records = [game for result in results for game in result.records]
    numbers = numbers_in_file(path)
    for table in batch_report.tables(results, numbers, options.verbose):
        console.print(table)
    hints = functools.partial(playing.fault_hints, path)
    lines = circumstances.lines(records, void_attempts, verbose=options.verbose) if records else []
    lines += [*forfeits.first_of_each_kind(records, numbers, hints=hints), *prints.batch_notes(results)]
    lines.append(_("result of all games of BOT: {results}").format(results=score_in_words(records)))
    for line in lines:
        console.print(line, soft_wrap=True)
    status, written = 0, list[Path]()
    try:
        if options.compete:
            _write_compete_files(results, options.compete, console, written)
    except OSError as error:
        status = INCOMPLETE
        print(_("error: {message}").format(message=record_file.in_words(error)), file=sys.stderr, flush=True)
    played = sum(len(result.records) for result in results)
    total = sum(result.total for result in results)
    for result in results:
        reason = failing.get((result.opponent.name, result.opponent.command))
        not_played = result.total - len(result.records)
        if reason and not_played:
            skipped = _("opponent skipped: {reason}; {number} of its games were not played")
            console.print(skipped.format(reason=reason, number=not_played), soft_wrap=True)
    if played < total:
        if BOT in failing:
            print(_("error: {message}").format(message=failing[BOT]), file=sys.stderr, flush=True)
        print(_("stopped: {played} of {total} games were played").format(played=played, total=total))
        print(resume_hint(path, *([KEEP_GOING] if failing else [])), flush=True)
    if options.markdown:
        print("\n".join(batch_report.markdown(results)), flush=True)
    if options.csv:
        print(csv_table.table([batch_report.Rate._fields, *batch_report.rates(results)]), end="", flush=True)
    if options.json:
        content = {
            **batch_report.summary(results, numbers),
            **prints.counts_in_batch(results),
            **circumstances.summary(records, void_attempts),
            "seed": config.seed,
            "record": str(path),
            "compete": [str(file) for file in written],
        }
        print(terminal.json_line(content), flush=True)
    return status


def _write_compete_files(
    results: Sequence[batch_report.Result], folder: Path, console: Console, written: list[Path]
) -> None:
    """Write a result file in the Compete format for each opponent all of whose games are judged.

    The paths are added to `written`. Raises OSError if a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, result in zip(batch_report.file_names(results), results, strict=True):
        if result.judged < result.total:
            lack = _("no Compete file is written for {player}: only {judged} of its {total} games were judged")
            console.print(lack.format(player=result.opponent.name, judged=result.judged, total=result.total))
            continue
        rounds = list(zip(result.records[::2], result.records[1::2], strict=True))
        path = folder / name
        path.write_bytes(compete.result_file(rounds))
        written.append(path)
    console.print(
        _("{number} Compete result files were written to {folder}").format(number=len(written), folder=folder)
    )


def _parser() -> Parser:
    parser = Parser(
        "batch",
        ("--against", "--rounds", *arguments.COMMON),
        description=arguments.paragraph(
            _("Play one player against others; on every board each side moves first once."), arguments.players_help()
        ),
        epilog=arguments.paragraph(
            arguments.exit_help_of_runs(), _("A batch exits with 1 if a file of --compete cannot be written.")
        ),
    )
    parser.add_argument("BOT", completer=completers.complete_player)
    parser.add_argument(
        "--against",
        nargs="+",
        required=True,
        metavar="PLAYER",
        completer=completers.complete_player,
        help=_(
            "the opponents; a folder of strategy libraries (*.so), or lib:FOLDER, stands for all libraries in it, and "
            "{all} for all levels that the command opponents lists"
        ).format(all=ALL),
    )
    parser.add_argument(
        "--rounds",
        type=number_types.count,
        default=1,
        metavar="N",
        help=_("how many boards are played against each opponent, two games on each (default: 1)"),
    )
    arguments.add_run_options(parser)
    arguments.add_record_options(parser, FORMAT)
    parser.add_argument(
        "--compete",
        type=arguments.new_or_existing_folder,
        metavar="DIR",
        completer=completers.complete_folder,
        help=_("also write to DIR a result file for each opponent, as the course's program Compete does"),
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--markdown",
        action="store_true",
        help=_(
            "also print, at the end, a Markdown table of the win rates against each opponent, moving first and second"
        ),
    )
    form.add_argument("--csv", action="store_true", help=_("also print, at the end, the table of win rates as CSV"))
    return parser
