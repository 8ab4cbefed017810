"""`scripts/train_reversi`: games of the engine against itself, then weights that tell their ends, and so on again."""

import argparse
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from bot.games.reversi.weights import UNIQUE_WEIGHTS, pack_weights
from checkout import CHECKOUT
from option_types import count, minutes, quantity
from reversi_training import features, fit, positions, self_play
from whole_file import written_whole

WEIGHTS = CHECKOUT / "bot" / "games" / "reversi" / "weights.bin"
# Numbers of discs at which there are weights; between them they change in proportion.
KNOTS = (10, 18, 26, 34, 42, 50, 58)
STEPS_OF_A_DISC = 32
LARGEST_WEIGHT = 32767  # steps
EPOCHS = 16


def main(words):
    """Run the command; returns the exit status."""
    options = _parser().parse_args(words)
    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    if options.weights.exists() and not options.keep:
        options.weights.unlink()
    each_s = options.minutes * 60 / options.generations
    for generation in range(1, options.generations + 1):
        began = time.monotonic()
        games = _play(options, generation, each_s)
        known = positions.read(sorted(folder.glob("*.positions")))
        _say(
            f"generation {generation}: {games} games more, {len(known):,} positions in all, "
            f"{time.monotonic() - began:.0f} s"
        )
        _learn(options, known, generation)
        _say(f"{options.weights}: {options.weights.stat().st_size:,} bytes, {time.monotonic() - began:.0f} s")
    return 0


def _play(options, generation, each_s):
    """Let the processes play; how many games they have played."""
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
        tasks = []
        for job in range(options.jobs):
            path = options.folder / f"{options.seed}-{generation}-{job}.positions"
            seed = (options.seed * 1000 + generation) * 1000 + job
            tasks.append(pool.submit(self_play.play_games, path, each_s, options.nodes, seed))
        return sum(task.result() for task in tasks)


def _learn(options, known, generation):
    """Write the weights that the positions teach."""
    unique = features.unique_weights(known)
    discs = features.discs(known)
    weights = fit.fit(unique, discs, known["score"], KNOTS, UNIQUE_WEIGHTS, EPOCHS, options.seed + generation, _say)
    steps = np.clip(np.rint(weights * STEPS_OF_A_DISC), -LARGEST_WEIGHT, LARGEST_WEIGHT).astype(int)
    with written_whole(options.weights) as unfinished:
        unfinished.write_bytes(pack_weights(KNOTS, steps.tolist(), STEPS_OF_A_DISC))


def _say(text):
    print(text, flush=True)


def _parser():
    parser = argparse.ArgumentParser(prog="scripts/train_reversi", description=__doc__.partition(": ")[2])
    parser.add_argument("--minutes", type=minutes, default=24.0, metavar="M", help="of play in all (default 24)")
    parser.add_argument(
        "--generations",
        type=count,
        default=3,
        metavar="N",
        help="how often weights are learnt, each time for the games to come (default 3)",
    )
    parser.add_argument("--nodes", type=count, default=1500, metavar="N", help="for a move (default 1500)")
    parser.add_argument("--jobs", type=count, default=2, metavar="J", help="processes that play (default 2)")
    parser.add_argument("--seed", type=quantity, default=1, metavar="N", help="default 1")
    parser.add_argument("--keep", action="store_true", help="begin with the weights there are, not without any")
    parser.add_argument(
        "--folder",
        type=Path,
        default=CHECKOUT / ".cache" / "reversi-training",
        metavar="DIR",
        help="where positions are kept; all that lie there are learnt from (default: below .cache)",
    )
    parser.add_argument("--weights", type=Path, default=WEIGHTS, metavar="FILE", help="default: the bot's own")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
