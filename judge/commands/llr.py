"""`python -m judge llr`: how much more likely counts are under one hypothesis on strength than another."""

import argparse
import json

from judge.command_line import result_counts
from judge.command_line.parser import Parser
from judge.statistics.llr import MODELS, Hypotheses


def add_hypotheses(parser: argparse.ArgumentParser) -> None:
    """Add the options that from_options() reads."""
    parser.add_argument("--elo0", type=float, required=True, metavar="E", help="strength of A under H0")
    parser.add_argument("--elo1", type=float, required=True, metavar="E", help="strength of A under H1")
    parser.add_argument("--alpha", type=float, default=0.05, metavar="P", help="risk of a wrong H1 (default: 0.05)")
    parser.add_argument("--beta", type=float, default=0.05, metavar="P", help="risk of a wrong H0 (default: 0.05)")
    parser.add_argument(
        "--model",
        choices=MODELS,
        default=MODELS[0],
        help="what elo0 and elo1 are (default: logistic, plain Elo)",
    )


def from_options(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Hypotheses:
    """The Hypotheses of the command line; ends the program with a message if they are none."""
    try:
        return Hypotheses(options.elo0, options.elo1, options.alpha, options.beta, options.model)
    except ValueError as error:
        parser.error(str(error))


def main(words: list[str]) -> int:
    """Run the command with its words; returns the exit status."""
    parser = Parser("llr", description="The log-likelihood ratio of two hypotheses, from counts.")
    result_counts.add(parser)
    add_hypotheses(parser)
    options = parser.parse_args(words)
    hypotheses = from_options(parser, options)
    try:
        llr = hypotheses.llr(options.counts)
    except ValueError as error:
        parser.error(str(error))
    bounds, verdict = hypotheses.bounds, hypotheses.verdict(llr)
    if options.json:
        print(json.dumps({"llr": llr, "bounds": bounds, "verdict": verdict}, allow_nan=False))
    else:
        print(f"LLR {llr:.2f}, bounds {bounds[0]:.2f} and {bounds[1]:.2f}: {verdict or 'no verdict yet'}")
    return 0
