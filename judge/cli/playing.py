"""Functions shared by the commands that play games: they read options, check machine and sandbox, and play a run.

A run plays games and adds their records to a record file. In a run of `match` or `sprt` all games are between the same
two players. In a run of `batch` or `tournament` each pair of games has its own two players.
"""

import argparse
import contextlib
import dataclasses
import functools
import importlib.util
import itertools
import os
import resource
import shlex
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from judge import program
from judge.cli import arguments, completers
from judge.cli.boards import read_boards_option
from judge.cli.exits import (
    FAILING_STATUS,
    KEEP_GOING,
    VOID_STATUS,
    exit_status,
    replay_command,
    repro_command,
    resume_hint,
)
from judge.cli.parser import Parser
from judge.incidents import IncidentReports
from judge.language import _, from_data, shown
from judge.live import LiveWriter
from judge.machine.facts import CORES_FACT, IDLE, measure, read_cores
from judge.play.backtraces import backtrace_of
from judge.play.referee import play_game
from judge.play.sandbox import AUTO, ON, Sandbox
from judge.play.scoresheet import Conditions, flags
from judge.play.start_trial import require_start
from judge.players import source_player
from judge.players.players import Contestant, PlayerError, contestants, known_names, require_engines
from judge.processes.keeper import STACK_BYTES, stack_bytes
from judge.processes.start import JudgeFailure
from judge.reports import circumstances, forfeits, match, prints
from judge.reports.circumstances import WORKER
from judge.reports.tables import ReportTable
from judge.runs import interruption
from judge.runs.config import WORKER_TIMEOUT_S, ClusterConfig, RunConfig
from judge.runs.interruption import stop_event
from judge.runs.ledger import Ledger, ResumeError, first_record, identity, note_on_versions, open_ledger
from judge.runs.progress import Progress
from judge.runs.record_file import numbers_in_file
from judge.runs.schedule import (
    FailureStreaks,
    PlayGame,
    ScheduledGame,
    is_settled,
    paired_games,
    play_all,
)
from judge.statistics import score
from judge.terminal import printable
from protocol.records.record import Fault, GameRecord, Termination

CLUSTER_PACKAGE = "distributed"  # of the extra `cluster`
PAIRS = "pairs"  # the format of match and sprt, so that each can resume a run of the other


def run_config(parser: Parser, options: argparse.Namespace, *protected: Path | None) -> RunConfig:
    """Return the configuration of the run that the options ask for.

    The command's name is in the name of the record file if the user does not name one with --record. No player may see
    the record file, the folder of --forensics and the paths `protected`; None among them is ignored. Ends the
    program with a message if the options conflict or do not fit this machine.
    """
    if options.resume and options.record is None:
        parser.error(_("--resume needs --record FILE, the record file of the run to continue"))
    cluster = _cluster_config(parser, options)
    config = dataclasses.replace(
        game_config(parser, options, options.record or arguments.fresh_record_file(parser.command), *protected),
        jobs=options.jobs,
        machine_check=options.machine_check,
        cluster=cluster,
        keep_going=options.keep_going,
        **{name: getattr(options, name) for name in flags(RunConfig)},
    )
    try:
        jobs = config.jobs_here
    except ValueError as error:
        parser.error(f"--cluster {options.cluster}: {error}")
    if jobs is not None:
        require_cores(parser, jobs, config.oversubscribe)
        require_sandbox(parser, config.conditions.sandbox)
    board_options = arguments.board_options(parser, options, for_one_game=False)
    boards, board_options = read_boards_option(parser, options, board_options)
    return dataclasses.replace(config, board_options=board_options, boards=boards)


def game_config(
    parser: argparse.ArgumentParser, options: argparse.Namespace, record: Path, *protected: Path | None
) -> RunConfig:
    """Return a RunConfig with the options that arguments.add_game_options() adds, except the board options.

    `record` is the path of the run's record file. No player may see that file, the folder of --forensics and the paths
    `protected`; None among them is ignored.
    """
    if options.forensics is not None:
        _require_writable_folder(parser, options.forensics)
    return RunConfig(
        record=record,
        game=options.game,
        conditions=Conditions(
            options.limit,
            memory_limit_bytes=options.memory_limit,
            sandbox=sandbox_asked_for(parser, options, record, options.forensics, *protected),
            **{name: getattr(options, name) for name in flags(Conditions)},
        ),
        seed=options.seed,
        players_file=options.players,
        forensics=options.forensics,
    )


