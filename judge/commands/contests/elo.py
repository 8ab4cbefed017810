"""`python -m judge elo`: strength from counts, by the definitions of statistics/elo.py."""

import math

from judge.command_line import result_counts
from judge.command_line.parser import Parser
from judge.language import _
from judge.statistics.elo import Estimate, estimate, figures
from judge.terminal import json_line


def main(words: list[str]) -> int:
    """Run the command with its words; returns the exit status."""
    parser = Parser(
        "elo",
        description=_("Elo, normalized Elo and likelihood of superiority from counts."),
    )
    result_counts.add(parser)
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
    """Elo and normalized Elo, a line each."""
    if math.isinf(found.elo):  # all results alike
        is_best = found.elo > 0
        bound = (_("over {figure}") if is_best else _("under {figure}")).format(
            figure=f"{found.lower if is_best else found.upper:.2f}"
        )
        return [f"Elo  {bound}  (95 %)", "nElo -"]
    error = "" if math.isinf(found.elo_error) else f" +- {found.elo_error:.2f}"
    return [
        f"Elo  {round(found.elo, 2) + 0.0:.2f}{error}  (95 %: {found.lower:.2f} .. {found.upper:.2f})",
        f"nElo {round(found.n_elo, 2) + 0.0:.2f} +- {found.n_elo_error:.2f}",
    ]
