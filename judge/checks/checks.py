"""Runs all checks of a player, several at a time, and yields the outcome of each.

Most checks are cases: a case starts the player and drives it in one particular way. Each game's package in judge/games/
lists the game's cases. The function of a case returns a short text on what it has observed. It raises Forfeit or
CheckFailed with the reason if the player failed, and CheckWarning with the reason if the fault may not matter.
"""

import enum
import math
import queue
import shlex
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

from judge.checks import builds, limits
from judge.checks.games import (
    Bench,
    CheckFailed,
    CheckWarning,
    Claim,
    Pace,
    Shares,
    against_itself,
    late_positions,
    long_game,
    many_games,
    opponent_of,
    play,
    sentence_on,
)
from judge.checks.trial import CheckConditions, Trial
from judge.games import GAMES
from judge.games.check_cases import CheckCase, Kind, Opponent
from judge.games.positions import AnyMove
from judge.language import marked, recorded, shown
from judge.play.referee import Interrupted
from judge.play.scoresheet import ending_in_words
from judge.play.seat import Forfeit
from judge.players import source_player
from judge.players.launch import PlayerError
from judge.players.players import Contestant
from judge.processes.start import JudgeFailure
from judge.terminal import MEGABYTE
from protocol.records.record import GameRecord, Termination

PRINTS = recorded("nothing but replies on stdout")
LIMITS: tuple[tuple[str, Callable[[Bench], str]], ...] = (
    (recorded("time limit"), limits.time_limit),
    (recorded("start-up charged to the first move"), limits.start_up),
    (recorded("output limit"), limits.output_limit),
    (PRINTS, limits.replies_alone),
    (recorded("memory limit"), limits.memory_limit),
    (recorded("stderr limit"), limits.stderr_limit),
    (recorded("one thread: CPU time within wall time"), limits.one_thread),
    (recorded("few threads and processes"), limits.few_threads),
    (recorded("at rest while the opponent is to move"), limits.at_rest),
)  # these checks judge the costs of the cases, so they come last
TRIES = 3  # the most runs of a case in which the machine fails
FEW_TURNS = 3
LONG_TURNS, LEAST_LONG_TURNS = 8, 4
LEAST_UNREAD_TURNS = 2
# Long pauses come before the first SLOW_TURNS turns and before turn LAST_SLOW_TURN, short ones before the others.
SLOW_TURNS, LAST_SLOW_TURN = 2, 12
SHORT_PAUSE_S = 0.5
EXIT_LIMIT_S = 1.0  # the limit for the player's exit after the end of its input
PAUSE_S = 0.05  # the pause between the parts of a message

BUILD = recorded("built by the platform's line alone")
# With Effort.is_quick, the first case of each of these kinds.
QUICK_KINDS = (Kind.WHOLE_GAME, Kind.LONG_GAME, Kind.MANY_GAMES)
REFUSED = recorded("{line} does not build the player: {error}")
MOVES = recorded("the player made {moves} moves")


class Result(enum.Enum):
    """The result of a check. The value of a member is its word in JSON."""

    PASSED = "passed"
    WARNING = "warning"
    FAILED = "failed"


class Group(enum.Enum):
    """The group under which a check is reported. The value of a member is its word in JSON."""

    BUILD = "build"
    GAMES = "games"
    LONG_GAMES = "long_games"
    INPUT = "input"
    SILENCE = "silence"
    END_OF_INPUT = "end_of_input"
    LIMITS = "limits"


IN_WORDS = {
    Group.BUILD: marked("the platform's compiler"),
    Group.GAMES: marked("boards and opponents"),
    Group.LONG_GAMES: marked("long games, and many games"),
    Group.INPUT: marked("input that arrives in pieces"),
    Group.SILENCE: marked("long silences"),
    Group.END_OF_INPUT: marked("end of the input"),
    Group.LIMITS: marked("the platform's limits"),
}


GROUPS = {
    Kind.WHOLE_GAME: Group.GAMES,
    Kind.LONG_GAME: Group.LONG_GAMES,
    Kind.AGAINST_ITSELF: Group.LONG_GAMES,
    Kind.MANY_GAMES: Group.LONG_GAMES,
    Kind.LATE_POSITIONS: Group.LONG_GAMES,
    Kind.BYTE_BY_BYTE: Group.INPUT,
    Kind.IN_PARTS: Group.INPUT,
    Kind.JOINED: Group.INPUT,
    Kind.SLOW_JUDGE: Group.SILENCE,
    Kind.END_BEFORE_TURN: Group.END_OF_INPUT,
    Kind.END_AFTER_REPLY: Group.END_OF_INPUT,
    Kind.UNREAD_STDERR: Group.LIMITS,
    Kind.LONG_SEARCH: Group.LIMITS,
}


