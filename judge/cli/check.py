"""`python -m judge check PLAYER`: checks, before an upload, that a player does what the platform asks."""

import ast
import contextlib
import dataclasses
import math
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from judge import terminal
from judge.checks import debugging
from judge.checks.causes import Cause, causes, is_slow
from judge.checks.checks import IN_WORDS, PRINTS, Checks, Group, Outcome, Result, in_order, names
from judge.checks.trial import FAULTS, PLAYER, QUICK, THOROUGH, USUAL, CheckConditions, odds
from judge.cli import arguments, completers, number_types, record_file
from judge.cli.exits import INTERRUPTED_STATUS, VOID_STATUS, replay_command, repro_command
from judge.cli.parser import Parser
from judge.cli.playing import exit_on_errors, fault_hints, sandbox_of, warn_of_no_sandbox, warn_of_stack
from judge.games import GAMES
from judge.language import Sentence, _, marked, shown
from judge.machine.facts import State, count_fitting_games, load_fact, measure_load, read_cores, read_memory
from judge.play.backtraces import Source, backtrace_of
from judge.play.referee import Interrupted
from judge.play.scoresheet import Conditions
from judge.play.screen import last_screen
from judge.play.start_trial import require_entry
from judge.players.players import Contestant, contestants
from judge.players.waiting import Waiting
from judge.reasons import PLAYER as PLAYER_WORD
from judge.reasons import reason_as_json, reason_of
from judge.reports import forfeits
from judge.reports.tables import ReportTable
from judge.runs.interruption import stop_event
from judge.runs.progress import duration_in_words
from judge.runs.record_file import numbers_in_file
from protocol.records.record import GameRecord, Termination

