"""The worker's side of a cluster: it unpacks the players, starts each once as a test, and plays and judges pairs."""

import asyncio
import contextlib
import io
import platform
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from distributed import Reschedule, Worker
from distributed.diagnostics.plugin import WorkerPlugin

from judge.cluster.connection import code_version
from judge.cluster.payloads import OWN_BOT, Payload, unpack
from judge.files import remove
from judge.games.boards import Board
from judge.language import _, shown
from judge.machine.facts import cpu_level, measure
from judge.play.driver import Driver
from judge.play.referee import Interrupted, play_game
from judge.play.sandbox import ON, Sandbox
from judge.play.scoresheet import GamePlan
from judge.play.seat import Forfeit
from judge.play.start_trial import require_start
from judge.players import own_bot
from judge.players.players import Contestant, PlayerError
from judge.processes.descendants import adopt_orphans
from judge.reports.circumstances import MACHINE, WORKER
from judge.runs.schedule import ScheduledGame, play_until_settled
from protocol.records.record import GameRecord

FIRST_MOVE_S = 20.0  # the limit for our own bot's move in its test; its command asks for a quick one
QUICK_MOVE = ("--iterations", "1")  # options of our bot for a quick move
NO_ENGINE = f"engine {own_bot.NO_BACKEND}"  # what the bot logs if it has no compiled engine
FOLDER = "dropfour"  # below the worker's own folder
CLOSE_LIMIT_S = 5.0  # after this time the players' files are removed even if games still run
_runs: dict[str, "WorkerRun"] = {}  # {name of a run: the part of it that this worker plays}


@dataclass(frozen=True)
class GameToPlay:
    """A game to play on a worker, made from a ScheduledGame.

    `players` are the numbers, counted from 0, of the payloads of players A and B.
    """

    players: tuple[int, int]
    plan: GamePlan
    attempts: int


@dataclass(frozen=True)
class PairTask:
    """A task for one worker: the two games of a pair, or one of them if the other has been played."""

    games: tuple[GameToPlay, ...]


def tasks_of(games: Iterable[ScheduledGame | None], players: Sequence[Contestant]) -> Iterator[PairTask | None]:
    """Yield the games as tasks, in their order. `players` are the players of the run, in the order of their payloads.

    Yields None where `games` yields None because the next game is not known yet.
    """
    pair: list[ScheduledGame] = []
    for game in games:
        if pair and (game is None or _pair_and_board(game) != _pair_and_board(pair[0])):
            yield _task(pair, players)
            pair = []
        if game is None:
            yield None
            continue
        pair.append(game)
        if len(pair) == 2:
            yield _task(pair, players)
            pair = []
    if pair:
        yield _task(pair, players)


def _pair_and_board(game: ScheduledGame) -> tuple[int, Board]:
    return game.plan.pair, game.plan.board


def _task(games: Iterable[ScheduledGame], players: Sequence[Contestant]) -> PairTask:
    return PairTask(tuple(_game_to_play(game, players) for game in games))


def _game_to_play(game: ScheduledGame, players: Sequence[Contestant]) -> GameToPlay:
    """Return the GameToPlay of a ScheduledGame. `players` are those of the run, in the order of their payloads."""
    first, second = (players.index(player) for player in game.contestants)
    # A worker may be on this machine, so the paths to hide go with the plan. The players' folders there are copies.
    sandbox = replace(game.plan.conditions.sandbox, keeps_writes=False)
    plan = replace(game.plan, conditions=replace(game.plan.conditions, sandbox=sandbox))
    return GameToPlay((first, second), plan, game.attempts)


def scheduled_game(game: GameToPlay, players: Mapping[int, Contestant]) -> ScheduledGame:
    """Return the ScheduledGame with the worker's own players.

    `players` is {number of a payload: the player, ready to start}.
    """
    return ScheduledGame([players[number] for number in game.players], game.plan, game.attempts)


def unpack_and_try(payload: Payload, folder: Path, plan: GamePlan, stop: threading.Event) -> Contestant:
    """Unpack a player below `folder`, start it once as a test, and return it.

    The test uses the sandbox options of `plan`. Raises PlayerError if the player cannot play here or would play weaker,
    and JudgeFailure if the machine fails.
    """
    with contextlib.redirect_stderr(io.StringIO()):  # the sender has already reported notes on building a project
        player = unpack(payload, folder, plan.game, plan.conditions.sandbox)
    require_start([replace(player, is_tried=False)], plan.conditions.limit_s, sandbox=plan.conditions.sandbox)
    if payload.kind == OWN_BOT and own_bot.backend_in(payload.words) != own_bot.NO_BACKEND:
        _require_engine(player, plan, stop)
    return player


def _require_engine(player: Contestant, plan: GamePlan, stop: threading.Event) -> None:
    """Ask our bot for one move. Raises PlayerError if the bot fails or has no compiled engine."""
    assert player.prepared is not None
    quick = replace(player, prepared=replace(player.prepared, argv=(*player.prepared.argv, *QUICK_MOVE)))
    conditions = replace(plan.conditions, limit_s=FIRST_MOVE_S, strict_clock=False, undrained_stderr=False)
    try:
        with Driver(quick, replace(plan, conditions=conditions), stop) as driver:
            driver.send(driver.opening() + driver.turn())
            driver.await_first_moves()
            driver.process.read_stderr()
            stderr = driver.process.stderr_log.text()
    except Forfeit as fault:
        raise PlayerError(_("player {name!r}: {error}").format(name=player.command, error=shown(str(fault)))) from None
    if NO_ENGINE in stderr:
        line = next(line for line in stderr.splitlines() if NO_ENGINE in line)
        message = _("player {name!r} has no compiled engine here and would play weaker: {line}")
        raise PlayerError(message.format(name=player.command, line=line))


