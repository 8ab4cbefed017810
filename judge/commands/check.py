"""`python -m judge check PLAYER`: what an upload would be refused or beaten for, found before it."""

import argparse
import enum
import json
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from judge import terminal
from judge.checks import limits as check_limits
from judge.checks.runs import Bench, Doubtful, Unfit, run
from judge.checks.trial import Conditions
from judge.command_line import arguments, game_options
from judge.command_line.exits import INTERRUPTED_STATUS, VOID_STATUS
from judge.command_line.parser import Parser
from judge.command_parts.sandbox import settle
from judge.games import GAMES
from judge.language import _, marked, recorded, shown
from judge.machine.cores import read_cores
from judge.machine.fact import State
from judge.machine.load import load_fact, measure_load
from judge.play.endings import ending_in_words
from judge.play.referee import Interrupted
from judge.play.seat import Forfeit
from judge.players.players import Contestant, PlayerError, contestants
from judge.processes.spawn import JudgeFailure
from judge.runs.interruption import stop_event
from protocol.records.record import Termination

LIMITS: tuple[tuple[str, Callable[[Bench], str]], ...] = (
    (recorded("time limit"), check_limits.time_limit),
    (recorded("start-up charged to the first move"), check_limits.start_up),
    (recorded("output limit"), check_limits.output_limit),
    (recorded("nothing but replies on stdout"), check_limits.replies_alone),
    (recorded("memory limit"), check_limits.memory_limit),
    (recorded("stderr limit"), check_limits.stderr_limit),
    (recorded("one thread: CPU time within wall time"), check_limits.one_thread),
)  # judged from the runs, so they come last


class Result(enum.Enum):
    """What a check comes to: its word in JSON."""

    PASSED = "passed"
    WARNING = "warning"
    FAILED = "failed"


WORDS = {Result.PASSED: marked("passed"), Result.WARNING: marked("warning"), Result.FAILED: marked("FAILED")}
WIDTH_OF_WORDS = 9  # columns, the gap behind them included
STYLES = {Result.PASSED: "green", Result.WARNING: "yellow", Result.FAILED: "bold red"}


@dataclass(frozen=True)
class Outcome:
    """One check's result; `reason` says why it failed, or what was seen. `forfeit`: how it would have lost a game."""

    name: str
    result: Result
    reason: str
    elapsed_s: float
    forfeit: Termination | None = None

    @property
    def passed(self) -> bool:
        """Whether it did not fail: a warning may be right for the upload as it is."""
        return self.result is not Result.FAILED

    def reason_in_words(self) -> str:
        """The reason in the reader's language."""
        if self.forfeit is None:
            return shown(self.reason)
        words = shown(self.reason.removeprefix(f"{self.forfeit.value}: "))
        return _("{ending}: {reason}").format(ending=ending_in_words(self.forfeit), reason=words)

    def as_json(self) -> dict[str, Any]:
        """It as a JSON object's content."""
        return {
            "name": self.name,
            "passed": self.passed,
            "result": self.result.value,
            "reason": self.reason,
            "elapsed_s": self.elapsed_s,
        }


def names(game: str) -> list[str]:
    """What the checks of a game are called, in their order."""
    return [name for name, _check in _checks(game)]


def _checks(game: str) -> list[tuple[str, Callable[[Bench], str]]]:
    """The checks of a game by their names, in their order."""
    cases = [(case.name, partial(run, case=case)) for case in GAMES[game].check_cases]
    return [*cases, *LIMITS]


def outcomes(contestant: Contestant, conditions: Conditions, only: Collection[str] | None = None) -> Iterator[Outcome]:
    """Run all checks on a player under the Conditions, or only those of these names, and yield their Outcomes.

    The checks of LIMITS judge from the runs that came before them. Raises Interrupted when the conditions' stop is
    set, JudgeFailure if the machine fails.
    """
    bench = Bench(contestant, conditions)
    for name, check in _checks(conditions.game):
        if only is not None and name not in only:
            continue
        began, fault = time.monotonic(), None
        try:
            result, reason = Result.PASSED, check(bench)
        except Forfeit as forfeit:
            fault = forfeit.termination
            result, reason = Result.FAILED, f"{fault.value}: {forfeit}"
        except Unfit as unfit:
            result, reason = Result.FAILED, str(unfit)
        except Doubtful as doubtful:
            result, reason = Result.WARNING, str(doubtful)
        yield Outcome(name, result, reason, round(time.monotonic() - began, 3), fault)


