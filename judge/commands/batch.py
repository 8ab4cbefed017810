"""`python -m judge batch BOT --against PLAYER...`: one player against many, as the platform does."""

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from judge.commands import arguments, recorded_run
from judge.commands.exits import exit_status, numbers_in_file, resume_advice
from judge.games import DEFAULT_GAME
from judge.players.players import Contestant, PlayerError, contestants, libraries_in
from judge.reports import batch as batch_report
from judge.reports import compete
from judge.runs.interruption import stop_event
from judge.runs.ledger import ResumeError, identity, open_ledger
from judge.runs.schedule import Schedule, ScheduledGame, conditions, paired_game

FORMAT = "batch"


def schedule(
    bot: Contestant,
    opponents: Sequence[Contestant],
    rounds: int,
    seed: int,
    conditions: dict[str, Any],
    wishes: dict[str, Any],
) -> Schedule:
    """The Schedule of a batch: in every round a board for each opponent, once from either side.

    A is the bot. Round comes before opponent, so that more rounds leave the games before as they were.
    """

    def game_at(index: int) -> ScheduledGame:
        players = (bot, opponents[index // 2 % len(opponents)])
        return paired_game(players, index, seed, conditions, wishes)

    return Schedule(2 * rounds * len(opponents), game_at)


def opponents_of(texts: Iterable[str], players_path: str | Path | None, game: str) -> list[Contestant]:
    """The players that --against names; a folder stands for the strategy libraries in it.

    Raises PlayerError.
    """
    expanded: list[str] = []
    for text in texts:
        if Path(text).is_dir():
            libraries = libraries_in(text)
            if not libraries:
                raise PlayerError(f"folder {text!r} holds no strategy library, expected files *.so")
            expanded += libraries
        else:
            expanded.append(text)
    return contestants(expanded, players_path, game)


def main(words: list[str]) -> int:
    """Run the command with its words; returns the exit status."""
    parser = _parser()
    options = parser.parse_args(words)
    if options.compete and options.game != DEFAULT_GAME:
        parser.error(f"--compete: the course's runner plays {DEFAULT_GAME}, and the game is {options.game}")
    wishes, path = recorded_run.wishes_and_path(parser, options, FORMAT)
    try:
        (bot,) = contestants([options.BOT], options.players, options.game)
        opponents = opponents_of(options.against, options.players, options.game)
        seed = recorded_run.seed_of(options, path)
        games = schedule(bot, opponents, options.rounds, seed, conditions(options), wishes)
        who = identity(FORMAT, seed, options, **wishes, opponents=len(opponents))
        # What is announced can be stopped: a signal after it finds its handler.
        with stop_event() as stop:
            print(f"{bot.name} against {len(opponents)} players, {len(games)} games")
            print(f"seed {seed}, limit {options.limit:g} s, records in {path}", flush=True)
            with open_ledger(path, who, games, options.resume) as ledger:
                recorded_run.play(
                    ledger,
                    ledger.remaining,
                    options.jobs,
                    stop,
                    line=lambda records: batch_report.running_score(records, len(games)),
                )
    except (PlayerError, ResumeError) as error:
        parser.error(str(error))
    results = batch_report.results(opponents, ledger.records, options.rounds)
    _conclude(results, bot, options, seed, path)
    return exit_status(ledger.records)


def _conclude(
    results: Sequence[batch_report.Result], bot: Contestant, options: argparse.Namespace, seed: int, path: Path
) -> None:
    console = Console(highlight=False)
    numbers = numbers_in_file(path)
    for table in batch_report.tables(bot, results, numbers):
        console.print(table)
    written = _write_compete_files(results, options.compete, console) if options.compete else []
    played = sum(len(result.records) for result in results)
    total = sum(result.total for result in results)
    if played < total:
        print(f"stopped: {played} of {total} games were played")
        print(resume_advice(path), flush=True)
    if options.json:
        content = {
            **batch_report.summary(results, numbers),
            "seed": seed,
            "record": str(path),
            "compete": [str(file) for file in written],
        }
        print(json.dumps(content, allow_nan=False), flush=True)


def _write_compete_files(results: Sequence[batch_report.Result], folder: Path, console: Console) -> list[Path]:
    """Write a Compete result file for every opponent of which all games are judged; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name, result in zip(batch_report.file_names(results), results, strict=True):
        if result.judged < result.total:
            reason = f"{result.judged} of {result.total} games judged"
            console.print(f"no Compete file for {result.opponent.name}: {reason}", markup=False)
            continue
        rounds = list(zip(result.records[::2], result.records[1::2], strict=True))
        path = folder / name
        path.write_bytes(compete.result_file(rounds))
        written.append(path)
    console.print(f"{len(written)} Compete result files in {folder}", markup=False)
    return written


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m judge batch",
        description="Play one player against others, once per side on every board. " + arguments.PLAYERS_HELP,
        epilog=arguments.EXIT_HELP + " A batch with a VOID game in it exits with 3.",
    )
    parser.add_argument("BOT")
    parser.add_argument(
        "--against",
        nargs="+",
        required=True,
        metavar="PLAYER",
        help="the opponents; a folder stands for all strategy libraries (*.so) in it",
    )
    parser.add_argument(
        "--rounds", type=arguments.count, default=1, metavar="N", help="boards for each opponent (default: 1)"
    )
    arguments.add_jobs_option(parser)
    arguments.add_game_options(parser)
    arguments.add_record_options(parser, FORMAT)
    parser.add_argument(
        "--compete",
        type=Path,
        metavar="DIR",
        help="also write a result file for each opponent there, as the course's runner Compete does",
    )
    return parser
