"""The counts of results that `judge elo` and `judge llr` take from the command line."""

import argparse

from judge.command_line.arguments import LARGEST_COUNT, whole_number
from judge.language import _

GAME_RESULTS = "L,D,W"
PAIR_RESULTS = "LL,LD,DD+LW,WD,WW"


def add(parser: argparse.ArgumentParser) -> None:
    """Add --pairs, --games (one of them is required) and --json; the counts come as options.counts."""
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument(
        "--pairs",
        dest="counts",
        type=lambda text: _counts(text, PAIR_RESULTS),
        metavar=PAIR_RESULTS,
        help=_("pairs of games on one board by their results, the worst first"),
    )
    group.add_argument(
        "--games",
        dest="counts",
        type=lambda text: _counts(text, GAME_RESULTS),
        metavar=GAME_RESULTS,
        help=_("single games"),
    )
    parser.add_argument("--json", action="store_true", help=_("print one JSON object on a line"))


def _counts(text: str, form: str) -> list[int]:
    words = [word.strip() for word in text.split(",")]
    found = [whole_number(word) for word in words]
    counts = [number for number in found if number is not None and number <= LARGEST_COUNT]
    if len(counts) != len(words) or len(words) != len(form.split(",")) or not any(counts):
        message = _("{text!r} does not count results, expected {form} as integers of at least 0, not all 0")
        raise argparse.ArgumentTypeError(message.format(text=text, form=form))
    return counts
