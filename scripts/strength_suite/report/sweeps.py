"""Matches in which one setting of the first player changes, as plots that a Markdown reader draws (Mermaid)."""

from strength_suite.report.tables import counts_of

LEAST_POINTS = 3


def plots(infos):
    """A plot (lines of Markdown) of the score for each setting that takes several values against one opponent."""
    series = {}
    for info in infos:
        player, opponent = info["asked"]["players"]
        name, plus, assignment = player.rpartition("+")
        setting, _, value = assignment.partition("=")
        if plus and _is_number(value):
            key = (name, setting, opponent, info["asked"]["limit_s"])
            series.setdefault(key, []).append((float(value), _share(counts_of(info["summary"]))))
    return [_plot(*key, sorted(points)) for key, points in series.items() if len(points) >= LEAST_POINTS]


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def _share(counts):
    wins, draws, losses = counts
    return 100 * (wins + draws / 2) / max(1, wins + draws + losses)


def _plot(name, setting, opponent, limit_s, points):
    return [
        "```mermaid",
        "xychart-beta",
        f'  title "{name} against {opponent}, {limit_s:g} s a move"',
        f'  x-axis "{setting}" [{", ".join(f"{value:g}" for value, _ in points)}]',
        '  y-axis "score, %" 0 --> 100',
        f"  line [{', '.join(f'{share:.1f}' for _, share in points)}]",
        "```",
        "",
    ]
