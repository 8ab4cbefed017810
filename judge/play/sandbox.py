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
    MOST_ENTRIES_SHOWN,
    NO_SANDBOX,
    OFF,
    ON,
    RUN,
    TEMPORARY,
    BotSandbox,
    Sandbox,
    entry_names,
)
from judge.processes.folders import (
    LARGEST_COPY_BYTES,
    LIVE_SUFFIX,
    Copy,
    Filling,
    is_inside,
    keep_writes,
    with_folders_above,
)
from judge.processes.installations import PROGRAM_FOLDERS, in_both_forms, installations, leads_out, user_base_variables
from judge.processes.start import JudgeFailure, Launch, own_environment
from judge.terminal import printable

__all__ = ["AUTO", "BUBBLEWRAP", "LARGEST_COPY_BYTES", "MODES", "NO_SANDBOX", "OFF", "ON", "Sandbox", "Sandboxes"]

TRIAL_LIMIT_S, TRIAL_SEED = 1.0, 0  # for a Launch that is not executed, but shows which files a command names
# Folders of the whole system, which are never shown as the folder of a script.
SYSTEM_FOLDERS = (TEMPORARY, "/var/tmp", RUN, "/dev/shm", "/dev", "/proc", "/sys", "/usr/bin", "/bin", "/opt")


