"""`scripts/train_deep`: games, and a deep network that learns from them, for as long as you like.

It does what helps most next: play while the network has seen every position often enough, else learn. Stop it whenever
you like, in any way: the same command goes on. Each round ends with how much of held-back games the network explains.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import torch
from rich import box
from rich.console import Console
from rich.table import Table

from bot.games.connect_four.config import DEFAULT
from bot.games.connect_four.network_weights import NETWORK_FILE
from checkout import CHECKOUT, revision, shown_command
from connect_four_training import positions, self_play
from connect_four_training.rounds import SEEDS_A_ROUND, Run, TrainingError, play_rounds, players, progress_bar
from deep_training import gumbel, learning
from deep_training.network import SIZES, NetworkError, load_network, save_network
from option_types import count, minutes, quantity
from stopping import stop_like_ctrl_c
from whole_file import written_whole

# So many samples are drawn for each position known, mirrored half of the time, before new ones are worth more.
PASSES = 8
SLICE_S, SLICES = 120.0, 10  # of play or of learning at a time: so long at most, and so many at least
MOST_JUDGED = 4_000  # positions held back that a round's figures are taken from
STEPS_AT_ONCE = 20  # between two looks at the clock
GAMES_ON_A_GPU = 2048
JOBS = min(len(os.sched_getaffinity(0)), SEEDS_A_ROUND)
DEFAULT_FOLDER = CHECKOUT / ".cache" / "deep-training"
STOPPED_STATUS, REFUSED_STATUS = 130, 2


def main(words):
    """Run the command; returns the exit status."""
    options = _parser().parse_args(words)
    stop_like_ctrl_c()
    try:
        try:
            options.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TrainingError(f"--folder {options.folder}: {error.strerror}") from error
        Training(options, words).go_on()
    except (TrainingError, NetworkError) as error:
        print(f"error: {error}", file=sys.stderr)
        return REFUSED_STATUS
    except KeyboardInterrupt:
        print(f"stopped; the same command goes on from what lies in {options.folder}", file=sys.stderr)
        return STOPPED_STATUS
    return 0


class Training:
    """One network's training in a folder. Raises TrainingError and NetworkError.

    Files in the folder: NAME.checkpoint, all that it goes on from; NAME.network, what players load; NAME.figures, one
    line of JSON for each round; games, which all names share.
    """

    def __init__(self, options, words):
        self._options = options
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._own_games = options.own_games
        if self._own_games is None:
            self._own_games = GAMES_ON_A_GPU if self._device == "cuda" else 0
        self._made = {"command": shown_command("scripts/train_deep", words), "revision": revision()}
        self._teacher = None
        if options.teacher is not None:
            self._teacher = load_network(options.teacher, self._device)
            self._made["teacher"] = self._teacher.made
        name = options.name or options.network
        self._checkpoint, self._network, self._figures = (
            options.folder / f"{name}.{kind}" for kind in ("checkpoint", "network", "figures")
        )
        self._run = Run(options.folder)
        self._games = None  # of the network against itself, under way
        self._learner = learning.Learner(options.network, self._device, options.seed)
        if self._checkpoint.exists():
            self._learner.load(self._checkpoint)

    def go_on(self):
        """Play and learn for the time that the options name."""
        seconds = self._options.minutes * 60
        end, slice_s = time.monotonic() + seconds, min(SLICE_S, seconds / SLICES)
        with players(self._options.jobs) as pool:
            while (left := end - time.monotonic()) > 0:
                known = learning.read_known(self._options.folder, self._options.positions)
                most, learnt = self._options.positions, len(known.learnt)
                if learnt >= self._learner.batch and self._learner.samples < self._options.passes * learnt:
                    self._learn(known, min(slice_s, left))
                    self._report(known)
                elif most is None or learnt < most:
                    self._play(pool, min(slice_s, left))
                else:
                    print(f"all {most:,} positions have been learnt from {self._options.passes} times")
                    return

    def _play(self, pool, seconds):
        """Games of the engine by all processes, or of the network against itself where that is asked for."""
        run, options = self._run, self._options
        if self._own_games and self._learner.steps:
            self._play_itself(seconds)
            return
        recipe = self_play.STRONG._replace(iterations=tuple(options.iterations))
        with progress_bar("play", run.played_s + seconds, run.played_s) as say:
            until, share, weights = run.played_s + seconds, DEFAULT.network_share, NETWORK_FILE.stored()[0]
            play_rounds(run, pool, options.jobs, options.folder, options.seed, until, share, weights, say, recipe)

    def _play_itself(self, seconds):
        """The network against itself; games that have not ended go on the next time."""
        options, learner = self._options, self._learner
        path = options.folder / f"own{positions.SUFFIX}"
        if self._games is None:
            seed, first = options.seed + learner.steps, positions.next_game(path)
            self._games = gumbel.Games(learner.average, self._own_games, options.simulations, seed, self._device, first)
        began = time.monotonic()
        try:
            with progress_bar("play itself", seconds) as say:
                gumbel.play_games(self._games, path, seconds, say)
        finally:
            self._run.itself_s += time.monotonic() - began
            self._run.save()

    def _learn(self, known, seconds):
        """Learn until the positions have been seen often enough, or the time is over; keep it."""
        began, until = time.monotonic(), self._options.passes * len(known.learnt)
        try:
            with progress_bar(f"learn from {len(known.learnt):,} positions", until, self._learner.samples) as say:
                while self._learner.samples < until and time.monotonic() - began < seconds:
                    error = self._learner.learn(known, STEPS_AT_ONCE, self._teacher)
                    say(self._learner.samples, f"error {error:.3f}")
        finally:
            self._learner.seconds += time.monotonic() - began
            self._learner.save(self._checkpoint)

    def _report(self, known):
        """The figures of the round: printed, and added to the file; the network for players."""
        rows = learning.judged(known, MOST_JUDGED)
        network = self._learner.average
        figures = learning.figures_of(rows, *learning.evaluate(network, rows, self._device)) if len(rows) else None
        network.made = self._made | {"samples": self._learner.samples, "positions": len(known.learnt)}
        with written_whole(self._network) as unfinished:
            save_network(unfinished, network)
        if figures is None:
            return
        title = f"{len(known.learnt):,} positions, {self._learner.samples:,} samples learnt from"
        print_figures([(self._options.name or self._options.network, figures)], title)
        with open(self._figures, "a", encoding="utf-8") as file:
            hours = {"played_cores_h": self._run.cores_s / 3600, "learnt_h": self._learner.seconds / 3600}
            hours["itself_h"] = self._run.itself_s / 3600
            line = network.made | {"device": self._device, **hours, **figures._asdict()}
            file.write(json.dumps(line) + "\n")


def print_figures(judged, title):
    """A table of (name, Figures); the phases are told by free cells."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("", *judged[0][1].explained, "nats", "visits'", "named"):
        table.add_column(heading, justify="left" if not heading else "right", no_wrap=True)
    for name, figures in judged:
        policy = ("", "") if figures.nats is None else (f"{figures.nats:.3f}", f"{figures.entropy:.3f}")
        named = "" if figures.named is None else f"{figures.named:.1%}"
        table.add_row(name, *(f"{share:.3f}" for share in figures.explained.values()), *policy, named)
    Console().print(table)


