"""Starts bots in sandboxes of bubblewrap (bwrap 0.8 or later), and tests if a sandbox can be made here.

In the sandbox a bot can read the system's files but not write them. It has its own /tmp, /run, /dev and /proc. It sees
no other processes, no other files and few environment variables, and has no network. A BotSandbox lists what else the
bot can see.

bubblewrap has two processes of its own: the outer one, whose parent is the keeper, and the first process of the bot's
namespace, which starts the bot and reaps orphans there. With the first one all others in the namespace end.
"""

import contextlib
import fcntl
import functools
import json
import os
import re
import resource
import select
import shutil
import struct
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from judge.language import as_data
from judge.processes.folders import QUOTA_BYTES, Copy, Filling, is_inside, read_contents, with_folders_above
from judge.processes.start import (
    CannotStart,
    JudgeFailure,
    KeeperConnection,
    as_bytes,
    await_input,
    own_environment,
    start_errno,
    take_keeper,
)
from judge.processes.usage import stat_fields
from judge.reasons import (
    ENDS_WITH_STATUS,
    SANDBOX_FAILED,
    SANDBOX_NOT_INSTALLED,
    SANDBOX_NOT_ON_LINUX,
    SANDBOX_REFUSED,
    SANDBOX_TOO_SLOW,
    SANDBOX_TURNED_OFF,
    WRONG_COMMAND,
)

