"""What the judge itself costs: `scripts/bench_judge [--turns N] [--games N]`.

Three figures, each with how it is measured:
  stamp      a bot writes the moment (time.monotonic_ns, one clock for all processes) into its reply; the
             judge's pump() stamps the arrival. The difference is what a reply is late by.
  charged    the time a whole turn is charged to a bot that answers at once, from games between two of them:
             the turn's way to the bot, the bot's waking up and parsing, and the reply's way back.
  games/s    the same games, processes started and ended, records on disk; one and two at a time.
"""

import argparse
import json
import os
import shlex
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

from checkout import CHECKOUT
from judge.processes.process import BotProcess, end_all, pump
from judge.statistics import score
from protocol.records.record import read_records

TURN = b"-1 -1" + b" 12" * 12 + b" 0" * 144 + b"\n"  # as long as the longest
STAMPING_BOT = """
import os, struct, sys, time
for line in sys.stdin.buffer:
    os.write(1, struct.pack(">Q", time.monotonic_ns()))
"""
INSTANT_MOVER = shlex.join([sys.executable, "-S", "-s", str(CHECKOUT / "tests" / "engines" / "first_legal.py")])
PAUSE_S = 0.001  # between turns, so that the bot is asleep when its turn comes, as in a game
FIRST_ANSWER_S = 5.0


def stamp_delays(turns):
    """Nanoseconds between the bot's write and the judge's stamp, sorted."""
    marker = f"bench-{os.getpid()}"
    process = BotProcess((sys.executable, "-S", "-u", "-c", STAMPING_BOT), {}, marker)
    delays = []
    try:
        for _ in range(turns):
            process.send(TURN)
            give_up = time.monotonic() + FIRST_ANSWER_S
            while not process.received:
                now = pump([process], 0.05)
                if now > give_up:
                    raise SystemExit("the stamping bot does not answer")
            [(arrived, body)] = process.received
            process.received = []
            delays.append(arrived * 1e9 - struct.unpack(">Q", body)[0])
            time.sleep(PAUSE_S)
    finally:
        end_all([process], marker)
    return sorted(delays)


def play(games, jobs):
    """(games per second, charged seconds of all turns but the first ones, sorted) of a match."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.jsonl"
        words = ["match", INSTANT_MOVER, INSTANT_MOVER, "--games", games, "--seed", 1]
        words += ["--jobs", jobs, "--oversubscribe", "--no-machine-check"]
        subprocess.run(
            [sys.executable, "-m", "judge", *map(str, words), "--record", str(path)],
            cwd=folder,  # of files in it, each may cost a mount
            env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
            capture_output=True,
            check=True,
        )
        records = read_records(path)[0]
    times = sorted(time for side in "AB" for time in score.move_times(records, side, first_move=False))
    began = min(record.started for record in records)
    ended = max(record.finished for record in records)
    return games / _seconds_between(began, ended), times


def _seconds_between(began, ended):
    return (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2000)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    delays = stamp_delays(options.turns)
    found = {
        "stamp_us_p50": statistics.median(delays) / 1e3,
        "stamp_us_p99": score.percentile(delays, 99) / 1e3,
    }
    for jobs in (1, 2):
        rate, times = play(options.games, jobs)
        found[f"charged_ms_p50_jobs_{jobs}"] = statistics.median(times) * 1e3
        found[f"charged_ms_p99_jobs_{jobs}"] = score.percentile(times, 99) * 1e3
        found[f"games_per_s_jobs_{jobs}"] = rate
    if options.json:
        print(json.dumps({name: round(value, 3) for name, value in found.items()}))
        return
    for name, value in found.items():
        print(f"{name:24}{value:10.3f}")


if __name__ == "__main__":
    main()