def _parser():
    parser = argparse.ArgumentParser(prog="scripts/train_deep", description=__doc__.partition(": ")[2])
    parser.add_argument("--minutes", type=minutes, default=60.0, metavar="M", help="default 60")
    parser.add_argument("--network", choices=list(SIZES), default="large", help="its size (default %(default)s)")
    parser.add_argument("--name", type=_name, metavar="NAME", help="of its files in the folder (default: its size)")
    parser.add_argument("--teacher", type=Path, metavar="FILE", help="a network whose answers are learnt too")
    parser.add_argument(
        "--positions", type=count, metavar="N", help="learn from so many positions and end (default: go on playing)"
    )
    parser.add_argument(
        "--passes",
        type=quantity,
        default=PASSES,
        metavar="N",
        help="over all positions (default %(default)s; 0: play alone)",
    )
    parser.add_argument(
        "--iterations",
        type=count,
        nargs="+",
        default=self_play.STRONG.iterations,
        metavar="N",
        help="of a move in the engine's games; one of these is drawn for each game (default: "
        f"{', '.join(map(str, self_play.STRONG.iterations))})",
    )
    parser.add_argument(
        "--jobs",
        type=count,
        default=JOBS,
        metavar="J",
        help=f"processes that play, {SEEDS_A_ROUND} at most (default: one for each core)",
    )
    parser.add_argument(
        "--own-games",
        type=quantity,
        metavar="N",
        help=f"games of the network against itself, so many side by side, in place of the engine's (default: "
        f"{GAMES_ON_A_GPU} on a GPU, else 0: none)",
    )
    parser.add_argument(
        "--simulations", type=count, default=32, metavar="N", help="of a move in its own games (default %(default)s)"
    )
    parser.add_argument("--seed", type=quantity, default=1, metavar="N", help="default 1")
    parser.add_argument(
        "--folder",
        type=Path,
        default=DEFAULT_FOLDER,
        metavar="DIR",
        help="what it goes on from (default: below .cache)",
    )
    return parser


def _name(text):
    if not (text.isascii() and text.replace("-", "").isalnum()):
        raise argparse.ArgumentTypeError(f"expected letters, digits and '-', got {text!r}")
    return text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