class WorkerRun:
    """The part of a run of games that this worker plays. Several threads may call play().

    `is_measured` says whether this machine is measured before the first game. `stop` is set when the games are to end.
    """

    def __init__(self, payloads: Sequence[Payload], game: str, folder: Path, is_measured: bool) -> None:
        self._payloads, self._game, self._folder, self._is_measured = payloads, game, folder, is_measured
        self._lock = threading.Lock()
        self._players: dict[int, Contestant] = {}
        self._machine: dict[str, Any] | None = None
        self._playing = 0
        self.stop = threading.Event()

    def play(self, task: PairTask) -> list[str]:
        """Play the task's games, and return the records of all attempts, as lines.

        Raises PlayerError if a player cannot play here, JudgeFailure if the machine fails, and Interrupted if the run
        is stopped.
        """
        with self._counting_pair():
            lines: list[str] = []
            for game in task.games:
                _require_sandbox(game.plan.conditions.sandbox)
                players = {number: self._player(number, task) for number in game.players}
                play_until_settled(
                    scheduled_game(game, players),
                    play_game,
                    self.stop,
                    lambda record: lines.append(self._with_machine(record).to_json()),
                )
                if self.stop.is_set():
                    raise Interrupted
            return lines

    @contextlib.contextmanager
    def _counting_pair(self) -> Iterator[None]:
        """Count a pair in play, so that close() waits for it. Raises Interrupted once the run is stopped."""
        with self._lock:
            if self.stop.is_set():
                raise Interrupted
            self._playing += 1
        try:
            yield
        finally:
            with self._lock:
                self._playing -= 1

    def _player(self, number: int, task: PairTask) -> Contestant:
        """Return the player with this number. The player is unpacked and tested when it is first needed.

        Raises what unpack_and_try() raises.
        """
        with self._lock:
            if not self._players:
                adopt_orphans()
                self._machine = measure(jobs=1).as_json() if self._is_measured else None
            if number not in self._players:
                self._players[number] = unpack_and_try(
                    self._payloads[number], self._folder, task.games[0].plan, self.stop
                )
            return self._players[number]

    def _with_machine(self, record: GameRecord) -> GameRecord:
        """Return the record with this machine's name and CPU level added.

        If this machine was measured, the measured values are added too.
        """
        measured = {MACHINE: self._machine} if self._is_measured else {}
        here = {"host": platform.node(), "cpu_level": cpu_level()}
        return record.changed(extra={**record.extra, **measured, WORKER: here})

    async def close(self) -> None:
        """Stop the games, wait at most CLOSE_LIMIT_S for their end, and remove the players' files."""
        self.stop.set()
        give_up = time.monotonic() + CLOSE_LIMIT_S
        while self._playing and time.monotonic() < give_up:
            await asyncio.sleep(0.05)
        await asyncio.to_thread(remove, self._folder)


class PlayersPlugin(WorkerPlugin):
    """A plugin that brings a run's players to every worker, including workers that join later."""

    def __init__(self, run: str, payloads: Sequence[Payload], game: str, is_measured: bool) -> None:
        self.name = plugin_name(run)
        self.run, self.payloads, self.game, self.is_measured = run, tuple(payloads), game, is_measured
        self.code = code_version()

    def setup(self, worker: Worker) -> None:
        """Store the payloads. The first pair unpacks them in its own thread."""
        if self.code != code_version():
            return  # play_pair() reports it as an error
        folder = Path(worker.local_directory, FOLDER, self.run)
        _runs[self.run] = WorkerRun(self.payloads, self.game, folder, self.is_measured)

    async def teardown(self, worker: Worker) -> None:  # async, so that the worker waits for it
        """Close the run, because it has ended or the worker is ending."""
        worker_run = _runs.pop(self.run, None)
        if worker_run is not None:
            await worker_run.close()


def plugin_name(run: str) -> str:
    """Return the name of the plugin that brings a run's players."""
    return f"dropfour-{run}"


def play_pair(run: str, task: PairTask) -> tuple[list[str], str]:
    """Play a task on the worker. Return (the records of its games as lines, the error or "").

    The error is returned, not raised, because workers print tracebacks of exceptions. Raises Reschedule if the worker
    is ending.
    """
    worker_run = _runs.get(run)
    try:
        if worker_run is None:
            raise PlayerError(
                _(
                    "the players of this run could not be unpacked, most likely because the worker has another "
                    "version of this program: install the same version there, and start the worker again"
                )
            )
        return worker_run.play(task), ""
    except Interrupted:  # this worker is ending: another may play the pair
        raise Reschedule from None
    except Exception as error:  # an exception that cannot be pickled would never arrive
        return [], _("the worker {host}: {error}").format(
            host=platform.node(), error=shown(str(error)) or type(error).__name__
        )


def _require_sandbox(sandbox: Sandbox) -> None:
    """Raise PlayerError if bots must run in a sandbox and this machine has none."""
    if sandbox.mode == ON and sandbox.availability.program is None:
        message = _("--sandbox on: this machine cannot make sandboxes: {reason}")
        raise PlayerError(message.format(reason=shown(sandbox.availability.why_not)))
