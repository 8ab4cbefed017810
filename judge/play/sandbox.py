"""The contents of each player's sandbox in a game, and the modes of `--sandbox`.

A player can write only its own folder. It gets a copy of the folder if that holds anything that it must not change:
the other player's files, the judge's current folder, the record, the checkout.
"""

import contextlib
import functools
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from judge.language import as_data
from judge.players.launch import BadCommand, Launch
from judge.players.own_bot import cache_of, numba_folders
from judge.players.players import Contestant
from judge.players.versions import CACHE_VARIABLE, CHECKOUT, cache_folder
from judge.processes.bubblewrap import Availability, BotSandbox, find, hidden_part
from judge.processes.start import JudgeFailure, own_environment
from judge.reasons import SANDBOX_TURNED_OFF
from judge.terminal import MEGABYTE

AUTO, ON, OFF = "auto", "on", "off"
MODES = (AUTO, ON, OFF)
BUBBLEWRAP, NO_WALL = "bubblewrap", "none"  # values in records
# Variables that name the folders of programs and of the files that they need.
PLACES = ("PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "LD_PRELOAD", "HOME", CACHE_VARIABLE)
LARGEST_COPY_BYTES = 64 * MEGABYTE
NOT_COPIED = ".git"
COPIES = "dropfour-copy-"  # prefix of the names of their folders; the judge's process id follows
TRIAL_LIMIT_S, TRIAL_SEED = 1.0, 0  # only to find the files that a command names


@dataclass(frozen=True)
class Sandbox:
    """The sandbox options: one of MODES, and files that no player may write, in addition to the current folder."""

    mode: str = AUTO
    protected: tuple[str, ...] = ()

    @property
    def availability(self) -> Availability:
        """The sandbox program of the games, or the reason why they have none."""
        return Availability(None, SANDBOX_TURNED_OFF) if self.mode == OFF else find()

    def as_json(self) -> dict[str, str]:
        """Return the record's fields on the sandbox."""
        found = self.availability
        return {"sandbox": BUBBLEWRAP} if found.program else {"sandbox": NO_WALL, "no_sandbox": as_data(found.why_not)}


class Sandboxes:
    """The sandboxes of the players of one game; close() removes the copies made for them.

    launches: the players' Launches, None for one that cannot be started; others: those of further players, whose files
    are protected too. Raises JudgeFailure on an OSError, such as a full disk.
    """

    def __init__(
        self, sandbox: Sandbox, launches: Sequence[Launch | None], others: Sequence[Launch | None] = ()
    ) -> None:
        self._copies = contextlib.ExitStack()
        program = sandbox.availability.program
        try:
            self._sandboxes = [
                None
                if program is None or launch is None
                else self._bot_sandbox(
                    program, launch, [other for other in (*launches, *others) if other is not launch], sandbox
                )
                for launch in launches
            ]
        except OSError as error:
            self.close()
            raise JudgeFailure(str(error)) from error
        except BaseException:
            self.close()
            raise

    def of(self, number: int) -> BotSandbox | None:
        """Return the sandbox of the player with this number, None if it has none."""
        return self._sandboxes[number]

    def close(self) -> None:
        """Remove the copies. Precondition: no process uses them any more."""
        self._copies.close()

    def _bot_sandbox(
        self, program: str, launch: Launch, others: Iterable[Launch | None], sandbox: Sandbox
    ) -> BotSandbox:
        folder = os.path.realpath(launch.folder or os.curdir)
        variables: dict[str, str] = {}
        linked: dict[str, tuple[str, ...]] = {}
        if _is_own(folder) and not launch.keeps_prints_apart:
            # The cache is read-only in the sandbox, and without the variable the bot passes over such a folder.
            cache = cache_of(Path(folder))
            variables[CACHE_VARIABLE] = cache
            linked = {cache: numba_folders(cache)} if os.path.isdir(cache) else {}
        writable: dict[str, str] = {}
        if launch.folder is not None and not _is_own(folder):
            of_others = [path for other in others for path in _files(other)]
            kept = [os.getcwd(), str(CHECKOUT), *sandbox.protected, *of_others]
            source = self._copy(folder) if _is_shared(folder, kept) else folder
            writable = {} if source is None else {folder: source}
        shown = {part for path in _needed(launch, folder, variables) if (part := hidden_part(path)) is not None}
        return BotSandbox(program, tuple(sorted(shown)), writable, linked, variables)

    def _copy(self, folder: str) -> str | None:
        """Return the path of a copy of the folder; None if it is too large or cannot be copied completely."""
        if _is_larger(folder, LARGEST_COPY_BYTES):
            return None
        _remove_abandoned()
        prefix = f"{COPIES}{os.getpid()}-"
        home = self._copies.enter_context(tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True))
        try:
            return shutil.copytree(
                folder, os.path.join(home, "copy"), symlinks=True, ignore=shutil.ignore_patterns(NOT_COPIED)
            )
        except (OSError, shutil.Error):
            return None