@dataclass(frozen=True)
class Outcome:
    """The outcome of one check. `sentence` says why the check failed, or what was observed.

    `elapsed_s` are the seconds that the check took.
    `forfeit` is the termination with which the player would have lost a game, None if it would not have lost. `moves`
    is the number of replies in all games of the check, `longest` the number of replies in the longest game. `game` is
    the first game that a fault of the player has ended, None if there is no such game.
    """

    name: str
    group: Group
    result: Result
    sentence: str
    elapsed_s: float
    forfeit: Termination | None = None
    moves: int = 0
    longest: int = 0
    game: GameRecord | None = None

    @property
    def passed(self) -> bool:
        """Whether the check passed, with or without a warning."""
        return self.result is not Result.FAILED

    @property
    def reason(self) -> str:
        """The sentence; if the player would have lost, "TERMINATION: sentence"."""
        return self.sentence if self.forfeit is None else f"{self.forfeit.value}: {self.sentence}"

    def reason_in_words(self) -> str:
        """Return the reason in the reader's language."""
        sentence = shown(self.sentence)
        if self.forfeit is None:
            return sentence
        return f"{ending_in_words(self.forfeit)}: {sentence}"

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as a dict for JSON."""
        return {
            "name": self.name,
            "group": self.group.value,
            "passed": self.passed,
            "result": self.result.value,
            "reason": self.reason,
            "elapsed_s": self.elapsed_s,
            "moves": self.moves,
            "longest": self.longest,
        }


def names(game: str) -> list[str]:
    """Return the names of a game's checks, in their order."""
    return [*(case.name for case in GAMES[game].check_cases), *(name for name, _check in LIMITS)]


class Checks:
    """The checks of a player under the CheckConditions: all of them, or the checks whose names are in `only`.

    A case of many games runs after the other cases, and uses all lanes (conditions.jobs) by itself. The checks of the
    limits come last, as they judge the costs of all cases. `left_out` are the names of the cases that were not begun
    because the player hangs, `not_made` is {name of a check in which the machine failed: the reason}.
    """

    def __init__(
        self, contestant: Contestant, conditions: CheckConditions, only: Collection[str] | None = None
    ) -> None:
        def is_wanted(name: str) -> bool:
            """Return whether the check of this name is to be run."""
            return only is None or name in only

        self.conditions = conditions
        self.left_out: list[str] = []
        self.not_made: dict[str, str] = {}
        self._silent = 0  # cases that a player's silence has ended
        cases = [case for case in GAMES[conditions.game].check_cases if is_wanted(case.name)]
        if conditions.effort.is_quick:
            first_of_kind = {case.kind: case for case in reversed(cases)}  # a later item replaces an earlier one
            cases = [first_of_kind[kind] for kind in QUICK_KINDS if kind in first_of_kind]
        if conditions.jobs > 1:
            cases.sort(key=lambda case: -case.weight)  # the longest first, so that they run beside the others
        self.cases = [case for case in cases if case.kind is not Kind.MANY_GAMES]
        self.last_cases = [case for case in cases if case.kind is Kind.MANY_GAMES]
        self.limits = [(name, check) for name, check in LIMITS if is_wanted(name)]
        is_project = contestant.command.startswith(source_player.PREFIX)
        self.builds = [(name, check) for name, check in BUILD_CHECKS if is_project and is_wanted(name)]
        self.bench = Bench(contestant, conditions)

    @property
    def total(self) -> int:
        """The number of checks."""
        return len(self.builds) + len(self.cases) + len(self.last_cases) + len(self.limits)

    def outcomes(self) -> Iterator[Outcome]:
        """Run all checks, and yield each Outcome when its check ends.

        The builds do not use up the time of the run. A check in which the machine failed yields no Outcome; it is noted
        in `not_made`. A case that is left out yields none either. Raises Interrupted when conditions.stop is set.
        """
        for name, build_check in self.builds:
            try:
                outcome = _outcome_of(name, Group.BUILD, partial(build_check, self.bench), self.bench.part())
            except (JudgeFailure, PlayerError) as failure:  # the player was built before: the machine is at fault
                self.not_made[name] = str(failure)
                continue
            yield outcome
        limit_s = self.conditions.play.limit_s
        claims = {case.name: claim(case, limit_s) for case in (*self.cases, *self.last_cases)}
        seconds = self.conditions.effort.seconds_at(limit_s)
        self.bench.shares = Shares(claims, self.conditions.jobs, seconds, time.monotonic)
        if self.conditions.jobs == 1:
            yield from filter(None, map(self._run_case, self.cases))
        else:
            yield from self._side_by_side()
        yield from filter(None, map(self._run_case, self.last_cases))
        for name, check in self.limits:
            if self.not_made and not self.bench.costs:  # the machine failed in all: nothing is known of the player
                self.not_made[name] = next(iter(self.not_made.values()))
            else:
                yield _outcome_of(name, Group.LIMITS, partial(check, self.bench), self.bench.part())

    def _side_by_side(self) -> Iterator[Outcome]:
        """Run the cases, conditions.jobs at a time, and yield each Outcome when its case ends.

        Raises what a case raises; after Interrupted the other lanes end too.
        """
        ended: queue.SimpleQueue[Outcome | Exception | None] = queue.SimpleQueue()

        def put_outcome(case: CheckCase) -> None:
            """Run a case, and put its Outcome, None or its exception into the queue."""
            try:
                ended.put(self._run_case(case))
            except Exception as error:
                ended.put(error)

        with ThreadPoolExecutor(self.conditions.jobs) as pool:
            try:
                for case in self.cases:
                    pool.submit(put_outcome, case)
                for _ in self.cases:
                    outcome = ended.get()
                    if isinstance(outcome, Exception):
                        raise outcome
                    if outcome is not None:
                        yield outcome
            except Interrupted:
                self.conditions.stop.set()  # ends the other lanes too
                raise
            finally:
                pool.shutdown(cancel_futures=True)

    def _run_case(self, case: CheckCase) -> Outcome | None:
        """Run a case and return its Outcome; None if the case is left out, or if the machine fails TRIES times."""
        # After two cases without a reply, each further case would take the limit and a second to show the same.
        if self._silent >= 2 and math.isfinite(self.conditions.effort.seconds):
            self.left_out.append(case.name)
            return None
        reason = ""
        for _attempt in range(TRIES):
            part = self.bench.part()
            try:
                outcome = _outcome_of(case.name, GROUPS[case.kind], partial(run_case, part, case), part)
            except JudgeFailure as failure:
                reason = str(failure)
                continue
            self.bench.add(part)
            self._silent += outcome.forfeit is Termination.STALL
            return outcome
        self.not_made[case.name] = reason
        return None


