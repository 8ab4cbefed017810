"""A worker's part: players unpacked and tried, pairs played by the judge that this process is."""

import asyncio
import contextlib
import platform
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from distributed import Reschedule, Worker
from distributed.diagnostics.plugin import WorkerPlugin

from judge.cluster.arrival import arrived
from judge.cluster.connection import code_version
from judge.cluster.errand import Errand, scheduled
from judge.cluster.parcels import Parcel
from judge.language import _, shown
from judge.machine.fairness.measurement import measure
from judge.machine.fairness.slots import NotMeasured
from judge.machine.processor import read_processor
from judge.play.referee import Interrupted, play_game
from judge.play.walls import ON, Sandbox
from judge.players.players import Contestant, PlayerError
from judge.processes.orphans import adopt_orphans
from judge.reports.circumstances import MACHINE, WORKER
from judge.runs.schedule import play_until_settled
from protocol.records.record import GameRecord

FOLDER = "dropfour"  # below the worker's own folder
CLOSE_LIMIT_S = 5.0  # until the players' files are removed under whatever still runs
CLOSE_LOOK_S = 0.05
_runs: dict[str, "RunHere"] = {}


class RunHere:
    """One run of games as far as it is played here. Several threads may play.

    is_measured: whether this machine is to be looked at before the first game.
    """

    def __init__(self, parcels: Sequence[Parcel], game: str, room: Path, is_measured: bool) -> None:
        self._parcels, self._game, self._room, self._is_measured = parcels, game, room, is_measured
        self._lock = threading.Lock()
        self._players: dict[int, Contestant] = {}
        self._machine: dict[str, Any] | None = None
        self._playing = 0
        self.stop = threading.Event()

    def play(self, errand: Errand) -> list[str]:
        """The records of all attempts at the errand's games, as lines.

        Raises PlayerError, JudgeFailure, Interrupted.
        """
        with self._a_pair():
            lines: list[str] = []
            for game in errand.games:
                _require_wall(game.plan.sandbox)
                players = {number: self._player(number, errand) for number in game.players}
                end: BaseException | None = None

                def keep(news: GameRecord | BaseException | None) -> None:
                    nonlocal end
                    if isinstance(news, GameRecord):
                        lines.append(self._told(news).to_json())
                    else:
                        end = news

                play_until_settled(scheduled(game, players), play_game, self.stop, keep)
                if end is not None:
                    raise end
                if self.stop.is_set():
                    raise Interrupted
            return lines

    @contextlib.contextmanager
    def _a_pair(self) -> Iterator[None]:
        """Counts who plays here: nobody's files are removed."""
        with self._lock:
            if self.stop.is_set():
                raise Interrupted
            self._playing += 1
        try:
            yield
        finally:
            with self._lock:
                self._playing -= 1

    def _player(self, number: int, errand: Errand) -> Contestant:
        """A player, unpacked and tried when it is wanted for the first time."""
        with self._lock:
            if not self._players:
                adopt_orphans()
                self._machine = _look() if self._is_measured else None
            if number not in self._players:
                self._players[number] = arrived(self._parcels[number], self._room, errand.games[0].plan, self.stop)
            return self._players[number]

    def _told(self, record: GameRecord) -> GameRecord:
        """The record with what this machine is like."""
        measured = {MACHINE: self._machine} if self._is_measured else {}
        here = {"host": platform.node(), "cpu_level": read_processor().level}
        return replace(record, extra={**record.extra, **measured, WORKER: here})

    async def close(self) -> None:
        """End its games, and remove its players' files once they have ended."""
        self.stop.set()
        give_up = time.monotonic() + CLOSE_LIMIT_S
        while self._playing and time.monotonic() < give_up:
            await asyncio.sleep(CLOSE_LOOK_S)
        await asyncio.to_thread(shutil.rmtree, self._room, ignore_errors=True)


class Travellers(WorkerPlugin):
    """Brings a run's players to every worker, to those that join later too."""

    def __init__(self, run: str, parcels: Sequence[Parcel], game: str, is_measured: bool) -> None:
        self.name = plugin_name(run)
        self.run, self.parcels, self.game, self.is_measured = run, tuple(parcels), game, is_measured
        self.code = code_version()

    def setup(self, worker: Worker) -> None:
        """Keep them for the first pair, which unpacks them in its own thread."""
        if self.code != code_version():
            return  # a pair that comes here is told so
        room = Path(worker.local_directory, FOLDER, self.run)
        _runs[self.run] = RunHere(self.parcels, self.game, room, self.is_measured)

    async def teardown(self, worker: Worker) -> None:  # the worker waits for it
        """The run has ended, or the worker does."""
        here = _runs.pop(self.run, None)
        if here is not None:
            await here.close()


def plugin_name(run: str) -> str:
    """What the workers call the players of a run."""
    return f"dropfour-{run}"


def play_pair(run: str, errand: Errand) -> tuple[list[str], str]:
    """A task: (the records of the errand's games as lines, what kept it from playing them).

    What it is kept by is returned, not raised: workers print tracebacks of what tasks raise.
    """
    here = _runs.get(run)
    try:
        if here is None:
            raise PlayerError(_("it has not this run's players, or another version of this program"))
        return here.play(errand), ""
    except Interrupted:  # this worker ends: another may play it
        raise Reschedule from None
    except Exception as error:  # one that does not travel would never arrive
        return [], _("the worker {host}: {error}").format(
            host=platform.node(), error=shown(str(error)) or type(error).__name__
        )


def _require_wall(sandbox: Sandbox) -> None:
    """Raise PlayerError where bots must have a wall and this machine has none."""
    if sandbox.mode == ON and sandbox.found.program is None:
        raise PlayerError(_("--sandbox on: {reason}").format(reason=shown(sandbox.found.why_not)))


def _look() -> dict[str, Any] | None:
    """The short figures of this machine, for one game at a time; None where they cannot be had."""
    try:
        return measure(1).as_json()
    except NotMeasured:
        return None
