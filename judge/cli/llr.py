"""`python -m judge llr`: prints the log-likelihood ratio of two hypotheses on strength, from counts."""

import argparse

from judge.cli import elo
from judge.cli.parser import Parser
from judge.language import _
from judge.statistics.sprt import MODELS, Hypotheses
from judge.terminal import json_line


def add_hypotheses(parser: argparse.ArgumentParser, default: tuple[float, float] | None = None) -> None:
    """Add the options --elo0, --elo1, --alpha, --beta and --model, which from_options() reads.

    `default` has the default values of --elo0 and --elo1. If it is None, the user must give both options.
    """
    for number, help_text in enumerate(
        (
            _("how much stronger than B player A is under the hypothesis H0"),
            _("how much stronger than B player A is under the hypothesis H1"),
        )
    ):
        value = None if default is None else default[number]
        usual = "" if value is None else _(" (default: {number:g})").format(number=value)
        parser.add_argument(
            f"--elo{number}", type=float, default=value, required=value is None, metavar="E", help=help_text + usual
        )
    parser.add_argument(
        "--alpha",
        type=float,
        default=0.05,
        metavar="P",
        help=_("the largest probability of accepting H1 while H0 holds (default: 0.05)"),
    )
    parser.add_argument(
        "--beta",
        type=float,
        default=0.05,
        metavar="P",
        help=_("the largest probability of accepting H0 while H1 holds (default: 0.05)"),
    )
    parser.add_argument(
        "--model",
        choices=MODELS,
        default=MODELS[0],
        help=_(
            "the unit of --elo0 and --elo1: logistic for plain Elo, normalized for normalized Elo (default: logistic)"
        ),
    )


def from_options(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Hypotheses:
    """Return the Hypotheses that the parsed options describe. Ends the program with a message if they are invalid."""
    try:
        return Hypotheses(options.elo0, options.elo1, options.alpha, options.beta, options.model)
    except ValueError as error:
        parser.error(str(error))


def main(argv: list[str]) -> int:
    """Run the command with the arguments `argv` and return the exit status."""
    parser = Parser(
        "llr",
        description=_("Compute the log-likelihood ratio (LLR) of two hypotheses on strength from counts of results."),
    )
    elo.add_counts(parser)
    add_hypotheses(parser)
    options = parser.parse_args(argv)
    hypotheses = from_options(parser, options)
    try:
        llr = hypotheses.llr(options.counts)
    except ValueError as error:
        parser.error(str(error))
    bounds, verdict = hypotheses.bounds, hypotheses.verdict(llr)
    if options.json:
        print(json_line({"llr": llr, "bounds": bounds, "verdict": verdict}))
    else:
        outcome = _("LLR {llr:.2f}, bounds {lower:.2f} and {upper:.2f}: {verdict}")
        print(outcome.format(llr=llr, lower=bounds[0], upper=bounds[1], verdict=verdict or _("no verdict yet")))
    return 0