AUTO, ON, OFF = "auto", "on", "off"
MODES = (AUTO, ON, OFF)
SHELL = "/bin/sh"
# The parts of the file system that are in every sandbox, read-only, as far as they exist. Links stay links.
SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/gnu/store"),
    "/sys/devices/system",
)
TEMPORARY, SHARED_MEMORY, RUN = "/tmp", "/dev/shm", "/run"
# Options that make a folder in memory which all users can write; the folder's path follows.
OPEN_FOLDER = ("--perms", "1777", "--size", str(QUOTA_BYTES), "--tmpfs")
# New folders in memory that the bot can write. They replace the system's folders, which hold sockets of other programs:
# a bot could ask such a program to act for it.
WRITABLE_FOLDERS = (
    *(*OPEN_FOLDER, TEMPORARY, *OPEN_FOLDER, RUN),
    *("--dev", "/dev", *OPEN_FOLDER, SHARED_MEMORY, "--symlink", os.path.relpath(TEMPORARY, "/var"), "/var/tmp"),
)
# If root runs the judge, the bot is root in the sandbox too. Without capabilities it cannot change the mounts, and with
# a read-only /proc it cannot change the kernel's settings.
ISOLATION = (
    *("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
    *("--proc", "/proc", "--remount-ro", "/proc"),
)
NO_USER_NAMESPACES = ("--unshare-user", "--disable-userns")  # where this bubblewrap and kernel can
# bubblewrap makes this folder last. Once it exists, the sandbox is ready to be filled.
READY_FOLDER = os.path.join(RUN, "dropfour", "ready")
SHELL_ERROR_START = b"dropfour: "  # begins the messages of the shell that starts the bot in its sandbox
# The variables of the judge's environment that a bot gets, besides LC_* and those made for it.
PASSED_VARIABLES = ("PATH", "LANG", "LANGUAGE", "TZ", "TERM")
INFO, BLOCK = 11, 12  # descriptors: bubblewrap writes its child's process id to INFO, and waits for a byte on BLOCK
# The most entries of a folder that are shown one by one. bubblewrap takes 9,000 words, three for each, and the time
# that it takes grows with their square.
MOST_ENTRIES_SHOWN = 200
MOST_THREADS = 512  # of all processes of a bot together
SET_UP_LIMIT_S = 20.0  # setting up a sandbox takes a few milliseconds
READ_BYTES = 4096

BUBBLEWRAP, NO_SANDBOX = "bubblewrap", "none"  # values in records


class Copies:
    """The copies of folders that were made during one run. When it is pickled and loaded again, it is empty."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._results: dict[object, Copy | OSError] = {}

    def forget(self) -> None:
        """Forget all copies, so that folders are read and copied anew. A copy in use exists as long as it is used."""
        with self._lock:
            self._results = {}

    def __reduce__(self) -> tuple[type["Copies"], tuple[()]]:
        return Copies, ()

    def copy_of(self, folder: str, left_out: Collection[str], only: Collection[str] | None = None) -> Copy | OSError:
        """Return the copy of a folder, or the OSError that prevented it. The arguments are those of read_contents().

        The result is cached for all games of a run. Calls that find the same contents in a folder share one copy.
        """
        key = (folder, frozenset(left_out), None if only is None else frozenset(only))
        with self._lock:
            if key not in self._results:
                try:
                    contents = read_contents(folder, left_out, only)
                    if (folder, contents) not in self._results:
                        self._results[folder, contents] = Copy(folder, contents)
                    self._results[key] = self._results[folder, contents]
                except OSError as error:
                    self._results[key] = error.with_traceback(None)  # a traceback would keep the unfinished copy alive
            return self._results[key]


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
        return Availability(None, SANDBOX_TURNED_OFF) if self.mode == OFF else find_bubblewrap()

    def as_json(self) -> dict[str, str]:
        """Return a record's fields "sandbox" and, if the games have no sandboxes, "no_sandbox" with the reason."""
        program, why_not = self.availability.program, self.availability.why_not
        return {"sandbox": BUBBLEWRAP} if program else {"sandbox": NO_SANDBOX, "no_sandbox": as_data(why_not)}

    def copy_of(self, folder: str, only: Collection[str] | None = None) -> Copy | OSError:
        """Return the copy of a player's own folder, or the OSError that says why it cannot be copied.

        `only` are the names of the entries in the folder that belong to the player, None for all entries.
        """
        return self.copies.copy_of(folder, self.protected, only)


@dataclass(frozen=True)
class BotSandbox:
    """The contents of a sandbox in addition to the system's files. All paths are absolute.

    `program` is bubblewrap's path. `shown` lists files and folders that can be read. `hidden` are paths with links
    resolved that are left out of these and of the system's folders. `filled` maps folders to their Filling; these
    folders lie in memory and can be written. `writable` maps folders in the sandbox to the folders that are mounted
    there. `linked` maps folders to relative paths of their subfolders: in the sandbox, the folder and these subfolders
    are temporary and writable, and hold links to the original entries. `variables` are environment variables that are
    set in the sandbox.
    """

    program: str
    shown: tuple[str, ...] = ()
    filled: dict[str, Filling] = field(default_factory=dict)
    writable: dict[str, str] = field(default_factory=dict)
    linked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)

    def command(self, argv: Sequence[str], folder: str, options: Sequence[str] = ()) -> list[str]:
        """Return the command line that runs `argv` in `folder` of the sandbox.

        `options` are more options for bubblewrap. The folders in `filled` are empty at first.
        """
        bubblewrap = [self.program, *ISOLATION, *_user_namespace_options(self.program), *self.content_options(folder)]
        return [*bubblewrap, "--chdir", folder, *options, "--", *argv]

    def why_not_entered(self, folder: str, program: str) -> str:
        """Return why the sandbox cannot enter the folder or lacks the program, "" if it can start the program there.

        `program` is a path or a name. Only the folder is checked if the program is a name to be looked up on PATH, or
        if the sandbox has folders that are `filled` later, as they may hold the program.
        """
        is_checked = os.sep in program and not self.filled
        check = 'test -x "$1" || { echo "$1: there is no such program" >&2; exit 1; }'
        script = [check, SHELL, program] if is_checked else [":"]
        return _error_of_command(self.command([SHELL, "-c", *script], folder))

    def content_options(self, folder: str) -> list[str]:
        """Return bubblewrap's options that put files and folders into the sandbox. They make `folder` if it is missing.

        If a path vanishes before bubblewrap mounts it, it is left out, except `folder` and the folders that hold it.
        """
        options = {
            **{path: _read_only_options(path, is_needed=is_inside(folder, path)) for path in self._visible_paths()},
            **{place: ["--size", str(QUOTA_BYTES), "--tmpfs", place] for place in self.filled},
            **{place: ["--bind", source, place] for place, source in self.writable.items()},
        }
        parents_first = sorted(options, key=lambda path: path.split(os.sep))
        return [
            *(*WRITABLE_FOLDERS, *(option for path in parents_first for option in options[path])),
            *(*self._link_options(), "--dir", folder, *(("--dir", READY_FOLDER) if self.filled else ())),
            *("--remount-ro", "/"),  # comes last: bubblewrap makes the folders that it mounts on
        ]

    def _visible_paths(self) -> list[str]:
        """Return the existing paths to mount read-only: those of SYSTEM and of `shown`, without the `hidden` ones.

        A path below a returned one is left out, as it is visible already. So is what lies below a folder in `filled` or
        `writable`, unless `shown` names it.
        """
        mounted = {*self.filled, *self.writable}
        never_as_a_whole = {"/", TEMPORARY, RUN, SHARED_MEMORY}
        system = [path for path in SYSTEM if not any(is_inside(path, place) for place in mounted)]
        visible: dict[str, None] = {}
        for path in sorted({*system, *self.shown} - mounted - never_as_a_whole, key=lambda path: path.split(os.sep)):
            nearest = next((place for place in with_folders_above(path) if place in visible or place in mounted), None)
            is_of_kernel = any(is_inside(path, place) for place in ("/dev", "/proc", "/sys")) and not is_inside(
                path, SHARED_MEMORY
            )
            if nearest in visible or (is_of_kernel and path not in SYSTEM) or not os.path.lexists(path):
                continue
            is_named = any(is_inside(path, place) for place in mounted)  # `shown` names a path in such a folder
            for part in _parts_without(path, self.hidden):
                if is_named or not any(is_inside(part, place) for place in mounted):
                    visible[part] = None
        return list(visible)

    def _link_options(self) -> list[str]:
        """Return bubblewrap's options that make the folders in `linked`, with links to the original entries."""
        options = []
        for number, (root, subfolders) in enumerate(self.linked.items()):
            original = os.path.join(RUN, "dropfour", str(number))
            options += ["--ro-bind-try", root, original, "--size", str(QUOTA_BYTES), "--tmpfs", root]
            folders = {"", *subfolders}
            for folder in sorted(folders):
                for name in entry_names(os.path.join(root, folder)):
                    path = os.path.join(folder, name)
                    if path not in folders:
                        options += ["--symlink", os.path.join(original, path), os.path.join(root, path)]
        return options


