"""What it costs a match to be followed: `scripts/bench_serve [--parts N] [--seconds S] [--clients C]`.

One match of two games at a time runs from the beginning to the end. In every other part of the time `serve` runs
beside it, and so many clients follow the match; the order is: without, with, with, without, and so on, so that a
machine that becomes slower or faster does so for both. The players search for a number of iterations, not for a time:
what a server takes of the cores shows in how many turns there are.

  turns, games   a minute, with and without; `ratio` is with by without, and its standard error
  delay          from the moment when a move is appended to the file of running games until a client has it
  server         seconds of processor time that the server has used in a second
"""

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

import psutil

from checkout import CHECKOUT
from judge.live import live_path
from judge.statistics import score
from protocol.records.record import read_records
from serve_bench.appended import AppendedMoves
from serve_bench.clients import Clients

SETTLE_S = 3.0  # before a part is measured
FIRST_GAME_S = 120.0
ADDRESS = re.compile(r"http://(127\.0\.0\.1:\d+)/")
ORDER = (False, True, True, False)
RECORD = "match.jsonl"


def judge(*words):
    """A command of the judge as a process."""
    return subprocess.Popen(
        [sys.executable, "-m", "judge", *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def stop(process):
    """End a process of judge()."""
    process.send_signal(signal.SIGTERM)
    process.communicate()


def until_more(record, games):
    """Wait until so many more games have ended, but no longer than the first may take."""
    wanted = len(read_records(record)[0]) + games
    give_up = time.monotonic() + FIRST_GAME_S
    while len(read_records(record)[0]) < wanted and time.monotonic() < give_up:
        time.sleep(1.0)


def part_without(seconds):
    """Let so much time pass: its (beginning, end) in UTC."""
    time.sleep(SETTLE_S)
    began = datetime.now(timezone.utc)
    time.sleep(seconds)
    return began, datetime.now(timezone.utc)


def part_with(seconds, folder, clients, moments):
    """The same while clients follow; with it the delays of moves in seconds and the server's use of processor time."""
    server = judge("serve", "--port", 0, "--records", folder, "--sandbox", "off")
    try:
        address = ADDRESS.search(server.stdout.readline()).group(1)
        with Clients(clients, address, RECORD) as watching:
            time.sleep(SETTLE_S)
            watching.arrivals.clear()
            used = sum(psutil.Process(server.pid).cpu_times()[:2])
            began = datetime.now(timezone.utc)
            time.sleep(seconds)
            ended = datetime.now(timezone.utc)
            used = sum(psutil.Process(server.pid).cpu_times()[:2]) - used
            arrivals = list(watching.arrivals)
    finally:
        stop(server)
    delays = [arrived - moments[move] for move, arrived in arrivals if move in moments]
    return began, ended, delays, used / seconds


def rates(records, began, ended):
    """(turns, games) a minute between two moments; a game's turns lie end to end before its end."""
    turns = games = 0
    for record in records:
        finished = datetime.fromisoformat(record.finished)
        games += began <= finished < ended
        before_end_s = 0.0
        for move in reversed(record.moves):
            moment = finished.timestamp() - before_end_s
            turns += began.timestamp() <= moment < ended.timestamp()
            before_end_s += move.wall_s
    minutes = (ended - began).total_seconds() / 60
    return turns / minutes, games / minutes


def compared(without, with_them):
    """{name: figure} of one rate, part by part; the ratio and its error are None where nothing happened in a kind."""
    means = statistics.mean(without), statistics.mean(with_them)
    errors = [
        statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0 for values in (without, with_them)
    ]
    if not all(means):
        return {"without": means[0], "with": means[1], "ratio": None, "error": None}
    ratio = means[1] / means[0]
    error = ratio * sum((error / mean) ** 2 for error, mean in zip(errors, means, strict=True)) ** 0.5
    return {"without": means[0], "with": means[1], "ratio": ratio, "error": error}


def measured(options):
    """All figures."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / RECORD
        player = f"bot --iterations {options.iterations}"
        words = ["match", player, player, "--games", 10**6, "--jobs", options.jobs, "--oversubscribe", "--seed", 1]
        match = judge(*words, "--no-machine-check", "--sandbox", "off", "--limit", 60, "--record", record)
        parts = {False: [], True: []}
        delays, used = [], []
        try:
            with AppendedMoves(live_path(record)) as appended:
                give_up = time.monotonic() + FIRST_GAME_S
                while not record.exists():
                    if match.poll() is not None or time.monotonic() > give_up:
                        raise SystemExit("bench_serve: the match does not begin")
                    time.sleep(0.1)
                for number in range(2 * options.parts):
                    if ORDER[number % len(ORDER)]:
                        *span, new_delays, used_s = part_with(
                            options.seconds, folder, options.clients, appended.moments
                        )
                        parts[True].append(span)
                        delays += new_delays
                        used.append(used_s)
                    else:
                        parts[False].append(part_without(options.seconds))
                until_more(record, 2 * options.jobs)  # or the turns of the last part's last games are in no record
        finally:
            stop(match)
        records = read_records(record)[0]
    found = {kind: [rates(records, *span) for span in spans] for kind, spans in parts.items()}
    turns, games = (compared(*([rate[place] for rate in found[kind]] for kind in (False, True))) for place in (0, 1))
    delays.sort()
    return {
        "turns_a_minute": turns,
        "games_a_minute": games,
        "delay_s": {
            "moves": len(delays),
            "p50": statistics.median(delays) if delays else None,
            "p99": score.percentile(delays, 99) if delays else None,
            "most": delays[-1] if delays else None,
        },
        "server_cores": statistics.mean(used),
    }


def figure_in_words(figure, digits):
    """A figure, "-" where there is none."""
    return "-" if figure is None else f"{figure:.{digits}f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", type=int, default=6, help="of each kind (default: 6)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of a part (default: 60)")
    parser.add_argument("--clients", type=int, default=20, help="(default: 20)")
    parser.add_argument("--jobs", type=int, default=2, help="games at a time (default: 2)")
    parser.add_argument("--iterations", type=int, default=20_000, help="of the players' searches (default: 20000)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    found = measured(options)
    if options.json:
        print(json.dumps(found))
        return
    for name in ("turns_a_minute", "games_a_minute"):
        rate = found[name]
        line = "{:16} without {:8.1f}  with {:8.1f}  ratio {} +- {}"
        ratio, error = (figure_in_words(rate[key], 4) for key in ("ratio", "error"))
        print(line.format(name.replace("_", " "), rate["without"], rate["with"], ratio, error))
    delay = found["delay_s"]
    line = "delay, s         half {}  99 % {}  most {}  of {} moves at {} clients"
    told = [figure_in_words(delay[key], 3) for key in ("p50", "p99", "most")]
    print(line.format(*told, delay["moves"] // options.clients, options.clients))
    print("server           {:.4f} of a core".format(found["server_cores"]))


if __name__ == "__main__":
    main()