def _cluster_config(parser: argparse.ArgumentParser, options: argparse.Namespace) -> ClusterConfig | None:
    """Return the ClusterConfig that the options describe, or None without --cluster.

    Ends the program with a message if options conflict or a package is missing.
    """
    if options.cluster is None:
        return None
    if importlib.util.find_spec(CLUSTER_PACKAGE) is None:
        parser.error(_("--cluster needs the package dask.distributed, which `scripts/setup cluster` installs"))
    if options.forensics is not None:
        parser.error(
            _(
                "--forensics cannot be combined with --cluster: incident reports are written only for games that are "
                "played without a cluster"
            )
        )
    cluster = ClusterConfig(
        options.cluster,
        options.worker_timeout or WORKER_TIMEOUT_S,
        options.tls_ca,
        options.tls_cert,
        options.tls_key,
        options.insecure,
    )
    if options.worker_timeout is not None and not cluster.is_local:
        parser.error(
            _(
                "--worker-timeout is only for --cluster local: a dask scheduler has its own timeout, which is set when "
                "it is started"
            )
        )
    return cluster


def with_seed(config: RunConfig) -> RunConfig:
    """Return `config` with a seed.

    If `config` has no seed, the seed is the one that the resumed run has recorded, or a random number for a new run.
    Raises ResumeError if the record file cannot be read.
    """
    seed = config.seed
    first = first_record(config.record) if seed is None and config.resume else None
    if first is not None:
        seed = first.seed
    return dataclasses.replace(config, seed=arguments.seed_or_random(seed))


def require_ready(players: Sequence[Contestant], config: RunConfig) -> None:
    """Check that every player has its engine and that its program starts. Prints notes on sandbox and stack.

    Raises PlayerError if a player fails the check, and JudgeFailure if the machine fails. In a run on a cluster the
    programs are not started here: the workers, where they run, check later whether they start.
    """
    require_engines(players)
    if config.jobs_here is not None:
        warn_of_no_sandbox(config.conditions.sandbox)
        warn_of_stack()
    if config.cluster is None:
        require_start(players, config.conditions.limit_s, known_names(config.players_file), config.conditions.sandbox)


