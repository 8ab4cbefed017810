"""The changes that a page can make in the records folder: import games, move a record file to the trash and back.

Nothing is rewritten or deleted. Imported games are written to a file with a new name. A record file is moved as a whole
into the folder TRASH, which the list of files leaves out.
"""

import contextlib
import os
import re
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judge.files import walk
from judge.formats.imported import problem_lines, read_file
from judge.language import marked
from judge.live import is_running
from judge.review import marks
from judge.runs import record_file
from judge.terminal import printable
from judge.web.answers import CONFLICT, NOT_ALLOWED, NOT_FOUND, Refused, refusal
from judge.web.inputs import RECORD_SUFFIX
from judge.web.records import RecordsFolder, error_refusal
from judge.web.texts import in_each
from protocol.records.record import RecordError, append_records

TRASH = ".trash"  # a folder in the records folder
LARGEST_UPLOAD = 8 * 2**20  # bytes; a match detail of Saiblo has less than one million bytes
PIECES = (b"\n", b"\r", b"{", b"[")  # what begins a line or a value
MOST_PIECES = 300_000  # games of LARGEST_UPLOAD bytes have at most 200,000; more take long to read
MOST_PROBLEMS = 20  # a page is told at most so many problems of an imported file
LONGEST_STEM = 60  # the most characters of a new file's name, without suffix
DEFAULT_STEM = "import"
UNUSUAL = re.compile(r"[^\w -]+")
RESERVED = "serve"  # the name of the file for games played in the application
BESIDE = (marks.SUFFIX, ".torn")  # suffixes of files beside a record file that are moved with it
IS_LINK = marked("{path} is a link, or lies in a linked folder: remove it by hand")


def import_file(folder: RecordsFolder, name: str, data: bytes) -> dict[str, Any]:
    """Import a file that another program has written: write its good games into a new record file.

    `name` is the imported file's name and `data` its content. Returns, as JSON, the `path` of the record file, the
    number of its `games`, and two texts in each language with which the command `import` describes the file: `told`,
    and `problems`, which is None if there are none. Raises Refused if the file has no good game (with the problems as
    its texts) or too many lines or values, or if the record file cannot be written.
    """
    if sum(map(data.count, PIECES)) > MOST_PIECES:
        message = marked("{name} has too many lines or values for this page: import it with the command {command}")
        raise refusal(NOT_ALLOWED, message, name=name, command="dropfour import")
    imported = read_file(Path(name), data, None, None, None)
    problems = in_each(lambda: "\n".join(problem_lines(imported, MOST_PROBLEMS)))
    records = [record for _place, record in imported.records]
    if not records:
        raise Refused(NOT_ALLOWED, problems)
    try:
        place = _new_file(folder.root, _record_stem(name))
        append_records(place, records)
        folder.forget_list()
    except (OSError, RecordError) as error:
        raise error_refusal(error) from None
    return {
        "path": place.name,
        "games": len(records),
        "told": in_each(imported.in_words),
        "problems": problems if imported.problems else None,
    }


def _record_stem(name: str) -> str:
    """Return the name, without suffix, of the record file for the games of the imported file `name`.

    All characters of `name` except letters, digits, spaces, "_" and "-" are replaced by "_".
    """
    stem = UNUSUAL.sub("_", Path(name.replace("\\", "/")).stem)[:LONGEST_STEM].strip(" _-")
    return stem or DEFAULT_STEM


def _new_file(root: Path, stem: str) -> Path:
    """Create an empty record file in the folder `root` and return its path.

    `stem` is the file's name without suffix. If the name is in use, a number from 2 on is appended. Raises OSError if
    the file cannot be created.
    """
    root.mkdir(parents=True, exist_ok=True)
    name, number = stem, 2
    while True:
        file_path = root / f"{name}{RECORD_SUFFIX}"
        if name != RESERVED and not is_running(file_path):
            with contextlib.suppress(FileExistsError):
                os.close(os.open(file_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644))
                return file_path
        name, number = f"{stem}-{number}", number + 1


def move_to_trash(folder: RecordsFolder, path: str) -> dict[str, Any]:
    """Move a record file and the files beside it that belong to it to the trash.

    `path` is the record file's path relative to the records folder. Returns, as JSON, `trash`, which is the name that
    move_back() takes, and `place`, which is the new path. Raises Refused if there is no such file, if the file is a
    link or in a linked folder, if a run writes to the file, or if the file cannot be moved.
    """
    file_path = folder.find(path)
    root = Path(os.path.realpath(folder.root))
    if file_path != root / path:
        raise refusal(NOT_ALLOWED, IS_LINK, path=path)
    try:
        with record_file.exclusive_lock(file_path) as lock:
            if lock is None or is_running(file_path) or not file_path.exists():
                raise refusal(
                    CONFLICT,
                    marked("{path} cannot be removed while a run writes to it: wait until the run has ended"),
                    path=path,
                )
            if (root / TRASH).is_symlink():
                raise refusal(NOT_ALLOWED, IS_LINK, path=TRASH)
            trash = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{secrets.token_hex(4)}"
            target = root / TRASH / trash / path
            target.parent.mkdir(parents=True)
            for suffix in ("", *BESIDE):
                with contextlib.suppress(FileNotFoundError):
                    os.rename(f"{file_path}{suffix}", f"{target}{suffix}")
    except (OSError, RecordError) as error:
        raise error_refusal(error) from None
    folder.forget_list()
    return {"trash": trash, "place": printable(str(folder.root / TRASH / trash / path))}


def move_back(folder: RecordsFolder, trash: str) -> dict[str, Any]:
    """Move a record file, and the files that were moved with it, back from the trash.

    `trash` is the name that move_to_trash() returned. Returns, as JSON, the record file's `path` relative to the
    records folder. Raises Refused if the file is no longer in the trash, if a file exists at its old path again, or if
    the files cannot be moved.
    """
    root = Path(os.path.realpath(folder.root))
    trash_folder = root / TRASH / trash
    try:
        files = sorted(_files_below(trash_folder))
    except OSError as error:
        raise error_refusal(error) from None
    if not files:
        raise refusal(NOT_FOUND, marked("the trash has no file {name!r} any more"), name=trash)
    for file in files:
        parent = Path(os.path.realpath((root / file).parent))
        if os.path.lexists(root / file) or not parent.is_relative_to(root):
            message = marked(
                "the file cannot be put back, because there is a new file {path}: rename the new file first"
            )
            raise refusal(CONFLICT, message, path=str(file))
    try:
        for file in files:
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            os.rename(trash_folder / file, root / file)
        for subfolder in reversed([subfolder for subfolder, _entries in walk(trash_folder)]):
            os.rmdir(trash_folder / subfolder)
    except OSError as error:
        raise error_refusal(error) from None
    folder.forget_list()
    return {"path": files[0].as_posix()}


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield the paths, relative to `folder`, of all files in this folder and its subfolders.

    Yields nothing if `folder` is a link or does not exist. Raises OSError if a folder cannot be read; see walk().
    """
    if folder.is_dir() and not folder.is_symlink():
        for subfolder, entries in walk(folder):
            yield from (subfolder / entry.name for entry in entries if not entry.is_dir(follow_symlinks=False))
