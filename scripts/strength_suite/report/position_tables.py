"""Markdown tables, as in tables.py, of runs on single positions: moves that keep a value, what the solver settles."""

from strength_suite.positions.exact_positions import OUTCOMES
from strength_suite.report.tables import done_of, markdown_table, percent


def positions(infos):
    """The table of value-preserving moves."""
    headings = (
        "settings",
        "positions",
        "s/move",
        "moves asked",
        "keep the value",
        "share",
        "a random move",
        "called proven",
        "slowest, s",
    )
    rows = [
        (
            info["asked"]["preset"],
            row["kind"],
            f"{row['budget_s']:g}",
            row["asked"],
            row["kept"],
            percent(row["kept"], row["asked"]),
            f"{row['random_share']:.1%}",
            row["proven"],
            f"{row['slowest_s']:.2f}",
        )
        for info in infos
        for row in info["summary"]["rows"]
    ]
    return markdown_table(headings, rows)


def choices(infos):
    """The table of turns at dots and boxes that keep a win."""
    headings = (
        "settings",
        "boxes",
        "free edges",
        "s/turn",
        "positions",
        "keep the win",
        "share",
        "a random safe edge",
        "called proven",
        "slowest, s",
    )
    rows = []
    for info in infos:
        asked, found = info["asked"], info["summary"]
        rows.append(
            (
                asked["preset"],
                "x".join(map(str, asked["size"])),
                asked["free"],
                f"{asked['budget_s']:g}",
                done_of(info, found["asked"], asked["count"]),
                found["kept"],
                percent(found["kept"], found["asked"]),
                percent(found["random_kept"], found["asked"]),
                found["proven"],
                f"{found['slowest_s']:.2f}",
            )
        )
    return markdown_table(headings, rows)


def solved_random(infos):
    """The table of random positions solved."""
    headings = (
        "plies",
        "positions",
        "settled",
        "within 5 s",
        *reversed(OUTCOMES),
        "median, s",
        "worst, s",
        "cut off at, s",
        "nodes/s",
    )
    rows = []
    for info in infos:
        asked, found = info["asked"], info["summary"]
        rows.append(
            (
                " to ".join(map(str, asked["plies"])),
                found["asked"],
                found["settled"],
                found["within_5_s"],
                *(found["outcomes"][name] for name in reversed(OUTCOMES)),
                f"{found['median_s']:g}",
                f"{found['worst_s']:g}",
                f"{asked['limit_s']:g}",
                _millions(found["nodes_per_s"]),
            )
        )
    return markdown_table(headings, rows)


def solved_endgames(infos):
    """The table of games taken back until the solver fails."""
    headings = ("s/position", "games", "median", "worst", "best", "nodes/s")
    rows = []
    for info in infos:
        asked, found = info["asked"], info["summary"]
        cells = (f"{found['median']:g}", found["worst"], found["best"])
        rows.append((f"{asked['budget_s']:g}", found["games"], *cells, _millions(found["nodes_per_s"])))
    return markdown_table(headings, rows)


def _millions(rate):
    return "-" if rate is None else f"{rate / 1e6:.1f} M"
