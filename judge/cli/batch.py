"""`python -m judge batch BOT --against PLAYER...`: plays one player against many, as the platform does."""

import argparse
import functools
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console

from judge import terminal
from judge.cli import arguments, completers, number_types, playing
from judge.cli.exits import FAILING_STATUS, exit_status, keep_going_hint, resume_hint
from judge.cli.parser import Parser
from judge.formats import compete, csv_table
from judge.games import DEFAULT_GAME
from judge.language import _
from judge.players.opponents import ALL
from judge.players.players import Contestant, contestants, with_groups_opened
from judge.reports import batch as batch_report
from judge.reports import circumstances, forfeits, prints
from judge.runs import record_file
from judge.runs.config import RunConfig
from judge.runs.interruption import stop_event
from judge.runs.ledger import IDENTITY_KEY, first_record, identity, open_ledger
from judge.runs.record_file import numbers_in_file
from judge.runs.schedule import FailureStreaks, Schedule, ScheduledGame, paired_game, streak_in_words
from protocol.records.record import GameRecord, Player

FORMAT = "batch"
INCOMPLETE = 1
BOT = "A"  # the side of the player that the batch is about
COMMON_BOARDS = "common_boards"  # a key of the stamp in records; older batches, without common boards, lack it


def schedule(
    bot: Contestant, opponents: Sequence[Contestant], rounds: int, config: RunConfig, has_common_boards: bool = True
) -> Schedule:
    """Return the Schedule of a batch. In every round `bot`, as side A, plays each opponent twice, once moving first.

    With `has_common_boards` all games of a round are on the same board. Otherwise each opponent gets its own board in
    every round. The games are ordered by round, so that a larger number of rounds only adds games at the end.
    """

    def game_at(index: int) -> ScheduledGame:
        round_number, opponent = divmod(index // 2, len(opponents))
        board = config.board(round_number) if has_common_boards else None
        return paired_game((bot, opponents[opponent]), index, config, board)

    return Schedule(2 * rounds * len(opponents), game_at)


def is_of_separate_boards(config: RunConfig) -> bool:
    """Return whether the run resumes a batch in which each opponent has its own boards, as older versions played it.

    Raises ResumeError if the record file cannot be read.
    """
    first = first_record(config.record) if config.resume else None
    return first is not None and COMMON_BOARDS not in first.kept(IDENTITY_KEY)


class FailingPlayers:
    """Detects players of a batch that fail repeatedly.

    `bot` is the reason why failures of the bot end the batch, or "" while the batch may go on. `skipped` maps
    (name, command) of an opponent to the reason why the opponent's remaining games are left out.
    """

    def __init__(self, keep_going: bool) -> None:
        self.bot = ""
        self.skipped: dict[tuple[str, str], str] = {}
        self._keep_going = keep_going
        self._streaks = FailureStreaks(lambda record, side: side if side == BOT else _opponent_of(record))

    def add(self, record: GameRecord) -> bool:
        """Count a game that has ended and return whether the batch must end."""
        side = None if self._keep_going else self._streaks.add(record)
        if side == BOT:
            self.bot = streak_in_words(record, side)
        elif side is not None:
            self.skipped.setdefault(_opponent_of(record), streak_in_words(record, side))
        return bool(self.bot)

    def without_skipped(self, games: Iterable[ScheduledGame]) -> Iterator[ScheduledGame]:
        """Return an iterator over `games` that leaves out the games of skipped opponents.

        Whether an opponent is skipped is looked up only when the iterator reaches a game.
        """
        return (game for game in games if _opponent_of(game) not in self.skipped)


def _opponent_of(game: GameRecord | ScheduledGame) -> tuple[str, str]:
    """Return (name, command) of the opponent. Opponents in different folders may have the same command."""
    opponent: Player | Contestant = game.players[1] if isinstance(game, GameRecord) else game.contestants[1]
    return opponent.name, opponent.command


def main(words: list[str]) -> int:
    """Run the command with the arguments `words` and return the exit status."""
    parser = _parser()
    options = parser.parse_args(words)
    if options.compete and options.game != DEFAULT_GAME:
        message = _("--compete: the course's runner plays {own_game}, and the game is {game}")
        parser.error(message.format(own_game=DEFAULT_GAME, game=options.game))
    config = playing.run_config(parser, options, options.compete)
    failing = FailingPlayers(config.keep_going)
    with playing.exit_on_errors(parser):
        texts = [options.BOT, *with_groups_opened(options.against, config.game)]
        bot, *opponents = contestants(texts, config.players_file, config.game, config.conditions.sandbox)
        playing.require_ready([bot, *opponents], config)
        config = playing.with_seed(config)
        has_common_boards = not is_of_separate_boards(config)
        games = schedule(bot, opponents, options.rounds, config, has_common_boards)
        common = {COMMON_BOARDS: True} if has_common_boards else {}
        who = identity(FORMAT, config, opponents=len(opponents), **common)
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
                    on_new=failing.add,
                )
                to_come = failing.without_skipped(ledger.remaining)
                playing.play(ledger, to_come, config, stop, view, [bot, *opponents])
    results = batch_report.results(opponents, ledger.records, options.rounds)
    status = _conclude(results, options, config, failing, ledger.void_attempts)
    is_stopped = failing.bot and len(ledger.records) < len(games)
    return FAILING_STATUS if is_stopped else exit_status(ledger.records) or status


