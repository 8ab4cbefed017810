"""The contents of each player's sandbox in a game.

The sandbox holds a private copy of the player's own folder. The copy is in memory and is dropped after the game. The
player can read the system, its interpreter, the files that its command names, and, if it is a plain command, the
current folder. Records, the other player's files and the rest of the home are not in its sandbox.
"""

import contextlib
import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from judge.language import _
from judge.players.launch import BadCommand
from judge.players.own_bot import cache_of, numba_folders
from judge.players.players import Contestant
from judge.players.versions import CACHE_VARIABLE, CHECKOUT, cache_folder
from judge.processes.bubblewrap import (
    AUTO,
    BUBBLEWRAP,
    MODES,
    MOST_PARTS,
    NO_WALL,
    OFF,
    ON,
    RUN,
    TEMPORARY,
    BotSandbox,
    Sandbox,
    names_in,
)
from judge.processes.folders import (
    LARGEST_COPY_BYTES,
    LIVE_SUFFIX,
    Copy,
    Filling,
    is_inside,
    keep,
    with_folders_above,
)
from judge.processes.installations import OF_PROGRAMS, in_both_forms, installations, leads_out, user_base
from judge.processes.start import JudgeFailure, Launch, own_environment
from judge.terminal import printable

__all__ = ["AUTO", "BUBBLEWRAP", "LARGEST_COPY_BYTES", "MODES", "NO_WALL", "OFF", "ON", "Sandbox", "Sandboxes"]

TRIAL_LIMIT_S, TRIAL_SEED = 1.0, 0  # for a Launch that is not executed, but shows which files a command names
# Folders of the whole system, which are never shown as the folder of a script.
OF_ALL = (TEMPORARY, "/var/tmp", RUN, "/dev/shm", "/dev", "/proc", "/sys", "/usr/bin", "/bin", "/opt")
MOST_NAMED = 5  # the most files that a note names