DEFAULT_RECORD = Path("records") / "check.jsonl"
WORDS = {Result.PASSED: marked("passed"), Result.WARNING: marked("warning"), Result.FAILED: marked("FAILED")}
STYLES = {Result.PASSED: "green", Result.WARNING: "yellow", Result.FAILED: "bold red"}
MOST_JOBS = 4  # at most so many checks run at a time by default


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = _parser()
    options = parser.parse_args(argv)
    sandbox = sandbox_of(parser, options, options.record)
    record_file.require_writable(parser, options.record)
    with exit_on_errors(parser):
        (contestant,) = contestants([options.PLAYER], options.players, options.game, sandbox)
        require_entry([contestant], sandbox)
    console, cores = terminal.console(), read_cores()
    if options.jobs is not None and options.jobs > cores.jobs:
        message = _(
            "--jobs {jobs}: each check needs a processor core of its own, and this machine has room for {cores} "
            "checks at a time"
        )
        parser.error(message.format(jobs=options.jobs, cores=cores.jobs))
    warn_of_no_sandbox(sandbox)
    warn_of_stack()
    load = load_fact(measure_load(), cores)
    if load.state is State.WARNING:
        print(_("note: {message}").format(message=shown(load.text)), file=sys.stderr, flush=True)
    try:
        with stop_event() as stop:
            seed = arguments.seed_or_random(options.seed)
            jobs = options.jobs or max(1, min(MOST_JOBS, cores.jobs, count_fitting_games(read_memory())))
            effort = THOROUGH if options.thorough else QUICK if options.quick else USUAL
            play = Conditions(options.limit, memory_limit_bytes=options.memory_limit, sandbox=sandbox)
            checks = Checks(contestant, CheckConditions(play, seed, stop, options.game, jobs, effort))
            if not options.thorough:
                most = duration_in_words(effort.seconds_at(options.limit) + effort.sanitized_s)
                warning = _(
                    "after the builds, the checks take at most {duration}, and longer if the cause of a fault is "
                    "searched for"
                )
                print(warning.format(duration=most), file=sys.stderr, flush=True)
            results = in_order(_run_checks(checks, contestant), options.game)
            faults = [
                dataclasses.replace(cause, game=_replayed_with_backtrace(cause.game, checks))
                for cause in causes(results)
            ]
            # A game in which the player printed something other than replies, but did not lose by that.
            printing = next(iter(checks.bench.printing), None)
            printed_at = None if printing is None else backtrace_of(_replayed_with_backtrace(printing, checks), PLAYER)
    except Interrupted:
        print(_("interrupted: not all checks were made"), flush=True)
        return INTERRUPTED_STATUS
    passed = all(outcome.passed for outcome in results)
    console.print(table(contestant, results, options.verbose), crop=False)
    if printed_at is not None:
        place = f"{shown(PRINTS)}: {printed_at.in_words()}"
        console.print(place, printed_at.heading(shown(PLAYER_WORD)), *printed_at.lines, "", sep="\n", soft_wrap=True)
    for cause in faults:
        record_file.append_game(parser, options.record, cause.game)
    numbers = numbers_in_file(options.record) if faults else {}
    for cause in faults:
        _print_cause(console, cause, checks, len(results), options.record, numbers.get(cause.game.extra["id"]))
    if checks.left_out:
        line = _(
            "{number} checks were left out, because the player does not reply in time; --thorough makes these checks, "
            "too"
        )
        console.print(line.format(number=len(checks.left_out)), soft_wrap=True)
    elif not faults:
        _print_odds(console, checks)
    for name, reason in checks.not_made.items():
        line = _("the check {check} was not made, because the machine was too busy: {reason}")
        console.print(line.format(check=shown(name), reason=shown(reason)), soft_wrap=True)
    console.print(_totals_in_words(results))
    if options.json:
        content = {
            "player": contestant.name,
            "command": contestant.command,
            "game": options.game,
            "passed": passed,
            "warnings": _count(results, Result.WARNING),
            "checks": [outcome.as_json() for outcome in results],
            "left_out": sorted(checks.left_out, key=names(options.game).index),
            "not_made": [*checks.not_made],
            "causes": [
                _cause_as_json(cause, len(results), options.record, numbers.get(cause.game.extra["id"]))
                for cause in faults
            ],
            "printed_at": None if printed_at is None else printed_at.place or None,
            "moves": checks.bench.moves,
            "hurried_moves": checks.bench.hurried_moves,
            "hurried_limit_s": checks.bench.hurried_limit_s,
            "odds": {"fault_in_moves": FAULTS, "probability": round(odds(checks.bench.moves), 6)},
            "thorough": options.thorough,
            "quick": options.quick,
            "jobs": jobs,
            "limit_s": options.limit,
            "seed": seed,
        }
        print(terminal.json_line(content), flush=True)
    return 1 if not passed else VOID_STATUS if checks.not_made else 0


def _parser() -> Parser:
    parser = Parser(
        "check",
        description=arguments.paragraph(
            _(
                "Check that a player does what the platform asks: that it moves in time on every kind of board and to "
                "the end of long games, copes with input that comes in pieces, with long silences and with the end of "
                "the input, and keeps the platform's limits. A `src:` player is also built with warnings and with "
                "sanitizers. The checks take less than three minutes at 3 s a move."
            ),
            arguments.players_help(),
        ),
        epilog=_(
            "A warning names something that the platform tolerates, or that depends on how the player is uploaded. "
            "Exit status: 0 if no check failed, 1 if one did, 2 for bad arguments, 3 if the judge or the machine "
            "failed."
        ),
    )
    parser.add_argument("PLAYER", completer=completers.complete_player)
    arguments.add_game_choice(parser)
    arguments.add_one_player_options(parser)
    effort = parser.add_mutually_exclusive_group()
    effort.add_argument(
        "--quick",
        action="store_true",
        help=_(
            "make only the checks that find the most frequent faults; at 3 s a move they take 20 s after the builds"
        ),
    )
    effort.add_argument(
        "--thorough",
        action="store_true",
        help=_("play more games, and each to its end with the whole limit, however long that takes"),
    )
    parser.add_argument(
        "--jobs",
        type=number_types.count,
        metavar="J",
        help=_("how many checks run at a time (default: one for each core, at most {number})").format(number=MOST_JOBS),
    )
    parser.add_argument(
        "--record",
        type=arguments.record_path,
        default=DEFAULT_RECORD,
        metavar="FILE",
        completer=completers.complete_record_file,
        help=_("the record file to which the first game with each fault is appended (default: {value})").format(
            value=DEFAULT_RECORD
        ),
    )
    parser.add_argument("--verbose", action="store_true", help=_("list every check, including those that passed"))
    arguments.add_sandbox_option(parser)
    parser.add_argument(
        "--json", action="store_true", help=_("also print the results as a JSON object, in the last line of the output")
    )
    return parser


