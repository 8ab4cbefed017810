"""The records folder: which record files there are, and the way to one of them that leads nowhere else."""

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from judge.live import SUFFIX as LIVE_SUFFIX
from judge.live import is_running, live_path
from judge.review import marks
from judge.server.answers import encoded
from judge.server.inputs import RECORD_SUFFIX, no_such_file, record_path

LIST_PERIOD_S = 0.5
MOST_LISTED = 2000
MOST_FOLDERS = 2000  # that are looked into
HIDDEN = "."
LATEST_S = 253402300799.0  # the end of the year 9999


class RecordsFolder:
    """The record files below a folder, which need not be there yet. Links are followed where they stay inside."""

    def __init__(self, root: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.root = root
        self._clock = clock
        self._latest: tuple[float, str] | None = None  # when the list was made, and the list

    def as_text(self) -> str:
        """as_json() as browsers are sent it, made at most once in a while: every first page asks again and again."""
        now, latest = self._clock(), self._latest
        if latest is None or now - latest[0] >= LIST_PERIOD_S:
            self._latest = latest = now, encoded(self.as_json())
        return latest[1]

    def find(self, path: str) -> Path:
        """Where the record file lies that a browser calls so. Raises Refused where there is none, or outside.

        A run whose first game has not ended has no record file yet: it is there all the same.
        """
        root = os.path.realpath(self.root)
        place = os.path.realpath(os.path.join(root, record_path(path)))
        if not place.startswith(root.rstrip(os.sep) + os.sep) or not place.endswith(RECORD_SUFFIX):
            raise no_such_file(path)
        found = Path(place)
        if not (_is_file(found) or (not os.path.lexists(found) and is_running(found))):
            raise no_such_file(path)
        return found

    def as_json(self) -> dict[str, Any]:
        """The list of record files; `left_out` counts those that are too many for it."""
        entries = list(map(self._entry, sorted(self._paths())))
        if len(entries) > MOST_LISTED:  # those that go on are meant first, then the newest
            entries.sort(key=lambda entry: (entry["is_running"], entry["changed"]), reverse=True)
        return {"files": entries[:MOST_LISTED], "left_out": max(0, len(entries) - MOST_LISTED)}

    def _paths(self) -> Iterator[str]:
        """The paths of the files, as a browser calls them."""
        root = os.path.realpath(self.root)
        for number, (folder, below, names) in enumerate(os.walk(root)):
            if number == MOST_FOLDERS:
                return
            below[:] = sorted(name for name in below if not name.startswith(HIDDEN))
            records = {name for name in names if _is_record(name)}
            begun = {name for name in map(_of_live, names) if name not in records and _is_record(name)}
            for name in sorted(records | begun):
                path = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
                if _is_text(path) and self._is_inside(root, os.path.join(folder, name), name in begun):
                    yield path

    @staticmethod
    def _is_inside(root: str, place: str, is_begun: bool) -> bool:
        if is_begun:
            return is_running(Path(place))
        return os.path.realpath(place).startswith(root.rstrip(os.sep) + os.sep) and _is_file(Path(place))

    def _entry(self, path: str) -> dict[str, Any]:
        place = Path(os.path.realpath(self.root), path)
        size, changed_s = 0, 0.0
        with contextlib.suppress(OSError):
            changed_s = live_path(place).stat().st_mtime
        with contextlib.suppress(OSError):
            found = place.stat()
            size, changed_s = found.st_size, max(changed_s, found.st_mtime)
        changed = datetime.fromtimestamp(_told(changed_s), timezone.utc).isoformat(timespec="seconds")
        return {"path": path, "bytes": size, "changed": changed, "is_running": is_running(place)}


def _told(moment_s: float) -> float:
    """The moment, or 0 for one that no calendar has."""
    return moment_s if 0 <= moment_s <= LATEST_S else 0.0


def _is_record(name: str) -> bool:
    return name.endswith(RECORD_SUFFIX) and not name.endswith(marks.SUFFIX) and not name.startswith(HIDDEN)


def _of_live(name: str) -> str:
    """The name of the record that a file of running games stands beside; "" of any other file."""
    return name.removesuffix(LIVE_SUFFIX) if name.endswith(LIVE_SUFFIX) else ""


def _is_file(place: Path) -> bool:
    with contextlib.suppress(OSError):
        return stat.S_ISREG(place.stat().st_mode)
    return False


def _is_text(path: str) -> bool:
    """Whether it can be sent: a name may be bytes that are no text."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