@dataclass(frozen=True)
class Availability:
    """The path of a working bubblewrap; or None, and the reason as a recorded() message in `why_not`."""

    program: str | None
    why_not: str = ""


@functools.cache
def find_bubblewrap() -> Availability:
    """Return the Availability of bubblewrap, which is started once as a test. The result is cached."""
    if not sys.platform.startswith("linux"):
        return Availability(None, SANDBOX_NOT_ON_LINUX)
    program = shutil.which("bwrap")
    if program is None:
        return Availability(None, SANDBOX_NOT_INSTALLED)
    path = os.path.abspath(program)
    error = _error_of_command(BotSandbox(path).command([SHELL, "-c", ":"], "/"))
    return Availability(None, SANDBOX_REFUSED.format(words=error)) if error else Availability(path)


@functools.cache
def _user_namespace_options(program: str) -> tuple[str, ...]:
    """Return NO_USER_NAMESPACES if this bubblewrap and this kernel accept these options, else ()."""
    command = [program, *ISOLATION, *NO_USER_NAMESPACES, "--ro-bind", "/", "/", "--", SHELL, "-c", ":"]
    return () if _error_of_command(command) else NO_USER_NAMESPACES


def _error_of_command(command: Sequence[str]) -> str:
    """Run a command. Return "" if it succeeds, else its stderr, or a sentence with its exit status if that is empty.

    If the command cannot be started, or still runs after SET_UP_LIMIT_S, return a sentence which says so. It runs below
    a keeper: bubblewrap's first process ends after the outer one, and would stay a zombie of the judge.
    """
    try:
        with open(os.devnull, "r+b") as nothing, tempfile.TemporaryFile() as stderr:
            keeper = take_keeper()
            try:
                streams = {0: nothing.fileno(), 1: nothing.fileno(), 2: stderr.fileno()}
                keeper.start(command, own_environment(), "/", streams)
                if not keeper.has_ended(SET_UP_LIMIT_S):
                    return SANDBOX_TOO_SLOW.format(limit=f"{SET_UP_LIMIT_S:g}")
            finally:
                keeper.end()
            stderr.seek(0)
            message = " ".join(stderr.read().decode("utf-8", "replace").split())
    except (OSError, CannotStart, JudgeFailure) as error:
        return str(error)
    return (message or ENDS_WITH_STATUS.format(status=keeper.status)) if keeper.status else ""


