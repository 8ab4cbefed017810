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
from judge.processes.folders import QUOTA_BYTES, Copy, Filling, is_inside, look_at, with_folders_above
from judge.processes.start import (
    CannotStart,
    JudgeFailure,
    KeeperConnection,
    as_bytes,
    await_input,
    own_environment,
    take_keeper,
    why_not_executed,
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
OPEN_TO_ALL = ("--perms", "1777", "--size", str(QUOTA_BYTES), "--tmpfs")
# New folders in memory that the bot can write. They replace the system's folders, which hold sockets of other programs:
# a bot could ask such a program to act for it.
WRITABLE = (
    *(*OPEN_TO_ALL, TEMPORARY, *OPEN_TO_ALL, RUN),
    *("--dev", "/dev", *OPEN_TO_ALL, SHARED_MEMORY, "--symlink", os.path.relpath(TEMPORARY, "/var"), "/var/tmp"),
)
# If root runs the judge, the bot is root in the sandbox too. Without capabilities it cannot change the mounts, and with
# a read-only /proc it cannot change the kernel's settings.
BARE = (
    *("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
    *("--proc", "/proc", "--remount-ro", "/proc"),
)
NO_USER_NAMESPACES = ("--unshare-user", "--disable-userns")  # where this bubblewrap and kernel can
# bubblewrap makes this folder last. Once it exists, the sandbox is ready to be filled.
MARK = os.path.join(RUN, "dropfour", "ready")
OF_THE_SHELL = b"dropfour: "  # before the messages of the shell that starts the bot in its sandbox
INFO, BLOCK = 11, 12  # bubblewrap writes its child's process id to the first, and waits for a byte on the other
# The variables of the judge's environment that a bot gets, besides LC_* and those made for it.
PASSED = ("PATH", "LANG", "LANGUAGE", "TZ", "TERM")


THREADS = 512  # of all processes of a bot together
# The most entries of a folder that are shown one by one. bubblewrap takes 9,000 words, three for each, and the time
# that it takes grows with their square.
MOST_PARTS = 200
PATIENCE_S = 20.0  # to set up a sandbox, which takes a few milliseconds
READ_BYTES = 4096

BUBBLEWRAP, NO_WALL = "bubblewrap", "none"  # values in records


class Copies:
    """The copies of folders that were made during one run. When it is pickled and loaded again, it is empty."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: dict[object, Copy | OSError] = {}

    def forget(self) -> None:
        """Let folders be looked at and copied again. A copy that is in use exists as long as it is used."""
        with self._lock:
            self._made = {}

    def __reduce__(self) -> tuple[type["Copies"], tuple[()]]:
        return Copies, ()

    def of(self, folder: str, left_out: Collection[str], only: Collection[str] | None = None) -> Copy | OSError:
        """Return the copy of a folder, or the OSError that prevented it. The arguments are those of look_at().

        The result is kept for all games of a run. Requests that find the same contents share one copy.
        """
        key = (folder, frozenset(left_out), None if only is None else frozenset(only))
        with self._lock:
            if key not in self._made:
                try:
                    contents = look_at(folder, left_out, only)
                    by_contents = (folder, contents)
                    self._made[key] = self._made[by_contents] = self._made.get(by_contents) or Copy(folder, contents)
                except OSError as error:
                    self._made[key] = error.with_traceback(None)  # a traceback would keep the unfinished copy
            return self._made[key]


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

    def copy_of(self, folder: str, only: Collection[str] | None = None) -> Copy | OSError:
        """Return the copy of a player's own folder, or why it cannot be copied.

        `only` are the names of the entries in the folder that belong to the player, None for all entries.
        """
        return self.copies.of(folder, self.protected, only)


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
        """Return the command line that runs `argv` in the sandbox, in `folder`; `options` are further of bubblewrap's.

        The folders in `filled` are empty at first.
        """
        own = [self.program, *BARE, *_without_user_namespaces(self.program), *self.contents(folder)]
        return [*own, "--chdir", folder, *options, "--", *argv]

    def why_not_entered(self, folder: str, program: str) -> str:
        """Return why the folder cannot be entered in the sandbox or lacks the program; "" if all is well.

        `program` is a path or a name. It is not checked if it is a name to be looked up on PATH, or if the sandbox has
        folders that are `filled` later, as they may hold it.
        """
        is_looked_for = os.sep in program and not self.filled
        has_program = 'test -x "$1" || { echo "$1: there is no such program" >&2; exit 1; }'
        script = [has_program, SHELL, program] if is_looked_for else [":"]
        return _failure_of(self.command([SHELL, "-c", *script], folder))

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
            *(*self._links(), "--dir", folder, *(("--dir", MARK) if self.filled else ())),
            *("--remount-ro", "/"),  # comes last: bubblewrap makes the folders that it mounts on
        ]

    def _visible(self) -> list[str]:
        """Return the existing paths of the system and of `shown` that no other option makes visible.

        A path below one that is shown needs no entry of its own.
        """
        apart = {*self.filled, *self.writable}
        never_as_a_whole = {"/", TEMPORARY, RUN, SHARED_MEMORY}
        system = [path for path in SYSTEM if not any(is_inside(path, place) for place in apart)]
        found: dict[str, None] = {}
        for path in sorted({*system, *self.shown} - apart - never_as_a_whole, key=lambda path: path.split(os.sep)):
            nearest = next((place for place in with_folders_above(path) if place in found or place in apart), None)
            is_visible = nearest is not None and nearest not in apart
            is_of_kernel = any(is_inside(path, place) for place in ("/dev", "/proc", "/sys")) and not is_inside(
                path, SHARED_MEMORY
            )
            if not is_visible and (path in SYSTEM or not is_of_kernel) and os.path.lexists(path):
                is_apart = any(is_inside(path, place) for place in apart)
                parts = _parts(path, self.hidden)
                found.update((p, None) for p in parts if is_apart or not any(is_inside(p, place) for place in apart))
        return list(found)

    def _links(self) -> list[str]:
        words = []
        for number, (root, below) in enumerate(self.linked.items()):
            original = os.path.join(RUN, "dropfour", str(number))
            words += ["--ro-bind-try", root, original, "--size", str(QUOTA_BYTES), "--tmpfs", root]
            folders = {"", *below}
            for folder in sorted(folders):
                for name in names_in(os.path.join(root, folder)):
                    path = os.path.join(folder, name)
                    if path not in folders:
                        words += ["--symlink", os.path.join(original, path), os.path.join(root, path)]
        return words


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
    program = shutil.which("bwrap")
    if program is None:
        return Availability(None, SANDBOX_NOT_INSTALLED)
    why_not = _try(os.path.abspath(program))
    return Availability(None if why_not else os.path.abspath(program), why_not)


def _try(program: str) -> str:
    """Return why bubblewrap cannot make a sandbox, as a recorded() message; "" if it can."""
    said = _failure_of(BotSandbox(program).command([SHELL, "-c", ":"], "/"))
    return SANDBOX_REFUSED.format(words=said) if said else ""


@functools.cache
def _without_user_namespaces(program: str) -> tuple[str, ...]:
    """Return NO_USER_NAMESPACES if bubblewrap and the kernel can do that, else ()."""
    words = [program, *BARE, *NO_USER_NAMESPACES, "--ro-bind", "/", "/", "--", SHELL, "-c", ":"]
    return () if _failure_of(words) else NO_USER_NAMESPACES


def _failure_of(words: Sequence[str]) -> str:
    """Run a command. Return "" if it succeeds, else its stderr, or a sentence with its exit status if that is empty.

    It runs below a keeper: bubblewrap's first process ends after the outer one, and would stay a zombie of the judge.
    """
    try:
        with open(os.devnull, "r+b") as nothing, tempfile.TemporaryFile() as stderr:
            keeper = take_keeper()
            try:
                streams = {0: nothing.fileno(), 1: nothing.fileno(), 2: stderr.fileno()}
                keeper.start(words, own_environment(), "/", streams)
                if not keeper.has_ended(PATIENCE_S):
                    return SANDBOX_TOO_SLOW.format(limit=f"{PATIENCE_S:g}")
            finally:
                keeper.end()
            stderr.seek(0)
            said = " ".join(stderr.read().decode("utf-8", "replace").split())
    except (OSError, CannotStart, JudgeFailure) as error:
        return str(error)
    return (said or ENDS_WITH_STATUS.format(status=keeper.status)) if keeper.status else ""


def passed_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the part of the judge's environment `variables` that a bot gets in a sandbox."""
    return {name: value for name, value in variables.items() if name in PASSED or name.startswith("LC_")}


def _parts(path: str, hidden: Collection[str]) -> Iterator[str]:
    """Yield `path`, or if it is or holds a path of `hidden`, the parts of it that are not and hold none.

    Of a folder with something hidden the first MOST_PARTS entries are shown one by one, so what appears there later is
    not shown.
    """
    real = os.path.realpath(path)
    if real in hidden:
        return
    if any(is_inside(place, real) for place in hidden) and not os.path.islink(path):
        for name in names_in(path)[:MOST_PARTS]:
            yield from _parts(os.path.join(path, name), hidden)
    else:
        yield path


def names_in(folder: str) -> list[str]:
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


def limits() -> dict[int, int]:
    """Return {resource of setrlimit(2): limit} for a bot in a sandbox."""
    found = {
        # A byte is too small for a core file; with 0 the kernel would still start a program named by core_pattern.
        resource.RLIMIT_CORE: 1,
        resource.RLIMIT_FSIZE: 10**9,
        resource.RLIMIT_NOFILE: 4096,
    }
    version = tuple(int(number) for number in re.findall(r"\d+", os.uname().release)[:2])
    if version >= (5, 14):  # before, the limit is on all threads of the user, not on those in the sandbox
        found[resource.RLIMIT_NPROC] = THREADS
    return found


def start_in_sandbox(
    keeper: KeeperConnection,
    sandbox: BotSandbox,
    argv: Sequence[str],
    variables: Mapping[str, str],
    folder: str,
    descriptors: Mapping[int, int],
) -> tuple[int, int, float]:
    """Start `argv` in the sandbox, in `folder`; return (bubblewrap's outer process, its first one there, the moment).

    The process ids are of the judge's namespace. At the moment, in seconds of time.monotonic(), the sandbox was ready.
    `descriptors` is as in KeeperConnection.start(). Raises CannotStart if the program is not there or not executable,
    JudgeFailure if the sandbox fails or takes too long.
    """
    with contextlib.ExitStack() as own_ends, contextlib.ExitStack() as others_ends:
        info, info_of_bubblewrap = _pipe(own_ends, others_ends)
        block_of_bubblewrap, block = _pipe(others_ends, own_ends)
        said, words_of_bubblewrap = _pipe(own_ends, others_ends)
        nothing = os.open(os.devnull, os.O_RDWR)
        others_ends.callback(os.close, nothing)
        inside = {**variables, **sandbox.variables}
        # These would affect bubblewrap itself.
        of_loader = {name: value for name, value in inside.items() if name.startswith("LD_")}
        set_inside = [word for name, value in of_loader.items() for word in ("--setenv", name, value)]
        as_bytes(argv)
        failure = why_not_executed(argv[0], inside, folder)
        if failure:
            raise CannotStart(WRONG_COMMAND.format(command=argv[0], error=os.strerror(failure)))
        # Both of bubblewrap's own processes keep their stdin, stdout and stderr open, so the bot's are passed as
        # descriptors 7, 8 and 9, which bubblewrap closes in its own processes. The shell puts them into place.
        in_place = 'exec "$@" <&7 >&8 2>&9 7<&- 8>&- 9>&-'
        words = [SHELL, "-c", in_place, os.fsdecode(OF_THE_SHELL).rstrip(": "), *argv]
        outer, _ = keeper.start(
            sandbox.command(words, folder, ["--info-fd", str(INFO), "--block-fd", str(BLOCK), *set_inside]),
            {name: value for name, value in inside.items() if name not in of_loader},
            "/",
            {
                0: nothing,
                1: nothing,
                2: words_of_bubblewrap,
                INFO: info_of_bubblewrap,
                BLOCK: block_of_bubblewrap,
                **{number + 7 if number < 3 else number: descriptor for number, descriptor in descriptors.items()},
            },
        )
        others_ends.close()
        give_up = time.monotonic() + PATIENCE_S
        first = _first_process(info, give_up)
        if first is None or not _prepare(first, sandbox, block, give_up) or not _has_begun(block, give_up):
            raise JudgeFailure(SANDBOX_FAILED.format(words=_error_text(said, give_up)))
        return outer, first, time.monotonic()


def _pipe(reading_ends: contextlib.ExitStack, writing_ends: contextlib.ExitStack) -> tuple[int, int]:
    reading, writing = os.pipe()
    reading_ends.callback(os.close, reading)
    writing_ends.callback(os.close, writing)
    return reading, writing


def _first_process(info: int, give_up: float) -> int | None:
    """Return the id of the first process in the namespace, None if bubblewrap failed before it made one."""
    said = b""
    while await_input(info, max(0.0, give_up - time.monotonic())) and (data := os.read(info, READ_BYTES)):
        said += data
    try:
        return int(json.loads(said)["child-pid"])
    except (ValueError, KeyError, TypeError):
        return None


def _prepare(first: int, sandbox: BotSandbox, block: int, give_up: float) -> bool:
    """Set limits() for the first process, from which all others inherit them; fill folders; let bubblewrap go on.

    Return False if bubblewrap has failed or takes too long. Raises JudgeFailure if the folders cannot be filled.
    """
    root = f"/proc/{first}/root"
    try:
        for resource_, most in limits().items():
            _, hard = resource.prlimit(first, resource_)
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.prlimit(first, resource_, (most, most))
        while sandbox.filled and not os.path.isdir(root + MARK):
            fields = stat_fields(first)
            if not fields or fields[0] == "Z" or time.monotonic() > give_up:
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


def _has_begun(block: int, give_up: float) -> bool:
    """Wait until bubblewrap has closed its end of the pipe. Return whether it has read the byte there."""
    poll = select.poll()
    poll.register(block, 0)  # the other end is closed: POLLERR
    if not poll.poll(max(0.0, give_up - time.monotonic()) * 1000):
        return False
    return struct.unpack("i", fcntl.ioctl(block, termios.FIONREAD, bytes(4)))[0] == 0


def _error_text(said: int, give_up: float) -> str:
    """Return what bubblewrap has written, or why there is nothing."""
    words = os.read(said, READ_BYTES) if await_input(said, 0.0) else b""
    if not words and time.monotonic() > give_up:
        return SANDBOX_TOO_SLOW.format(limit=f"{PATIENCE_S:g}")
    return " ".join(words.decode("utf-8", "backslashreplace").split()) or ENDS_WITH_STATUS.format(status=1)
