"""`dropfour review FILE --engine PLAYER`: every position of recorded games put to an engine, and the mistakes."""

import argparse
import contextlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from judge import terminal
from judge.cli import arguments, number_types
from judge.cli.exits import FAILING_STATUS, INTERRUPTED_STATUS, VOID_STATUS
from judge.cli.parser import Parser
from judge.cli.playing import require_cores, sandbox_of, warn_of_no_sandbox
from judge.games import GAMES
from judge.language import _, shown
from judge.play.start_trial import require_start
from judge.players.players import Contestant, PlayerError, contestants, names_known, require_engines
from judge.players.waiting import Waiting
from judge.processes.spawn import JudgeFailure
from judge.review import kept, report
from judge.review.asking import EngineError, SaysNothing, Terms
from judge.review.games import CannotBeAsked, ReviewedGame
from judge.review.kept import Kept, review_path
from judge.review.marks import USUAL, Bounds, reviewed
from judge.review.report import Reviewed
from judge.review.work import Asked, ask_all, left_to_ask
from judge.runs import record_files
from judge.runs.interruption import stop_event
from judge.runs.sole_use import alone
from judge.terminal import printable, sentence
from protocol.records.record import GameRecord, RecordError, read_records
from protocol.records.review import Reviewer, ReviewLine, append_answers

DEFAULT_PATIENCE_S = 60.0
LEAST_BOUND = 0.01


def main(words: list[str]) -> int:
    """Run the command with its words; returns the exit status."""
    parser = _parser()
    options = parser.parse_args(words)
    bounds = Bounds(options.bound, options.chance)
    games = _games(parser, options)
    path = review_path(options.file)
    if options.engine is None:
        answers = _kept(parser, path)
        engine = answers.engine_for([game.key for game in games])
        if engine is None:
            parser.error(_("{path} has no answer on these games: --engine PLAYER asks for them").format(path=path))
        _tell(engine, bounds, games, answers, options)
        return 0
    require_cores(parser, options.jobs, options.oversubscribe)
    sandbox = sandbox_of(parser, options, options.file, path)
    try:
        players = _players(options, {game.record.game for game in games})
        require_engines(players.values())
        warn_of_no_sandbox(sandbox)
        require_start(players.values(), options.limit, names_known(options.players), sandbox)
    except PlayerError as error:
        parser.error(str(error))
    except JudgeFailure as failure:
        return _failed(shown(str(failure)), VOID_STATUS)
    one = next(iter(players.values()))
    engine = Reviewer(one.name, one.command, one.version, options.limit)
    with contextlib.ExitStack() as stack:
        try:
            is_free = stack.enter_context(alone(path))
        except OSError as error:
            parser.error(record_files.in_words(error))
        if not is_free:
            parser.error(_("{path} is in use by another review").format(path=path))
        answers = _kept(parser, path)
        stop = stack.enter_context(stop_event())
        terms = Terms(players, options.limit, options.patience, options.memory_limit, sandbox, stop)
        status = _ask(parser, options, terms, engine, games, answers, path)
    if status == 0:
        _tell(engine, bounds, games, answers, options)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        "review",
        description=arguments.paragraph(
            _(
                "Put every position of recorded games to an engine, keep its answers beside the record, and mark the "
                "mistakes. The same command goes on where it was stopped, and asks nothing twice."
            ),
            arguments.players_help(),
        ),
        epilog=_(
            "Exit status: 0 for a review, 2 for bad arguments or files, 3 if the machine failed, 4 if the engine did."
        ),
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument(
        "--engine",
        metavar="PLAYER",
        help=_(
            "who is asked: a player that states the value of its moves on stderr (default: nobody, what is kept is "
            "shown)"
        ),
    )
    parser.add_argument(
        "--games",
        type=number_types.ranges,
        metavar="K,K-L",
        help=_("the file's games of these numbers, from 1 (default: all)"),
    )
    parser.add_argument(
        "--jobs", type=number_types.count, default=1, metavar="J", help=_("processes at a time (default: 1)")
    )
    parser.add_argument(
        "--oversubscribe", action="store_true", help=_("allow more games at a time than there are cores to use")
    )
    arguments.add_limits_of_player(parser)
    parser.add_argument(
        "--patience",
        type=number_types.seconds,
        default=DEFAULT_PATIENCE_S,
        metavar="S",
        help=_("seconds after which an engine without an answer is given up (default: 60)"),
    )
    parser.add_argument(
        "--bound",
        type=number_types.number_between(LEAST_BOUND, 2),
        default=USUAL.mistake,
        metavar="V",
        help=_("a move that loses more value is a mistake, one that loses twice as much a blunder (default: 0.3)"),
    )
    parser.add_argument(
        "--chance",
        type=number_types.number_between(-1, 1),
        default=USUAL.chance,
        metavar="V",
        help=_("a position worth no more is no chance for who has lost (default: -0.5)"),
    )
    arguments.add_sandbox_option(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=_("end the output with one JSON object on a line"))
    form.add_argument(
        "--markdown", action="store_true", help=_("end the output with a table in Markdown: where each game was lost")
    )
    return parser


