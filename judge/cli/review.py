"""`dropfour review FILE --engine PLAYER`: asks an engine about every position of recorded games and marks mistakes."""

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import structs

from judge import terminal
from judge.cli import arguments, completers, number_types
from judge.cli.exits import FAILING_STATUS, INTERRUPTED_STATUS, VOID_STATUS
from judge.cli.parser import Parser, add_old_name
from judge.cli.playing import exit_on_errors, require_cores, sandbox_of, warn_of_no_sandbox
from judge.cli.record_file import print_torn_line_note, read_games
from judge.games import GAMES
from judge.language import _, marked, shown
from judge.play.start_trial import require_start
from judge.players.players import contestants, known_names, require_engines
from judge.players.waiting import Waiting
from judge.processes.start import JudgeFailure
from judge.reports.tables import ReportTable, as_markdown
from judge.reports.tables import markdown as table_in_markdown
from judge.review import marks
from judge.review.asking import AskedPosition, EngineError, ReviewConditions, StatesNoValue, Task, ask_all, open_tasks
from judge.review.marks import (
    BLUNDER,
    GAVE_AWAY_DRAW,
    GAVE_AWAY_WIN,
    LAST_CHANCE,
    MISTAKE,
    USUAL,
    Bounds,
    CannotBeAsked,
    GameReview,
    MoveReview,
    ReviewAnswers,
    ReviewedGame,
    Sum,
    Worth,
    review_game,
    review_path,
)
from judge.runs import record_file
from judge.runs.interruption import stop_event
from judge.runs.record_file import Altered, exclusive_lock
from judge.terminal import printable, sentence
from protocol.records.record import RecordError
from protocol.records.review import Reviewer, ReviewLine, in_lines

# The options that need --engine, by their names in the parsed arguments.
ENGINE_OPTIONS = (
    "jobs",
    "oversubscribe",
    "players",
    "limit",
    "memory_limit",
    "patience",
    "sandbox",
    "show",
    "keep_writes",
)
MARK_WORDS = {
    MISTAKE: marked("mistake"),
    BLUNDER: marked("blunder"),
    GAVE_AWAY_WIN: marked("gave away a win"),
    GAVE_AWAY_DRAW: marked("gave away a draw"),
    LAST_CHANCE: marked("last chance"),
}
UNKNOWN = "-"  # the text of a cell without a value
Reviewed = tuple[ReviewedGame, GameReview]  # a game with its review


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = _parser()
    options = parser.parse_args(argv)
    if options.engine is None:
        defaults = parser.parse_args(["--", str(options.file)])
        for name in ENGINE_OPTIONS:
            if getattr(options, name) != getattr(defaults, name):
                option = f"--{name.replace('_', '-')}"
                parser.error(_("{option} needs {other}").format(option=option, other="--engine"))
    bounds = Bounds(options.bound, options.chance)
    games = _reviewed_games(parser, options)
    path = review_path(options.file)
    if options.engine is None:
        answers = _recorded_answers(parser, path)
        engine = answers.engine_for([game.key for game in games])
        if engine is None:
            parser.error(
                _("{path} has no answers about these games: ask an engine about them with --engine PLAYER").format(
                    path=path
                )
            )
        _print_review(engine, bounds, games, answers, options)
        return 0
    require_cores(parser, options.jobs, options.oversubscribe)
    sandbox = sandbox_of(parser, options, options.file, path)
    with exit_on_errors(parser):
        names = {game.record.game for game in games}
        # The command of an engine may differ between games.
        players = {
            name: contestants([options.engine], options.players, name, sandbox)[0] for name in GAMES if name in names
        }
        require_engines(players.values())
        warn_of_no_sandbox(sandbox)
        require_start(players.values(), options.limit, known_names(options.players), sandbox)
    player = next(iter(players.values()))
    engine = Reviewer(player.name, player.command, player.version, options.limit)
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(exclusive_lock(path))
        except (OSError, RecordError) as error:
            parser.error(record_file.in_words(error))
        if file is None:
            parser.error(_("another review is using {path}: wait until it has ended").format(path=path))
        answers = _recorded_answers(parser, path)
        stop = stack.enter_context(stop_event())
        conditions = ReviewConditions(players, options.limit, options.patience, options.memory_limit, sandbox, stop)
        tasks = open_tasks(games, engine, answers)
        known = sum(len(answers.answers(engine, game.key)) for game in games)
        plan = _("{engine} will be asked about {total} positions; {path} already has {known} answers")
        total = sum(len(task.plies) for task in tasks)
        print(plan.format(engine=engine.name, total=total, known=known, path=printable(str(path))), flush=True)

        def record_answer(line: ReviewLine) -> None:
            """Add an answer to `answers` and to the review file, which is created again if somebody has removed it."""
            if file.is_removed():
                file.create()
            file.append(in_lines([line]))
            answers.add(line)

        status = _ask_engine(parser, conditions, tasks, options.jobs, engine, record_answer)
    if status == 0:
        _print_review(engine, bounds, games, answers, options)
    return status