def _outcome_of(name: str, group: Group, check: Callable[[], str], part: Bench) -> Outcome:
    """Call check(), and return the Outcome of this name and group; the trials of the check are those of `part`.

    Raises what check() raises, except Forfeit, CheckFailed and CheckWarning.
    """
    began, fault = time.monotonic(), None
    try:
        result, reason = Result.PASSED, check()
    except (Forfeit, CheckFailed) as failure:
        fault = failure.termination if isinstance(failure, Forfeit) else None
        result, reason = Result.FAILED, str(failure)
    except CheckWarning as warning:
        result, reason = Result.WARNING, str(warning)
    elapsed_s = round(time.monotonic() - began, 3)
    lengths = [len(costs.walls_s) for costs in (*part.costs, *part.unread_costs)]
    game = part.faults[0] if part.faults else None
    return Outcome(name, group, result, reason, elapsed_s, fault, sum(lengths), max(lengths, default=0), game)


def _platform_build(bench: Bench) -> str:
    """Return a sentence which says that the platform's compiler builds a `src:` player with the platform's flags alone.

    Raises CheckFailed if the platform refuses the project, CheckWarning if it may.
    """
    line = shlex.join((source_player.COMPILER, *source_player.PLATFORM_FLAGS))
    try:
        refusal, doubts = source_player.refusal_by_platform(bench.contestant.command)
    except PlayerError as error:
        raise CheckFailed(REFUSED.format(line=line, error=source_player.first_error(str(error)))) from error
    if refusal:
        raise CheckFailed(REFUSED.format(line=line, error=refusal))
    if doubts:
        raise CheckWarning(doubts[0])
    return recorded("{line} builds the player").format(line=line)


BUILD_CHECKS: tuple[tuple[str, Callable[[Bench], str]], ...] = (
    (BUILD, _platform_build),
    (recorded("warnings of -Wall -Wextra on its own lines"), builds.compiler_warnings),
    (recorded("what sanitizers report on its own lines"), builds.sanitizer_reports),
)


def outcomes(
    contestant: Contestant, conditions: CheckConditions, only: Collection[str] | None = None
) -> Iterator[Outcome]:
    """Run the checks of a player, and yield each Outcome when its check ends. For the arguments see Checks."""
    return Checks(contestant, conditions, only).outcomes()