def _run_checks(checks: Checks, contestant: Contestant) -> list[Outcome]:
    """Run the checks and return their outcomes.

    While the checks run, their progress is shown. The name of each check that does not pass is printed, with the reason
    if that is no fault in a game.
    """
    results: list[Outcome] = []
    with Waiting(_("checking {player}").format(player=terminal.printable(contestant.name))) as waiting:
        for outcome in checks.outcomes():
            results.append(outcome)
            waiting.show(len(results) / checks.total)
            if outcome.result is not Result.PASSED:
                word = _(WORDS[outcome.result])
                gap = " " * (len("warning  ") - terminal.columns(word))
                reason = "" if outcome.game else f": {terminal.printable(outcome.reason_in_words())}"
                print(f"{word}{gap}{shown(outcome.name)}{reason}", file=sys.stderr, flush=True)
    return results


def table(contestant: Contestant, results: Sequence[Outcome], verbose: bool) -> ReportTable:
    """Return a table with a row for each group of checks. Below that row are rows for checks of the group.

    With `verbose` every check has a row. Otherwise only checks that did not pass have one, and not those that failed by
    a fault in a game, because each such fault is printed separately.
    """
    title = _("Check of {player}").format(player=terminal.printable(contestant.name))
    headings = (_("check"), _("result"), _("reason, or what was measured"))
    rows = ReportTable(title, headings, left=headings, wrapped=headings[2:])
    for group in Group:
        members = [outcome for outcome in results if outcome.group is group]
        if not members:
            continue
        worst = max((outcome.result for outcome in members), key=(Result.PASSED, Result.WARNING, Result.FAILED).index)
        rows.add_row(_(IN_WORDS[group]), _styled_result(worst), _group_totals(members))
        for outcome in members:
            if verbose or (outcome.result is not Result.PASSED and outcome.game is None):
                rows.add_row(f"  {shown(outcome.name)}", _styled_result(outcome.result), outcome.reason_in_words())
    return rows


def _styled_result(result: Result) -> Text:
    """Return the word for a result in its color."""
    return Text(_(WORDS[result]), STYLES[result])


def _group_totals(members: Sequence[Outcome]) -> str:
    """Return in words how many checks of a group passed, how many moves they took and how long the longest game was.

    Without moves only the first of these is in the text.
    """
    moves, longest = sum(outcome.moves for outcome in members), max(outcome.longest for outcome in members)
    words = _("{passed} of {total} passed; {moves} moves, up to {longest} in a game")
    if not moves:
        words = _("{passed} of {total} passed")
    return words.format(passed=_count(members, Result.PASSED), total=len(members), moves=moves, longest=longest)


def _replayed_with_backtrace(game: GameRecord, checks: Checks) -> GameRecord:
    """Return `game` with a backtrace, for which the game is played again with the witness that debugging.py names.

    Returns `game` unchanged if there is no such witness.
    """
    contestant = checks.bench.contestant
    witness = debugging.witness_of(contestant, game)
    if witness is None:
        return game
    words = _("playing a game of {player} again under {program}")
    with Waiting(words.format(player=terminal.printable(contestant.name), program=witness)):
        return debugging.with_backtrace(contestant, game, checks.conditions, witness)


