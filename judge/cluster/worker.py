"""A worker's part: players unpacked, pairs played one after the other by the judge that this process is."""

import platform
import shutil
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from distributed import Worker
from distributed.diagnostics.plugin import WorkerPlugin

from judge.cluster.errand import Errand, scheduled
from judge.cluster.parcels import Parcel, unpack
from judge.language import _, shown
from judge.machine.fairness.measurement import measure
from judge.machine.fairness.slots import NotMeasured
from judge.machine.processor import read_processor
from judge.play.referee import Interrupted, play_game
from judge.play.walls import ON, Sandbox
from judge.players.players import Contestant, PlayerError
from judge.processes.orphans import adopt_orphans
from judge.processes.spawn import JudgeFailure
from judge.reports.circumstances import MACHINE
from judge.runs.schedule import play_until_settled
from protocol.records.record import GameRecord

WORKER = "worker"  # of a record's `extra`: where it was played
FOLDER = "dropfour"  # below the worker's own folder
_runs: dict[str, "RunHere"] = {}


class RunHere:
    """One run of games as far as it is played here. Several threads may play."""

    def __init__(self, parcels: Sequence[Parcel], game: str, room: Path) -> None:
        self._parcels, self._game, self._room = parcels, game, room
        self._lock = threading.Lock()
        self._players: list[Contestant] | None = None
        self._machine: dict[str, Any] | None = None
        self.stop = threading.Event()

    def play(self, errand: Errand) -> list[str]:
        """The records of all attempts at the errand's games, as lines. Raises PlayerError, Interrupted."""
        with self._lock:
            if self._players is None:
                adopt_orphans()
                self._players = [unpack(parcel, self._room, self._game) for parcel in self._parcels]
                self._machine = _look()
        lines: list[str] = []
        for game in errand.games:
            _require_wall(game.plan.sandbox)
            end: BaseException | None = None

            def keep(news: GameRecord | BaseException | None) -> None:
                nonlocal end
                if isinstance(news, GameRecord):
                    lines.append(self._told(news).to_json())
                else:
                    end = news

            play_until_settled(scheduled(game, self._players), play_game, self.stop, keep)
            if end is not None:
                raise end
            if self.stop.is_set():
                raise Interrupted
        return lines

    def _told(self, record: GameRecord) -> GameRecord:
        """The record with what this machine is like."""
        here = {"host": platform.node(), "cpu_level": read_processor().level}
        return replace(record, extra={**record.extra, MACHINE: self._machine, WORKER: here})

    def close(self) -> None:
        """End its games and remove its players' files."""
        self.stop.set()
        shutil.rmtree(self._room, ignore_errors=True)


class Travellers(WorkerPlugin):
    """Brings a run's players to every worker, to those that join later too."""

    def __init__(self, run: str, parcels: Sequence[Parcel], game: str) -> None:
        self.name = plugin_name(run)
        self.run, self.parcels, self.game = run, tuple(parcels), game

    def setup(self, worker: Worker) -> None:
        """Keep them for the first pair, which unpacks them in its own thread."""
        _runs[self.run] = RunHere(self.parcels, self.game, Path(worker.local_directory, FOLDER, self.run))

    def teardown(self, worker: Worker) -> None:
        """The run has ended, or the worker does."""
        here = _runs.pop(self.run, None)
        if here is not None:
            here.close()


def stop_run(run: str) -> None:
    """Have the games of a run end soon: nobody wants them any more."""
    here = _runs.get(run)
    if here is not None:
        here.stop.set()


def plugin_name(run: str) -> str:
    """What the workers call the players of a run."""
    return f"dropfour-{run}"


def play_pair(run: str, errand: Errand) -> tuple[list[str], Exception | None]:
    """A task: (the records of the errand's games as lines, what kept it from playing them).

    What it is kept by is returned, not raised: workers print tracebacks of what tasks raise.
    """
    here = _runs.get(run)
    try:
        if here is None:
            raise PlayerError(_("the players of run {run} are not on this worker").format(run=run))
        return here.play(errand), None
    except Interrupted:
        return [], None
    except (PlayerError, JudgeFailure, OSError) as error:
        return [], error


def _require_wall(sandbox: Sandbox) -> None:
    """Raise PlayerError where bots must have a wall and this machine has none."""
    if sandbox.mode == ON and sandbox.found.program is None:
        message = _("--sandbox on: the worker {host} has no wall: {reason}")
        raise PlayerError(message.format(host=platform.node(), reason=shown(sandbox.found.why_not)))


def _look() -> dict[str, Any] | None:
    """The short figures of this machine, for one game at a time; None where they cannot be had."""
    try:
        return measure(1).as_json()
    except NotMeasured:
        return None
