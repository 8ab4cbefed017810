"""This repository at another revision, in a folder of its own, so that two versions can meet.

Such a folder is a `git worktree` under .cache/worktrees, named by the full id of its commit. It is kept: the
next use finds it, with the kernels that were compiled in it.
"""

import contextlib
import fcntl
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from judge.language import _
from judge.players.checkout import CHECKOUT
from judge.players.launch import PlayerError


def worktree(revision: str, repository: Path = CHECKOUT) -> tuple[Path, str]:
    """(folder, full commit id) of the repository at a revision: a commit, tag, branch or any of git's names.

    The folder is made if it is not there, and made again if it is not what the commit holds. Judges that run
    at the same time wait for each other. Raises PlayerError if there is no such revision or no git.
    """
    commit = _commit_of(revision, repository)
    home = repository / ".cache" / "worktrees"
    folder = home / commit
    try:
        home.mkdir(parents=True, exist_ok=True)
        with _locked(home / "lock"):
            if not _is_whole(folder, commit):
                shutil.rmtree(folder, ignore_errors=True)
                _git(repository, "worktree", "prune")
                # Twice, as a checkout that was killed leaves its folder's name locked.
                _git(repository, "worktree", "add", "--detach", "--force", "--force", str(folder), commit)
    except subprocess.CalledProcessError as error:
        raise PlayerError(_not_checked_out(revision, error.stderr.strip())) from error
    except OSError as error:
        raise PlayerError(_not_checked_out(revision, str(error))) from error
    return folder, commit


def _not_checked_out(revision: str, reason: str) -> str:
    return _("revision {revision!r} cannot be checked out: {reason}").format(revision=revision, reason=reason)


def _commit_of(revision: str, repository: Path) -> str:
    if not (repository / ".git").exists():
        message = _("bot@{revision}: revisions are a git checkout's, and {folder} is none")
        raise PlayerError(message.format(revision=revision, folder=repository))
    name = f"{revision}^{{commit}}"
    try:
        return _git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
    except subprocess.CalledProcessError:
        message = _("revision {revision!r} is unknown in {folder}, expected a commit, a tag or a branch")
        raise PlayerError(message.format(revision=revision, folder=repository)) from None
    except OSError as error:
        message = _("revision {revision!r}: git cannot be run: {error}")
        raise PlayerError(message.format(revision=revision, error=error)) from error


def _is_whole(folder: Path, commit: str) -> bool:
    """True if a checkout of this commit lies there, complete and unchanged; ignored files do not matter."""
    try:
        # A folder that lost its .git would be taken for a part of the repository around it.
        own = _git(folder, "rev-parse", "--show-toplevel", "HEAD").splitlines() == [
            str(folder.resolve()),
            commit,
        ]
        return own and not _git(folder, "status", "--porcelain")
    except (OSError, subprocess.CalledProcessError):
        return False


def _git(folder: Path, *words: str) -> str:
    """What git says, run in the folder. Raises CalledProcessError with its stderr, or OSError."""
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