def passed_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the judge's environment, `variables`, that a bot gets in a sandbox."""
    return {name: value for name, value in variables.items() if name in PASSED_VARIABLES or name.startswith("LC_")}


def _parts_without(path: str, hidden: Collection[str]) -> Iterator[str]:
    """Yield paths that together show the file or folder `path` without the paths in `hidden`.

    This is `path` itself if nothing in it is hidden. Of a folder that holds a hidden path, the first MOST_ENTRIES_SHOWN
    entries are shown one by one, so entries that appear there later are not shown.
    """
    real = os.path.realpath(path)
    if real in hidden:
        return
    if any(is_inside(place, real) for place in hidden) and not os.path.islink(path):
        for name in entry_names(path)[:MOST_ENTRIES_SHOWN]:
            yield from _parts_without(os.path.join(path, name), hidden)
    else:
        yield path


def entry_names(folder: str) -> list[str]:
    """Return the sorted names of a folder's entries, [] if it cannot be read."""
    with contextlib.suppress(OSError):
        return sorted(os.listdir(folder))
    return []


def _read_only_options(path: str, is_needed: bool) -> list[str]:
    """Return bubblewrap's options that show a path read-only. A link is shown as a link.

    If the path has vanished when bubblewrap mounts it, bubblewrap fails if `is_needed`, else it leaves the path out.
    """
    try:
        return ["--symlink", os.readlink(path), path]
    except OSError:  # it is no link, or has vanished
        return ["--ro-bind" if is_needed else "--ro-bind-try", path, path]


def resource_limits() -> dict[int, int]:
    """Return {resource of setrlimit(2): limit} for each process of a bot in a sandbox."""
    limits = {
        # A byte is too small for a core file; with 0 the kernel would still start a program named by core_pattern.
        resource.RLIMIT_CORE: 1,
        resource.RLIMIT_FSIZE: 10**9,
        resource.RLIMIT_NOFILE: 4096,
    }
    version = tuple(int(number) for number in re.findall(r"\d+", os.uname().release)[:2])
    if version >= (5, 14):  # before, the limit is on all threads of the user, not on those in the sandbox
        limits[resource.RLIMIT_NPROC] = MOST_THREADS
    return limits


def start_in_sandbox(
    keeper: KeeperConnection,
    sandbox: BotSandbox,
    argv: Sequence[str],
    variables: Mapping[str, str],
    folder: str,
    descriptors: Mapping[int, int],
) -> tuple[int, int, float]:
    """Start `argv` in `folder` of the sandbox, and return (outer, first, ready).

    `outer` and `first` are process ids, as the judge sees them, of bubblewrap's outer process and of the first process
    in the sandbox. `ready` is the moment of time.monotonic(), in seconds, at which the sandbox was ready. `variables`
    is the environment of the program; `descriptors` is as in KeeperConnection.start(). Raises CannotStart if the
    program does not exist or is not executable, JudgeFailure if the sandbox fails or takes over SET_UP_LIMIT_S.
    """
    with contextlib.ExitStack() as own_ends, contextlib.ExitStack() as others_ends:
        info, info_of_bubblewrap = _pipe(own_ends, others_ends)
        block_of_bubblewrap, block = _pipe(others_ends, own_ends)
        stderr, stderr_of_bubblewrap = _pipe(own_ends, others_ends)
        nothing = os.open(os.devnull, os.O_RDWR)
        others_ends.callback(os.close, nothing)
        inside = {**variables, **sandbox.variables}
        # In bubblewrap's own environment, the variables of the loader would affect bubblewrap itself.
        for_loader = {name: value for name, value in inside.items() if name.startswith("LD_")}
        set_inside = [word for name, value in for_loader.items() for word in ("--setenv", name, value)]
        as_bytes(argv)  # raises CannotStart that names `argv`, not bubblewrap's command line
        if number := start_errno(argv[0], inside, folder):
            raise CannotStart(WRONG_COMMAND.format(command=argv[0], error=os.strerror(number)))
        # Both of bubblewrap's own processes keep their stdin, stdout and stderr open, so the bot's are passed as
        # descriptors 7, 8 and 9, which bubblewrap closes in its own processes. The shell puts them into place.
        in_place = 'exec "$@" <&7 >&8 2>&9 7<&- 8>&- 9>&-'
        shell = [SHELL, "-c", in_place, os.fsdecode(SHELL_ERROR_START).rstrip(": "), *argv]
        outer, _ = keeper.start(
            sandbox.command(shell, folder, ["--info-fd", str(INFO), "--block-fd", str(BLOCK), *set_inside]),
            {name: value for name, value in inside.items() if name not in for_loader},
            "/",
            {
                0: nothing,
                1: nothing,
                2: stderr_of_bubblewrap,
                INFO: info_of_bubblewrap,
                BLOCK: block_of_bubblewrap,
                **{number + 7 if number < 3 else number: descriptor for number, descriptor in descriptors.items()},
            },
        )
        others_ends.close()
        deadline = time.monotonic() + SET_UP_LIMIT_S
        first = _first_pid(info, deadline)
        if (
            first is None
            or not _prepare_sandbox(first, sandbox, block, deadline)
            or not _bot_has_begun(block, deadline)
        ):
            raise JudgeFailure(SANDBOX_FAILED.format(words=_error_text(stderr, deadline)))
        return outer, first, time.monotonic()