def in_order(results: Sequence[Outcome], game: str) -> list[Outcome]:
    """Return the Outcomes in the order of the checks: the builds, then the checks of the game as names() has them."""
    places = {name: place for place, name in enumerate([*(name for name, _check in BUILD_CHECKS), *names(game)])}
    return sorted(results, key=lambda outcome: places[outcome.name])


def _whole_game(bench: Bench, case: CheckCase, until: float) -> str:
    """Play a game, then end the player's input and wait for its exit; return a sentence on the game.

    If the player does not exit in time, bench.runs_on is set. If bench.runs_on is set already, this does not wait for
    the exit.
    """
    with bench.trial(case.board, hurried=True) as trial:
        turns = play(trial, opponent_of(bench, case), case.player, Pace(until))
        if not bench.runs_on.is_set() and trial.await_exit(EXIT_LIMIT_S) is None:
            bench.runs_on.set()
    return sentence_on(trial, turns)


def _few_turns(bench: Bench, case: CheckCase, until: float, send_by: Callable[[Trial, bytes], None]) -> str:
    """Play FEW_TURNS turns whose messages send_by(trial, data) sends, and return a sentence on the player's moves."""
    with bench.trial(case.board) as trial:
        send = partial(send_by, trial)
        send(trial.opening())
        _converse(trial, opponent_of(bench, case), FEW_TURNS, lambda: trial.ask(send))
    return MOVES.format(moves=len(trial.costs.walls_s))


def _converse(trial: Trial, opponent: Opponent, turns: int, ask: Callable[[], list[AnyMove]]) -> None:
    """Play at most `turns` turns of the player, whose moves ask() returns; the opponent answers each turn at once."""
    position = trial.position
    player = position.to_move
    for _turn in range(turns):
        last_move = ask()[-1]
        while not position.over and position.to_move != player:
            trial.follow(opponent(position, last_move))
        if position.over:
            return


def _joined_messages(bench: Bench, case: CheckCase, until: float) -> str:
    """Send the opening message and the first turn at once, and return a sentence on the first move."""
    with bench.trial(case.board) as trial:
        trial.costs.charged_start = True
        trial.send(trial.opening() + trial.turn())
        trial.await_first_moves()
    return recorded("the player's first move came after {time} s").format(time=f"{trial.costs.walls_s[0]:.3f}")


def _slow_judge(bench: Bench, case: CheckCase, until: float) -> str:
    """Play with long pauses before the first SLOW_TURNS turns and before turn LAST_SLOW_TURN.

    The game ends early at the moment `until`. Return a sentence which says that the player was silent in the pauses.
    """
    limit_s = bench.conditions.play.limit_s
    long_pause_s = limit_s + SHORT_PAUSE_S

    def pause_s(turn: int) -> float:
        """Return the seconds of the pause before a turn, which is counted from 0."""
        return long_pause_s if turn < SLOW_TURNS or turn == LAST_SLOW_TURN else SHORT_PAUSE_S

    with bench.trial(case.board, hurried=True) as trial:
        trial.expect_silence(min(1.0, limit_s))
        player = trial.position.to_move
        opponent = opponent_of(bench, case)
        pace = Pace(until, SLOW_TURNS, LAST_SLOW_TURN + 1, pause_s, is_charged=False)
        turns = play(trial, opponent, player, pace)
    return recorded("the player sent nothing in {number} pauses before its turns, the longest of {time} s").format(
        number=turns, time=f"{long_pause_s:g}"
    )


def _end_before_turn(bench: Bench, case: CheckCase, until: float) -> str:
    """Send the opening message alone, end the input, and return a sentence on the player's exit."""
    with bench.trial(case.board) as trial:
        trial.send(trial.opening())
        trial.expect_silence(bench.conditions.play.limit_s)
        return _sentence_on_exit(bench, trial)


def _end_after_reply(bench: Bench, case: CheckCase, until: float) -> str:
    """Await one reply, end the input, and return a sentence on the player's exit."""
    with bench.trial(case.board) as trial:
        trial.send(trial.opening())
        trial.ask()
        return _sentence_on_exit(bench, trial)


def _sentence_on_exit(bench: Bench, trial: Trial) -> str:
    """End the player's input, await its exit, and return a sentence on it.

    Raises CheckWarning if the player runs on, which sets bench.runs_on, CheckFailed if it leaves processes behind.
    """
    took_s = trial.await_exit(EXIT_LIMIT_S)
    if took_s is None:
        bench.runs_on.set()
        raise CheckWarning(
            recorded(
                "the player still runs {limit} s after the end of its input, as the platform's own main() does: "
                "the platform ends the player, but elsewhere it would run for ever; let main() return when the "
                "input ends"
            ).format(limit=f"{EXIT_LIMIT_S:g}")
        )
    time.sleep(PAUSE_S)  # its children may be ending
    left_behind = trial.left_behind()
    if left_behind:
        raise CheckFailed(
            recorded(
                "the player ended but left {number} of its processes running: end them before the player ends"
            ).format(number=len(left_behind))
        )
    return recorded("the player ended {time} s after the end of its input").format(time=f"{took_s:.3f}")


