"""Build the command that runs a bot in a sandbox of bubblewrap (bwrap, 0.8 and later), and test if one works here.

In the sandbox a bot can read the system's files but not write them. It has its own /tmp, /run, /dev and /proc, sees no
other processes and has no network; the kernel refuses it some system calls (seccomp.py). A BotSandbox lists what else
it gets.
"""

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from judge.processes import seccomp
from judge.reasons import ENDS_WITH_STATUS, SANDBOX_NOT_INSTALLED, SANDBOX_NOT_ON_LINUX, SANDBOX_REFUSED

PROGRAM = "bwrap"
SHELL = "/bin/sh"
OWN_SESSION = "setsid"  # of util-linux
TRIAL_LIMIT_S = 20.0
# Replaced by empty folders: they hold sockets of other programs, which a bot could ask to act for it.
HIDDEN = ("/tmp", "/run")
DEPTHS = (("/tmp", 1), ("/run/user", 2), ("/run", 1))  # how many path parts below the folder name one shown entry
TEMPORARY = "/tmp"
# If root runs the judge, the bot is root in the sandbox too. Without capabilities it cannot change the mounts, and with
# a read-only /proc it cannot change the kernel's settings.
BARE = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts"),
    *("--new-session", "--die-with-parent", "--cap-drop", "ALL"),
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"),
)
# Both of bubblewrap's own processes keep their stdin, stdout and stderr open, so the bot's are passed separately, as
# descriptors 7, 8 and 9, which bubblewrap closes in its own processes. 6 is the reading end of the info pipe: if the
# judge is killed, bubblewrap must not end by SIGPIPE, because it would leave a process that waits for it for ever.
OUTSIDE = 'exec 6</proc/self/fd/"$2" 7<&0 8>&1 9>&2 </dev/null >/dev/null 2>>/proc/self/fd/"$1"; shift 2; exec "$@"'
INSIDE = 'exec "$@" <&7 >&8 2>&9 6<&- 7<&- 8>&- 9>&-'
OF_THE_LOADER = "LD_"  # such variables would affect bubblewrap itself, so they are set inside the sandbox
FOLDER_OF_TEMPORARIES = ("TMPDIR", "TMP", "TEMP")


@dataclass(frozen=True)
class BotSandbox:
    """The contents of a sandbox in addition to the system's files.

    `program` is bubblewrap's path. `shown` lists files and folders below HIDDEN that stay readable. `writable` maps
    folders to the folder mounted in their place (the same one or a copy). `linked` maps folders to relative paths of
    their subfolders: in the sandbox, the folder and these subfolders are temporary and writable, and hold links to
    the original entries. `variables` are environment variables set in the sandbox.
    """

    program: str
    shown: tuple[str, ...] = ()
    writable: dict[str, str] = field(default_factory=dict)
    linked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)

    def command(
        self, argv: Sequence[str], variables: dict[str, str], folder: str, descriptors: "Descriptors"
    ) -> tuple[list[str], dict[str, str]]:
        """Return (the command line that runs argv in the sandbox, the environment for that command line)."""
        inside = {**variables, **self.variables}
        for name in FOLDER_OF_TEMPORARIES:
            if name in inside:
                inside[name] = TEMPORARY
        outside = {name: value for name, value in inside.items() if not name.startswith(OF_THE_LOADER)}
        settings = [
            word for name in inside if name.startswith(OF_THE_LOADER) for word in ("--setenv", name, inside[name])
        ]
        words = [
            *(self.program, *BARE, *_empty_folders()),
            *(word for path in self.shown for word in ("--ro-bind", path, path)),
            *self._links(),
            *(word for place, source in self.writable.items() for word in ("--bind", source, place)),
            *("--chdir", folder, *descriptors.words(), *settings),
            *("--", SHELL, "-c", INSIDE, SHELL, *_own_session(), *argv),
        ]
        passed = (str(descriptors.words_of_bubblewrap), str(descriptors.info))
        return [SHELL, "-c", OUTSIDE, SHELL, *passed, *words], outside

    def _links(self) -> list[str]:
        words = []
        for number, (root, below) in enumerate(self.linked.items()):
            original = os.path.join(HIDDEN[-1], "dropfour", str(number))
            words += ["--ro-bind", root, original, "--tmpfs", root]
            folders = {"", *below}
            for folder in sorted(folders):
                for name in sorted(os.listdir(os.path.join(root, folder))):
                    path = os.path.join(folder, name)
                    if path not in folders:
                        words += ["--symlink", os.path.join(original, path), os.path.join(root, path)]
        return words


@dataclass(frozen=True)
class Descriptors:
    """File descriptors for bubblewrap: it writes its child's process id to `info`, waits for a byte on `block`, reads
    the program of seccomp.py from `filter`, None if there is none, and writes error messages to `words_of_bubblewrap`.
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
    """Return why bubblewrap cannot make a sandbox, with its error message if it printed one; "" if it can."""
    refused = seccomp.program()
    reading, writing = os.pipe()
    try:
        os.write(writing, refused)
        os.close(writing)
        of_filter = ["--seccomp", str(reading)] if refused else []
        done = subprocess.run(
            [program, *BARE, *_empty_folders(), *of_filter, "--", SHELL, "-c", ":"],
            pass_fds=[reading],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TRIAL_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return SANDBOX_REFUSED.format(words=error)
    finally:
        os.close(reading)
    said = " ".join(done.stderr.split()) or ENDS_WITH_STATUS.format(status=done.returncode)
    return SANDBOX_REFUSED.format(words=said) if done.returncode else ""


@functools.cache
def _own_session() -> list[str]:
    """Return the words before a command that give it a session of its own.

    In the session of the namespace's first process a bot could send signals to the group that this process is in, and
    the judge could not send any to the bot's group alone.
    """
    program = shutil.which(OWN_SESSION)
    return [] if program is None else [os.path.abspath(program), "--"]


def _empty_folders() -> list[str]:
    """Return bubblewrap's options that replace the existing folders of HIDDEN by empty ones."""
    there = [folder for folder in HIDDEN if os.path.isdir(folder) and not os.path.islink(folder)]
    return [word for folder in there for word in ("--perms", "1777", "--tmpfs", folder)]


def hidden_part(path: str) -> str | None:
    """Return the entry below a folder of HIDDEN that must be shown to make this path visible in a sandbox; None if the
    path is visible anyway or is such a folder itself.
    """
    parts = path.split("/")
    for folder, names in DEPTHS:
        above = folder.split("/")
        if parts[: len(above)] == above:
            shown = parts[: len(above) + names]
            return "/".join(shown) if len(shown) == len(above) + names else None
    return None