class Notes:
    """Notes to the user about players' folders.

    add() collects the files that players have written; lines() returns the notes on them at the end of the program.
    tell() prints a note at once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._written: dict[str, set[str]] = {}
        self._kept: dict[str, set[str]] = {}
        self._told: set[str] = set()

    def add(self, folder: str, written: Iterable[str], kept: Iterable[str]) -> None:
        """Add the files that a player has written into its copy of the folder.

        `kept` are the files of `written` that were also written into the folder itself. Paths are relative to `folder`.
        """
        with self._lock:
            self._written.setdefault(folder, set()).update(written)
            self._kept.setdefault(folder, set()).update(kept)

    def tell(self, text: str) -> None:
        """Print a note on stderr at once, unless the same text was printed before."""
        with self._lock:
            is_new = text not in self._told
            self._told.add(text)
        if is_new:
            print(_("note: {text}").format(text=text), file=sys.stderr, flush=True)

    def lines(self) -> Iterator[str]:
        """Yield the notes on the files that add() was given since the last call."""
        with self._lock:
            written, kept = self._written, self._kept
            self._written, self._kept = {}, {}
        for folder, paths in written.items():
            for names, message in (
                (kept[folder], _("{names} in {folder}: the player has written this, and --keep-writes has kept it")),
                (
                    paths - kept[folder],
                    _(
                        "{names} in {folder}: the player has written this into a copy of its folder, which is gone "
                        "with the game; --keep-writes keeps such files"
                    ),
                ),
            ):
                if names:
                    first = ", ".join(printable(name) for name in sorted(names)[:MOST_NAMED])
                    more = (
                        ""
                        if len(names) <= MOST_NAMED
                        else _(" and {number} more").format(number=len(names) - MOST_NAMED)
                    )
                    yield message.format(names=first + more, folder=printable(folder))


notes = Notes()


class Sandboxes:
    """The sandboxes of the players of one game; close() drops their copies of folders.

    `launches` are the players' Launches, None for a player that cannot be started; such a player has no sandbox.
    `others` are the Launches of further players. Each sandbox hides the files of all players of `launches` and `others`
    but its own. Raises JudgeFailure if the system fails, for example because a disk is full.
    """

    def __init__(
        self, sandbox: Sandbox, launches: Sequence[Launch | None], others: Sequence[Launch | None] = ()
    ) -> None:
        program = sandbox.availability.program
        self._keeps_writes = sandbox.keeps_writes
        try:
            self._sandboxes = [
                None
                if program is None or launch is None
                else _bot_sandbox(
                    program, launch, [other for other in (*launches, *others) if other is not launch], sandbox
                )
                for launch in launches
            ]
        except OSError as error:
            raise JudgeFailure(str(error)) from error

    def of(self, number: int) -> BotSandbox | None:
        """Return the sandbox of the player with this number in `launches`, None if the player has no sandbox."""
        return self._sandboxes[number]

    def close(self) -> None:
        """Collect notes on what the players have written into their copies of folders, and drop the copies.

        If the sandbox options say so, the written files are first put into the folders themselves. Precondition: no
        process uses the sandboxes any more.
        """
        for sandbox in filter(None, self._sandboxes):
            for folder, filling in sandbox.filled.items():
                written = filling.written()
                if written:
                    kept = keep(filling.folder, folder, written) if self._keeps_writes else []
                    notes.add(folder, written, kept)
                filling.close()


def sandboxes_for(sandbox: Sandbox, contestants: Sequence[Contestant], others: Sequence[Contestant] = ()) -> Sandboxes:
    """Return the Sandboxes of these players of one game, in their order.

    Each player sees neither the files of the other `contestants` nor those of the players `others`. Raises JudgeFailure
    if the system fails, for example because a disk is full.
    """
    return Sandboxes(sandbox, list(map(_launch_of, contestants)), list(map(_launch_of, others)))


def _launch_of(contestant: Contestant) -> Launch | None:
    try:
        return contestant.launch(TRIAL_LIMIT_S, TRIAL_SEED)
    except BadCommand:
        return None


def _bot_sandbox(program: str, launch: Launch, others: Iterable[Launch | None], sandbox: Sandbox) -> BotSandbox:
    folder = os.path.realpath(launch.folder or os.curdir)
    named = list(_named(launch, folder))
    records, theirs = with_live_files(sandbox.protected), list(_secret(others, folder, named))
    hidden = tuple(map(os.path.realpath, [*records, *(path for path in theirs if not _is_installed(path))]))
    shown: list[str] = []
    linked: dict[str, tuple[str, ...]] = {}
    filled: dict[str, Filling] = {}
    apart: list[str] = []  # what is shown in the copy of a folder, and not copied
    variables: dict[str, str] = {"HOME": TEMPORARY, **user_base()}
    is_ours = _is_ours(launch, folder)
    if is_ours:
        shown += in_both_forms(os.path.join(folder, name) for name in ("bot", "protocol"))
        if not launch.keeps_prints_apart:
            # The cache is read-only in the sandbox. The bot uses a read-only cache only if this variable names it.
            cache = cache_of(Path(folder))
            variables[CACHE_VARIABLE] = cache
            linked = {cache: numba_folders(cache)} if os.path.isdir(cache) else {}
            variables |= {name: value for name, value in own_environment().items() if name.startswith("NUMBA_")}
    elif holds_home(folder) and launch.only is None:
        notes.tell(
            _("{folder} is your home: a player sees only what its command names, and --show PATH adds to that").format(
                folder=printable(folder)
            )
        )
    elif launch.folder is None:
        shown += in_both_forms([os.curdir])
    else:
        copy = sandbox.copy_of(folder, launch.only)
        if isinstance(copy, Copy):
            apart = [
                *copy.contents.environments[:MOST_PARTS],
                *(path for path in map(os.path.realpath, sandbox.shown) if not is_inside(folder, path)),
            ]
            inside = [os.path.relpath(path, folder) for path in (*hidden, *apart) if is_inside(path, folder)]
            filled = {folder: Filling(copy, inside)}
            variables["HOME"] = folder
        else:
            shown += [os.path.normpath(os.path.join(folder, name)) for name in launch.only or ("",)]
            message = _("{folder} cannot be copied ({error}): the player can read it, not write into it")
            notes.tell(message.format(folder=printable(folder), error=printable(str(copy))))
    # Paths inside the player's own folder are in its copy already. A link there that leads out is not followed.
    has_own = launch.folder is not None and not is_ours
    elsewhere = [path for path in named if not (has_own and (is_inside(path, folder) or leads_out(path, folder)))]
    search = launch.environment.get("PATH", os.environ.get("PATH"))
    installed = installations(launch.argv, folder, search, folder if has_own else None)
    shown += [*installed, *in_both_forms([*sandbox.shown, *elsewhere, *_script_folders(elsewhere)])]
    if filled:
        shown = [path for path in (*shown, *apart) if not is_inside(path, folder) or path in apart]
    real = [os.path.realpath(path) for path in shown]
    for place in {above for path in hidden for above in with_folders_above(os.path.dirname(path))}:
        if any(is_inside(place, path) for path in real) and len(names_in(place)) > MOST_PARTS:
            message = _(
                "{folder}: what the player may see has to be shown in over {number} parts, because something among "
                "them is left out: it does not see all of it, and --show PATH adds to that"
            )
            notes.tell(message.format(folder=printable(place), number=MOST_PARTS))
    return BotSandbox(program, tuple(dict.fromkeys(shown)), filled, {}, linked, hidden, variables)


def _is_installed(path: str) -> bool:
    """Return whether `path` is a program, such as an interpreter, that may be installed for all players."""
    return os.path.isfile(path) and os.path.basename(os.path.dirname(path)) in OF_PROGRAMS


def _script_folders(named: Sequence[str]) -> list[str]:
    """Return the folders in which the script of a command looks for its modules and tables.

    `named` are the paths that the command names. The script is the first file among them that is not in a folder of
    programs such as bin. A link to a script has two folders: its own, and the folder of the file to which it leads,
    where Python looks. The home, folders that hold the home, and OF_ALL are left out.
    """
    files = [path for path in named if os.path.isfile(path)]
    scripts = [path for path in files if os.path.basename(os.path.dirname(path)) not in OF_PROGRAMS][:1]
    folders = dict.fromkeys(os.path.dirname(place) for path in scripts for place in (path, os.path.realpath(path)))
    return [folder for folder in folders if not holds_home(os.path.realpath(folder)) and folder not in OF_ALL]


def with_live_files(records: Iterable[str]) -> list[str]:
    """Return the paths of these record files, each followed by the path of the file that lists its running games."""
    return [form for path in records for form in (path, os.path.realpath(path) + LIVE_SUFFIX)]


def _is_ours(launch: Launch, folder: str) -> bool:
    """Return whether `launch` starts our bot, or our host of a strategy library, whose command names the library.

    `folder` is the folder in which the launch runs, with links resolved.
    """
    packages = launch.environment.get("PYTHONPATH", "").split(os.pathsep)[0]
    return bool(packages) and os.path.realpath(packages) == folder and is_own(folder)


def is_own(folder: str) -> bool:
    """Return whether the folder is this checkout, or lies in its cache of revisions and builds."""
    return folder == str(CHECKOUT) or is_inside(folder, os.path.realpath(cache_folder()))


def holds_home(folder: str) -> bool:
    """Return whether the folder is the user's home, or holds it."""
    return is_inside(os.path.realpath(os.path.expanduser("~")), folder)


