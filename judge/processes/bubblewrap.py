"""Builds the command that runs a program in a sandbox of bubblewrap, and tests if a sandbox can be made here.

bubblewrap is bwrap 0.8 or later. In the sandbox a bot can read the system's files but not write them. It has its own
/tmp, /run, /dev and /proc. It sees no other processes, no other files and few environment variables, and has no
network. The kernel refuses it some system calls (seccomp.py). A BotSandbox lists what else the bot can see.
"""

import contextlib
import functools
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from judge.language import as_data
from judge.processes import seccomp
from judge.processes.folders import QUOTA_BYTES, Contents, Copy, Filling, is_inside, look_at, with_folders_above
from judge.reasons import (
    ENDS_WITH_STATUS,
    SANDBOX_NOT_INSTALLED,
    SANDBOX_NOT_ON_LINUX,
    SANDBOX_REFUSED,
    SANDBOX_TURNED_OFF,
)

AUTO, ON, OFF = "auto", "on", "off"
MODES = (AUTO, ON, OFF)
PROGRAM = "bwrap"
SHELL = "/bin/sh"
OWN_SESSION = "setsid"  # of util-linux
TRIAL_LIMIT_S = 20.0
# The parts of the file system that are in every sandbox, read-only, as far as they exist. Links stay links.
SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/nix/store", "/gnu/store"),
    "/sys/devices/system",
)
FOR_PROGRAMS = "/opt"  # users may have folders here, so root's entries alone are in every sandbox
ROOT = 0
TEMPORARY, SHARED_MEMORY, RUN = "/tmp", "/dev/shm", "/run"
OPEN_TO_ALL = ("--perms", "1777", "--size", str(QUOTA_BYTES), "--tmpfs")
# New folders in memory that the bot can write. They replace the system's folders, which hold sockets of other programs:
# a bot could ask such a program to act for it.
WRITABLE = (
    *(*OPEN_TO_ALL, TEMPORARY, *OPEN_TO_ALL, RUN),
    *("--dev", "/dev", *OPEN_TO_ALL, SHARED_MEMORY, "--symlink", os.path.relpath(TEMPORARY, "/var"), "/var/tmp"),
)
OF_KERNEL = ("/dev", "/proc", "/sys")
NOT_SHOWN = {"/", TEMPORARY, RUN, SHARED_MEMORY}  # never shown as a whole
# If root runs the judge, the bot is root in the sandbox too. Without capabilities it cannot change the mounts, and with
# a read-only /proc it cannot change the kernel's settings.
BARE = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts"),
    *("--new-session", "--die-with-parent", "--cap-drop", "ALL"),
    *("--proc", "/proc", "--remount-ro", "/proc"),
)
ROOT_IS_READ_ONLY = ("--remount-ro", "/")  # must come last: bubblewrap makes the folders that it mounts on
# bubblewrap makes this folder last. Once it exists, the sandbox is ready to be filled.
MARK = os.path.join(RUN, "dropfour", "ready")
# Both of bubblewrap's own processes keep their stdin, stdout and stderr open, so the bot's are passed separately, as
# descriptors 7, 8 and 9, which bubblewrap closes in its own processes. If the judge is killed, bubblewrap must not end
# by SIGPIPE, because it would leave a process that waits for it for ever. So bubblewrap holds the reading ends of its
# pipes too: descriptor 6 is that end of the info pipe, and its stderr is both ends of the pipe for error messages.
OUTSIDE = 'exec 6</proc/self/fd/"$2" 7<&0 8>&1 9>&2 </dev/null >/dev/null 2<>/proc/self/fd/"$1"; shift 2; exec "$@"'
INSIDE = 'exec "$@" <&7 >&8 2>&9 6<&- 7<&- 8>&- 9>&-'
HAS_PROGRAM = 'test -x "$1" || { echo "$1: there is no such program" >&2; exit 1; }'
OF_THE_LOADER = "LD_"  # such variables would affect bubblewrap itself, so they are set inside the sandbox
# The variables of the judge's environment that a bot gets, in addition to those made for it.
PASSED = ("PATH", "LANG", "LANGUAGE", "TZ", "TERM")
OF_LANGUAGE = "LC_"


BUBBLEWRAP, NO_WALL = "bubblewrap", "none"  # values in records