def _parser() -> Parser:
    parser = Parser(
        "review",
        ("--engine", "--numbers", "--jobs", "--limit", "--bound", "--chance", "--json", "--markdown"),
        description=arguments.paragraph(
            _(
                "Ask an engine about every position of recorded games, keep its answers in a file beside the record, "
                "and mark the mistakes. The same command continues a review that was stopped, and asks nothing twice."
            ),
            arguments.players_help(),
        ),
        epilog=_(
            "Exit status: 0 for a review, 2 for bad arguments or files, 3 if the judge or the machine "
            "failed, 4 if the engine failed, which reviews the moves."
        ),
    )
    parser.add_argument("file", type=Path, metavar="FILE", completer=completers.complete_record_file)
    parser.add_argument(
        "--engine",
        metavar="PLAYER",
        completer=completers.complete_player,
        help=_(
            "the engine, a player that prints the value of its moves on stderr (default: none, only the answers of "
            "earlier reviews are shown)"
        ),
    )
    numbers = parser.add_argument(
        "--numbers",
        type=number_types.ranges,
        metavar="K,K-L",
        help=_("the numbers of games in the file, from 1 (default: all games)"),
    )
    add_old_name(parser, "--games", numbers)
    parser.add_argument(
        "--jobs",
        type=number_types.count,
        default=1,
        metavar="J",
        help=_("how many processes of the engine run at a time (default: 1)"),
    )
    parser.add_argument(
        "--oversubscribe",
        action="store_true",
        help=_("allow more processes of the engine at a time than there are cores to use"),
    )
    arguments.add_limits_of_player(parser)
    parser.add_argument(
        "--patience",
        type=number_types.seconds,
        default=60.0,
        metavar="S",
        help=_("give up an engine that has not answered for S seconds (default: 60)"),
    )
    parser.add_argument(
        "--bound",
        type=number_types.number_between(0.01, 2),
        default=USUAL.mistake,
        metavar="V",
        help=_(
            "a move that loses more than V of the value is a mistake, and one that loses at least twice V is a "
            "blunder (default: 0.3)"
        ),
    )
    parser.add_argument(
        "--chance",
        type=number_types.number_between(-1, 1),
        default=USUAL.chance,
        metavar="V",
        help=_("the loser still had a chance in a position whose value was above V (default: -0.5)"),
    )
    arguments.add_sandbox_option(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--json", action="store_true", help=_("also print the results as a JSON object, in the last line of the output")
    )
    form.add_argument(
        "--markdown",
        action="store_true",
        help=_("also print, at the end, a Markdown table of where each game was lost"),
    )
    return parser