def _require_writable_folder(parser: argparse.ArgumentParser, folder: Path) -> None:
    """Create the folder of --forensics. Ends the program with a message if files cannot be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        message = _("--forensics: no file can be written in the folder {folder}: {error}")
        parser.error(message.format(folder=folder, error=error.strerror))


def incident_reports_of(config: RunConfig) -> IncidentReports | None:
    """Return the IncidentReports for the folder of --forensics, or None without that option."""
    return None if config.forensics is None else IncidentReports(config.forensics, repro_command)


@dataclass(frozen=True)
class RunView:
    """What a run shows while it goes on, and when it ends.

    line(records) returns one line on the state of the run. table() returns a table that a terminal shows below that
    line; `table` may be None. `to_play` is the number of games that this run will play, or a function that returns how
    many games are still to be played. The number is None if it is not known.

    on_record(record) is called for the records that the ledger has already and then for each new record.
    on_new(record) is called only for each new record. If either returns True, the run ends and the games still running
    are discarded. Neither is called for a new VOID game that will be played again.
    """

    line: Callable[[Sequence[GameRecord]], str]
    to_play: int | Callable[[], float | None] | None = None
    table: Callable[[], ReportTable] | None = None
    on_record: Callable[[GameRecord], bool] = lambda record: False
    on_new: Callable[[GameRecord], bool] = lambda record: False


def play(
    ledger: Ledger,
    games: Iterable[ScheduledGame | None],
    config: RunConfig,
    stop: threading.Event,
    view: RunView,
    players: Sequence[Contestant],
) -> None:
    """Play `games`, as many at a time as `config` says, and add their records to the ledger.

    If `games` yields None, the next game is known only after a running game has ended. Once `stop` is set, no game is
    started and the running games are discarded. `players` are all players of the run; in a run on a cluster they are
    sent to the workers. If config.machine_check is True, the machine is measured first and the result is stored in each
    record. Spectators can follow the games in the live file beside the record file; see judge/live.py.

    Raises ResumeError if a record cannot be written, and PlayerError if the cluster fails.
    """
    incident_reports = incident_reports_of(config)
    note = note_on_versions(ledger)
    if note:
        print(note, file=sys.stderr, flush=True)
    decisions = [view.on_record(record) for record in ledger.records]  # the view must see each record
    is_over = any(decisions)
    waiting = iter(() if is_over or stop.is_set() else games)
    first_game = list(itertools.islice(waiting, 1))  # [] if none is to be played
    jobs = config.jobs_here
    machine = check_machine(jobs) if config.machine_check and first_game and jobs is not None else None
    without_sandbox: set[str] = set()
    with Progress(view.line, view.to_play, table=view.table) as progress, LiveWriter(ledger.path) as live:

        def record_game(record: GameRecord) -> None:
            """Add a game that has ended to the ledger, report on it, and stop the run if the view says so."""
            measured = record.changed(extra={circumstances.MACHINE: machine, **record.extra})
            number = ledger.append(measured)
            live.ended(measured.extra["id"])
            if config.cluster is not None:
                _note_no_sandbox_on_worker(without_sandbox, measured)
            if incident_reports is not None:
                incident_reports.write_report(measured, ledger.path, number)
            if is_settled(measured) and view.on_record(measured) | view.on_new(measured):  # both must see the record
                stop.set()
            progress.show(ledger.records, record, number)

        if not is_over:
            progress.show(ledger.records)
        if first_game:
            if config.cluster is not None:
                live.open()
            play_one = play_game if incident_reports is None else incident_reports.play_game
            with _function_that_plays(config, players, live.playing(play_one)) as play_games:
                play_games(itertools.chain(first_game, waiting), stop=stop, on_record=record_game)
    for line in [] if incident_reports is None else incident_reports.notes():
        print(line, file=sys.stderr, flush=True)


def fault_hints(path: Path, record: GameRecord, number: int | None) -> list[str]:
    """Return lines with commands that help to find out why a player's fault ended the game `record`.

    The commands replay the game, write what the player was sent, and build the player with sanitizers where that may
    help. `number` is the game's number in the record file `path`, or None for the file's last game.
    """
    side = record.at_fault or "A"
    player, ending = record.players["AB".index(side)].command, record.termination
    backtrace = backtrace_of(record, side)
    lines = [_("replay: {command}").format(command=replay_command(path, number))]
    # A debugger stops at no limit of memory.
    if ending not in (Termination.STARTUP_FAILURE, Termination.MEMORY_LIMIT):
        lines.append(_("to debug the player: {command}").format(command=repro_command(path, number)))
    if ending.fault is Fault.REPLY and player.startswith(source_player.PREFIX):
        advice = _(
            "the gdb command that `repro` prints stops in {entry} when the player is asked for the move at fault; "
            "there, `next` goes on line by line"
        )
        lines.append(advice.format(entry=source_player.ENTRY))
    sanitized = source_player.with_option(player, source_player.SANITIZE)
    if sanitized is not None and backtrace is None and ending in (Termination.CRASH, Termination.ILLEGAL_MOVE):
        # A memory error is seldom the cause of an illegal move: most are errors of thought, which no sanitizer finds.
        advice = (
            _("to see the line of the fault, build the player with {option}: {player}")
            if ending is Termination.CRASH
            else _(
                "if an index out of range may be the cause, build the player with {option}, which names the line: "
                "{player}"
            )
        )
        lines.append(advice.format(option=source_player.SANITIZE, player=printable(_as_shell_argument(sanitized))))
    without_main = source_player.without_own_main(player) if _may_run_another_main(record, side) else None
    if without_main is not None:
        source, shorter = without_main
        advice = _(
            "the player never replied: if {source} has the main() of a test program of yours, leave this file out: "
            "{player}"
        )
        lines.append(advice.format(source=printable(source), player=printable(_as_shell_argument(shorter))))
    return lines


def _may_run_another_main(record: GameRecord, side: str) -> bool:
    """Return whether the player `side`, who was at fault, may have run another main() than the platform's.

    The player has then never replied. A program that crashed shows why by itself.
    """
    is_silent = record.termination.is_without_reply and not any(move.side == side for move in record.moves)
    if not is_silent or record.termination is Termination.CRASH:
        return False
    backtrace = backtrace_of(record, side)
    calls = "" if backtrace is None else "\n".join(backtrace.lines)
    return not calls or (" main (" in calls and source_player.ENTRY not in calls)


def _as_shell_argument(text: str) -> str:
    """Return `text`, which names a player, as an argument in a shell command.

    It is in double quotes, unless the shell would change something inside them; then shlex.quote() quotes it.
    """
    return shlex.quote(text) if {*'"$`\\!'}.intersection(text) else f'"{text}"'


@dataclass(frozen=True)
class PairedRun:
    """The result of a run between two players.

    `records` are in the order of the schedule. `failing` says in words which player stopped the run by failing
    repeatedly; it is "" if no player did. `void_attempts` counts the attempts at games of the run that were VOID.
    """

    records: list[GameRecord]
    config: RunConfig
    failing: str
    void_attempts: int

    def end(self) -> int:
        """Return the command's exit status. If a player's failures stopped the run, print that as an error first."""
        if not self.failing:
            return exit_status(self.records)
        print(_("error: {message}").format(message=self.failing), file=sys.stderr, flush=True)
        return FAILING_STATUS

    def print_results(self, console: Console, counted: Sequence[GameRecord], verbose: bool) -> None:
        """Print the results of the run, without the verdict. The most important results are printed last.

        `counted` are the records that count for the verdict. With `verbose` more is printed. Precondition: the run has
        at least one record.
        """
        for table in match.details(counted) if verbose and counted else ():
            console.print(table)
        path = self.config.record
        lines = [
            *circumstances.lines(self.records, self.void_attempts, verbose=verbose),
            *forfeits.first_of_each_kind(
                self.records, numbers_in_file(path), hints=functools.partial(fault_hints, path)
            ),
            *prints.notes(self.records),
        ]
        for line in lines:
            console.print(line, soft_wrap=True)
        if verbose or score.distinct_games(counted) < score.score(counted).games:
            console.print(match.sample_in_words(counted), soft_wrap=True)
        if not any(record.at_fault for record in self.records):  # games with a fault have their replay commands above
            console.print(_("replay: {command}").format(command=replay_command(path, 1)), soft_wrap=True)
        for table in match.tables(counted) if counted else ():
            console.print(table)

    def hint(self, *others: str) -> str:
        """Return the hint on how to continue the run.

        `others` are the options needed besides --record and --resume, unless a player's failures stopped the run.
        """
        return resume_hint(self.config.record, *([KEEP_GOING] if self.failing else others))


def add_pair_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for the players A and B and the options that play_pairs() reads.

    The option --games is left out, because each command has its own.
    """
    for side, name, help_text in (
        ("A", "NEW", _("A, the player whose strength is measured, such as your new version")),
        ("B", "OLD", _("B, the player with which A is compared")),
    ):
        parser.add_argument(side, metavar=name, completer=completers.complete_player, help=help_text)
    arguments.add_run_options(parser)


