"""The sandbox of a bot: namespaces of its own by bubblewrap (bwrap, 0.8 and later), and whether they can be had here.

Behind it a bot sees the system's files but cannot write them, has a /tmp, /run, /dev and /proc of its own, no other
processes and no network. What it is given besides stands in a BotSandbox.
"""

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from judge.reasons import ENDS_WITH_STATUS, SANDBOX_NOT_INSTALLED, SANDBOX_NOT_ON_LINUX, SANDBOX_REFUSED

PROGRAM = "bwrap"
SHELL = "/bin/sh"
TRIAL_LIMIT_S = 20.0
# Replaced by empty ones. Sockets of other programs lie there, by which a bot could have them act for it.
HIDDEN = ("/tmp", "/run")
DEPTHS = (("/tmp", 1), ("/run/user", 2), ("/run", 1))  # how many names below them are shown together
TEMPORARY = "/tmp"
# Where root plays, it is root in the sandbox too: without capabilities it cannot change what is mounted there, and
# without a writable /proc none of the kernel's settings.
BARE = (
    *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts"),
    *("--new-session", "--die-with-parent", "--cap-drop", "ALL"),
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"),
)
# Both of bubblewrap's own processes keep their stdin, stdout and stderr open, so they get others than the bot: it has
# its own as 7, 8 and 9, which bubblewrap closes on its side of the sandbox. 6 is the other end of its info: should the
# judge be killed meanwhile, bubblewrap must not end by SIGPIPE, as it would leave a process that waits for it for ever.
OUTSIDE = 'exec 6</proc/self/fd/"$2" 7<&0 8>&1 9>&2 </dev/null >/dev/null 2>>/proc/self/fd/"$1"; shift 2; exec "$@"'
INSIDE = 'exec "$@" <&7 >&8 2>&9 6<&- 7<&- 8>&- 9>&-'
OF_THE_LOADER = "LD_"  # variables that would change bubblewrap itself: set in the sandbox
FOLDER_OF_TEMPORARIES = ("TMPDIR", "TMP", "TEMP")


@dataclass(frozen=True)
class BotSandbox:
    """What is in a sandbox beside the system's files.

    `program` is bubblewrap's path; `shown` are files and folders in HIDDEN that can be read all the same; `writable`
    maps folders to what stands for them, themselves or copies; `linked` maps folders to those of the paths below them
    that are folders in the sandbox too: there all of these can be written, are forgotten with it, and hold links to
    what they hold outside; `variables` are set there.
    """

    program: str
    shown: tuple[str, ...] = ()
    writable: dict[str, str] = field(default_factory=dict)
    linked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)

    def command(
        self, argv: Sequence[str], variables: dict[str, str], folder: str, descriptors: "Descriptors"
    ) -> tuple[list[str], dict[str, str]]:
        """(the words that start the command in the sandbox, the variables to start them with)."""
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
            *("--chdir", folder, *descriptors.words(), *settings, "--", SHELL, "-c", INSIDE, SHELL, *argv),
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
    """Those that bubblewrap is told: where it says its process, where it waits, where its own words go."""

    info: int
    block: int
    words_of_bubblewrap: int

    def words(self) -> list[str]:
        """bubblewrap's options. The last is one that it keeps to itself."""
        return [
            *("--info-fd", str(self.info)),
            *("--block-fd", str(self.block)),
            *("--sync-fd", str(self.words_of_bubblewrap)),
        ]


@dataclass(frozen=True)
class Found:
    """bubblewrap's path, or why there is none to be used, in a recorded() message."""

    program: str | None
    why_not: str = ""


@functools.cache
def find() -> Found:
    """Look for bubblewrap and try it, once."""
    if not sys.platform.startswith("linux"):
        return Found(None, SANDBOX_NOT_ON_LINUX)
    program = shutil.which(PROGRAM)
    if program is None:
        return Found(None, SANDBOX_NOT_INSTALLED)
    why_not = _try(os.path.abspath(program))
    return Found(None if why_not else os.path.abspath(program), why_not)


def _try(program: str) -> str:
    """Why a sandbox cannot be had, in bubblewrap's words where it has some; "" where it can."""
    words = [program, *BARE, *_empty_folders()]
    try:
        done = subprocess.run(
            [*words, "--", SHELL, "-c", ":"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TRIAL_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return SANDBOX_REFUSED.format(words=error)
    said = " ".join(done.stderr.split()) or ENDS_WITH_STATUS.format(status=done.returncode)
    return SANDBOX_REFUSED.format(words=said) if done.returncode else ""


def _empty_folders() -> list[str]:
    """bubblewrap's words that put empty folders in place of those in HIDDEN that there are."""
    there = [folder for folder in HIDDEN if os.path.isdir(folder) and not os.path.islink(folder)]
    return [word for folder in there for word in ("--perms", "1777", "--tmpfs", folder)]


def hidden_part(path: str) -> str | None:
    """What has to be shown for a path to be seen in a sandbox: the entry of a folder in HIDDEN that it lies in or is;
    None for one that is seen anyway, or such a folder itself.
    """
    parts = path.split("/")
    for folder, names in DEPTHS:
        above = folder.split("/")
        if parts[: len(above)] == above:
            shown = parts[: len(above) + names]
            return "/".join(shown) if len(shown) == len(above) + names else None
    return None
