"""Judged games between two unpacked bundles, and what each side said on stderr."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from checkout import CHECKOUT
from protocol.games.connect_four import Opening, Turn, encode_opening, encode_turn
from protocol.records.record import Termination, read_records

ENGINE_LINE = re.compile(r"^dropfour: engine (\S+) \((.*)\)$", re.MULTILINE)
WITHOUT_SITE_PACKAGES = ("-S", "-E", "-s")


@dataclass(frozen=True)
class Case:
    """One game of a bundle against itself, so that it moves first and second.

    python: interpreter with its options; board: options of `judge play`; options: of main.py, none for the ladder's
    own way; expected: the engine that both sides must say they play with in the end; prefix: shell words before what
    starts a side; shell: words that take them.
    """

    title: str
    python: tuple
    board: str
    limit_s: float
    expected: str
    options: tuple = ()
    prefix: str = ""
    shell: tuple = ("sh", "-c")


@dataclass(frozen=True)
class Outcome:
    """How a case went: what is wrong with it ("" for nothing), and its figures."""

    case: Case
    fault: str
    plies: int = 0
    slowest_s: float = 0.0
    first_s: float = 0.0
    peak_mb: float = 0.0
    engines: str = ""


def first_messages():
    """What a first mover's stdin holds: opening and first turn of the largest board of connect four."""
    return encode_opening(Opening(12, 12, (3, 3)), "saiblo") + encode_turn(Turn(None, (12,) * 12, (0,) * 144), "saiblo")


def unpack(archive, folder):
    """Unpack the bundle into an empty folder, which is returned."""
    with zipfile.ZipFile(archive) as bundle:
        bundle.extractall(folder)
    return Path(folder)


def play(case, game, bundle, seed):
    """The Outcome of a case of that game; bundle: the unpacked folder."""
    with tempfile.TemporaryDirectory() as place:
        record, logs = Path(place) / "game.jsonl", [Path(place) / side for side in "AB"]
        players = [_command(case, bundle, log) for log in logs]
        words = [
            sys.executable,
            "-m",
            "judge",
            "play",
            *players,
            "--quiet",
            "--sandbox",
            "off",  # each side writes its log beside the record
            "--game",
            game,
            *case.board.split(),
            "--limit",
            case.limit_s,
            "--seed",
            seed,
            "--record",
            record,
        ]
        environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
        done = subprocess.run(list(map(str, words)), cwd=place, env=environment, capture_output=True, text=True)
        if not record.exists():
            return Outcome(case, f"the judge failed: {done.stderr.strip()[-200:]}")
        said = [log.read_text("utf-8", "replace") if log.exists() else "" for log in logs]
        return _outcome(case, read_records(record)[0][0], said)


def _command(case, bundle, log):
    """The command of one side, with its stderr in a file."""
    words = shlex.join([*case.python, str(bundle / "main.py"), *case.options])
    return shlex.join([*case.shell, f"{case.prefix} exec {words} 2>{shlex.quote(str(log))}"])


def _outcome(case, record, said):
    faults, engines = [], []
    if record.termination is not Termination.NORMAL:
        faults.append(f"{record.termination.value}: {record.extra['reason']}")
    for side, text in zip("AB", said, strict=True):
        lines = ENGINE_LINE.findall(text)
        engines.append(lines[-1][0] if lines else "none")
        if engines[-1] != case.expected:
            faults.append(f"{side} played with {engines[-1]}, expected {case.expected}: {text.strip()[-200:]}")
        others = [line for line in text.splitlines() if not ENGINE_LINE.match(line)]
        if others:
            faults.append(f"{side} said: {others[0][:200]}")
    times = [move.wall_s for move in record.moves]
    return Outcome(
        case,
        "; ".join(faults),
        len(times),
        max(times, default=0),
        max(times[:2], default=0),
        max(record.extra[side].get("peak_rss_bytes", 0) for side in "AB") / 1e6,
        " ".join(sorted(set(engines))),
    )