class Notes:
    """Notes to the user about players' folders.

    add() collects the files that players have written, and lines() returns the notes on them, for the end of the
    program. print_once() prints another note at once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._written: dict[str, set[str]] = {}
        self._kept: dict[str, set[str]] = {}
        self._printed: set[str] = set()

    def add(self, folder: str, written: Iterable[str], kept: Iterable[str]) -> None:
        """Add the files that a player has written into its copy of the folder.

        `kept` are the files of `written` that were also written into the folder itself. Paths are relative to `folder`.
        """
        with self._lock:
            self._written.setdefault(folder, set()).update(written)
            self._kept.setdefault(folder, set()).update(kept)

    def print_once(self, text: str) -> None:
        """Print a note on stderr at once, unless the same text was printed before."""
        with self._lock:
            is_new = text not in self._printed
            self._printed.add(text)
        if is_new:
            print(_("note: {text}").format(text=text), file=sys.stderr, flush=True)

    def lines(self) -> Iterator[str]:
        """Yield the notes on the files that add() was given since the last call."""
        with self._lock:
            written, kept = self._written, self._kept
            self._written, self._kept = {}, {}
        for folder, paths in written.items():
            if kept[folder]:
                message = _("the player wrote {names} into {folder}: --keep-writes has kept these files")
                yield message.format(names=_first_names(kept[folder]), folder=printable(folder))
            dropped = paths - kept[folder]
            if dropped:
                message = _(
                    "the player wrote {names} into its copy of {folder}, which was deleted after the game; "
                    "--keep-writes keeps such files"
                )
                yield message.format(names=_first_names(dropped), folder=printable(folder))


def _first_names(names: Iterable[str]) -> str:
    """Return a text with the first five of the sorted names, and the number of the others."""
    ordered = [printable(name) for name in sorted(names)]
    others = len(ordered[5:])
    return ", ".join(ordered[:5]) + (_(" and {number} more files").format(number=others) if others else "")


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
        self._sandboxes: list[BotSandbox | None] = []
        for launch in launches:
            if program is None or launch is None:
                self._sandboxes.append(None)
                continue
            to_hide = [other for other in (*launches, *others) if other is not launch]
            try:
                self._sandboxes.append(_bot_sandbox(program, launch, to_hide, sandbox))
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
                written = filling.written_files()
                if written:
                    kept = keep_writes(filling.folder, folder, written) if self._keeps_writes else []
                    notes.add(folder, written, kept)
                filling.close()


def sandboxes_for(sandbox: Sandbox, contestants: Sequence[Contestant], others: Sequence[Contestant] = ()) -> Sandboxes:
    """Return the Sandboxes of these players of one game, in their order.

    Each player sees neither the files of the other `contestants` nor those of the players `others`. Raises JudgeFailure
    if the system fails, for example because a disk is full.
    """
    return Sandboxes(sandbox, list(map(_launch_of, contestants)), list(map(_launch_of, others)))


def _launch_of(contestant: Contestant) -> Launch | None:
    """Return a Launch of the player with any limit and seed; None if its command line is wrong."""
    try:
        return contestant.launch(TRIAL_LIMIT_S, TRIAL_SEED)
    except BadCommand:
        return None


def _bot_sandbox(program: str, launch: Launch, others: Iterable[Launch | None], sandbox: Sandbox) -> BotSandbox:
    """Return the sandbox of the player that `launch` starts; `program` is bubblewrap's path.

    The files of the players `others` are hidden. Notes say what the player cannot read or write. Raises OSError if the
    system fails.
    """
    folder = os.path.realpath(launch.folder or os.curdir)
    named = list(_paths_in_command(launch, folder))
    of_others = [path for path in _paths_to_hide(others, folder, named) if not _is_installed(path)]
    hidden = tuple(map(os.path.realpath, [*with_live_files(sandbox.protected), *of_others]))
    shown: list[str] = []
    linked: dict[str, tuple[str, ...]] = {}
    filled: dict[str, Filling] = {}
    not_copied: list[str] = []  # paths in the player's folder that are shown in its copy, but are not copied
    variables: dict[str, str] = {"HOME": TEMPORARY, **user_base_variables()}
    is_our_program = _is_our_program(launch, folder)
    if is_our_program:
        shown += in_both_forms(os.path.join(folder, name) for name in ("bot", "protocol"))
        if not launch.keeps_prints_apart:
            # The cache is read-only in the sandbox. The bot uses a read-only cache only if this variable names it.
            cache = cache_of(Path(folder))
            variables[CACHE_VARIABLE] = cache
            linked = {cache: numba_folders(cache)} if os.path.isdir(cache) else {}
            variables |= {name: value for name, value in own_environment().items() if name.startswith("NUMBA_")}
    elif holds_home(folder) and launch.only is None:
        notes.print_once(
            _(
                "{folder} is your home folder, so the player can read only the files that its command names; "
                "--show PATH lets the player read PATH too"
            ).format(folder=printable(folder))
        )
    elif launch.folder is None:
        shown += in_both_forms([os.curdir])
    else:
        copy = sandbox.copy_of(folder, launch.only)
        if isinstance(copy, Copy):
            not_copied = [
                *copy.contents.environments[:MOST_ENTRIES_SHOWN],
                *(path for path in map(os.path.realpath, sandbox.shown) if not is_inside(folder, path)),
            ]
            inside = [os.path.relpath(path, folder) for path in (*hidden, *not_copied) if is_inside(path, folder)]
            filled = {folder: Filling(copy, inside)}
            variables["HOME"] = folder
        else:
            shown += [os.path.normpath(os.path.join(folder, name)) for name in launch.only or ("",)]
            message = _("{folder} cannot be copied ({error}), so the player can read the folder but not write into it")
            notes.print_once(message.format(folder=printable(folder), error=printable(str(copy))))
    # Paths inside the player's own folder are in its copy already. Links there that lead out are not followed.
    has_own = launch.folder is not None and not is_our_program
    elsewhere = [path for path in named if not (has_own and (is_inside(path, folder) or leads_out(path, folder)))]
    search = launch.environment.get("PATH", os.environ.get("PATH"))
    installed = installations(launch.argv, folder, search, folder if has_own else None)
    shown += [*installed, *in_both_forms([*sandbox.shown, *elsewhere, *_script_folders(elsewhere)])]
    if filled:
        shown = [*(path for path in shown if not is_inside(path, folder)), *not_copied]
    _note_partial_folders(shown, hidden)
    return BotSandbox(program, tuple(dict.fromkeys(shown)), filled, {}, linked, hidden, variables)


def _note_partial_folders(shown: Iterable[str], hidden: Iterable[str]) -> None:
    """Print a note on each folder of which a sandbox shows only a part, as one of the `hidden` paths is below it.

    `shown` are the paths that the sandbox shows.
    """
    shown_places = [os.path.realpath(path) for path in shown]
    for folder in {above for path in hidden for above in with_folders_above(os.path.dirname(path))}:
        if any(is_inside(folder, place) for place in shown_places) and len(entry_names(folder)) > MOST_ENTRIES_SHOWN:
            message = _(
                "the player can read only a part of {folder}: a file there is hidden from the player, so at most "
                "{number} of the other entries are shown; --show PATH lets the player read PATH too"
            )
            notes.print_once(message.format(folder=printable(folder), number=MOST_ENTRIES_SHOWN))


def _is_installed(path: str) -> bool:
    """Return whether `path` is a program, such as an interpreter, that may be installed for all players."""
    return os.path.isfile(path) and os.path.basename(os.path.dirname(path)) in PROGRAM_FOLDERS


def _script_folders(named: Sequence[str]) -> list[str]:
    """Return the folders in which the script of a command looks for its modules and data files.

    `named` are the paths that the command names. The script is the first file among them that is not in a folder of
    programs such as bin. A link to a script has two folders: its own, and the folder of the file to which it leads,
    where Python looks. The home, folders that hold the home, and SYSTEM_FOLDERS are left out.
    """
    files = [path for path in named if os.path.isfile(path)]
    scripts = [path for path in files if os.path.basename(os.path.dirname(path)) not in PROGRAM_FOLDERS][:1]
    folders = dict.fromkeys(os.path.dirname(place) for path in scripts for place in (path, os.path.realpath(path)))
    return [folder for folder in folders if not holds_home(os.path.realpath(folder)) and folder not in SYSTEM_FOLDERS]


def with_live_files(records: Iterable[str]) -> list[str]:
    """Return the paths of these record files, each followed by the path of the file that lists its running games."""
    return [file for path in records for file in (path, os.path.realpath(path) + LIVE_SUFFIX)]


def _is_our_program(launch: Launch, folder: str) -> bool:
    """Return whether `launch` starts our bot, or our host of a strategy library, whose command names the library.

    `folder` is the folder in which the launch runs, with links resolved.
    """
    packages = launch.environment.get("PYTHONPATH", "").split(os.pathsep)[0]
    is_checkout_or_revision = folder == str(CHECKOUT) or is_inside(folder, os.path.realpath(cache_folder()))
    return bool(packages) and os.path.realpath(packages) == folder and is_checkout_or_revision


def holds_home(folder: str) -> bool:
    """Return whether the folder is the user's home, or holds it."""
    return is_inside(os.path.realpath(os.path.expanduser("~")), folder)


