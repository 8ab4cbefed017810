"""Builds the command that runs a program in a sandbox of bubblewrap (bwrap 0.8 or later), and tests if one works here.

In the sandbox a bot can read the system's files but not write them. It has its own /tmp, /run, /dev and /proc, sees no
other processes, no other files and few environment variables, and has no network; the kernel refuses it some system
calls (seccomp.py). A BotSandbox lists what else it gets.
"""

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
from judge.processes.folders import QUOTA_BYTES, Contents, Copy, Filling, is_inside, look_at
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
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/gnu/store"),
    "/sys/devices/system",
)
TEMPORARY, SHARED_MEMORY, RUN = "/tmp", "/dev/shm", "/run"
OPEN_TO_ALL = ("--perms", "1777", "--size", str(QUOTA_BYTES), "--tmpfs")
# New folders in memory that the bot can write. They replace the system's, which hold sockets of other programs: a bot
# could ask such a program to act for it.
WRITABLE = (
    *(*OPEN_TO_ALL, TEMPORARY, *OPEN_TO_ALL, RUN),
    *("--dev", "/dev", *OPEN_TO_ALL, SHARED_MEMORY, "--symlink", os.path.relpath(TEMPORARY, "/var"), "/var/tmp"),
)
FOR_PROGRAMS = "/opt"  # of SYSTEM, where users have their own folders too
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
# A folder that is made last of all: once it exists, the sandbox is ready to be filled.
MARK = os.path.join(RUN, "dropfour", "ready")
# Both of bubblewrap's own processes keep their stdin, stdout and stderr open, so the bot's are passed separately, as
# descriptors 7, 8 and 9, which bubblewrap closes in its own processes. If the judge is killed, bubblewrap must not end
# by SIGPIPE, because it would leave a process that waits for it for ever: so it holds the reading ends of its pipes
# too, that of the info pipe as descriptor 6, that of its error messages by a stderr that is both ends of the pipe.
OUTSIDE = 'exec 6</proc/self/fd/"$2" 7<&0 8>&1 9>&2 </dev/null >/dev/null 2<>/proc/self/fd/"$1"; shift 2; exec "$@"'
INSIDE = 'exec "$@" <&7 >&8 2>&9 6<&- 7<&- 8>&- 9>&-'
HAS_PROGRAM = 'test -x "$1" || { echo "$1: there is no such program" >&2; exit 1; }'
OF_THE_LOADER = "LD_"  # such variables would affect bubblewrap itself, so they are set inside the sandbox
# The variables of the judge's environment that a bot gets, in addition to those made for it.
PASSED = ("PATH", "LANG", "LANGUAGE", "TZ", "TERM")
OF_LANGUAGE = "LC_"


BUBBLEWRAP, NO_WALL = "bubblewrap", "none"  # values in records


class Copies:
    """A cache of the contents of folders, and of the copies made of them, during one run. A pickled one is empty."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._contents: dict[object, Contents] = {}
        self._copies: dict[object, Copy] = {}

    def forget(self) -> None:
        """Empty the cache, so that folders are looked at and copied anew. A copy in use stays as long as it is used."""
        with self._lock:
            self._contents, self._copies = {}, {}

    def __reduce__(self) -> tuple[type["Copies"], tuple[()]]:
        return Copies, ()

    def look_at(self, folder: str, left_out: Collection[str], only: Collection[str] | None = None) -> Contents:
        """Return the result that look_at() of folders.py gave when it was first called with these arguments."""
        key = (folder, frozenset(left_out), None if only is None else frozenset(only))
        with self._lock:
            if key not in self._contents:
                self._contents[key] = look_at(folder, left_out, only)
            return self._contents[key]

    def of(self, folder: str, contents: Contents) -> Copy:
        """Return the copy of these contents of the folder, the same one in all games of a run. Raises OSError."""
        with self._lock:
            if (folder, contents) not in self._copies:
                self._copies[folder, contents] = Copy(folder, contents)
            return self._copies[folder, contents]


@dataclass(frozen=True)
class Sandbox:
    """The sandbox options: one of MODES, and files that no player may see or write.

    `shown` are paths that players may read in addition. With `keeps_writes` the files that a player writes into its own
    folder are kept after the game. `copies` is the run's cache of folders.
    """

    mode: str = AUTO
    protected: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    keeps_writes: bool = False
    copies: Copies = field(default_factory=Copies, compare=False, repr=False)

    @property
    def availability(self) -> "Availability":
        """The sandbox program of the games, or the reason why they have none."""
        return Availability(None, SANDBOX_TURNED_OFF) if self.mode == OFF else find()

    def as_json(self) -> dict[str, str]:
        """Return the record's fields on the sandbox."""
        found = self.availability
        return {"sandbox": BUBBLEWRAP} if found.program else {"sandbox": NO_WALL, "no_sandbox": as_data(found.why_not)}

    def copy_of(self, folder: str, only: Collection[str] | None = None) -> Copy | None:
        """Return the copy of a player's own folder; None if it is too large, or cannot be copied completely.

        only: the names in it that belong to the player, None for all.
        """
        contents = self.copies.look_at(folder, self.protected, only)
        if not contents.can_be_copied:
            return None
        try:
            return self.copies.of(folder, contents)
        except OSError:
            return None