def _print_cause(console: Console, cause: Cause, checks: Checks, total: int, path: Path, number: int | None) -> None:
    """Print a fault: its reason, the last board of the first game that shows it, and commands to examine that game.

    `total` is the number of all checks. `path` is the record file that holds the game, and `number` is the game's
    number in that file, or None if the number is unknown.
    """
    game, backtrace = cause.game, backtrace_of(cause.game, PLAYER)
    place = "" if backtrace is None else terminal.shortened(backtrace.in_words())
    form = (
        _("in {number} of {total} checks: {reason}, {place}") if place else _("in {number} of {total} checks: {reason}")
    )
    number_of_checks = _count(cause.outcomes, cause.result)
    words = form.format(number=number_of_checks, total=total, reason=cause.first.reason_in_words(), place=place)
    console.print(Text.assemble(_styled_result(cause.result), " ", words), soft_wrap=True)
    form = _("this fault was first seen in the check {check}, after {plies} plies on the board {board}")
    board = GAMES[game.game].read_board(game.board).in_words()
    console.print(form.format(check=shown(cause.first.name), board=board, plies=len(game.moves)), soft_wrap=True)
    if game.moves:
        console.print(*last_screen(game)[:-1], sep="\n")
    lines = [*_loop_lines(game), *_speed_lines(game, checks), *_memory_lines(game), *forfeits.notes(game)]
    if debugging.witness_of(checks.bench.contestant, game) == debugging.GDB and shutil.which(debugging.GDB) is None:
        lines.append(_(debugging.HOW_TO_GET_IT).format(program=debugging.GDB))
    lines.append(_("record: {path}, game {number}").format(path=terminal.printable(str(path)), number=number or "-"))
    for line in [*lines, *fault_hints(path, game, number)]:
        console.print(line, soft_wrap=True)
    console.print()


def _speed_lines(game: GameRecord, checks: Checks) -> list[str]:
    """Return two lines for a player that is too slow but does not hang: how slow it is, and what margin to keep.

    Returns [] for other faults.
    """
    reason, limit_s = reason_of(game), checks.conditions.play.limit_s
    if not is_slow(game) or not isinstance(reason, Sentence):
        return []
    fields = reason.fields  # "counted" is the time without what the machine is to blame for, "elapsed" is all of it
    taken_s = float(game.extra.get("late_s", fields.get("counted", fields.get("elapsed", limit_s))))
    move_times_s = [wall_s for costs in checks.bench.costs for wall_s in costs.walls_s if wall_s <= limit_s]
    line = _(
        "the player is slow and does not hang: this move took {taken} s, {over} s over the limit; its slowest "
        "moves within the limit: {others}"
    )
    others = ", ".join(f"{wall_s:.2f} s" for wall_s in sorted(move_times_s, reverse=True)[:3]) or "-"
    advice = _(
        "read the clock often during the search, and end it after {stop:g} s of {limit:g} s: the rest is the "
        "safety margin"
    )
    return [
        line.format(taken=f"{taken_s:.2f}", over=f"{taken_s - limit_s:.2f}", others=others),
        advice.format(stop=round(0.8 * limit_s, 2), limit=limit_s),
    ]


def _loop_lines(game: GameRecord) -> list[str]:
    """Return a line with the loops in which a Python player hangs, if its backtrace names a place inside of loops.

    Returns [] for other faults.
    """
    backtrace = backtrace_of(game, PLAYER)
    if game.termination is not Termination.STALL or backtrace is None or backtrace.source is not Source.PYTHON:
        return []
    file, _colon, number = backtrace.place.rpartition(":")
    with contextlib.suppress(OSError, SyntaxError, ValueError):
        nodes = ast.walk(ast.parse(Path(file).read_bytes()))
        loops = [node for node in nodes if isinstance(node, (ast.For, ast.While))]
        around = [loop.lineno for loop in loops if loop.lineno <= int(number) <= (loop.end_lineno or 0)]
        places = ", ".join(terminal.printable(f"{file}:{line}") for line in sorted(around, reverse=True))
        return [_("the loops in which the player hangs begin at {places}").format(places=places)] if around else []
    return []


