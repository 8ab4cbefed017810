"""This repository's bot as a player: `bot[@REVISION][:PRESET] [OPTIONS]`.

OPTIONS are those of `python -m bot`; the judge passes the clock's limit and the game's seed before them, and which game
it is unless that is what every revision plays.

A revision is a `git worktree` under .cache/worktrees, named by the full id of its commit. It is kept: the next use
finds it, with the kernels that were compiled in it.

    python -m judge.players.own_bot [OPTION ..] [GAME ..]

has this checkout's bot get its compiled engines ready, with the options of bot/backends/prepare.py, and shows on stderr
how far that is; set-up calls it. The bot's own program does the work, in a process of its own.
"""

import contextlib
import fcntl
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from judge import language
from judge.games import DEFAULT_GAME
from judge.language import _, shown
from judge.players.launch import Launch, PlayerError
from judge.players.versions import CHECKOUT, own_version
from judge.players.waiting import Waiting
from protocol import preset_names
from protocol.preset_names import old_name

MODULE = "bot.compiled"
SHARE_LINE = "progress"  # begins a line that tells how far it is: progress GAME SHARE
CACHE_VARIABLE = "DROPFOUR_CACHE_DIR"
COMPLETE, NUMBA_INDEX = "complete", ".nbi"  # a file in a folder of numba's machine code, and how its indexes are called
DATA_STATUS = 3  # bot/backends/prepare.py's: data that the bot needs are missing or damaged
OWN_BOT = "bot"
FORM = re.compile(r"bot(?:@(?P<revision>[^:]*))?(?::(?P<preset>.*))?")
USAGE_ERROR = 2  # the bot's exit status for options it does not know
BACKEND = "--backend"
NO_BACKEND = "python"  # its value for play without compiled code
REVISION_DIGITS = 12
PROBE_LIMIT_S = 60.0  # a bot told that its input has ended is gone in a fifth of a second


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
    command = ["git", "--no-optional-locks", "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class EngineMissing(Exception):
    """There is no compiled engine to be had; str() is what the bot said. `status` is its exit status."""

    def __init__(self, reason: str, status: int) -> None:
        super().__init__(reason)
        self.status = status


def prepare_engines(launch: Launch, words: Sequence[str], title: str, tells_progress: bool) -> None:
    """Run the bot's preparing program with these words, where the launch says. Raises EngineMissing.

    title: what a reader is told that waits; tells_progress: whether this revision of the bot knows --progress.
    """
    options = ["--progress"] if tells_progress else []
    with tempfile.TemporaryFile("w+") as errors, Waiting(title) as bar:
        process = subprocess.Popen(
            [sys.executable, "-m", MODULE, *options, *words],
            cwd=launch.folder,
            env={**os.environ, **launch.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        with process:
            for share in shares(process.stdout or ()):
                bar.show(share)
        errors.seek(0)
        said = errors.read().strip()
    if process.returncode:
        raise EngineMissing(said or _("status {number}").format(number=process.returncode), process.returncode)


def prepare_own(game: str, options: Sequence[str] = ()) -> None:
    """The same for the bot of this checkout, with options of its preparing program. Raises EngineMissing."""
    launch = Launch((), {"PYTHONPATH": str(CHECKOUT)}, str(CHECKOUT))
    prepare_engines(launch, [*options, game], title_for(game), tells_progress=True)


def shares(lines: Iterable[str]) -> Iterable[float]:
    """The shares that lines of the bot's preparing program tell of."""
    for line in lines:
        words = line.split()
        if words[:1] == [SHARE_LINE] and len(words) == 3:
            yield float(words[2])


def cache_of(checkout: Path) -> str:
    """Where a bot of that checkout keeps what is compiled, as bot/backends/sources.py has it unless told otherwise."""
    if (checkout / "pyproject.toml").exists() and os.access(checkout, os.W_OK):
        return str(checkout / ".cache" / "kernels")
    for home in (os.environ.get("XDG_CACHE_HOME"), os.path.expanduser("~/.cache")):
        if home and os.access(home if os.path.isdir(home) else os.path.dirname(home) or ".", os.W_OK):
            return os.path.join(home, "dropfour")
    return os.path.join(tempfile.gettempdir(), f"dropfour-{os.getuid()}")


def numba_folders(cache: str) -> tuple[str, ...]:
    """The folders of a cache, as paths from there, in which numba tries to write though it only reads what is there."""
    complete = [file.parent for file in Path(cache).glob(f"*/{COMPLETE}")]
    folders = {index.parent for folder in complete for index in folder.glob(f"*/*{NUMBA_INDEX}")}
    return tuple(sorted(str(path.relative_to(cache)) for folder in folders for path in (folder, folder.parent)))


def title_for(game: str, revision: str = "") -> str:
    """What a reader is told while the engine of a game is built, of this checkout where no revision is named."""
    name = game.replace("_", " ")
    if revision:
        return _("compiling the engine of {game} at {revision}").format(game=name, revision=revision)
    return _("compiling the engine of {game}").format(game=name)


def main(words: list[str]) -> int:
    """Prepare this checkout's bot for the games among the words, all where there are none; returns the exit status."""
    from judge.games import GAMES

    language.use()
    games = [word for word in words if word in GAMES] or list(GAMES)
    options = [word for word in words if word not in GAMES]
    for game in games:
        try:
            prepare_own(game, options)
        except EngineMissing as error:
            print(error, file=sys.stderr, flush=True)
            return error.status
    return 0


def is_own_bot(text: str) -> bool:
    """True if a player called this is the repository's bot rather than a command."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    return bool(words) and FORM.fullmatch(words[0]) is not None


def prepare(text: str, game: str = DEFAULT_GAME) -> tuple[Launch, str, str]:
    """(Launch, version, lack) of the bot that the text asks for; its engine is built when this returns.

    lack: why it has no compiled engine and plays weaker than it should, "" if it has one. Precondition:
    is_own_bot(text). Raises PlayerError for an unknown revision, for a game, preset or options that the bot refuses,
    with its words, and for data of the bot that are missing or damaged.
    """
    try:
        word, *options = shlex.split(text)
    except ValueError as error:
        raise PlayerError(_("player {name!r}: {error}").format(name=text, error=shown(str(error)))) from error
    form = FORM.fullmatch(word)
    revision, preset = form.group("revision", "preset") if form else ("", "")
    if "" in (revision, preset):
        message = _("player {name!r}: expected bot, bot:PRESET, bot@REVISION or bot@REVISION:PRESET")
        raise PlayerError(message.format(name=text))
    folder, version = (CHECKOUT, own_version()) if revision is None else worktree(revision)
    if not (folder / "bot" / "__main__.py").exists():
        raise PlayerError(_("player {name!r}: there is no bot in {folder}").format(name=text, folder=folder))
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    # The folder matters beside PYTHONPATH: -m looks for "bot" in the current folder first.
    environment, own_options = {"PYTHONPATH": os.pathsep.join(paths)}, ["--info", "--limit", "{limit}"]
    if preset is not None:
        options = ["--preset", preset, *options]
    if not (folder / "protocol" / "preset_names.py").exists():  # a revision that knows the old names alone
        options = _with_old_names(options, game)
    if game != DEFAULT_GAME:
        options = ["--game", game, *options]
    argv = (sys.executable, "-m", "bot", *own_options, "--seed", "{seed}", *options)
    launch = Launch(argv, environment, str(folder))
    lack = _why_no_engine(text, launch, game, revision and version, backend_in(options))
    if options:
        _check_options(text, launch)
    return launch, version, lack


def _with_old_names(options: Sequence[str], game: str) -> list[str]:
    """The options with the preset among them called as it was before."""
    return [
        f"--preset={old_name(game, word.partition('=')[2])}"
        if word.startswith("--preset=")
        else old_name(game, word)
        if before == "--preset"
        else word
        for before, word in zip(["", *options], options, strict=False)
    ]


def with_new_names(text: str) -> str:
    """What a player is called, with the new name of the bot's preset in it: two that differ in it alone are one."""
    return preset_names.with_new_names(text) if is_own_bot(text) else text


def backend_in(options: Sequence[str]) -> str | None:
    """What the bot's options ask its compiled code from, None where they do not say."""
    for word, after in zip(options, [*options[1:], ""], strict=False):
        if word == BACKEND:
            return after
        if word.startswith(f"{BACKEND}="):
            return word.partition("=")[2]
    return None


def _why_no_engine(text: str, launch: Launch, game: str, revision: str | None, backend: str | None) -> str:
    """Build the bot's engine: one that starts cold compiles while it plays, and plays weaker.

    Returns why that was impossible, in the bot's words, "" where it was not, or where the bot is to play without.
    """
    package = os.path.join(launch.folder or "", "bot")
    if backend == NO_BACKEND or not os.path.exists(os.path.join(package, "compiled.py")):
        return ""
    # Older revisions know no options; the oldest know no games either, and do not look at the word.
    is_new = os.path.exists(os.path.join(package, "backends", "prepare.py"))
    words = [BACKEND, backend, game] if is_new and backend is not None else [game]
    title = title_for(game, revision[:REVISION_DIGITS] if revision else "")
    try:
        prepare_engines(launch, words, title, tells_progress=is_new)
    except EngineMissing as error:
        reason = _("player {name!r}: {error}").format(name=text, error=error)
        if error.status == DATA_STATUS:
            raise PlayerError(reason) from None
        if revision:  # what it is measured for is how it plays with them
            message = _("player {name!r}: its kernels could not be prepared: {error}")
            raise PlayerError(message.format(name=text, error=error)) from None
        print(_("note: {text}").format(text=reason), file=sys.stderr, flush=True)
        return str(error)
    return ""


def _check_options(text: str, launch: Launch) -> None:
    """Raise PlayerError if the bot refuses its options: better now than as a crash in every game."""
    probe = launch.filled(limit_s=1.0, seed=0)
    try:
        done = subprocess.run(
            probe.argv,
            cwd=probe.folder,
            env={**os.environ, **probe.environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PROBE_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = _("player {name!r}: it does not end when its input does")
        raise PlayerError(message.format(name=text)) from None
    if done.returncode == USAGE_ERROR:
        last = done.stderr.strip().splitlines()[-1]
        raise PlayerError(_("player {name!r}: {error}").format(name=text, error=last))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