def _paths_to_hide(others: Iterable[Launch | None], folder: str, named: Sequence[str]) -> Iterator[str]:
    """Yield the paths to hide from a player: the folders of the `others`, and the files that their commands name.

    `folder` is the player's own folder, `named` are the paths that its command names. A path that is or holds one of
    these is left out, as the player uses it too.
    """
    used_by_player = [folder, *named]
    for other in filter(None, others):
        home = os.path.realpath(other.folder or os.curdir)
        paths = list(_paths_in_command(other, home))
        if not _is_our_program(other, home):
            paths += _script_folders(paths)
        if other.folder is not None:
            paths += [os.path.join(home, name) for name in other.only or (os.curdir,)]
        for path in map(os.path.realpath, paths):
            if not any(is_inside(place, path) for place in used_by_player):
                yield path


def _paths_in_command(launch: Launch, folder: str) -> Iterator[str]:
    """Yield the absolute paths of the existing files and folders that a command names.

    Folders that hold the home are left out.
    """
    for number, word in enumerate(launch.argv):
        if number == 0 and os.sep not in word:
            continue
        for part in {word, *re.split("[=:,]", word)}:  # --file=PATH, PATH:PATH
            path = os.path.join(folder, part)
            with contextlib.suppress(ValueError):  # a null byte
                if part and os.path.exists(path) and not holds_home(os.path.realpath(path)):
                    yield os.path.abspath(path)
