"""The folder of --forensics: a folder in it for each abnormal game, whole or not there at all."""

import errno
import itertools
import json
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from judge.forensics import summary
from judge.forensics.case import Case, is_abnormal
from judge.language import _
from judge.play.observer import Observer
from judge.play.referee import play_game
from judge.play.scoresheet import GamePlan
from judge.players.players import Contestant
from judge.terminal import printable
from protocol.records.record import GameRecord

MOST_GAMES = 1000  # of one run: more would fill a disk without telling anything new
UNFINISHED = ".unfinished-{}-"  # with the judge's process id: a hidden folder that becomes the game's when it is whole
OF_UNFINISHED = re.compile(r"\.unfinished-(\d+)-")
IS_TAKEN = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR)  # what rename() says of a name that something else has


class Casebook:
    """Keeps the cases of a run. repro(record file, game's number in it, side, ply) is the command for a case.

    Raises OSError where nothing can be written to the folder.
    """

    def __init__(self, folder: Path, repro: Callable[[Path, int, str, int | None], str]) -> None:
        self.folder = folder
        self._repro = repro
        self._open: dict[str, Case] = {}  # judged, their records not written yet
        self._numbers = _Numbers()
        self._written = self._too_many = 0
        self._failure = ""
        folder.mkdir(parents=True, exist_ok=True)
        _remove_unfinished(folder)
        self._new_folder().rmdir()

    def begin(self) -> Case:
        """The Evidence of a game to come."""
        return Case(self._keep_open)

    def play_game(
        self,
        contestants: Sequence[Contestant],
        plan: GamePlan,
        observer: Observer | None = None,
        stop: threading.Event | None = None,
    ) -> GameRecord:
        """As the referee's, with its evidence kept."""
        return play_game(contestants, plan, observer, stop, self.begin())

    def _keep_open(self, case: Case) -> None:
        if is_abnormal(case.record):
            self._open[case.record.extra["id"]] = case

    def keep(self, record: GameRecord, path: Path) -> None:
        """Write the folder of a game whose record is in the file at `path` by now, if it was an abnormal one.

        Raises nothing: a run does not end because of its forensics.
        """
        case = self._open.pop(record.extra["id"], None)
        if case is None:
            return
        if self._written == MOST_GAMES:
            self._too_many += 1
            return
        try:
            self._write(case, path)
            self._written += 1
        except Exception as error:  # whatever it is, the game is recorded and the next one has to be played
            self._failure = self._failure or f"{type(error).__name__}: {error}"

    def notes(self) -> list[str]:
        """What to tell of the folder at the end of the run."""
        found, folder = [], printable(str(self.folder))
        if self._written:
            told = _("forensics: {number} games in {folder}")
            found.append(told.format(number=self._written, folder=folder))
        if self._too_many:
            told = _("note: {number} more abnormal games have no folder in {folder}")
            found.append(told.format(number=self._too_many, folder=folder))
        if self._failure:
            told = _("note: not all forensics could be written to {folder}: {error}")
            found.append(told.format(folder=folder, error=printable(self._failure)))
        return found

    def _write(self, case: Case, path: Path) -> None:
        number = self._numbers.number(path, case.record.extra["id"])
        unfinished = self._new_folder()
        try:
            for name, text in self._texts(case, path, number).items():
                (unfinished / name).write_text(text, "utf-8")
            _rename(unfinished, self.folder / f"game-{number}-{case.name}")
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise

    def _new_folder(self) -> Path:
        folder = Path(tempfile.mkdtemp(prefix=UNFINISHED.format(os.getpid()), dir=self.folder))
        folder.chmod(0o755)  # a temporary one is its owner's alone
        return folder

    def _texts(self, case: Case, path: Path, number: int) -> dict[str, str]:
        """{name of a file: its text}."""
        place = _("{path}, game {number}").format(path=printable(str(path)), number=number)
        repro = self._repro(path.absolute(), number, case.side, case.ply)
        frames = "".join(json.dumps(entry) + "\n" for entry in case.entries())
        stderr = {f"{side}.stderr.txt": _lines_printable(ended.stderr) for side, ended in case.ended.items()}
        words = "".join(f"{line}\n" for line in summary.lines(case, place, repro))
        return {"summary.txt": words, "frames.jsonl": frames, "game.json": _game_json(case), **stderr}


class _Numbers:
    """Finds a game's number in a record file that grows: what was read is not read again."""

    def __init__(self) -> None:
        self._offset = self._lines = 0
        self._path: Path | None = None

    def number(self, path: Path, game_id: str) -> int:
        """The game's number, from 1. Raises LookupError if it is not in the rest of the file."""
        if path != self._path:
            self._path, self._offset, self._lines = path, 0, 0
        offset, lines = self._offset, self._lines
        with path.open("rb") as file:
            file.seek(offset)
            for line in file:
                offset, lines = offset + len(line), lines + 1
                if f'"id":"{game_id}"'.encode() in line:
                    self._offset, self._lines = (offset, lines)
                    return lines
        raise LookupError(_("{path} does not hold the game").format(path=path))


def _remove_unfinished(folder: Path) -> None:
    """Remove what judges have left that were killed while they wrote."""
    for entry in folder.iterdir():
        found = OF_UNFINISHED.match(entry.name)
        if found and not os.path.exists(f"/proc/{found[1]}"):
            shutil.rmtree(entry, ignore_errors=True)


def _rename(unfinished: Path, name: Path) -> None:
    """Give the folder its name, with a number where an earlier run has taken it."""
    for copy in itertools.count(1):
        try:
            unfinished.rename(name if copy == 1 else name.with_name(f"{name.name}-{copy}"))
            return
        except OSError as error:
            if error.errno not in IS_TAKEN:
                raise


def _lines_printable(text: str) -> str:
    return "".join(printable(line) + "\n" for line in text.split("\n")) if text else ""


def _game_json(case: Case) -> str:
    content: dict[str, Any] = {
        "record": json.loads(case.record.to_json()),
        "exit_status": {side: ended.exit_status for side, ended in case.ended.items()},
        "turns": [turn.as_json() for turn in case.turns],
        "cores": os.cpu_count(),
        "load": list(os.getloadavg()),
    }
    return json.dumps(content, indent=1) + "\n"
