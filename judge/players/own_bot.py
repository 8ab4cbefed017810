"""This repository's bot as a player: `bot[@REVISION][:PRESET] [OPTIONS]`.

OPTIONS are the options of `python -m bot`. Before them the judge passes the limit of the clock, the game's seed, and
the game's name. It leaves out the name of the default game, which every revision plays.

A revision is checked out as a `git worktree` below the cache folder, in a folder that is named by the full id of its
commit. The worktree is reused the next time, with the kernels that were compiled in it.

    python -m judge.players.own_bot [OPTION ..] [GAME ..]

prepares the compiled engines of this checkout's bot for the given games, and shows the progress on stderr. OPTION is an
option of bot/backends/prepare.py. The set-up script runs this command. A program of the bot does the work, in a
separate process.
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
from judge.players.launch import PlayerError
from judge.players.versions import CHECKOUT, cache_folder, git, own_version
from judge.players.waiting import Waiting
from judge.processes.start import JudgeFailure, Launch, take_keeper
from protocol import preset_names
from protocol.preset_names import old_name

DATA_STATUS = 3  # exit status of bot/backends/prepare.py: data that the bot needs are missing or damaged
OWN_BOT = "bot"
FORM = re.compile(r"bot(?:@(?P<revision>[^:]*))?(?::(?P<preset>.*))?")
BACKEND = "--backend"
NO_BACKEND = "python"  # the value of --backend for play without compiled code
ANSWER_LIMIT_S = 10.0  # the limit of a program that is asked for names; on an idle machine it takes 0.05 s


def worktree(revision: str, repository: Path = CHECKOUT) -> tuple[Path, str]:
    """Return (folder, full commit id) of a worktree of `repository` at `revision`: a commit, tag, branch etc.

    The worktree is made if it does not exist, and made anew if it differs from the commit. Judges that run at the same
    time wait for each other. Raises PlayerError if the revision is unknown or git cannot be run.
    """
    commit = _commit_of(revision, repository)
    home = cache_folder(repository) / "worktrees"
    folder = home / commit
    try:
        home.mkdir(parents=True, exist_ok=True)
        with _locked(home / "lock"):
            if not _is_complete_checkout(folder, commit):
                shutil.rmtree(folder, ignore_errors=True)
                git(repository, "worktree", "prune")
                # --force twice, as a checkout that was killed leaves its folder's name locked.
                git(repository, "worktree", "add", "--detach", "--force", "--force", str(folder), commit)
    except (OSError, subprocess.CalledProcessError) as error:
        reason = error.stderr.strip() if isinstance(error, subprocess.CalledProcessError) else error
        message = _("revision {revision!r} cannot be checked out: {reason}")
        raise PlayerError(message.format(revision=revision, reason=reason)) from error
    return folder, commit


def _commit_of(revision: str, repository: Path) -> str:
    """Return the full commit id of a revision. Raises PlayerError if it is unknown or git cannot be run."""
    if not (repository / ".git").exists():
        message = _("bot@{revision}: {folder} is no git checkout, so it has no revisions")
        raise PlayerError(message.format(revision=revision, folder=repository))
    name = f"{revision}^{{commit}}"
    try:
        return git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
    except subprocess.CalledProcessError as error:
        if error.stderr:  # with --quiet git says nothing of an unknown revision
            message = _("bot@{revision}: git failed: {reason}")
            reason = " ".join(error.stderr.split())
            raise PlayerError(message.format(revision=revision, reason=reason)) from None
        message = _("revision {revision!r} is unknown in {folder}, expected a commit, a tag or a branch")
        raise PlayerError(message.format(revision=revision, folder=repository)) from None
    except OSError as error:
        message = _("revision {revision!r}: git cannot be run: {error}")
        raise PlayerError(message.format(revision=revision, error=error)) from error


def _is_complete_checkout(folder: Path, commit: str) -> bool:
    """Return whether `folder` is a complete, unchanged checkout of the commit; files that git ignores do not count."""
    try:
        # In a folder that lost its .git, git would find the repository around it.
        top_and_commit = git(folder, "rev-parse", "--show-toplevel", "HEAD").splitlines()
        return top_and_commit == [str(folder.resolve()), commit] and not git(folder, "status", "--porcelain")
    except (OSError, subprocess.CalledProcessError):
        return False


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Inside the `with` block, hold the lock of this file, for which other judges wait. Raises OSError."""
    with open(path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class EngineMissing(Exception):
    """The compiled engine of a bot could not be prepared.

    str() is the stderr of the program that failed, or a sentence if that is empty; `status` is its exit status.
    """

    def __init__(self, reason: str, status: int) -> None:
        super().__init__(reason)
        self.status = status


def prepare_engines(launch: Launch, arguments: Sequence[str], title: str, tells_progress: bool) -> None:
    """Run the program that prepares the bot's engines, with these arguments.

    It runs in the folder and environment of `launch`. `title` is the text beside the progress bar. `tells_progress`
    says whether this revision of the bot knows the option --progress. Raises EngineMissing if the program fails.
    """
    options = ["--progress"] if tells_progress else []
    command = [sys.executable, "-m", "bot.compiled", *options, *arguments]
    folder = os.path.abspath(launch.folder or "")
    reading, writing = os.pipe()
    with (
        open(reading, encoding="utf-8") as lines,
        open(writing, "wb") as output,
        open(os.devnull, "rb") as nothing,
        tempfile.TemporaryFile("w+") as errors,
        Waiting(title) as bar,
    ):
        try:
            keeper = take_keeper()  # so that the program and its compilers end with this process
            try:
                streams = {0: nothing.fileno(), 1: output.fileno(), 2: errors.fileno()}
                keeper.start(command, {**os.environ, **launch.environment}, folder, streams)
                output.close()
                for share in progress_shares(lines):
                    bar.show(share)
                while not keeper.has_ended(ANSWER_LIMIT_S):  # it has closed its stdout, so it is about to end
                    pass
            finally:
                keeper.end()
        except JudgeFailure as failure:
            raise EngineMissing(shown(str(failure)), 1) from failure
        errors.seek(0)
        message = errors.read().strip()
    if keeper.status:
        silent = _("the program ended with status {number} and wrote no message").format(number=keeper.status)
        raise EngineMissing(message or silent, keeper.status)


def prepare_own(game: str, options: Sequence[str] = ()) -> None:
    """Prepare the engine of this checkout's bot for a game; `options` are options of bot/backends/prepare.py.

    Raises EngineMissing if this fails.
    """
    launch = Launch((), {"PYTHONPATH": str(CHECKOUT)}, str(CHECKOUT))
    prepare_engines(launch, [*options, game], title_for(game), tells_progress=True)


def progress_shares(lines: Iterable[str]) -> Iterable[float]:
    """Yield the share of the work, 0 to 1, in each progress line that bot/backends/prepare.py prints."""
    for line in lines:
        words = line.split()
        if words[:1] == ["progress"] and len(words) == 3:  # progress GAME SHARE
            yield float(words[2])


def cache_of(checkout: Path) -> str:
    """Return the folder of compiled kernels that a bot in this checkout uses."""
    folder = cache_folder(checkout)
    return str(folder / "kernels" if folder == checkout / ".cache" else folder)


def numba_folders(cache: str) -> tuple[str, ...]:
    """Return the folders in which numba tries to write even when it only reads, as sorted paths relative to `cache`.

    These are the folders that hold numba's index files, and their parents. Only finished folders count.
    """
    folders: set[Path] = set()
    for mark_of_finished in Path(cache).glob("*/complete"):
        for index_file in mark_of_finished.parent.glob("*/*.nbi"):
            folders |= {index_file.parent, index_file.parent.parent}
    return tuple(sorted(str(folder.relative_to(cache)) for folder in folders))


def title_for(game: str, revision: str = "") -> str:
    """Return the text beside the progress bar while a game's engine is compiled.

    A `revision` of "" means this checkout.
    """
    name = game.replace("_", " ")
    if revision:
        return _("compiling the engine of {game} at {revision}").format(game=name, revision=revision)
    return _("compiling the engine of {game}").format(game=name)


def main(words: list[str]) -> int:
    """Prepare this checkout's bot for the games among the command line's `words`, for all games if there are none.

    The other words are passed on as options of bot/backends/prepare.py. Returns the exit status.
    """
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


def presets(game: str) -> list[str]:
    """Return the names of a game's presets, as this checkout's bot prints them; [] if the bot fails.

    The bot runs without site packages, so that it starts quickly: a shell that completes a word waits for the names.
    """
    return printed_lines([sys.executable, "-S", "-m", "bot", "presets", "--game", game])


def printed_lines(command: Sequence[str]) -> list[str]:
    """Return the lines that `command` prints when it runs in this checkout.

    Return [] if the command fails or takes longer than ANSWER_LIMIT_S.
    """
    try:
        done = subprocess.run(
            command,
            cwd=CHECKOUT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=ANSWER_LIMIT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.splitlines()


def is_own_bot(text: str) -> bool:
    """Return whether the text of a player means this repository's bot."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    return bool(words) and FORM.fullmatch(words[0]) is not None


def prepare(text: str, game: str = DEFAULT_GAME) -> tuple[Launch, str, str]:
    """Build the engine of the bot that `text` names, and return (Launch, version, lack).

    `lack` says why the bot has no compiled engine and plays weaker than it should. It is "" if the bot has an engine or
    is not to use one. Precondition: is_own_bot(text). Raises PlayerError for an unknown revision, for data of the bot
    that are missing or damaged, and, with the bot's message, for a game, preset or option that the bot refuses.
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
    if not (folder / "protocol" / "preset_names.py").exists():  # a revision that knows only the old names
        options = _with_old_names(options, game)
    if game != DEFAULT_GAME:
        options = ["--game", game, *options]
    argv = (sys.executable, "-m", "bot", *own_options, "--seed", "{seed}", *options)
    launch = Launch(argv, environment, str(folder))
    lack = _why_no_engine(text, launch, game, None if revision is None else version, backend_in(options))
    if options:
        _check_options(text, launch)
    return launch, version, lack


def _with_old_names(options: Sequence[str], game: str) -> list[str]:
    """Return the bot's options with the old name of the game's preset in place of its present name."""
    renamed: list[str] = []
    for word in options:
        if word.startswith("--preset="):
            renamed.append(f"--preset={old_name(game, word.removeprefix('--preset='))}")
        elif renamed[-1:] == ["--preset"]:
            renamed.append(old_name(game, word))
        else:
            renamed.append(word)
    return renamed


def with_new_names(text: str) -> str:
    """Return a player's text with the present name of the bot's preset in place of an old one.

    Texts with either name then compare equal.
    """
    return preset_names.with_new_names(text) if is_own_bot(text) else text


def backend_in(options: Sequence[str]) -> str | None:
    """Return the value of --backend in the bot's options, None if they do not have --backend."""
    for word, after in zip(options, [*options[1:], ""], strict=False):
        if word == BACKEND:
            return after
        if word.startswith(f"{BACKEND}="):
            return word.partition("=")[2]
    return None


def _why_no_engine(text: str, launch: Launch, game: str, revision: str | None, backend: str | None) -> str:
    """Build the bot's engine. Return "" if that succeeds, else the message of the build, which says why it failed.

    Return "" also if the bot is to play without an engine. Without one it compiles while it plays, and plays weaker.
    `text` names the player, `backend` is the value of its option --backend or None, and `revision` is the full commit
    id of the bot's revision, None for this checkout. Raises PlayerError if data are missing or damaged, or if the build
    of a revision fails.
    """
    package = os.path.join(launch.folder or "", "bot")
    if backend == NO_BACKEND or not os.path.exists(os.path.join(package, "compiled.py")):
        return ""
    # Older revisions know no options. The oldest know no games either, and ignore the argument.
    is_new = os.path.exists(os.path.join(package, "backends", "prepare.py"))
    arguments = [BACKEND, backend, game] if is_new and backend is not None else [game]
    title = title_for(game, revision[:12] if revision else "")
    try:
        prepare_engines(launch, arguments, title, tells_progress=is_new)
    except EngineMissing as error:
        reason = _("player {name!r}: {error}").format(name=text, error=error)
        if error.status == DATA_STATUS:
            raise PlayerError(reason) from None
        if revision:  # a revision without compiled kernels is not worth measuring
            message = _("player {name!r}: its engine could not be compiled: {error}")
            raise PlayerError(message.format(name=text, error=error)) from None
        print(_("note: {text}").format(text=reason), file=sys.stderr, flush=True)
        return str(error)
    return ""


def _check_options(player: str, launch: Launch) -> None:
    """Raise PlayerError if our bot refuses the options in `launch`. In a game it would then crash at once.

    `player` is the text that names the player.
    """
    probe = launch.with_limit_and_seed(limit_s=1.0, seed=0)
    try:
        done = subprocess.run(
            probe.argv,
            cwd=probe.folder,
            env={**os.environ, **probe.environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60.0,  # ample: the bot ends 0.2 s after its input
            check=False,
        )
    except subprocess.TimeoutExpired:
        message = _("player {name!r}: the bot still ran 60 s after the end of its input, so its options are refused")
        raise PlayerError(message.format(name=player)) from None
    if done.returncode == 2:  # the bot's exit status for wrong options
        last = done.stderr.strip().splitlines()[-1]
        raise PlayerError(_("player {name!r}: {error}").format(name=player, error=last))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