def _reviewed_games(parser: argparse.ArgumentParser, options: argparse.Namespace) -> list[ReviewedGame]:
    """Return the games that the options choose, without those that have no moves or that no engine can be asked about.

    Prints a note on each game of the second kind. Ends the program with a message if no game is left.
    """
    games = []
    records = read_games(parser, options.file)
    ranges = options.numbers or (range(1, len(records) + 1),)
    for numbers in ranges:
        if numbers[-1] > len(records):
            message = _("--numbers {number}: {path} holds {total} games")
            parser.error(message.format(number=numbers[-1], path=printable(str(options.file)), total=len(records)))
    for number in sorted({number for numbers in ranges for number in numbers}):
        try:
            if records[number - 1].moves:
                games.append(ReviewedGame(number, records[number - 1]))
        except CannotBeAsked as error:
            note = _("note: game {number} cannot be reviewed: {reason}")
            print(note.format(number=number, reason=sentence(shown(str(error)))), file=sys.stderr, flush=True)
    if not games:
        parser.error(_("{path}: none of these games can be reviewed").format(path=printable(str(options.file))))
    return games


def _recorded_answers(parser: argparse.ArgumentParser, path: Path) -> ReviewAnswers:
    """Return the answers in the review file at `path`. Ends the program with a message if the file is damaged."""
    try:
        answers, is_torn = marks.read(path)
    except (OSError, RecordError) as error:
        parser.error(record_file.in_words(error))
    if is_torn:
        print_torn_line_note(path)
    return answers


def _ask_engine(
    parser: argparse.ArgumentParser,
    conditions: ReviewConditions,
    tasks: Sequence[Task],
    jobs: int,
    engine: Reviewer,
    record_answer: Callable[[ReviewLine], None],
) -> int:
    """Ask the engine about the positions of `tasks` in `jobs` processes, and call record_answer(line) with each answer.

    Returns the exit status, which is 0 if the engine was asked about all positions. Ends the program with a message if
    the engine does not state values.
    """
    total = sum(len(task.plies) for task in tasks)
    asked_positions: list[AskedPosition] = []

    def on_answer(asked: AskedPosition) -> None:
        """Remember a position about which the engine was asked, and record the answer if there is one."""
        asked_positions.append(asked)
        game = asked.task.game
        if asked.answer is not None:
            line = ReviewLine(
                **structs.asdict(asked.answer),
                game=game.number,
                id=game.record.extra.get("id"),
                moves=game.key,
                ply=asked.ply,
                engine=engine,
            )
            record_answer(line)
        waiting.show(len(asked_positions) / total)

    try:
        with Waiting(_("review of {number} positions").format(number=total)) as waiting:
            ask_all(conditions, tasks, jobs, on_answer)
    except StatesNoValue as error:
        parser.error(str(error))
    except EngineError as error:
        return _print_error(str(error), FAILING_STATUS)
    except (JudgeFailure, Altered) as error:
        return _print_error(shown(str(error)), VOID_STATUS)
    except (OSError, RecordError) as error:
        return _print_error(record_file.in_words(error), VOID_STATUS)
    unanswered = sum(asked.answer is None for asked in asked_positions)
    if unanswered:
        note = _("note: the engine gave no value for {number} positions; the same command asks about them again")
        print(note.format(number=unanswered), file=sys.stderr, flush=True)
    if len(asked_positions) < total:
        message = _("stopped: the engine was asked about {done} of {total} positions; run the same command to continue")
        print(message.format(done=len(asked_positions), total=total))
        return INTERRUPTED_STATUS
    return 0


def _print_error(reason: str, status: int) -> int:
    """Print an error and return `status`, the exit status."""
    print(_("error: {message}").format(message=reason), file=sys.stderr, flush=True)
    return status


def _print_review(
    engine: Reviewer, bounds: Bounds, games: Sequence[ReviewedGame], answers: ReviewAnswers, options: argparse.Namespace
) -> None:
    """Print the review of the games, which follows from the engine's answers, in the forms that the options choose."""
    reviewed_games = [
        (game, review_game(game, engine.name, answers.answers(engine, game.key), bounds)) for game in games
    ]
    console = terminal.console()
    version = "" if engine.version is None else f" ({printable(engine.version)})"
    who = _("review of {number} games by {engine}").format(
        number=len(reviewed_games), engine=printable(engine.name) + version
    )
    console.print(who, soft_wrap=True)
    words = _(
        "a mistake loses more than {mistake:g} of the value, a blunder at least {blunder:g}; the last chance is the "
        "loser's last move in a position whose value was above {chance:g} and that was not proven lost"
    )
    explanation = words.format(mistake=bounds.mistake, blunder=bounds.blunder, chance=bounds.chance)
    console.print(explanation, soft_wrap=True)
    for table in tables(reviewed_games):
        console.print(table)
    for line in threats(reviewed_games):
        console.print(line, soft_wrap=True)
    if options.json:
        print(terminal.json_line(summary(engine, bounds, reviewed_games)), flush=True)
    for line in markdown(reviewed_games) if options.markdown else ():
        print(line, flush=True)


