"""Has a bot get its compiled engine ready before it plays, and shows on stderr how far that is.

    python -m judge.players.engine_build [OPTION ..] [GAME ..]

does so for this checkout's bot, with the options of bot/backends/prepare.py; set-up calls it. The bot's own program
does the work, in a process of its own.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from judge import language
from judge.language import _
from judge.players.checkout import CHECKOUT
from judge.players.launch import Launch
from judge.players.waiting import Waiting

MODULE = "bot.compiled"
SHARE_LINE = "progress"  # begins a line that tells how far it is: progress GAME SHARE
CACHE_VARIABLE = "DROPFOUR_CACHE_DIR"
COMPLETE, NUMBA_INDEX = "complete", ".nbi"  # a file in a folder of numba's machine code, and how its indexes are called
DATA_STATUS = 3  # bot/backends/prepare.py's: data that the bot needs are missing or damaged


class EngineMissing(Exception):
    """There is no compiled engine to be had; str() is what the bot said. `status` is its exit status."""

    def __init__(self, reason: str, status: int) -> None:
        super().__init__(reason)
        self.status = status


def prepare(launch: Launch, words: Sequence[str], title: str, tells_progress: bool) -> None:
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
    prepare(launch, [*options, game], title_for(game), tells_progress=True)


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
