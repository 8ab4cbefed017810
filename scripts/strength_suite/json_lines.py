"""Files of one JSON object a line that only grow: a killed run loses at most the line it was writing."""

import json
import os
from pathlib import Path

from protocol.preset_names import with_new_names


class SuiteError(Exception):
    """The command cannot be carried out as asked; str() says why and what was expected."""


def read_lines(path):
    """The objects in the file at `path` (list of dict), [] without one; not an unfinished last line.

    Raises SuiteError naming any other line that is no JSON object.
    """
    path = Path(path)
    if not path.exists():
        return []
    objects = []
    for number, line in enumerate(whole_lines(path.read_bytes()).splitlines(), start=1):
        try:
            content = json.loads(line)
        except ValueError:
            content = None
        if not isinstance(content, dict):
            raise SuiteError(f"{path}, line {number}: expected a JSON object")
        objects.append(content)
    return objects


def renamed(content):
    """A JSON object with every preset in it called by its new name."""
    return json.loads(with_new_names(json.dumps(content)))


def whole_lines(content):
    """The bytes up to and with the last newline: what follows was never written to its end."""
    return content[: content.rfind(b"\n") + 1]


def append_line(path, content):
    """Append a JSON object as a line, on disk when this returns; an unfinished last line is cut off first."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"
    with open(path, "ab+") as file:
        file.seek(0)
        file.truncate(len(whole_lines(file.read())))
        file.write(line)
        file.flush()
        os.fsync(file.fileno())


class Answers:
    """The results of a run of many questions: a first line with what was asked for, then one line an answer.

    path: the file; asked: a JSON object that says what the run is; key: names of the fields that tell answers
    apart. Raises SuiteError where the file holds a run already (without `resume`) or another one (with it).
    """

    def __init__(self, path, asked, key, resume):
        self.path, self._key = Path(path), key
        lines = read_lines(path)
        if lines and not resume:
            raise SuiteError(
                f"{path} holds {len(lines) - 1} answers already: --resume continues, removing it begins anew"
            )
        if lines and renamed(lines[0]) != renamed({"asked": asked}):
            raise SuiteError(f"{path} is of another run: {lines[0].get('asked')}, this one is {asked}")
        if not lines:
            append_line(path, {"asked": asked})
        self.reread()

    def reread(self):
        """Find what is on disk: where a run was stopped while it wrote, that may be an answer more."""
        self.found = {self._key_of(line): line for line in read_lines(self.path)[1:]}

    def _key_of(self, answer):
        return tuple(answer[name] for name in self._key)

    def __contains__(self, key):
        return key in self.found

    def keep(self, answer):
        """Write an answer (JSON object); it is on disk when this returns."""
        append_line(self.path, answer)
        self.found[self._key_of(answer)] = answer