def play_pairs(
    parser: Parser,
    options: argparse.Namespace,
    view: RunView,
    replay_void: bool,
    extra_fields: dict[str, Any] | None = None,
    check: Callable[[Sequence[GameRecord]], None] = lambda records: None,
) -> PairedRun:
    """Play the pairs of games that the options ask for, and return the result.

    The run also ends when a player fails repeatedly. If view.to_play is None, it is the number of games that are
    missing. `extra_fields` is added to `extra` of each record.

    check(records) is given the games in the record file of a resumed run. It raises ResumeError if the command does
    not fit them. With `replay_void` a resumed run plays each VOID game again, otherwise only those that have attempts
    left. Ends the program with a message if a player or the record file does not allow the run.
    """
    config = run_config(parser, options)
    streaks, is_decided = FailureStreaks(keep_going=config.keep_going), False

    def count_for_verdict(record: GameRecord) -> bool:
        """Call view.on_record() and return whether it has ended the run, now or before."""
        nonlocal is_decided
        is_decided |= view.on_record(record)
        return is_decided

    with exit_on_errors(parser):
        players = contestants((options.A, options.B), config.players_file, config.game, config.conditions.sandbox)
        require_ready(players, config)
        config = with_seed(config)
        games = paired_games(players, options.games, config)
        # The handler is installed before the announcement, so that any signal after it is handled.
        with open_ledger(config, identity(PAIRS, config), games, extra_fields) as ledger, stop_event() as stop:
            check(ledger.records)
            for side, text, player in zip("AB", (options.A, options.B), players, strict=True):
                print_player(side, text, player)
            announce(config)
            if ledger.records:
                resumed = _("resumed: {played} of {total} games are in the record")
                print(resumed.format(played=len(ledger.records), total=options.games), flush=True)
            games = ledger.remaining if replay_void else ledger.unsettled
            own_view = dataclasses.replace(
                view,
                to_play=view.to_play or len(games),
                on_record=count_for_verdict,
                on_new=lambda record: bool(streaks.add(record)),
            )
            play(ledger, games, config, stop, own_view, players)
    is_complete = is_decided or len(ledger.records) >= options.games
    failing = "" if is_complete else "; ".join(streaks.reasons.values())
    return PairedRun(ledger.records, config, failing, ledger.void_attempts)