def _secret(others: Iterable[Launch | None], folder: str, named: Sequence[str]) -> Iterator[str]:
    """Yield the paths to hide from a player: the folders of the `others`, and the files that their commands name.

    `folder` is the player's own folder, `named` are the paths that its command names. A path that is or holds one of
    these is left out, as the player uses it too.
    """
    own = [folder, *named]
    for other in others:
        if other is None:
            continue
        theirs = [] if other.folder is None or other.only is not None else [os.path.realpath(other.folder)]
        if other.folder is not None:
            theirs += [os.path.join(os.path.realpath(other.folder), name) for name in other.only or ()]
        files = list(_named(other, os.path.realpath(other.folder or os.curdir)))
        theirs += files if _is_ours(other, theirs[0] if theirs else "") else [*files, *_script_folders(files)]
        for path in map(os.path.realpath, theirs):
            if not any(is_inside(place, path) for place in own):
                yield path


def _named(launch: Launch, folder: str) -> Iterator[str]:
    """Yield the absolute paths of the existing files and folders that a command names.

    Folders that hold the home are left out.
    """
    for number, word in enumerate(launch.argv):
        if number == 0 and os.sep not in word:
            continue
        for part in {word, *re.split("[=:,]", word)}:
            path = os.path.join(folder, part)
            with contextlib.suppress(ValueError):  # a null byte
                if part and os.path.exists(path) and not holds_home(os.path.realpath(path)):
                    yield os.path.abspath(path)
