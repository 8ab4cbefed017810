"""How long a bundle takes from the start of its process to its first search iteration, beside a bare interpreter."""

import shutil
import statistics
import subprocess
import sys
import time

from bundle.games import WITHOUT_SITE_PACKAGES
from protocol.games.connect_four import Opening, Turn, encode_opening, encode_turn

RUNS = 60
# main.py's own way but for the search, which ends with its first iteration, so that the reply's way out is all that
# is added.
_PROGRAM = (
    "import sys; sys.path.insert(0, sys.argv.pop()); import main; "
    "main.end(main.main(main.GAME, main.FOLDER, iterations=1))"
)


def first_messages():
    """What a first mover's stdin holds: opening and first turn of the largest board."""
    return encode_opening(Opening(12, 12, (3, 3)), "saiblo") + encode_turn(Turn(None, (12,) * 12, (0,) * 144), "saiblo")


def measure(bundle, runs=RUNS):
    """{way of starting: seconds beyond the bare interpreter, sorted}; bundle: unpacked, left without byte code."""
    found = {"with byte code": _pairs(bundle, runs)}
    for folder in bundle.rglob("__pycache__"):
        shutil.rmtree(folder)
    found["without, read-only"] = _pairs(bundle, runs)
    return found


def _pairs(bundle, runs):
    # -B: as in a read-only folder, nothing is written that the next run would find.
    python, given = [sys.executable, "-B", *WITHOUT_SITE_PACKAGES], first_messages()
    differences = []
    for _ in range(runs):
        bare = _seconds([*python, "-c", "pass"], given)
        differences.append(_seconds([*python, "-c", _PROGRAM, str(bundle)], given) - bare)
    return sorted(differences)


def _seconds(command, given):
    started = time.perf_counter()
    done = subprocess.run(command, input=given, capture_output=True)
    seconds = time.perf_counter() - started
    if done.returncode:
        raise RuntimeError(f"{command}: status {done.returncode}, {done.stderr.decode()}")
    return seconds


def describe(found):
    """Lines with median and spread, in ms."""
    for way, seconds in found.items():
        low, high = (1000 * seconds[int(len(seconds) * part)] for part in (0.1, 0.9))
        median = 1000 * statistics.median(seconds)
        yield f"{way}: {median:.1f} ms (10 % {low:.1f}, 90 % {high:.1f}, {len(seconds)} pairs)"
