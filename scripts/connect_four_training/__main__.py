"""`scripts/train_connect_four`: quick games of the engine against itself, then weights that tell their ends."""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from bot.games.connect_four.network_weights import NETWORK_FILE
from bot.games.connect_four.weights_file import WeightsError
from checkout import CHECKOUT, revision, shown_command
from connect_four_training import features, fit, positions
from connect_four_training.rounds import Run, TrainingError, play_rounds, players, progress_bar
from option_types import count, minutes, part, quantity
from stopping import stop_like_ctrl_c
from whole_file import written_whole

WEIGHTS = Path(NETWORK_FILE.path)
EPOCHS = 8
STOPPED_STATUS, REFUSED_STATUS = 130, 2


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
        return NETWORK_FILE.unpack(path.read_bytes())[0]
    except (OSError, WeightsError) as error:
        raise TrainingError(f"{path}: {error}; another --folder begins anew") from error


def _play(options, run, until_s):
    """Let the processes play until the run has so many seconds of play behind it."""
    weights = _learnt_weights(options, run.learnt) if run.learnt else None
    bar = progress_bar(f"play {run.learnt + 1}", until_s, run.played_s)
    with bar as say, players(options.jobs) as pool:
        play_rounds(run, pool, options.jobs, options.folder, options.seed, until_s, options.share, weights, say)


def _learn(options, run, words):
    """Write the weights that all positions in the folder teach. Raises TrainingError where these are too few."""
    known = positions.read(sorted(options.folder.glob("*" + positions.SUFFIX)))
    is_learnt = fit.learnt_from(known)
    found, games = int(is_learnt.sum()), len(np.unique(known["game"][is_learnt]))
    if found < fit.BATCH:
        raise TrainingError(
            f"{options.folder} has {found} positions to learn from, expected {fit.BATCH} or more: more --minutes"
        )
    seen = features.features_of(known)
    with progress_bar(f"learn from {found:,} positions", EPOCHS) as say:
        weights, said = fit.fit(known, seen, EPOCHS, options.seed, say)
    made = {
        "command": shown_command("scripts/train_connect_four", words),
        "revision": revision(),
        "games": games,
        "positions": found,
        "hours": round(run.cores_s / 3600, 2),
        "learnt": said,
    }
    packed = NETWORK_FILE.pack(np.asarray(weights, "<f4").tobytes(), json.dumps(made))
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