def print_player(side: str, text: str, player: Contestant) -> None:
    """Print which player plays as `side`, which is "A", "B" or "BOT".

    `text` is how the user named the player. The player's name in results is printed too if `text` does not contain it.
    """
    name = "" if player.name in printable(text) else f" ({player.name})"
    print(f"{side} = {printable(text)}{name}")


@contextlib.contextmanager
def exit_on_errors(parser: argparse.ArgumentParser) -> Iterator[None]:
    """End the program with a message if the `with` block raises PlayerError, ResumeError or JudgeFailure.

    The exit status is USAGE_STATUS, and VOID_STATUS after a JudgeFailure.
    """
    try:
        yield
    except (PlayerError, ResumeError) as error:
        parser.error(str(error))
    except JudgeFailure as failure:
        parser.exit(VOID_STATUS, _("error: {message}").format(message=shown(str(failure))) + "\n")


def announce(config: RunConfig) -> None:
    """Print the seed, the limit and the path of the record file. With --boards, also print the number of boards."""
    if config.boards is not None:
        print(_("boards: {number}, reused in turn").format(number=config.boards.size))
    plan = _("seed {seed}, limit {limit:g} s, records in {path}")
    line = plan.format(seed=config.seed, limit=config.conditions.limit_s, path=printable(str(config.record)))
    print(line, flush=True)


@contextlib.contextmanager
def _function_that_plays(
    config: RunConfig, players: Sequence[Contestant], play_one: PlayGame
) -> Iterator[Callable[..., None]]:
    """Yield the function play_games(games, stop=stop, on_record=on_record), which is like schedule.play_all().

    With a cluster in `config` it plays the games on the cluster, to which `players` are sent. Otherwise it plays them
    in threads of this process with play_one(). Raises PlayerError if a player or the cluster fails.
    """
    if config.cluster is None:
        yield functools.partial(play_all, jobs=config.jobs, play=play_one)
        return
    # Imported only here because its packages take half a second.
    from judge.cluster.connection import ClusterError, connected
    from judge.cluster.payloads import pack
    from judge.cluster.pool import Pool

    is_measured = config.machine_check and not config.cluster.is_local
    try:
        with contextlib.ExitStack() as stack:
            with interruption.raise_on_signals():  # no game is running yet, so a signal may end the program here
                payloads = [pack(player, config.game) for player in players]
            client = stack.enter_context(connected(config.cluster, config.jobs))
            pool = stack.enter_context(Pool(client, players, payloads, config.game, is_measured))
            print(_("cluster: {slots} games at a time").format(slots=pool.slots), flush=True)
            yield pool.play_all
    except (ClusterError, PlayerError) as error:
        more = f"; {resume_hint(config.record)}" if config.record.exists() else ""
        raise PlayerError(f"{error}{more}") from error


def _note_no_sandbox_on_worker(hosts: set[str], record: GameRecord) -> None:
    """Print a note if the players of `record` had no sandbox on the worker. The note is printed once for each host.

    `hosts` is the set of hosts for which the note has been printed. The host of the record's worker is added to it.
    """
    host = str(record.kept(WORKER).get("host", ""))
    why_not = record.extra.get("no_sandbox")
    if why_not and host and host not in hosts:
        hosts.add(host)
        note = _(
            "note: bots on the worker {host} play without a sandbox and can reach each other and that machine's files: "
            "{reason}"
        )
        print(printable(note.format(host=host, reason=shown(from_data(why_not)))), file=sys.stderr, flush=True)