class Copies:
    """A cache of the contents of folders, and of the copies made of them, during one run.

    When it is pickled and loaded again, it is empty.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._contents: dict[object, Contents] = {}
        self._copies: dict[object, Copy | OSError] = {}

    def forget(self) -> None:
        """Empty the cache, so that folders are looked at and copied again.

        A copy that is in use exists as long as it is used.
        """
        with self._lock:
            self._contents, self._copies = {}, {}

    def __reduce__(self) -> tuple[type["Copies"], tuple[()]]:
        return Copies, ()

    def look_at(self, folder: str, left_out: Collection[str], only: Collection[str] | None = None) -> Contents:
        """Return the Contents of a folder. The arguments are those of look_at() in folders.py.

        The folder is looked at only once: further calls with the same arguments return the first result.
        """
        key = (folder, frozenset(left_out), None if only is None else frozenset(only))
        with self._lock:
            if key not in self._contents:
                self._contents[key] = look_at(folder, left_out, only)
            return self._contents[key]

    def of(self, folder: str, contents: Contents) -> Copy | OSError:
        """Return the copy of these contents of the folder, or why it cannot be made.

        All games of a run get the same copy. One that cannot be made is tried once.
        """
        with self._lock:
            if (folder, contents) not in self._copies:
                try:
                    self._copies[folder, contents] = Copy(folder, contents)
                except OSError as error:
                    self._copies[folder, contents] = error.with_traceback(None)  # which keeps the unfinished copy
            return self._copies[folder, contents]


@dataclass(frozen=True)
class Sandbox:
    """The sandbox options of a run.

    `mode` is one of MODES. `protected` are files that no player may see or write. `shown` are additional paths that
    players may read. With `keeps_writes` the files that a player writes into its own folder are kept after the game.
    `copies` is the run's cache of folders.
    """

    mode: str = AUTO
    protected: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    keeps_writes: bool = False
    copies: Copies = field(default_factory=Copies, compare=False, repr=False)

    @property
    def availability(self) -> "Availability":
        """The path of the sandbox program for the games, or the reason why the games have no sandboxes."""
        return Availability(None, SANDBOX_TURNED_OFF) if self.mode == OFF else find()

    def as_json(self) -> dict[str, str]:
        """Return the record's fields on the sandbox."""
        found = self.availability
        return {"sandbox": BUBBLEWRAP} if found.program else {"sandbox": NO_WALL, "no_sandbox": as_data(found.why_not)}

    def copy_of(self, folder: str, only: Collection[str] | None = None) -> Copy | OSError | None:
        """Return the copy of a player's own folder; None if the folder is too large, else why it cannot be copied.

        `only` are the names of the entries in the folder that belong to the player, None for all entries.
        """
        contents = self.copies.look_at(folder, self.protected, only)
        return self.copies.of(folder, contents) if contents.can_be_copied else None


