"""What limits a run of games on very many workers: `scripts/simulate_cluster [--workers 1,10,100,1000] ..`.

Pairs are played by simulated workers, which die and come back; some are slower than others. The scheduler and the
program that keeps the records do one thing after another. A run ends when all of its first --pairs have a result, as
an SPRT does at its verdict; what has been begun behind them then is wasted. For each number of workers it prints

  games a minute   of those that count, and as a share of what so many workers could play if nothing else took time
  wasted           pairs that were begun and do not count; lost: pairs that were begun anew
  scheduler        the share of the time that it is at work; client: of the program that keeps the records
"""

import argparse
import dataclasses
import json
import statistics
from pathlib import Path

from cluster_simulation.chart import chart
from cluster_simulation.model import Cluster, simulated
from option_types import count
from whole_file import written_whole

WORKERS = (1, 10, 30, 100, 300, 1000, 3000)
SETTINGS = {
    "game_s": "mean length of a game, seconds",
    "spread": "deviation of a pair's length, as a share of it",
    "stragglers": "share of workers that are slower",
    "straggler_speed": "how fast they are",
    "deaths": "of a worker, an hour",
    "back_s": "seconds until another worker takes the place of one that died",
    "silent": "share of deaths that are noticed by silence alone",
    "timeout_s": "after so many seconds of it",
    "scheduler_s": "seconds that the scheduler works on a pair",
    "client_s": "seconds that this program does",
    "heartbeat_s": "seconds that the scheduler works on a sign of life",
}


def numbers(text):
    """Numbers with commas between."""
    return tuple(count(word) for word in text.split(","))


def measured(options, workers):
    """The means of so many runs with so many workers."""
    cluster = Cluster(workers, **{name: getattr(options, name) for name in SETTINGS})
    runs = [simulated(cluster, options.pairs, seed) for seed in range(options.seed, options.seed + options.runs)]
    names = [field.name for field in dataclasses.fields(runs[0])]
    found = {name: statistics.fmean(getattr(run, name) for run in runs) for name in names}
    perfect = workers / cluster.game_s * 60.0
    return {"workers": workers, **{name: round(value, 4) for name, value in found.items()}, "perfect": perfect}


def in_words(found):
    """A line on one number of workers."""
    share = found["games_a_minute"] / found["perfect"]
    return (
        f"{found['workers']:6,} workers {found['games_a_minute']:10,.1f} games a minute ({share:.1%})  "
        f"wasted {found['wasted']:8,.1f}  lost {found['lost']:7,.1f}  "
        f"scheduler {found['scheduler']:6.1%}  client {found['client']:6.1%}"
    )


def main():
    """Simulate and print what was found."""
    parser = argparse.ArgumentParser(
        prog="scripts/simulate_cluster", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=numbers, default=WORKERS, help="default: " + ",".join(map(str, WORKERS)))
    parser.add_argument("--pairs", type=count, default=10_000, help="until the verdict (default: 10000)")
    parser.add_argument("--runs", type=count, default=3, help="of each number of workers (default: 3)")
    parser.add_argument("--seed", type=int, default=1)
    for name, meaning in SETTINGS.items():
        default = Cluster.__dataclass_fields__[name].default
        flag = "--" + name.removesuffix("_s").replace("_", "-")
        parser.add_argument(flag, dest=name, type=float, default=default, help=f"{meaning} (default: {default:g})")
    parser.add_argument("--picture", type=Path, metavar="FILE.svg", help="draw it there")
    parser.add_argument("--json", action="store_true", help="print an object a line")
    options = parser.parse_args()
    found = []
    for workers in options.workers:
        found.append(measured(options, workers))
        print(json.dumps(found[-1]) if options.json else in_words(found[-1]), flush=True)
    if options.picture is not None:
        with written_whole(options.picture) as unfinished:
            Path(unfinished).write_text(chart(found), "utf-8")


if __name__ == "__main__":
    main()