def require_cores(parser: argparse.ArgumentParser, jobs: int, oversubscribe: bool) -> None:
    """Unless `oversubscribe` is True, end the program with a message if it may use fewer cores than `jobs`."""
    cores = read_cores()
    if jobs > cores.jobs and not oversubscribe:
        message = _(
            "--jobs {jobs}: each game needs a processor core, and this program may use {cores:g} of the machine's "
            "{online} cores; use --jobs {fitting}, or let games share cores with --oversubscribe"
        )
        parser.error(message.format(jobs=jobs, cores=cores.usable, online=cores.online, fitting=max(1, cores.jobs)))


def check_machine(jobs: int) -> dict[str, Any]:
    """Measure whether the machine is ready for `jobs` games at a time, and print the result in a line.

    The measurement takes half a second. Returns the figures that are stored in records.
    """
    ready = measure(jobs)
    figures = ", ".join(shown(fact.text) for fact in ready.facts if fact.name != CORES_FACT or ready.state != IDLE)
    line = _("the machine is idle enough for --jobs {jobs}: {figures}")
    if ready.state != IDLE:
        line = _("the machine is too busy for --jobs {jobs}: {figures}; measure longer and in detail with {command}")
    print(line.format(jobs=jobs, figures=figures, command=f"{program.again()} doctor --jobs {jobs}"), flush=True)
    return ready.as_json()


def sandbox_of(parser: argparse.ArgumentParser, options: argparse.Namespace, *protected: Path) -> Sandbox:
    """Return the Sandbox that the options describe. No player sees the paths `protected`.

    Ends the program with a message if a path of --show does not exist, or if --sandbox is `on` and this machine has no
    sandbox.
    """
    sandbox = sandbox_asked_for(parser, options, *protected)
    require_sandbox(parser, sandbox)
    return sandbox


def sandbox_asked_for(parser: argparse.ArgumentParser, options: argparse.Namespace, *protected: Path | None) -> Sandbox:
    """Return the Sandbox that the options describe, even if this machine has no sandbox.

    No player sees the paths `protected`; None among them is ignored. Ends the program with a message if a path of
    --show does not exist.
    """
    for path in options.show:
        if not os.path.exists(path):
            parser.error(_("--show {path}: there is no such file or folder").format(path=printable(path)))
    hidden_paths = tuple(os.path.abspath(path) for path in protected if path)
    shown_paths = tuple(map(os.path.abspath, options.show))
    return Sandbox(options.sandbox, hidden_paths, shown_paths, options.keep_writes)


def require_sandbox(parser: argparse.ArgumentParser, sandbox: Sandbox) -> None:
    """End the program with a message if the mode of `sandbox` is ON and this machine has no sandbox."""
    if sandbox.mode == ON and sandbox.availability.program is None:
        message = _("--sandbox on: this machine cannot make sandboxes: {reason}")
        parser.error(message.format(reason=shown(sandbox.availability.why_not)))


def warn_of_no_sandbox(sandbox: Sandbox) -> None:
    """Print a note if the mode of `sandbox` is AUTO and this machine has no sandbox.

    Call this function after all checks except those of the players.
    """
    if sandbox.mode == AUTO and sandbox.availability.program is None:
        note = _("note: bots play without a sandbox and can reach each other and your files: {reason}")
        print(note.format(reason=shown(sandbox.availability.why_not)), file=sys.stderr, flush=True)


def warn_of_stack() -> None:
    """Print a note if the soft stack limit, which this process has inherited from its shell, is not STACK_BYTES."""
    shell_limit, _hard = resource.getrlimit(resource.RLIMIT_STACK)
    if shell_limit != STACK_BYTES:
        note = _(
            "note: each player has a stack of {number} KB and crashes if it needs more (the usual size is {usual} KB; "
            "`ulimit -s` of this shell is {here})"
        )
        here = "unlimited" if shell_limit == resource.RLIM_INFINITY else shell_limit >> 10
        print(note.format(number=stack_bytes() >> 10, usual=STACK_BYTES >> 10, here=here), file=sys.stderr, flush=True)