@dataclass(frozen=True)
class BotSandbox:
    """The contents of a sandbox in addition to the system's files, by absolute paths.

    `program` is bubblewrap's path. `shown` lists files and folders that can be read. `filled` maps folders to their
    Filling; they lie in memory and can be written. `writable` maps folders to the folder mounted in their place (the
    same one or another). `linked` maps folders to relative paths of their subfolders: in the sandbox, the folder and
    these subfolders are temporary and writable, and hold links to the original entries. `hidden` are folders of the
    system that are empty in the sandbox but for what is `shown`. `variables` are environment variables set in the
    sandbox.
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
        """Return (the command line that runs argv in the sandbox, the environment for that command line).

        argv gets the environment `variables`, and runs in `folder`.
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
        """Return the command line that runs a program of the system in the sandbox; nothing can be `filled` in it.

        refused: a descriptor from seccomp.descriptor(), which the caller passes on to the command.
        """
        of_filter = [] if refused is None else ["--seccomp", str(refused)]
        return [self.program, *BARE, *self.contents(folder), "--chdir", folder, *of_filter, "--", *argv]

    def why_not_entered(self, folder: str, program: str) -> str:
        """Return why the folder cannot be entered in the sandbox, or why the program is not there; "" if all is well.

        The program is not checked if it is a name to be looked up on PATH, or if folders are `filled` later, which may
        hold it.
        """
        is_looked_for = os.sep in program and not self.filled
        script = [HAS_PROGRAM, SHELL, program] if is_looked_for else [":"]
        return _failure_of(self.plain_command([SHELL, "-c", *script], folder))

    def contents(self, folder: str) -> list[str]:
        """Return bubblewrap's options for all that is in the sandbox; the folder exists there in any case."""
        words = {
            **{
                path: ["--symlink", os.readlink(path), path] if os.path.islink(path) else ["--ro-bind", path, path]
                for path in self._visible()
            },
            **{place: ["--size", str(QUOTA_BYTES), "--tmpfs", place] for place in (*self.hidden, *self.filled)},
            **{place: ["--bind", source, place] for place, source in self.writable.items()},
        }
        above_first = sorted(words, key=lambda path: path.split(os.sep))
        return [
            *(*system(), *WRITABLE, *(word for path in above_first for word in words[path])),
            *(*self._links(), "--dir", folder, *(("--dir", MARK) if self.filled else ())),
            *(word for place in self.hidden if place not in self.filled for word in ("--remount-ro", place)),
            *ROOT_IS_READ_ONLY,
        ]

    def _visible(self) -> list[str]:
        """Return the existing paths of `shown` that are not visible anyway, in the system or in another such path."""
        apart = {*self.filled, *self.writable, *self.hidden}
        shown = [place for place in SYSTEM if not os.path.islink(place)]
        linked = [place for place in SYSTEM if os.path.islink(place)]  # such as /bin, which leads into /usr
        kept = [*shown, *(place for place in linked if any(is_inside(os.path.realpath(place), to) for to in shown))]
        found: list[str] = []
        for path in sorted(set(self.shown) - apart - NOT_SHOWN, key=lambda path: path.split(os.sep)):
            nearest = max((place for place in (*kept, *apart) if is_inside(path, place)), key=len, default=None)
            is_visible = nearest is not None and nearest not in apart
            is_of_kernel = any(is_inside(path, place) for place in OF_KERNEL) and not is_inside(path, SHARED_MEMORY)
            if not is_visible and not is_of_kernel and os.path.lexists(path):
                kept.append(path)
                found.append(path)
        return found

    def _links(self) -> list[str]:
        words = []
        for number, (root, below) in enumerate(self.linked.items()):
            original = os.path.join(RUN, "dropfour", str(number))
            words += ["--ro-bind", root, original, "--size", str(QUOTA_BYTES), "--tmpfs", root]
            folders = {"", *below}
            for folder in sorted(folders):
                for name in sorted(os.listdir(os.path.join(root, folder))):
                    path = os.path.join(folder, name)
                    if path not in folders:
                        words += ["--symlink", os.path.join(original, path), os.path.join(root, path)]
        return words