def _games(parser: argparse.ArgumentParser, options: argparse.Namespace) -> list[ReviewedGame]:
    """The games that the options choose; ends the program with a message where there are none."""
    try:
        records, torn_lines = read_records(options.file)
    except (OSError, RecordError) as error:
        parser.error(record_files.in_words(error))
    if torn_lines:
        _note_on_torn_line(options.file)
    if not records:
        parser.error(_("{path} holds no game").format(path=printable(str(options.file))))
    games = []
    for number, record in _chosen(parser, options, records):
        try:
            if record.moves:
                games.append(ReviewedGame(number, record))
        except CannotBeAsked as error:
            note = _("note: game {number} cannot be reviewed: {reason}")
            print(note.format(number=number, reason=sentence(shown(str(error)))), file=sys.stderr, flush=True)
    if not games:
        parser.error(_("{path}: none of these games can be reviewed").format(path=printable(str(options.file))))
    return games


def _chosen(
    parser: argparse.ArgumentParser, options: argparse.Namespace, records: Sequence[GameRecord]
) -> Iterable[tuple[int, GameRecord]]:
    """(number, record) of the games of --games, of all without it."""
    chosen = options.games or (range(1, len(records) + 1),)
    beyond = [numbers[-1] for numbers in chosen if numbers[-1] > len(records)]
    if beyond:
        message = _("--games {number}: {path} holds {total} games")
        parser.error(message.format(number=beyond[0], path=printable(str(options.file)), total=len(records)))
    wanted = sorted({number for numbers in chosen for number in numbers})
    return [(number, records[number - 1]) for number in wanted]


def _note_on_torn_line(path: Path) -> None:
    note = _("note: {path} ends in a torn line, which is left out")
    print(note.format(path=printable(str(path))), file=sys.stderr, flush=True)


def _kept(parser: argparse.ArgumentParser, path: Path) -> Kept:
    """What is in the review file; ends the program with a message where it is damaged."""
    try:
        answers, is_torn = kept.read(path)
    except (OSError, RecordError) as error:
        parser.error(record_files.in_words(error))
    if is_torn:
        _note_on_torn_line(path)
    return answers


def _players(options: argparse.Namespace, games: Iterable[str]) -> Mapping[str, Contestant]:
    """The engine for each game: it may be started otherwise. Raises PlayerError."""
    names = [name for name in GAMES if name in games]
    return {name: contestants([options.engine], options.players, name)[0] for name in names}


def _ask(
    parser: argparse.ArgumentParser,
    options: argparse.Namespace,
    terms: Terms,
    engine: Reviewer,
    games: Sequence[ReviewedGame],
    answers: Kept,
    path: Path,
) -> int:
    """Ask what has no answer yet and keep what is answered; returns the exit status, 0 where all has been asked."""
    tasks = left_to_ask(games, engine, answers)
    total = sum(len(task.plies) for task in tasks)
    known = sum(len(answers.answers(engine, game.key)) for game in games)
    plan = _("{engine}: {total} positions to ask for, {known} answers in {path}")
    print(plan.format(engine=engine.name, total=total, known=known, path=printable(str(path))), flush=True)
    done, unanswered = 0, 0

    def keep(asked: Asked) -> None:
        nonlocal done, unanswered
        game, done = asked.task.game, done + 1
        if asked.answer is None:
            unanswered += 1
        else:
            line = ReviewLine(game.number, game.record.extra.get("id"), game.key, asked.ply, engine, asked.answer)
            append_answers(path, [line])
            answers.add(line)
        waiting.show(done / total)

    try:
        with Waiting(_("review of {number} positions").format(number=total)) as waiting:
            ask_all(terms, tasks, options.jobs, keep)
    except SaysNothing as error:
        parser.error(str(error))
    except EngineError as error:
        return _failed(str(error), FAILING_STATUS)
    except JudgeFailure as failure:
        return _failed(shown(str(failure)), VOID_STATUS)
    except (OSError, RecordError) as error:
        return _failed(record_files.in_words(error), VOID_STATUS)
    if unanswered:
        note = _("note: {number} positions have no value; the same command asks for them again")
        print(note.format(number=unanswered), file=sys.stderr, flush=True)
    if done < total:
        print(_("stopped: {done} of {total} positions; the same command goes on").format(done=done, total=total))
        return INTERRUPTED_STATUS
    return 0


def _failed(reason: str, status: int) -> int:
    print(_("error: {message}").format(message=reason), file=sys.stderr, flush=True)
    return status


def _tell(
    engine: Reviewer, bounds: Bounds, games: Sequence[ReviewedGame], answers: Kept, options: argparse.Namespace
) -> None:
    """Show what the answers of an engine say of the games."""
    found = [Reviewed(game, reviewed(game, engine.name, answers.answers(engine, game.key), bounds)) for game in games]
    console = terminal.console()
    version = "" if engine.version is None else f" ({printable(engine.version)})"
    who = _("{number} games by {engine}").format(number=len(found), engine=printable(engine.name) + version)
    console.print(who, soft_wrap=True)
    console.print(report.bounds_in_words(bounds), soft_wrap=True)
    for table in report.tables(found):
        console.print(table)
    if options.json:
        print(terminal.json_line(report.summary(engine, bounds, found)), flush=True)
    for line in report.markdown(found) if options.markdown else ():
        print(line, flush=True)
