"""The checks of a `src:` player by two more builds: the compiler's warnings, and what sanitizers report in games.

A warning or a report counts if it names a line of the project's own files. The time and the memory of the build with
sanitizers and the endings of its games count for nothing.
"""

import contextlib
import dataclasses
import itertools
import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from judge.checks.games import Bench, CheckFailed, CheckWarning, Pace, play
from judge.checks.trial import CheckConditions
from judge.games import GAMES
from judge.games.boards import Board
from judge.games.check_cases import Kind, Opponent, random_opponent
from judge.language import recorded
from judge.play.backtraces import Backtrace, backtrace_in, with_line_numbers
from judge.play.seat import Forfeit
from judge.players import source_player
from judge.players.players import Contestant
from judge.processes.start import JudgeFailure

# Of -Wall and -Wextra, the warnings that are hardly ever given on a sound program.
SERIOUS = re.compile(
    r"^(?P<place>.+?:\d+):\d+: warning: (?P<what>.*(?:assignment used as truth value.*|\[-W(?:"
    r"uninitialized|return-type|array-bounds|infinite-recursion|use-after-free|mismatched-new-delete|"
    r"free-nonheap-object|stringop-over\w+|aggressive-loop-optimizations|div-by-zero|return-local-addr|"
    r"dangling-pointer|sizeof-pointer-memaccess|memset-\S+|format|sequence-point|nonnull|shift-count-\w+|unused-value"
    r")=?\d?\]))$",
    re.MULTILINE,
)

RANDOM_GAMES = 6  # the games with sanitizers on random boards


def compiler_warnings(bench: Bench) -> str:
    """Return a sentence which says that g++ gives none of the SERIOUS warnings on the project's own lines.

    Raises CheckWarning with these warnings if there are any, PlayerError if the project does not compile.
    """
    command = bench.contestant.command
    own_warnings = []
    for match in SERIOUS.finditer(source_player.warnings(command, bench.conditions.play.sandbox)):
        place = source_player.own_place(command, match["place"])
        if place:
            own_warnings.append((place, match["what"]))
    if own_warnings:
        raise CheckWarning(_listed(own_warnings))
    return recorded("g++ warns of no serious fault in the player's own lines")


def sanitizer_reports(bench: Bench) -> str:
    """Play games with sanitizers, and return a sentence which says that they report no real fault; see matters().

    Raises CheckFailed with the real faults if there are any. After conditions.effort.sanitized_s seconds no game begins
    or goes on, but at least one game is played in each of conditions.jobs threads.
    """
    conditions = bench.conditions
    sanitized = sanitized_build(bench.contestant, conditions)
    if sanitized is None:
        return recorded("no game was played with sanitizers: g++ has none on this machine")
    own = Bench(sanitized, patient_conditions(conditions))
    until = time.monotonic() + conditions.effort.sanitized_s
    reports: list[Backtrace] = []
    starts = _starts(conditions)

    def play_some(part: Bench) -> None:
        """Play games until one has reports, the time is over, or no start is left; at least one game."""
        for board, opponent, player in starts:
            if reports or (part.costs and time.monotonic() >= until):
                return
            trial = part.trial(board)
            with contextlib.suppress(Forfeit, JudgeFailure), trial:
                play(trial, opponent, player, Pace(until))
            if trial.seat.process is not None:  # else the machine could not start it
                stderr = with_line_numbers(trial.process.stderr_log.text())
                reports.extend(reports_in(stderr, own.contestant.command).values())

    parts = [own.part() for _lane in range(conditions.jobs)]
    with ThreadPoolExecutor(conditions.jobs) as pool:
        list(pool.map(play_some, parts))  # list() raises what the threads have raised
    faults = [(report.place, report.what) for report in reports if matters(report)]
    if faults:
        raise CheckFailed(_listed(faults))
    if reports:
        return recorded(
            "the sanitizers report only what C++ leaves undefined but every machine does alike: {places}"
        ).format(places=_listed([(report.place, report.what) for report in reports]))
    costs = list(itertools.chain.from_iterable(part.costs for part in parts))
    return recorded("the sanitizers report nothing in {games} games with {moves} moves").format(
        games=len(costs), moves=sum(len(cost.walls_s) for cost in costs)
    )


def _starts(conditions: CheckConditions) -> Iterator[tuple[Board, Opponent, int]]:
    """Return an iterator, which threads may share, over the games with sanitizers.

    They are the long games of the check cases and RANDOM_GAMES games on random boards. Each is a tuple of the board,
    the opponent and the number of the player, 0 or 1.
    """
    game, seed = GAMES[conditions.game], conditions.seed
    starts = [
        (case.board, case.opponent or random_opponent(seed), case.player)
        for case in game.check_cases
        if case.kind is Kind.LONG_GAME
    ]
    for number in range(RANDOM_GAMES):
        board = game.draw_board(seed, number, **game.complete_board_options({}, False))
        starts.append((board, random_opponent(seed + number), number % 2))
    return iter(starts)


def sanitized_build(contestant: Contestant, conditions: CheckConditions) -> Contestant | None:
    """Return the player's build with sanitizers, None if it cannot be built.

    In this build undefined behaviour is reported and does not end the program.
    """
    option = source_player.SANITIZE
    project = source_player.rebuilt(contestant.command, option, conditions.game, conditions.play.sandbox)
    if project is None:
        return None
    environment = {**project.launch.environment, "UBSAN_OPTIONS": "print_stacktrace=1"}
    launch = dataclasses.replace(project.launch, environment=environment)
    return dataclasses.replace(contestant, version=project.version, prepared=launch)


def patient_conditions(conditions: CheckConditions) -> CheckConditions:
    """Return the conditions with four times the time and memory, as a player with sanitizers is slower and larger."""
    # A player that leaks in a loop would take all the memory of the machine if the limit were lifted.
    limit_bytes = conditions.play.memory_limit_bytes
    play = dataclasses.replace(
        conditions.play,
        limit_s=4 * conditions.play.limit_s,
        memory_limit_bytes=4 * limit_bytes if limit_bytes else None,
    )
    return dataclasses.replace(conditions, play=play)


def matters(report: Backtrace) -> bool:
    """Return whether a report names a real fault: False for what C++ leaves open and every machine does alike."""
    return not re.search("signed integer overflow|shift|negation of|misaligned", report.what)


def reports_in(stderr: str, command: str) -> dict[str, Backtrace]:
    """Return {text: Backtrace} of the sanitizers' reports on stderr that name a line of the project's own files.

    `command` is the text of the `src:` player.
    """
    texts = re.split(r"\n(?=\S.*: runtime error: |==\d+==ERROR: )", f"\n{stderr}")
    reports = {}
    for text in texts:
        report = backtrace_in(text) if "runtime error: " in text or "Sanitizer: " in text else None
        place = "" if report is None else source_player.own_place(command, report.place)
        if report is not None and place:
            reports[text] = dataclasses.replace(report, place=place)
    return reports


def _listed(faults: Sequence[tuple[str, str]]) -> str:
    """Return a text that names the first three different faults; `faults` are pairs (FILE:LINE, what is wrong)."""
    return "; ".join(f"{place}: {what}" for place, what in list(dict.fromkeys(faults))[:3])
