"""Where runs leave what they found: records in progress, and compressed ones to commit."""

import gzip
import importlib.metadata
import io
import json
import os
import platform
import re
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from checkout import CHECKOUT, shown_command
from protocol.preset_names import with_new_names
from strength_suite.json_lines import whole_lines
from whole_file import written_whole

RESULTS = CHECKOUT / "docs" / "results"
WORK = CHECKOUT / "records" / "strength"


@dataclass(frozen=True)
class Store:
    """`work` holds the records of runs that may go on, `results` what is committed; `words`: the user's."""

    work: Path
    results: Path
    words: tuple

    def record(self, name):
        """The file in which the run of this name keeps its records."""
        return self.work / f"{_played_as(name, self.work, '.jsonl')}.jsonl"

    def info(self, name):
        """The committed circumstances and summary of a run (dict), None if it has none."""
        path = self.results / f"{_played_as(name, self.results, '.json')}.json"
        return json.loads(path.read_text("utf-8")) if path.exists() else None

    def export(self, name, kind, complete, asked, summary, revision):
        """Write NAME.jsonl.gz (every whole line of the run's records, without bots' reports) and NAME.json beside it.

        asked and summary: JSON objects. revision: of what was measured.
        """
        self.results.mkdir(parents=True, exist_ok=True)
        content = without_reports(whole_lines(self.record(name).read_bytes()))
        name = _played_as(name, self.results, ".json")
        with written_whole(self.results / f"{name}.jsonl.gz") as path:
            path.write_bytes(compressed(content))
        info = {
            "name": name,
            "kind": kind,
            "complete": complete,
            "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
            "command": shown_command("scripts/strength", self.words),
            "revision": revision,
            "machine": machine(),
            "lines": content.count(b"\n"),
            "asked": asked,
            "summary": summary,
        }
        with written_whole(self.results / f"{name}.json") as path:
            path.write_text(json.dumps(info, indent=1) + "\n", "ascii")


def _played_as(name, folder, suffix):
    """The name under which a run has a file there, its presets called as they are now or as they were then."""
    if not (folder / f"{name}{suffix}").exists():
        for path in sorted(folder.glob(f"*{suffix}")):
            if with_new_names(path.name) == with_new_names(name + suffix):
                return path.name.removesuffix(suffix)
    return name


def without_reports(content):
    """Lines of JSON without what bots said of their moves: three quarters of a compressed record, judged by nobody."""
    lines = []
    for line in content.splitlines():
        entry = json.loads(line)
        if any("report" in move for move in entry.get("moves", ()) if isinstance(move, dict)):
            entry["moves"] = [{**move, "report": None} for move in entry["moves"]]
            line = json.dumps(entry, separators=(",", ":"), ensure_ascii=True).encode("ascii")
        lines.append(line + b"\n")
    return b"".join(lines)


def compressed(content):
    """The bytes as gzip, the same for the same content whenever it is made."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as file:
        file.write(content)
    return buffer.getvalue()


def machine():
    """CPU model, cores, what runs on them (load average over 15 minutes), system and versions of what computes."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[2], 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numba": importlib.metadata.version("numba"),
    }


def _cpu_model():
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    except OSError:
        found = None
    return found.group(1) if found else platform.processor() or "unknown"


def file_name(*parts):
    """A run's name made of texts, with nothing in it that a shell or a file system minds."""
    return "_".join(re.sub(r"[^A-Za-z0-9.=+]+", "-", part).strip("-") for part in parts)
