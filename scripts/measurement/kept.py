"""Runs that are kept: a file that grows in records/strength/, and two to commit in docs/results/.

NAME.json has the circumstances and a summary, NAME.jsonl.gz the games or the answers, one JSON object a line.
"""

import contextlib
import gzip
import importlib.metadata
import json
import os
import platform
import re
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from checkout import CHECKOUT, shown_command
from protocol.preset_names import with_new_names
from protocol.records import json_lines
from whole_file import written_whole

RESULTS = CHECKOUT / "docs" / "results"
WORK = CHECKOUT / "records" / "strength"


class MeasureError(Exception):
    """The command cannot be carried out as asked; str() says why and what was expected."""


def file_name(*parts):
    """A run's name made of texts, with nothing in it that a shell or a file system minds."""
    return "_".join(re.sub(r"[^A-Za-z0-9.=+]+", "-", part).strip("-") for part in parts)


def renamed(content):
    """A JSON object with every preset in it called by its new name."""
    return json.loads(with_new_names(json.dumps(content)))


@dataclass(frozen=True)
class Run:
    """A run of this kind ("match", ..); `asked`: JSON object that says what it is; options: of the command line."""

    kind: str
    name: str
    asked: dict
    options: object

    @property
    def record(self):
        """The file in which the run has what it has found so far."""
        return self.options.work / f"{_played_as(self.name, self.options.work, '.jsonl')}.jsonl"

    def require_new(self):
        """Raise MeasureError where something of the run is there that is not to be continued."""
        if not self.options.resume and self.record.exists() and self.record.stat().st_size:
            raise MeasureError(f"{self.record} is there already: --resume continues it, removing it begins anew")

    def is_done(self):
        """Whether all of it is kept already."""
        path = self._kept(".json")
        info = json.loads(path.read_text("utf-8")) if path.exists() else {}
        return info.get("complete", False) and renamed(info["asked"]) == renamed(self.asked)

    def keep(self, summary, complete, revision):
        """Write both files; summary: JSON object; revision: of what was measured."""
        self.options.results.mkdir(parents=True, exist_ok=True)
        lines = [without_reports(line.content) for line in json_lines.read_lines(self.record) if not line.is_torn]
        info = {
            "name": self._kept(".json").stem,
            "kind": self.kind,
            "complete": complete,
            "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            "command": shown_command("scripts/measure", ["strength", *self.options.words]),
            "revision": revision,
            "machine": machine(),
            "lines": len(lines),
            "asked": self.asked,
            "summary": summary,
        }
        with written_whole(self._kept(".jsonl.gz")) as path:
            path.write_bytes(gzip.compress(b"".join(lines), mtime=0))  # the same bytes for the same games
        with written_whole(self._kept(".json")) as path:
            path.write_text(json.dumps(info, indent=1) + "\n", "ascii")

    def _kept(self, suffix):
        return self.options.results / f"{_played_as(self.name, self.options.results, '.json')}{suffix}"


def _played_as(name, folder, suffix):
    """The name under which the run has a file there: its presets may have had other names then."""
    then = {with_new_names(path.name): path.name.removesuffix(suffix) for path in folder.glob(f"*{suffix}")}
    return then.get(with_new_names(name + suffix), name)


def without_reports(line):
    """A line of JSON without what bots said of their moves: three quarters of a record, judged by nobody."""
    entry = json.loads(line)
    if any("report" in move for move in entry.get("moves", ()) if isinstance(move, dict)):
        entry["moves"] = [{**move, "report": None} for move in entry["moves"]]
    return json.dumps(entry, separators=(",", ":")).encode("ascii") + b"\n"


def machine():
    """CPU model, cores, what runs on them (load average over 15 minutes), system and versions of what computes."""
    model = None
    with contextlib.suppress(OSError):
        model = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    return {
        "cpu": model.group(1) if model else platform.processor() or "unknown",
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[2], 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numba": importlib.metadata.version("numba"),
    }


class Answers:
    """The answers of a run of many questions, on disk as they come: a line with what was asked, then one an answer.

    key: names of the fields that tell answers apart; `found`: {key: answer}.
    """

    def __init__(self, run, revision, key):
        run.require_new()
        self.path, self._key = run.record, key
        asked = {"asked": {**run.asked, "revision": revision}}
        lines = self._lines() if self.path.exists() else []
        if not lines:
            json_lines.append(self.path, _line(asked))
        elif renamed(lines[0]) != renamed(asked):
            raise MeasureError(f"{self.path} is of another run: {lines[0].get('asked')}, this one is {asked['asked']}")
        self.reread()

    def reread(self):
        """Find what is on disk: where a run was stopped while it wrote, that may be an answer more."""
        self.found = {self._key_of(line): line for line in self._lines()[1:]}

    def keep(self, answer):
        """Write an answer (JSON object); it is on disk when this returns."""
        json_lines.append(self.path, _line(answer))
        self.found[self._key_of(answer)] = answer

    def _key_of(self, answer):
        return tuple(answer[name] for name in self._key)

    def _lines(self):
        return [json.loads(line.content) for line in json_lines.read_lines(self.path) if not line.is_torn]


def _line(content):
    return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"