def _memory_lines(game: GameRecord) -> list[str]:
    """Return a line that says by how much the player's memory grew per move, [] if the record has no such figure."""
    if "growth_bytes" not in game.extra:
        return []
    line = _(
        "the player's memory grew by {growth} MB per move: free the memory that a move has allocated, or reuse it "
        "in the next move"
    )
    return [line.format(growth=f"{game.extra['growth_bytes'] / terminal.MEGABYTE:.0f}")]


def _cause_as_json(cause: Cause, total: int, path: Path, number: int | None) -> dict[str, Any]:
    """Return what --json prints about a fault. The arguments are those of _print_cause()."""
    game, backtrace = cause.game, backtrace_of(cause.game, PLAYER)
    return {
        "result": cause.result.value,
        "count": _count(cause.outcomes, cause.result),
        "total": total,
        "checks": [outcome.name for outcome in cause.outcomes],
        "first": cause.first.name,
        "termination": game.termination.value,
        **reason_as_json(game),
        "board": game.board,
        "plies": len(game.moves),
        "place": None if backtrace is None else backtrace.place or None,
        "backtrace": [] if backtrace is None else list(backtrace.lines),
        "record": str(path),
        "game": number,
        "replay": replay_command(path, number),
        "repro": repro_command(path, number),
    }


def _print_odds(console: Console, checks: Checks) -> None:
    """Print the probability with which the checks would have shown a rare fault, given the number of moves they made.

    If that is not enough, also print the probability that --thorough has.
    """
    bench, limit_s = checks.bench, checks.conditions.play.limit_s
    shown_odds = odds(bench.moves)
    words = _(
        "the player lost no game in {moves} moves: a fault that occurs once in {faults} moves would have shown with a "
        "probability of {odds}; rarer faults remain possible"
    )
    console.print(words.format(moves=bench.moves, faults=FAULTS, odds=in_percent(shown_odds)))
    if bench.hurried_moves:
        words = _("in {moves} of its moves the player was told a limit of {told:g} s instead of {limit:g} s")
        console.print(words.format(moves=bench.hurried_moves, told=bench.hurried_limit_s, limit=limit_s))
    if checks.conditions.effort is not THOROUGH and (shown_odds < 0.9995 or bench.hurried_moves):
        words = _(
            "with --thorough a fault that occurs once in {faults} moves shows with a probability of {odds}: every game "
            "is played to its end with the whole limit, however long that takes"
        )
        console.print(words.format(faults=FAULTS, odds=in_percent(odds(THOROUGH.moves))))


def in_percent(share: float) -> str:
    """Return a text with the probability `share` (0 to 1) in percent, rounded down.

    From 0.999 on the text is "99.9 % or more".
    """
    thousandths = math.floor(share * 1000)
    if thousandths >= 999:
        return _("99.9 % or more")
    return f"{thousandths / 10:.1f} %" if thousandths >= 990 else f"{thousandths // 10} %"


def _count(results: Sequence[Outcome], result: Result) -> int:
    """Return how many checks had this result."""
    return sum(outcome.result is result for outcome in results)


def _totals_in_words(results: Sequence[Outcome]) -> str:
    """Return how many checks passed, warned and failed, in words. Failures are counted by where their reason stands."""
    failed_in_games = sum(outcome.result is Result.FAILED and outcome.game is not None for outcome in results)
    counts = {
        _("checks with a warning: {number}"): _count(results, Result.WARNING),
        _("checks that failed by a fault in a game: {number}"): failed_in_games,
        _("checks that failed for a reason in the table: {number}"): _count(results, Result.FAILED) - failed_in_games,
    }
    passed = _("{passed} of {total} checks passed").format(passed=_count(results, Result.PASSED), total=len(results))
    return _("; ").join([passed, *(form.format(number=number) for form, number in counts.items() if number)])