def player_of(game: ReviewedGame, side: str) -> str:
    """Return the side and the name of the player, such as "A NAME", because both players may have the same name."""
    return f"{side} {printable(game.record.players['AB'.index(side)].name)}"


def sums_by_player(games: Iterable[Reviewed]) -> dict[str, Sum]:
    """Return {player: Sum of the player's moves}, in the order in which the players occur in `games`.

    A player is named by the text that player_of() returns.
    """
    totals: dict[str, Sum] = {}
    for game, review in games:
        for side in "AB":
            name = player_of(game, side)
            totals[name] = totals.get(name, Sum()) + review.sum_of(side)
    return totals


def tables(games: Sequence[Reviewed]) -> list[ReportTable]:
    """Return the table of marked moves, if there are any, and the table with the sums of each player."""
    marked_moves = [(game, review, move) for game, review in games for move in review.moves if _is_marked(review, move)]
    return [*([_mark_table(marked_moves)] if marked_moves else []), _sum_table(sums_by_player(games))]


def threats(games: Iterable[Reviewed]) -> list[str]:
    """Return a line for each move that missed an immediate win or allowed one.

    Only marked moves and the last move of each loser are looked at.
    """
    lines = []
    for game, review in games:
        before_last = len(review.moves) - 1 if game.winner else 0  # the loser's last ply, if the winner played the next
        for move in review.moves:
            is_examined = _is_marked(review, move) or move.ply == before_last
            threat = marks.threat_in_words(game, move.ply) if is_examined else ""
            if threat:
                line = _("game {number}, ply {ply} ({side} played {played}): {threat}")
                words = {"side": move.side, "played": printable(move.played), "threat": threat}
                lines.append(line.format(number=game.number, ply=move.ply, **words))
    return lines


def _is_marked(review: GameReview, move: MoveReview) -> bool:
    """Return whether the move has a mark or was the loser's last chance."""
    return move.mark is not None or move.ply == review.last_chance


def _mark_table(marked_moves: Iterable[tuple[ReviewedGame, GameReview, MoveReview]]) -> ReportTable:
    texts, mark = (_("side"), _("move played"), _("best play")), _("mark")
    values = _("value before"), _("value after"), _("value lost")
    headings = (_("game"), _("ply"), *texts, *values, mark)
    table = ReportTable(_("Marked moves"), headings, left=(*texts, mark), wrapped=(*texts[1:], *values, mark))
    for game, review, move in marked_moves:
        table.add_row(
            str(game.number),
            str(move.ply),
            move.side,
            printable(move.played),
            UNKNOWN if move.best is None else printable(move.best),
            _worth_in_words(move.before),
            _worth_in_words(move.after),
            UNKNOWN if move.lost is None else f"{move.lost:.2f}",
            _marks_in_words(review, move),
        )
    return table


def _marks_in_words(review: GameReview, move: MoveReview) -> str:
    """Return the marks of a move, separated by commas."""
    own_marks = [] if move.mark is None else [move.mark]
    if move.ply == review.last_chance and LAST_CHANCE not in own_marks:
        own_marks.append(LAST_CHANCE)
    return ", ".join(_(MARK_WORDS[mark]) for mark in own_marks)


def _worth_in_words(worth: Worth | None) -> str:
    """Return the proven result or the value of a position, UNKNOWN if it has none."""
    if worth is None:
        return UNKNOWN
    if worth.proven is not None:
        return {"win": _("win"), "draw": _("draw"), "loss": _("loss")}[worth.proven]
    return f"{worth.value:+.2f}"


