"""`scripts/train_connect_four`: quick games of the engine against itself, then weights that tell their ends."""

import argparse
import json
import multiprocessing
import signal
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from bot.games.connect_four.evaluation import weights_file
from checkout import CHECKOUT, revision, shown_command
from connect_four_training import features, fit, positions, self_play
from option_types import count, minutes, part, quantity
from stopping import stop_like_ctrl_c
from whole_file import written_whole

WEIGHTS = CHECKOUT / "bot" / "games" / "connect_four" / "evaluation" / weights_file.NAME
EPOCHS = 8
# Play is counted in rounds of this length: one that is stopped ends its round and goes on with the next.
ROUND_S = 5.0
STOPPED_STATUS, REFUSED_STATUS = 130, 2


class TrainingError(Exception):
    """The training cannot begin or go on; str() says why."""


class Run:
    """How far the training in a folder is, kept in a file there: play and learning that are done. Raises TrainingError.

    played_s: by the clock; cores_s: of all processes together.
    """

    def __init__(self, folder):
        self._path = folder / "run.json"
        self.played_s, self.cores_s, self.rounds, self.learnt = 0.0, 0.0, 0, 0
        if self._path.exists():
            kept = self._kept()
            self.__dict__.update({name: kept[name] for name in self._known() if name in kept})

    def _kept(self):
        try:
            kept = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise TrainingError(f"{self._path} cannot be read: {error}; another --folder begins anew") from error
        if not isinstance(kept, dict) or not all(type(value) in (int, float) for value in kept.values()):
            raise TrainingError(f"{self._path}: expected an object of numbers; another --folder begins anew")
        return kept

    def _known(self):
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def save(self):
        """Write the file anew."""
        with written_whole(self._path) as unfinished:
            unfinished.write_text(json.dumps(self._known()), "utf-8")


def main(words):
    """Run the command; returns the exit status."""
    options = _parser().parse_args(words)
    stop_like_ctrl_c()
    try:
        _require_room(options)
        run = Run(options.folder)
        if run.learnt >= options.generations:
            print(f"{options.folder}: {run.learnt} generations are learnt; another --folder begins anew", flush=True)
        for generation in range(run.learnt + 1, options.generations + 1):
            _play(options, run, options.minutes * 60 * generation / options.generations)
            _learn(options, run, words)
            run.learnt = generation
            run.save()
    except TrainingError as error:
        print(f"error: {error}", file=sys.stderr)
        return REFUSED_STATUS
    except KeyboardInterrupt:
        print(f"stopped; the same command goes on from what lies in {options.folder}", file=sys.stderr)
        return STOPPED_STATUS
    return 0


def _require_room(options):
    """Make the folder. Raises TrainingError where it, or the weights, cannot be written."""
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TrainingError(f"--folder {options.folder}: {error.strerror}") from error
    if not options.weights.parent.is_dir():
        raise TrainingError(f"--weights {options.weights}: there is no folder {options.weights.parent}")


def _weights_of(options, generation):
    """The file in the folder that keeps what a generation has learnt, for the next one's play."""
    return options.folder / f"generation-{generation}.weights"


def _learnt_weights(options, generation):
    """The numbers that a generation has learnt, as bytes. Raises TrainingError."""
    path = _weights_of(options, generation)
    try:
        return weights_file.unpack_weights(path.read_bytes())[0]
    except (OSError, weights_file.WeightsError) as error:
        raise TrainingError(f"{path}: {error}; another --folder begins anew") from error


def _progress(title, total, done=0):
    """A bar with what is left, and the number of its task."""
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), TextColumn("{task.fields[said]}")
    progress = Progress(*columns, console=Console(stderr=True))
    return progress, progress.add_task(title, total=total, completed=done, said="")


def _players(jobs):
    """Processes that play. Ctrl-C reaches them too, and is the parent's business."""
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(jobs, spawn, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))


def _play(options, run, until_s):
    """Let the processes play until the run has so many seconds of play behind it."""
    weights = _learnt_weights(options, run.learnt) if run.learnt else None
    progress, task = _progress(f"play {run.learnt + 1}", until_s, run.played_s)
    games = 0
    with progress, _players(options.jobs) as pool:
        while run.played_s < until_s:
            began = time.monotonic()
            run.rounds += 1  # first of all: nothing is appended to the files of a round that was killed
            run.save()
            round_s = min(ROUND_S, until_s - run.played_s)
            tasks = [
                pool.submit(
                    self_play.play_games,
                    options.folder / f"{options.seed}-{run.rounds}-{job}.positions",
                    round_s,
                    (options.seed * 100_000 + run.rounds) * 100 + job,
                    options.share,
                    weights,
                )
                for job in range(options.jobs)
            ]
            try:
                games += sum(task.result() for task in tasks)
            finally:  # what was played until a stop is learnt from too
                run.played_s += time.monotonic() - began
                run.cores_s += (time.monotonic() - began) * options.jobs
                run.save()
            progress.update(task, completed=run.played_s, said=f"{games:,} games more")


def _learn(options, run, words):
    """Write the weights that all positions in the folder teach. Raises TrainingError where these are too few."""
    known = positions.read(sorted(options.folder.glob("*.positions")))
    found = int(fit.learnt_from(known).sum())
    if found < fit.BATCH:
        raise TrainingError(
            f"{options.folder} has {found} positions to learn from, expected {fit.BATCH} or more: more --minutes"
        )
    games = int(known["game"][-1]) + 1
    seen = features.features_of(known)
    progress, task = _progress(f"learn from {len(known):,} positions", EPOCHS)
    said = ""

    def say(epochs, text):
        nonlocal said
        said = text
        progress.update(task, completed=epochs, said=text)

    with progress:
        weights = fit.fit(known, seen, EPOCHS, options.seed, say)
    made = {
        "command": shown_command("scripts/train_connect_four", words),
        "revision": revision(),
        "games": games,
        "positions": len(known),
        "hours": round(run.cores_s / 3600, 2),
        "learnt": said,
    }
    packed = weights_file.pack_weights(np.asarray(weights, "<f4").tobytes(), json.dumps(made))
    for path in (_weights_of(options, run.learnt + 1), options.weights):
        with written_whole(path) as unfinished:
            unfinished.write_bytes(packed)
    print(f"{options.weights}: {games:,} games, {said}", flush=True)


def _parser():
    parser = argparse.ArgumentParser(prog="scripts/train_connect_four", description=__doc__.partition(": ")[2])
    parser.add_argument("--minutes", type=minutes, default=60.0, metavar="M", help="of play in all (default 60)")
    parser.add_argument(
        "--generations",
        type=count,
        default=2,
        metavar="N",
        help="how often weights are learnt, each time for the games to come (default 2)",
    )
    parser.add_argument("--jobs", type=count, default=2, metavar="J", help="processes that play (default 2)")
    parser.add_argument(
        "--share",
        type=part,
        default=0.4,
        metavar="PART",
        help="part of a leaf's value that the network says in games to come (default 0.4)",
    )
    parser.add_argument("--seed", type=quantity, default=1, metavar="N", help="default 1")
    parser.add_argument(
        "--folder",
        type=Path,
        default=CHECKOUT / ".cache" / "connect-four-training",
        metavar="DIR",
        help="where positions are kept; all that lie there are learnt from, and a run that was stopped goes on "
        "(default: below .cache)",
    )
    parser.add_argument("--weights", type=Path, default=WEIGHTS, metavar="FILE", help="default: the bot's own")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
