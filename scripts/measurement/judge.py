"""`scripts/measure judge`: what the judge itself costs.

stamp      a bot writes the moment (time.monotonic_ns, one clock for all processes) into its reply, and the judge's
           pump() stamps the arrival: the difference is what a reply is late by
charged    the time that a whole turn is charged to a bot that answers at once, from games between two of them: the
           turn's way to the bot, the bot's waking up and parsing, and the reply's way back
games/s    the same games, processes started and ended, records on disk; one and two at a time
"""

import argparse
import os
import shlex
import statistics
import struct
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

from checkout import CHECKOUT
from judge.interface import run_match
from judge.processes.process import BotProcess, end_all, pump
from judge.processes.start import Launch
from judge.reports import phases
from judge.statistics import score
from option_types import count

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
    """Seconds between the bot's write and the judge's stamp, sorted."""
    marker = f"bench-{os.getpid()}"
    process = BotProcess(Launch((sys.executable, "-S", "-u", "-c", STAMPING_BOT)), marker)
    delays = []
    try:
        for _ in range(turns):
            process.send(TURN)
            give_up = time.monotonic() + FIRST_ANSWER_S
            while not process.received:
                if pump([process], 0.05) > give_up:
                    raise SystemExit("the stamping bot does not answer")
            [(arrived, body)] = process.received
            process.received = []
            delays.append(arrived - struct.unpack(">Q", body)[0] / 1e9)
            time.sleep(PAUSE_S)
    finally:
        end_all([process])
    return sorted(delays)


def instant_games(games, jobs):
    """(games per second, charged seconds of all turns but the first ones, sorted) of a match on disk."""
    with tempfile.TemporaryDirectory() as folder:
        found = run_match(
            INSTANT_MOVER,
            INSTANT_MOVER,
            games,
            seed=1,
            jobs=jobs,
            on_game=lambda game: game.save(Path(folder) / "match.jsonl"),
        )
    records = [game.record for game in found.games]
    times = sorted(time for side in "AB" for time in phases.phases(records, side)["later_moves"].walls_s)
    began, ended = min(record.started for record in records), max(record.finished for record in records)
    return games / (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds(), times


def main(words):
    """Measure, and print what was found; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="scripts/measure judge", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=count, default=2000, metavar="N", help="of the stamping bot (default: 2000)")
    parser.add_argument("--games", type=count, default=100, metavar="N", help="of instant movers (default: 100)")
    options = parser.parse_args(words)
    _tell("stamp", stamp_delays(options.turns))
    for jobs in (1, 2):
        rate, times = instant_games(options.games, jobs)
        _tell(f"charged, jobs {jobs}", times)
        print(f"games/s, jobs {jobs}   {rate:.1f}", flush=True)
    return 0


def _tell(name, times):
    half, most = 1000 * statistics.median(times), 1000 * score.percentile(times, 99)
    print(f"{name:17}{half:.3f} ms (half), {most:.3f} ms (99 %)", flush=True)