@dataclass(frozen=True)
class Descriptors:
    """File descriptors for bubblewrap.

    It writes its child's process id to `info`, waits for a byte on `block`, reads the program of seccomp.py from
    `filter` (None: there is no program), and writes error messages to `words_of_bubblewrap`.
    """

    info: int
    block: int
    filter: int | None
    words_of_bubblewrap: int

    def words(self) -> list[str]:
        """Return bubblewrap's options for the descriptors; --sync-fd keeps the bot from inheriting the last one."""
        return [
            *("--info-fd", str(self.info)),
            *("--block-fd", str(self.block)),
            *(() if self.filter is None else ("--seccomp", str(self.filter))),
            *("--sync-fd", str(self.words_of_bubblewrap)),
        ]


@dataclass(frozen=True)
class Availability:
    """The path of a working bubblewrap, or None and the reason as a recorded() message."""

    program: str | None
    why_not: str = ""


@functools.cache
def find() -> Availability:
    """Find bubblewrap and test it; the result is cached."""
    if not sys.platform.startswith("linux"):
        return Availability(None, SANDBOX_NOT_ON_LINUX)
    program = shutil.which(PROGRAM)
    if program is None:
        return Availability(None, SANDBOX_NOT_INSTALLED)
    why_not = _try(os.path.abspath(program))
    return Availability(None if why_not else os.path.abspath(program), why_not)


def _try(program: str) -> str:
    """Return why bubblewrap cannot make a sandbox, as a recorded() message; "" if it can."""
    words = [program, *BARE, *system(), *WRITABLE, *ROOT_IS_READ_ONLY]
    refused = seccomp.descriptor()
    if refused is None:
        said = _failure_of([*words, "--", SHELL, "-c", ":"])
    else:
        try:
            said = _failure_of([*words, "--seccomp", str(refused), "--", SHELL, "-c", ":"], [refused])
        finally:
            os.close(refused)
    return SANDBOX_REFUSED.format(words=said) if said else ""


def _failure_of(words: Sequence[str], passed: Sequence[int] = ()) -> str:
    """Run a command, which gets the descriptors `passed`; return "" if it succeeds.

    If it fails, return its stderr, or a sentence with its status if that is empty.
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
    """Return those of the judge's environment `variables` that a bot gets in a sandbox."""
    return {name: value for name, value in variables.items() if name in PASSED or name.startswith(OF_LANGUAGE)}


@functools.cache
def _own_session() -> list[str]:
    """Return the words to put before a command so that it gets a session of its own.

    In the session of the namespace's first process, a bot could send signals to the group of that process, and the
    judge could not send any to the bot's group alone.
    """
    program = shutil.which(OWN_SESSION)
    return [] if program is None else [os.path.abspath(program), "--"]


def system() -> list[str]:
    """Return bubblewrap's options that show the existing folders and links of SYSTEM."""
    words = []
    for path in SYSTEM:
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            words += ["--ro-bind", path, path]
    return words
