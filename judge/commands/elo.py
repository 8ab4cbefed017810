"""`python -m judge elo`: strength from counts, by the definitions of statistics/elo.py."""

import argparse
import json
import math

from judge.commands import result_counts
from judge.statistics.elo import estimate, figures


def main(words: list[str]) -> int:
    """Run the command with its words; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m judge elo",
        description="Elo, normalized Elo and likelihood of superiority from counts.",
    )
    result_counts.add(parser)
    options = parser.parse_args(words)
    found = estimate(options.counts)
    if options.json:
        print(json.dumps(figures(options.counts), allow_nan=False))
    else:
        error = "" if math.isinf(found.elo_error) else f" +- {found.elo_error:.2f}"
        print(f"Elo  {found.elo:.2f}{error}  (95 %: {found.lower:.2f} .. {found.upper:.2f})")
        print(f"nElo {found.n_elo:.2f} +- {found.n_elo_error:.2f}")
        print(f"LOS  {found.los:.2%}")
    return 0