def main(words: list[str]) -> int:
    """Run the command with its words; returns the exit status."""
    parser = _parser()
    options = parser.parse_args(words)
    sandbox = settle(parser, options)
    try:
        (contestant,) = contestants([options.PLAYER], options.players, options.game)
    except PlayerError as error:
        parser.error(str(error))
    console = terminal.console()
    load = load_fact(measure_load(), read_cores())
    if load.state is State.WARNING:
        print(_("note: {text}").format(text=shown(load.text)), file=sys.stderr, flush=True)
    found: list[Outcome] = []
    try:
        with stop_event() as stop:
            seed = arguments.seed_or_random(options)
            conditions = Conditions(options.limit, options.memory_limit, seed, stop, options.game, sandbox)
            for outcome in outcomes(contestant, conditions):
                found.append(outcome)
                word = _(WORDS[outcome.result])
                gap = " " * (WIDTH_OF_WORDS - terminal.columns(word))
                print(f"{word}{gap}{shown(outcome.name)}", file=sys.stderr, flush=True)
    except Interrupted:
        print(_("interrupted: the check is not complete"), flush=True)
        return INTERRUPTED_STATUS
    except JudgeFailure as failure:
        message = _("the check cannot be completed: {reason}").format(reason=shown(str(failure)))
        print(_("error: {message}").format(message=message), file=sys.stderr, flush=True)
        return VOID_STATUS
    passed = all(outcome.passed for outcome in found)
    console.print(_table(contestant, found))
    console.print(_sum(found))
    if options.json:
        content = {
            "player": contestant.name,
            "command": contestant.command,
            "game": options.game,
            "passed": passed,
            "warnings": _count(found, Result.WARNING),
            "checks": [outcome.as_json() for outcome in found],
            "limit_s": options.limit,
            "seed": seed,
        }
        print(json.dumps(content, allow_nan=False), flush=True)
    return 0 if passed else 1


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        "check",
        description=arguments.paragraph(
            _(
                "Check that a player does what the platform asks: moves in time on every kind of board, input cut in "
                "any way, the end of the input, and the platform's limits. Takes a few minutes at 3 s a move."
            ),
            arguments.players_help(),
        ),
        epilog=_(
            "A warning names what the platform puts up with, or what depends on how the player is uploaded. "
            "Exit status: 0 if no check failed, 1 if one did, 2 for bad arguments, 3 if the machine failed."
        ),
    )
    parser.add_argument("PLAYER")
    game_options.add_game_choice(parser)
    arguments.add_one_player_options(parser)
    game_options.add_sandbox_option(parser)
    parser.add_argument("--json", action="store_true", help=_("end the output with one JSON object on a line"))
    return parser


def _table(contestant: Contestant, found: Sequence[Outcome]) -> Table:
    title = _("Check of {player}").format(player=contestant.name)
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column(_("check"))
    table.add_column(_("result"), no_wrap=True)
    table.add_column(_("reason, or what was seen"), overflow="fold")
    for outcome in found:
        word = Text(_(WORDS[outcome.result]), STYLES[outcome.result])
        table.add_row(shown(outcome.name), word, Text(outcome.reason_in_words()))
    return table


def _count(found: Sequence[Outcome], result: Result) -> int:
    return sum(outcome.result is result for outcome in found)


def _sum(found: Sequence[Outcome]) -> str:
    """How many checks came to what, in words."""
    warnings, failures = _count(found, Result.WARNING), _count(found, Result.FAILED)
    words = _("{passed} of {total} checks passed").format(passed=_count(found, Result.PASSED), total=len(found))
    if warnings:
        words += _(", 1 warning") if warnings == 1 else _(", {number} warnings").format(number=warnings)
    return words + (_(", {number} failed").format(number=failures) if failures else "")