@dataclass(frozen=True)
class BotSandbox:
    """The contents of a sandbox in addition to the system's files. All paths are absolute.

    `program` is bubblewrap's path. `shown` lists files and folders that can be read. `filled` maps folders to their
    Filling; these folders lie in memory and can be written. `writable` maps folders in the sandbox to the folders that
    are mounted there, which may be the same ones. `linked` maps folders to relative paths of their subfolders: in the
    sandbox, the folder and these subfolders are temporary and writable, and hold links to the original entries. An
    entry of FOR_PROGRAMS that is or holds a path of `hidden` is not shown with the system. `variables` are environment
    variables that are set in the sandbox.
    """

    program: str
    shown: tuple[str, ...] = ()
    filled: dict[str, Filling] = field(default_factory=dict)
    writable: dict[str, str] = field(default_factory=dict)
    linked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)

    def command(
        self, argv: Sequence[str], variables: dict[str, str], folder: str, descriptors: "Descriptors"
    ) -> tuple[list[str], dict[str, str]]:
        """Return (the command line that runs `argv` in the sandbox, the environment for that command line).

        In the sandbox `argv` gets the environment variables `variables`, and runs in `folder`. `descriptors` are open
        descriptors that the caller passes to the command line.
        """
        inside = {**variables, **self.variables}
        outside = {name: value for name, value in inside.items() if not name.startswith(OF_THE_LOADER)}
        settings = [
            word for name in inside if name.startswith(OF_THE_LOADER) for word in ("--setenv", name, inside[name])
        ]
        words = [
            *(self.program, *BARE, *self.contents(folder), "--chdir", folder, *descriptors.words(), *settings),
            *("--", SHELL, "-c", INSIDE, SHELL, *_own_session(), *argv),
        ]
        passed = (str(descriptors.words_of_bubblewrap), str(descriptors.info))
        return [SHELL, "-c", OUTSIDE, SHELL, *passed, *words], outside

    def plain_command(self, argv: Sequence[str], folder: str, refused: int | None = None) -> list[str]:
        """Return the command line that runs a program of the system in the sandbox, in `folder`.

        The folders in `filled` stay empty. `refused` is a descriptor from seccomp.descriptor(), which the caller passes
        on to the command; without it no system call is refused.
        """
        of_filter = [] if refused is None else ["--seccomp", str(refused)]
        return [self.program, *BARE, *self.contents(folder), "--chdir", folder, *of_filter, "--", *argv]

    def why_not_entered(self, folder: str, program: str) -> str:
        """Return why the folder cannot be entered in the sandbox or lacks the program; "" if all is well.

        `program` is a path or a name. It is not checked if it is a name to be looked up on PATH, or if the sandbox has
        folders that are `filled` later, as they may hold it.
        """
        is_looked_for = os.sep in program and not self.filled
        script = [HAS_PROGRAM, SHELL, program] if is_looked_for else [":"]
        return _failure_of(self.plain_command([SHELL, "-c", *script], folder))

    def contents(self, folder: str) -> list[str]:
        """Return bubblewrap's options for all that is in the sandbox. They make `folder` if nothing else does.

        A path that vanishes before bubblewrap mounts it is left out, except `folder` and the folders that hold it.
        """
        words = {
            **{path: _as_it_is(path, is_needed=is_inside(folder, path)) for path in self._visible()},
            **{place: ["--size", str(QUOTA_BYTES), "--tmpfs", place] for place in self.filled},
            **{place: ["--bind", source, place] for place, source in self.writable.items()},
        }
        above_first = sorted(words, key=lambda path: path.split(os.sep))
        return [
            *(*WRITABLE, *(word for path in above_first for word in words[path])),
            *(*self._links(), "--dir", folder, *(("--dir", MARK) if self.filled else ()), *ROOT_IS_READ_ONLY),
        ]

    def _visible(self) -> list[str]:
        """Return the existing paths of the system and of `shown` that no other option makes visible.

        A path below another returned path is not returned: it is there already, or is reached through that path if that
        is a link.
        """
        apart = {*self.filled, *self.writable}
        system = [path for path in _system(self.hidden) if not any(is_inside(path, place) for place in apart)]
        found: dict[str, None] = {}
        for path in sorted({*system, *self.shown} - apart - NOT_SHOWN, key=lambda path: path.split(os.sep)):
            # One step for each folder above, not for each path: a hostile folder may have thousands to show.
            nearest = next((place for place in with_folders_above(path) if place in found or place in apart), None)
            is_visible = nearest is not None and nearest not in apart
            is_of_kernel = any(is_inside(path, place) for place in OF_KERNEL) and not is_inside(path, SHARED_MEMORY)
            if not is_visible and (path in SYSTEM or not is_of_kernel) and os.path.lexists(path):
                found[path] = None
        return list(found)

    def _links(self) -> list[str]:
        words = []
        for number, (root, below) in enumerate(self.linked.items()):
            original = os.path.join(RUN, "dropfour", str(number))
            words += ["--ro-bind-try", root, original, "--size", str(QUOTA_BYTES), "--tmpfs", root]
            folders = {"", *below}
            for folder in sorted(folders):
                for name in _names(os.path.join(root, folder)):
                    path = os.path.join(folder, name)
                    if path not in folders:
                        words += ["--symlink", os.path.join(original, path), os.path.join(root, path)]
        return words