def _pipe(reading_ends: contextlib.ExitStack, writing_ends: contextlib.ExitStack) -> tuple[int, int]:
    """Return the descriptors of a new pipe (reading end, writing end). The stacks close them at their exit."""
    reading, writing = os.pipe()
    reading_ends.callback(os.close, reading)
    writing_ends.callback(os.close, writing)
    return reading, writing


def _first_pid(info: int, deadline: float) -> int | None:
    """Return the id of the first process in the sandbox, which bubblewrap writes as JSON to the pipe `info`.

    Return None if bubblewrap fails before it makes that process, or if this takes until the moment `deadline`.
    """
    text = b""
    while await_input(info, max(0.0, deadline - time.monotonic())) and (data := os.read(info, READ_BYTES)):
        text += data
    try:
        return int(json.loads(text)["child-pid"])
    except (ValueError, KeyError, TypeError):
        return None


def _prepare_sandbox(first: int, sandbox: BotSandbox, block: int, deadline: float) -> bool:
    """Set resource_limits() for the process `first`, fill the folders in `filled`, and let bubblewrap start the bot.

    bubblewrap waits for a byte in the pipe `block`. All processes in the sandbox inherit the limits. Return False if
    bubblewrap has failed or takes until the moment `deadline`. Raises JudgeFailure if the folders cannot be filled.
    """
    root = f"/proc/{first}/root"
    try:
        for resource_, most in resource_limits().items():
            _, hard = resource.prlimit(first, resource_)
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.prlimit(first, resource_, (most, most))
        while sandbox.filled and not os.path.isdir(root + READY_FOLDER):
            fields = stat_fields(first)
            if not fields or fields[0] == "Z" or time.monotonic() > deadline:
                return False
            time.sleep(0.0002)
        for place, filling in sandbox.filled.items():
            filling.fill(root + place)
        os.write(block, b"\n")
    except (ProcessLookupError, BrokenPipeError):
        return False
    except OSError as error:
        raise JudgeFailure(SANDBOX_FAILED.format(words=str(error))) from error
    return True


def _bot_has_begun(block: int, deadline: float) -> bool:
    """Wait until bubblewrap closes its end of the pipe `block`. Return whether it has read the byte there, and goes on.

    Return False if this takes until the moment `deadline`.
    """
    poll = select.poll()
    poll.register(block, 0)  # the other end is closed: POLLERR
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        return False
    (unread_bytes,) = struct.unpack("i", fcntl.ioctl(block, termios.FIONREAD, bytes(4)))
    return bool(unread_bytes == 0)


def _error_text(stderr: int, deadline: float) -> str:
    """Return what bubblewrap has written to the pipe `stderr`; if it is empty, a sentence on the failure.

    A failure after the moment `deadline` is one of time.
    """
    text = os.read(stderr, READ_BYTES) if await_input(stderr, 0.0) else b""
    if not text and time.monotonic() > deadline:
        return SANDBOX_TOO_SLOW.format(limit=f"{SET_UP_LIMIT_S:g}")
    return " ".join(text.decode("utf-8", "backslashreplace").split()) or ENDS_WITH_STATUS.format(status=1)