def sandboxes_for(sandbox: Sandbox, contestants: Sequence[Contestant], others: Sequence[Contestant] = ()) -> Sandboxes:
    """Return the Sandboxes of these players of one game, in their order; the files of `others` are protected too.

    Raises JudgeFailure as Sandboxes does.
    """
    return Sandboxes(sandbox, list(map(_launch_of, contestants)), list(map(_launch_of, others)))


def _launch_of(contestant: Contestant) -> Launch | None:
    try:
        return contestant.launch(TRIAL_LIMIT_S, TRIAL_SEED)
    except BadCommand:
        return None


@functools.cache
def _remove_abandoned() -> None:
    """Remove the copies that killed judges have left; only the first call in a process does anything."""
    for home in Path(tempfile.gettempdir()).glob(f"{COPIES}*"):
        owner = home.name.removeprefix(COPIES).partition("-")[0]
        with contextlib.suppress(OSError):
            if owner.isdecimal() and not psutil.pid_exists(int(owner)) and home.stat().st_uid == os.getuid():
                shutil.rmtree(home, ignore_errors=True)


def _is_own(folder: str) -> bool:
    """Return whether the folder is this checkout, or in its cache of revisions and builds."""
    return folder == str(CHECKOUT) or _is_inside(folder, os.path.realpath(cache_folder()))


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _is_shared(folder: str, kept: Iterable[str]) -> bool:
    """Return whether one of the paths is in the folder, or one except the current folder contains it."""
    resolved = [os.path.realpath(path) for path in kept]
    inside_others = [path for path in resolved if path != os.path.realpath(os.curdir)]
    return any(_is_inside(path, folder) for path in resolved) or any(_is_inside(folder, path) for path in inside_others)


def _files(launch: Launch | None) -> list[str]:
    """Return the files of a player as far as its launch shows: its folder, and the existing files in its command."""
    if launch is None:
        return []
    folder = launch.folder or os.curdir
    named = [os.path.join(folder, word) for word in launch.argv]
    return [*([launch.folder] if launch.folder else []), *(path for path in named if os.path.exists(path))]


def _needed(launch: Launch, folder: str, variables: dict[str, str]) -> Iterable[str]:
    """Yield every path that the player may need to start, absolute and with links resolved."""
    environment = {**own_environment(), **launch.environment, **variables}
    places = [path for name in PLACES for path in environment.get(name, "").split(os.pathsep)]
    paths = [folder, str(CHECKOUT), sys.prefix, sys.base_prefix, sys.executable, *places, *_files(launch)]
    for path in paths:
        if path:
            yield os.path.abspath(path)
            yield os.path.realpath(path)


def _is_larger(folder: str, limit_bytes: int) -> bool:
    total = 0
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != NOT_COPIED]
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size
        if total > limit_bytes:
            return True
    return False