@dataclass(frozen=True)
class Descriptors:
    """File descriptors for bubblewrap.

    bubblewrap writes its child's process id to `info`, and waits for a byte on `block`. It reads the program of
    seccomp.py from `filter` (None: there is no program), and writes error messages to `words_of_bubblewrap`.
    """

    info: int
    block: int
    filter: int | None
    words_of_bubblewrap: int

    def words(self) -> list[str]:
        """Return bubblewrap's options for the descriptors.

        The option --sync-fd keeps the bot from inheriting `words_of_bubblewrap`.
        """
        return [
            *("--info-fd", str(self.info)),
            *("--block-fd", str(self.block)),
            *(() if self.filter is None else ("--seccomp", str(self.filter))),
            *("--sync-fd", str(self.words_of_bubblewrap)),
        ]


@dataclass(frozen=True)
class Availability:
    """The path of a working bubblewrap; or None, and the reason as a recorded() message in `why_not`."""

    program: str | None
    why_not: str = ""


@functools.cache
def find() -> Availability:
    """Find bubblewrap, test it, and return its Availability. The result is cached."""
    if not sys.platform.startswith("linux"):
        return Availability(None, SANDBOX_NOT_ON_LINUX)
    program = shutil.which(PROGRAM)
    if program is None:
        return Availability(None, SANDBOX_NOT_INSTALLED)
    why_not = _try(os.path.abspath(program))
    return Availability(None if why_not else os.path.abspath(program), why_not)


def _try(program: str) -> str:
    """Return why bubblewrap cannot make a sandbox, as a recorded() message; "" if it can."""
    sandbox, argv = BotSandbox(program), [SHELL, "-c", ":"]
    refused = seccomp.descriptor()
    if refused is None:
        said = _failure_of(sandbox.plain_command(argv, "/"))
    else:
        try:
            said = _failure_of(sandbox.plain_command(argv, "/", refused), [refused])
        finally:
            os.close(refused)
    return SANDBOX_REFUSED.format(words=said) if said else ""


def _failure_of(words: Sequence[str], passed: Sequence[int] = ()) -> str:
    """Run a command, which gets the descriptors `passed`. Return "" if it succeeds.

    If the command fails, return its stderr, or a sentence with its exit status if its stderr is empty.
    """
    try:
        done = subprocess.run(
            words,
            pass_fds=passed,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TRIAL_LIMIT_S,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return str(error)
    return (" ".join(done.stderr.split()) or ENDS_WITH_STATUS.format(status=done.returncode)) if done.returncode else ""


def passed_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the part of the judge's environment `variables` that a bot gets in a sandbox."""
    return {name: value for name, value in variables.items() if name in PASSED or name.startswith(OF_LANGUAGE)}


@functools.cache
def _own_session() -> list[str]:
    """Return the words that, put before a command, give it a session of its own.

    If the bot were in the session of the namespace's first process, it could send signals to the group of that process,
    and the judge could not send a signal to the group of the bot alone. Return [] if the program setsid is not
    installed.
    """
    program = shutil.which(OWN_SESSION)
    return [] if program is None else [os.path.abspath(program), "--"]


def _system(hidden: Collection[str]) -> list[str]:
    """Return the paths of SYSTEM, and the entries of FOR_PROGRAMS that belong to root and hold no path of `hidden`.

    If FOR_PROGRAMS is a link, return it instead of its entries.
    """
    if os.path.islink(FOR_PROGRAMS):
        return [*SYSTEM, FOR_PROGRAMS]
    entries = [os.path.join(FOR_PROGRAMS, name) for name in _names(FOR_PROGRAMS)]
    kept = [path for path in entries if _is_of_root(path) and not any(is_inside(place, path) for place in hidden)]
    return [*SYSTEM, *kept]


def _is_of_root(path: str) -> bool:
    with contextlib.suppress(OSError):
        return os.lstat(path).st_uid == ROOT
    return False


def _names(folder: str) -> list[str]:
    """Return the sorted names of a folder's entries, [] if it cannot be read."""
    with contextlib.suppress(OSError):
        return sorted(os.listdir(folder))
    return []


def _as_it_is(path: str, is_needed: bool) -> list[str]:
    """Return bubblewrap's options that show a path read-only, a link as a link.

    If the path has vanished when bubblewrap mounts it, bubblewrap fails if the path `is_needed`, else leaves it out.
    """
    try:
        return ["--symlink", os.readlink(path), path]
    except OSError:  # it is no link, or has vanished
        return ["--ro-bind" if is_needed else "--ro-bind-try", path, path]