def _conclude(
    results: Sequence[batch_report.Result],
    options: argparse.Namespace,
    config: RunConfig,
    failing: FailingPlayers,
    void_attempts: int,
) -> int:
    """Print the results and write the files of --compete. Returns 0, or INCOMPLETE if one of them cannot be written."""
    console, path = terminal.console(), config.record
    records = [game for result in results for game in result.records]
    numbers = numbers_in_file(path)
    for table in batch_report.tables(results, numbers, options.verbose):
        console.print(table)
    if records:
        playing.print_conditions(console, records, void_attempts, options.verbose)
    for line in forfeits.first_of_each_kind(records, numbers, ways_on=functools.partial(playing.ways_on, path)):
        console.print(line, soft_wrap=True)
    for line in prints.batch_notes(results):
        console.print(line, soft_wrap=True)
    console.print(_("result: {results}").format(results=batch_report.score_in_words(records)))
    status, written = 0, list[Path]()
    try:
        if options.compete:
            _write_compete_files(results, options.compete, console, written)
    except OSError as error:
        status = INCOMPLETE
        print(_("error: {message}").format(message=record_file.in_words(error)), file=sys.stderr, flush=True)
    played = sum(len(result.records) for result in results)
    total = sum(result.total for result in results)
    for who, reason in failing.skipped.items():
        of_it = [result for result in results if (result.opponent.name, result.opponent.command) == who]
        left = sum(result.total - len(result.records) for result in of_it)
        if left:
            skipped = _("skipped: {reason}; {number} games not played")
            console.print(skipped.format(reason=reason, number=left), soft_wrap=True)
    if played < total and failing.bot:
        print(_("error: {message}").format(message=failing.bot), file=sys.stderr, flush=True)
    if played < total:
        print(_("stopped: {played} of {total} games were played").format(played=played, total=total))
        failed = failing.bot or failing.skipped
        print(keep_going_hint(path) if failed else resume_hint(path), flush=True)
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
            lack = _("no Compete file for {player}: {judged} of {total} games judged")
            console.print(lack.format(player=result.opponent.name, judged=result.judged, total=result.total))
            continue
        rounds = list(zip(result.records[::2], result.records[1::2], strict=True))
        path = folder / name
        path.write_bytes(compete.result_file(rounds))
        written.append(path)
    console.print(_("{number} Compete result files in {folder}").format(number=len(written), folder=folder))


def _parser() -> Parser:
    parser = Parser(
        "batch",
        ("--against", "--rounds", *arguments.COMMON),
        description=arguments.paragraph(
            _("Play one player against others, once per side on every board."), arguments.players_help()
        ),
        epilog=arguments.paragraph(
            arguments.exit_help_of_runs(), _("A batch exits with 1 if a file of --compete cannot be written.")
        ),
    )
    parser.add_argument("BOT", completer=completers.of_player)
    parser.add_argument(
        "--against",
        nargs="+",
        required=True,
        metavar="PLAYER",
        completer=completers.of_player,
        help=_(
            "the opponents; a folder of strategy libraries (*.so), or lib:FOLDER, stands for all in it, and {all} for "
            "the levels that the command opponents lists"
        ).format(all=ALL),
    )
    parser.add_argument(
        "--rounds", type=number_types.count, default=1, metavar="N", help=_("boards for each opponent (default: 1)")
    )
    arguments.add_jobs_option(parser)
    arguments.add_cluster_options(parser)
    arguments.add_game_options(parser)
    arguments.add_record_options(parser, FORMAT)
    parser.add_argument(
        "--compete",
        type=arguments.folder_to_fill,
        metavar="DIR",
        completer=completers.of_folder,
        help=_("also write a result file for each opponent there, as the course's runner Compete does"),
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--markdown", action="store_true", help=_("end the output with a table of rates per opponent and side")
    )
    form.add_argument("--csv", action="store_true", help=_("end the output with the same table as CSV"))
    return parser