def _unread_stderr(bench: Bench, case: CheckCase, until: float) -> str:
    """Play a game in which the judge does not read stderr, and return a sentence on the player's moves."""
    with bench.trial(case.board, drain_stderr=False, hurried=True) as trial:
        player = trial.position.to_move
        turns = play(trial, opponent_of(bench, case), player, Pace(until, LEAST_UNREAD_TURNS))
    return MOVES.format(moves=turns)


def _long_search(bench: Bench, case: CheckCase, until: float) -> str:
    """Play some turns with the whole limit, and return a sentence on the player's moves and memory."""
    with bench.trial(case.board) as trial:
        play(trial, opponent_of(bench, case), trial.position.to_move, Pace(until, LEAST_LONG_TURNS, LONG_TURNS))
    peak = f"{trial.costs.peak_rss_bytes / MEGABYTE:.0f}"
    return recorded("the player made {moves} moves and held at most {peak} MB of memory").format(
        moves=len(trial.costs.walls_s), peak=peak
    )


# {kind of case: function(bench, case, until) that runs a case and returns a sentence on it}. `until` is a moment of
# time.monotonic(), after which the case ends as soon as it can. The functions raise what run_case() raises.
_FUNCTIONS: dict[Kind, Callable[[Bench, CheckCase, float], str]] = {
    Kind.WHOLE_GAME: _whole_game,
    Kind.LONG_GAME: long_game,
    Kind.AGAINST_ITSELF: against_itself,
    Kind.MANY_GAMES: many_games,
    Kind.LATE_POSITIONS: late_positions,
    Kind.BYTE_BY_BYTE: partial(_few_turns, send_by=lambda trial, data: trial.send_bytewise(data)),
    Kind.IN_PARTS: partial(_few_turns, send_by=lambda trial, data: trial.send_in_parts(data, 3, PAUSE_S)),
    Kind.JOINED: _joined_messages,
    Kind.SLOW_JUDGE: _slow_judge,
    Kind.END_BEFORE_TURN: _end_before_turn,
    Kind.END_AFTER_REPLY: _end_after_reply,
    Kind.UNREAD_STDERR: _unread_stderr,
    Kind.LONG_SEARCH: _long_search,
}


def run_case(bench: Bench, case: CheckCase) -> str:
    """Run a case with the player, within the time that the bench has for it. Return a sentence on what was observed.

    Raises CheckFailed or CheckWarning with the reason, Forfeit for a fault of the player, JudgeFailure if the machine
    fails, Interrupted if the check is stopped.
    """
    until = bench.until(case.name)
    try:
        return _FUNCTIONS[case.kind](bench, case, until)
    finally:
        bench.finish(case.name)


# {kind of case: the least that it takes, as (turns, pauses as long as the limit, further seconds)}.
_LEAST = {
    Kind.WHOLE_GAME: (1, 0, 0.0),
    Kind.LONG_GAME: (1, 0, 0.0),
    Kind.AGAINST_ITSELF: (2, 0, 0.0),
    Kind.MANY_GAMES: (1, 0, 0.0),
    Kind.LATE_POSITIONS: (1, 0, 0.0),
    Kind.BYTE_BY_BYTE: (FEW_TURNS, 0, 0.1),
    Kind.IN_PARTS: (FEW_TURNS, 0, 0.5),
    Kind.JOINED: (1, 0, 0.0),
    Kind.SLOW_JUDGE: (SLOW_TURNS, SLOW_TURNS, 2 * SHORT_PAUSE_S + 1),
    Kind.END_BEFORE_TURN: (0, 1, 1.0),
    Kind.END_AFTER_REPLY: (1, 0, 1.0),
    Kind.UNREAD_STDERR: (LEAST_UNREAD_TURNS, 0, 0.0),
    Kind.LONG_SEARCH: (LEAST_LONG_TURNS, 0, 0.0),
}


def claim(case: CheckCase, limit_s: float) -> Claim:
    """Return the case's Claim on the check's time, assuming that the player uses the whole limit in each turn."""
    turns, pauses, seconds = _LEAST[case.kind]
    return Claim((turns + pauses) * limit_s + seconds, case.weight)
