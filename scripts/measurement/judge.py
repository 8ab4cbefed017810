"""`scripts/measure judge`: what the judge itself costs, and what it costs a match to be followed in browsers.

stamp      a bot writes the moment (time.monotonic_ns, one clock for all processes) into its reply, and the judge's
           pump() stamps the arrival: the difference is what a reply is late by
charged    the time that a whole turn is charged to a bot that answers at once, from games between two of them: the
           turn's way to the bot, the bot's waking up and parsing, and the reply's way back
games/s    the same games, processes started and ended, records on disk; one and two at a time

With --clients instead: a match of two games at a time, which so many pages of `serve` follow in every other part of the
time; the order is without, with, with, without, so that a machine that becomes slower does so for both. Its players
search for a number of iterations: what the server takes of the cores shows in the number of turns.
"""

import argparse
import contextlib
import os
import re
import shlex
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime, timezone
from pathlib import Path

import psutil

from checkout import CHECKOUT
from judge.interface import run_match
from judge.processes.process import BotProcess, end_all, pump
from judge.statistics import score
from option_types import count, quantity, seconds
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
ORDER = (False, True, True, False)
SETTLE_S = 3.0  # before a part is measured
FIRST_GAME_S = 120.0
ADDRESS = re.compile(r"http://(127\.0\.0\.1:\d+)/")
RECORD = "match.jsonl"
LARGEST = 2**26  # of a summary for a page, in bytes


def stamp_delays(turns):
    """Seconds between the bot's write and the judge's stamp, sorted."""
    marker = f"bench-{os.getpid()}"
    process = BotProcess((sys.executable, "-S", "-u", "-c", STAMPING_BOT), {}, marker)
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
        end_all([process], marker)
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
            on_game=lambda game: game.save(Path(folder) / RECORD),
        )
    records = [game.record for game in found.games]
    times = sorted(time for side in "AB" for time in score.move_times(records, side, first_move=False))
    began, ended = min(record.started for record in records), max(record.finished for record in records)
    return games / (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds(), times


@contextlib.contextmanager
def judge(*words):
    """A command of the judge as a process, which ends with the block."""
    process = subprocess.Popen(
        [sys.executable, str(CHECKOUT / "scripts" / "run_module.py"), "judge", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate()


def followed(options):
    """{what: (without, with, their ratio, its standard error)}, and the share of a core that the server takes."""
    player = f"bot --iterations {options.iterations}"
    words = ["match", player, player, "--games", 10**6, "--jobs", 2, "--oversubscribe", "--seed", 1, "--limit", 60]
    spans, used = {False: [], True: []}, []
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / RECORD
        with judge(*words, "--no-machine-check", "--sandbox", "off", "--record", record):
            until_more(record, 1)
            for number in range(2 * options.parts):
                is_followed = ORDER[number % len(ORDER)]
                with followers(folder, options.clients) if is_followed else contextlib.nullcontext() as server:
                    time.sleep(SETTLE_S)
                    began, worked = datetime.now(timezone.utc), server and sum(server.cpu_times()[:2])
                    time.sleep(options.seconds)
                    spans[is_followed].append((began, datetime.now(timezone.utc)))
                    if server:
                        used.append((sum(server.cpu_times()[:2]) - worked) / options.seconds)
            until_more(record, 4)  # or the turns of the last part's last games are in no record
        records = read_records(record)[0]
    rates = {kind: [turns_a_minute(records, *span) for span in found] for kind, found in spans.items()}
    return compared(rates[False], rates[True]), statistics.mean(used)


def until_more(record, games):
    """Wait until so many more games have ended, but no longer than the first may take."""
    ended = lambda: len(read_records(record)[0]) if record.exists() else 0  # noqa: E731
    wanted, give_up = ended() + games, time.monotonic() + FIRST_GAME_S
    while ended() < wanted:
        if time.monotonic() > give_up:
            raise SystemExit("the match does not go on")
        time.sleep(1.0)


@contextlib.contextmanager
def followers(folder, clients):
    """The process (psutil's) of a server of that folder, whose match so many pages follow."""
    from websockets.sync.client import connect

    with (
        judge("serve", "--port", 0, "--records", folder, "--sandbox", "off") as server,
        contextlib.ExitStack() as stack,
    ):
        address = ADDRESS.search(server.stdout.readline()).group(1)
        for _ in range(clients):
            line = connect(
                f"ws://{address}/ws/follow/{RECORD}", origin=f"http://{address}", compression=None, max_size=LARGEST
            )
            stack.callback(line.close)
            line.recv()  # the summary, from when on moves are told
            threading.Thread(target=lambda line=line: sum(1 for _ in line), daemon=True).start()
        yield psutil.Process(server.pid)


def turns_a_minute(records, began, ended):
    """Turns between two moments; a game's turns lie end to end before its end."""
    turns = 0
    for record in records:
        moment = datetime.fromisoformat(record.finished).timestamp()
        for move in reversed(record.moves):
            turns += began.timestamp() <= moment < ended.timestamp()
            moment -= move.wall_s
    return turns / (ended - began).total_seconds() * 60


def compared(without, with_them):
    """The means of two kinds of parts, the ratio of the second to the first, and its standard error."""
    means = [statistics.mean(values) for values in (without, with_them)]
    ratio = means[1] / means[0]
    if len(without) < 2:
        return *means, ratio, 0.0
    variances = [statistics.variance(values) / len(values) for values in (without, with_them)]
    return *means, ratio, ratio * sum(each / mean**2 for each, mean in zip(variances, means, strict=True)) ** 0.5


def main(words):
    """Measure, and print what was found; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="scripts/measure judge", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=count, default=2000, metavar="N", help="of the stamping bot (default: 2000)")
    parser.add_argument("--games", type=count, default=100, metavar="N", help="of instant movers (default: 100)")
    parser.add_argument("--clients", type=quantity, default=0, metavar="N", help="that follow a match (default: none)")
    parser.add_argument("--parts", type=count, default=6, metavar="N", help="of each kind (default: 6)")
    parser.add_argument("--seconds", type=seconds, default=60.0, metavar="S", help="of a part (default: 60)")
    parser.add_argument("--iterations", type=count, default=20_000, metavar="N", help="a move there (default: 20000)")
    options = parser.parse_args(words)
    if options.clients:
        (without, with_them, ratio, error), server = followed(options)
        print(f"turns a minute   without {without:.1f}  with {with_them:.1f}  ratio {ratio:.4f} +- {error:.4f}")
        print(f"server           {server:.4f} of a core")
        return 0
    _tell("stamp", stamp_delays(options.turns))
    for jobs in (1, 2):
        rate, times = instant_games(options.games, jobs)
        _tell(f"charged, jobs {jobs}", times)
        print(f"games/s, jobs {jobs}   {rate:.1f}", flush=True)
    return 0


def _tell(name, times):
    half, most = 1000 * statistics.median(times), 1000 * score.percentile(times, 99)
    print(f"{name:17}{half:.3f} ms (half), {most:.3f} ms (99 %)", flush=True)
