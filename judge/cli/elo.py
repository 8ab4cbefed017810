"""`python -m judge elo`: computes ratings from counts of results and prints them. See statistics/elo.py."""

import argparse
import math

from judge.cli.number_types import LARGEST_COUNT, whole_number
from judge.cli.parser import Parser, add_old_name
from judge.language import _
from judge.statistics.elo import Estimate, estimate, figures
from judge.terminal import json_line


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = Parser(
        "elo",
        description=_("Compute Elo, normalized Elo and the likelihood of superiority (LOS) from counts of results."),
    )
    add_counts(parser)
    options = parser.parse_args(argv)
    if options.json:
        print(json_line(figures(options.counts)))
        return 0
    strength = estimate(options.counts)
    print(f"Elo  {_elo_in_words(strength)}")
    n_elo = f"{round(strength.n_elo, 2) + 0.0:.2f} +- {strength.n_elo_error:.2f}"  # adding 0.0 turns -0.0 into 0.0
    print(f"nElo {'-' if math.isinf(strength.n_elo_error) else n_elo}")
    print(f"LOS  {strength.los:.2%}")
    return 0


def _elo_in_words(strength: Estimate) -> str:
    """Return Elo with its error and its interval of 95 %, or only the interval's finite end if Elo is infinite."""
    if math.isinf(strength.elo):
        is_best = strength.elo > 0
        bound = _("over {figure}") if is_best else _("under {figure}")
        return f"{bound.format(figure=f'{strength.lower if is_best else strength.upper:.2f}')}  (95 %)"
    error = "" if math.isinf(strength.elo_error) else f" +- {strength.elo_error:.2f}"
    elo = round(strength.elo, 2) + 0.0  # adding 0.0 turns -0.0 into 0.0
    return f"{elo:.2f}{error}  (95 %: {strength.lower:.2f} .. {strength.upper:.2f})"


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
        type=lambda text: _read_counts(text, PAIR_RESULTS),
        metavar=PAIR_RESULTS,
        help=_("how many pairs of games on one board had each result, from two losses (LL) to two wins (WW)"),
    )
    games = group.add_argument(
        "--single-games",
        dest="counts",
        type=lambda text: _read_counts(text, GAME_RESULTS),
        metavar=GAME_RESULTS,
        help=_("how many single games were lost, drawn and won"),
    )
    add_old_name(group, "--games", games)
    parser.add_argument(
        "--json", action="store_true", help=_("print the results as one JSON object on a line, instead of text")
    )


def _read_counts(text: str, form: str) -> list[int]:
    """Return the counts in a text such as "3,0,7". `form` names the results that are counted, such as "L,D,W".

    Raises ArgumentTypeError if the text has other than one count for each result, or only zeros.
    """
    words = text.split(",")
    numbers = [whole_number(word.strip()) for word in words]
    counts = [number for number in numbers if number is not None and number <= LARGEST_COUNT]
    if len(counts) != len(words) or len(words) != len(form.split(",")) or not any(counts):
        message = _("{text!r} is not a list of counts, expected {form}: integers of at least 0, not all of them 0")
        raise argparse.ArgumentTypeError(message.format(text=text, form=form))
    return counts