def _sum_table(totals: dict[str, Sum]) -> ReportTable:
    headings = _("player"), _("moves"), _("mistakes"), _("blunders"), _("results given away"), _("value lost per move")
    table = ReportTable(_("Totals by player"), headings, left=headings[:1], wrapped=headings[-1:])
    for name, total in totals.items():
        table.add_row(name, str(total.moves), *_count_texts(total), _mean_loss_in_words(total))
    return table


def _count_texts(total: Sum) -> tuple[str, ...]:
    """Return three texts: the number of mistakes, the number of blunders and the number of results given away."""
    return tuple(map(str, (total.mistakes, total.blunders, total.given_away)))


def _mean_loss_in_words(total: Sum) -> str:
    return UNKNOWN if total.mean_lost is None else f"{total.mean_lost:.3f}"


def summary(engine: Reviewer, bounds: Bounds, games: Sequence[Reviewed]) -> dict[str, Any]:
    """Return the content of the JSON object that --json prints.

    It has the engine, the bounds, each game's review (the same as in a page of the game) with all moves, and the sums
    of each player. A game is identified by its number and id, and a move by its ply.
    """
    return {
        "engine": structs.asdict(engine),
        "bounds": {"mistake": bounds.mistake, "blunder": bounds.blunder, "chance": bounds.chance},
        "games": [
            {
                "game": game.number,
                "id": game.record.extra.get("id"),
                "players": [player.name for player in game.record.players],
                "winner": game.record.winner,
                **review.as_json(),
                "plies": [_move_as_json(move) for move in review.moves],
            }
            for game, review in games
        ],
        "players": {name: total.as_json() for name, total in sums_by_player(games).items()},
    }


def _move_as_json(move: MoveReview) -> dict[str, Any]:
    """Return what --json prints about a move."""
    after = move.after
    return {
        "ply": move.ply,
        "side": move.side,
        "played": move.played,
        **move.as_json(),
        "pv": list(move.pv),
        "value_after": None if after is None else after.value,
        "proven_after": None if after is None else after.proven,
    }


def markdown(games: Sequence[Reviewed]) -> list[str]:
    """Return the lines of a table in Markdown. It has a row for each game, which says where the loser lost the game."""
    headings = (
        *(_("game"), _("plies"), _("loser"), _("last chance"), _("costliest move")),
        *(_("mistakes"), _("blunders"), _("results given away"), _("value lost per move")),
    )
    rows = (_markdown_row(game, review) for game, review in games)
    return table_in_markdown(headings, [[*row, *[UNKNOWN] * (len(headings) - len(row))] for row in rows])


def _markdown_row(game: ReviewedGame, review: GameReview) -> list[str]:
    """Return the texts in the table row for a game.

    If the game has no loser, only the first two texts are returned: the game's number and its number of plies.
    """
    winner = game.record.winner
    row = [str(game.number), str(len(game.record.moves))]
    if winner is None:
        return row
    loser = "AB".replace(winner, "")
    total = review.sum_of(loser)
    own_moves = [move for move in review.moves if move.side == loser]
    chance = next((move for move in own_moves if move.ply == review.last_chance), None)
    costliest = max((move for move in own_moves if move.lost), key=lambda move: move.lost or 0.0, default=None)
    texts = as_markdown(player_of(game, loser)), _move_in_words(chance), _move_in_words(costliest)
    return [*row, *texts, *_count_texts(total), _mean_loss_in_words(total)]


def _move_in_words(move: MoveReview | None) -> str:
    """Return a Markdown text on a move: its ply, the values before and after it, and the best move.

    Returns UNKNOWN for None.
    """
    if move is None:
        return UNKNOWN
    words = _("ply {ply}: {played} (value {before} to {after}), best move {best}")
    if move.best == move.played:
        words = _("ply {ply}: {played} (value {before} to {after}), as the engine would play")
    return words.format(
        ply=move.ply,
        played=as_markdown(move.played),
        best=UNKNOWN if move.best is None else as_markdown(move.best),
        before=_worth_in_words(move.before),
        after=_worth_in_words(move.after),
    )
