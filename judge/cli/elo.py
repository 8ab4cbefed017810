"""`python -m judge elo`: computes ratings from counts of results and prints them. See statistics/elo.py."""

import argparse
import math

from judge.cli.number_types import LARGEST_COUNT, whole_number
from judge.cli.parser import Parser, add_old_name
from judge.language import _
from judge.statistics.elo import Estimate, estimate, figures
from judge.terminal import json_line


def main(words: list[str]) -> int:
    """Run the command with the arguments `words` and return the exit status."""
    parser = Parser(
        "elo",
        description=_("Elo, normalized Elo and likelihood of superiority from counts."),
    )
    add_counts(parser)
    options = parser.parse_args(words)
    found = estimate(options.counts)
    if options.json:
        print(json_line(figures(options.counts)))
    else:
        for line in _strength(found):
            print(line)
        print(f"LOS  {found.los:.2%}")
    return 0


def _strength(found: Estimate) -> list[str]:
    """Return a line with Elo and a line with normalized Elo."""
    is_known = not math.isinf(found.n_elo_error)  # else all results are alike
    n_elo = f"{round(found.n_elo, 2) + 0.0:.2f} +- {found.n_elo_error:.2f}" if is_known else "-"
    if math.isinf(found.elo):
        is_best = found.elo > 0
        bound = (_("over {figure}") if is_best else _("under {figure}")).format(
            figure=f"{found.lower if is_best else found.upper:.2f}"
        )
        return [f"Elo  {bound}  (95 %)", f"nElo {n_elo}"]
    error = "" if math.isinf(found.elo_error) else f" +- {found.elo_error:.2f}"
    return [
        f"Elo  {round(found.elo, 2) + 0.0:.2f}{error}  (95 %: {found.lower:.2f} .. {found.upper:.2f})",
        f"nElo {n_elo}",
    ]


GAME_RESULTS = "L,D,W"
PAIR_RESULTS = "LL,LD,DD+LW,WD,WW"


def add_counts(parser: argparse.ArgumentParser) -> None:
    """Add the options --json, --pairs and --single-games. The user must give one of the last two.

    Its value, the list of counts, is stored as `counts` in the parsed options.
    """
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument(
        "--pairs",
        dest="counts",
        type=lambda text: _counts(text, PAIR_RESULTS),
        metavar=PAIR_RESULTS,
        help=_("pairs of games on one board by their results, the worst first"),
    )
    games = group.add_argument(
        "--single-games",
        dest="counts",
        type=lambda text: _counts(text, GAME_RESULTS),
        metavar=GAME_RESULTS,
        help=_("single games by their results"),
    )
    add_old_name(group, "--games", games)
    parser.add_argument("--json", action="store_true", help=_("print one JSON object on a line"))


def _counts(text: str, form: str) -> list[int]:
    words = [word.strip() for word in text.split(",")]
    found = [whole_number(word) for word in words]
    counts = [number for number in found if number is not None and number <= LARGEST_COUNT]
    if len(counts) != len(words) or len(words) != len(form.split(",")) or not any(counts):
        message = _("{text!r} does not count results, expected {form} as integers of at least 0, not all 0")
        raise argparse.ArgumentTypeError(message.format(text=text, form=form))
    return counts
