"""Has a bot get its compiled engine ready before it plays, and shows on stderr how far that is.

    python -m judge.players.engine_build [OPTION ..] [GAME ..]

does so for this checkout's bot, with the options of bot/backends/prepare.py; set-up calls it. The bot's own program
does the work, in a process of its own.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence

from rich.progress import BarColumn, Progress, TextColumn

from judge import language, terminal
from judge.language import _
from judge.players.checkout import CHECKOUT
from judge.players.launch import Launch

MODULE = "bot.compiled"
SILENT_S = 1.0  # what takes no longer is not shown
SHARE_LINE = "progress"  # begins a line that tells how far it is: progress GAME SHARE
SHOWN_STEPS = 1000
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
    with tempfile.TemporaryFile("w+") as errors, _Bar(title) as bar:
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


def shares(lines: Iterable[str]) -> Iterable[float]:
    """The shares that lines of the bot's preparing program tell of."""
    for line in lines:
        words = line.split()
        if words[:1] == [SHARE_LINE] and len(words) == 3:
            yield float(words[2])


class _Bar:
    """A context that shows a bar on stderr if it lasts; elsewhere than on a terminal, a line at the start and the end.

    clock() gives seconds.
    """

    def __init__(self, title: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._title, self._clock, self._began = title, clock, clock()
        self._console = terminal.console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %  {task.elapsed:.0f} s{task.fields[left]}"),
            console=self._console,
            transient=True,
        )
        self._task = self._progress.add_task(title, total=None, left="")
        self._timer = threading.Timer(SILENT_S, self._begin)
        self._lock, self._is_shown, self._is_over = threading.Lock(), False, False

    def __enter__(self) -> "_Bar":
        self._timer.daemon = True
        self._timer.start()
        return self

    def __exit__(self, kind: object, *_others: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._is_over = True
            if self._is_shown and self._console.is_terminal:
                self._progress.stop()  # one that was never started would print an empty line
            if self._is_shown and kind is None:
                took = _("{title}: {seconds:.0f} s")
                self._say(took.format(title=self._title, seconds=self._clock() - self._began))

    def show(self, share: float) -> None:
        """So much of the work, 0 to 1, is done."""
        left = ""
        if 0 < share < 1:
            left_s = (self._clock() - self._began) * (1 - share) / share
            left = _(", about {seconds:.0f} s left").format(seconds=left_s)
        self._progress.update(self._task, total=SHOWN_STEPS, completed=share * SHOWN_STEPS, left=left)

    def _begin(self) -> None:
        with self._lock:
            if self._is_over:
                return
            self._is_shown = True
            if self._console.is_terminal:
                self._progress.start()
            else:
                self._say(f"{self._title} ..")

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


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
    launch = Launch((), {"PYTHONPATH": str(CHECKOUT)}, str(CHECKOUT))
    for game in games:
        try:
            prepare(launch, [*options, game], title_for(game), tells_progress=True)
        except EngineMissing as error:
            print(error, file=sys.stderr, flush=True)
            return error.status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
