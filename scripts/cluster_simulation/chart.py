"""The simulation's figures as one SVG: games a minute by workers, and what takes the time."""

import math

WIDTH, HEIGHT = 720, 300
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 34, 44
BETWEEN = 70  # the two panels
PANEL = (WIDTH - LEFT - RIGHT - BETWEEN) / 2
STYLE = (
    "text { font: 12px sans-serif; fill: #333 } .title { font-weight: bold; font-size: 13px } "
    "path { fill: none; stroke-width: 2 } .rule { stroke: #ddd } .axis { stroke: #888 } "
    ".ideal { stroke: #999; stroke-dasharray: 5 4 } .games { stroke: #1560a8 } "
    ".scheduler { stroke: #c2410c } .client { stroke: #15803d; stroke-dasharray: 8 3 } "
    ".wasted { stroke: #7c3aed; stroke-dasharray: 2 3 }"
)
SHARES = (("scheduler", "scheduler at work"), ("client", "record keeper at work"), ("wasted", "pairs wasted"))


def chart(found):
    """The SVG for the figures of several numbers of workers, as text."""
    workers = [one["workers"] for one in found]
    decades = (math.floor(math.log10(min(workers))), math.ceil(math.log10(max(workers) * 1.01)))
    games = [one["games_a_minute"] for one in found] + [one["perfect"] for one in found]
    of_games = (math.floor(math.log10(min(games))), math.ceil(math.log10(max(games))))

    def x(panel, number):
        part = (math.log10(number) - decades[0]) / (decades[1] - decades[0])
        return LEFT + panel * (PANEL + BETWEEN) + part * PANEL

    def y(part):
        return TOP + (1.0 - part) * (HEIGHT - TOP - BOTTOM)

    def y_of_games(number):
        return y((math.log10(number) - of_games[0]) / (of_games[1] - of_games[0]))

    parts = [f'<text class="title" x="{LEFT}" y="18">games a minute</text>']
    parts.append(f'<text class="title" x="{LEFT + PANEL + BETWEEN:.0f}" y="18">shares</text>')
    for power in range(of_games[0], of_games[1] + 1):
        parts += _rule(x(0, 10 ** decades[0]), x(0, 10 ** decades[1]), y_of_games(10**power), f"{10**power:,}")
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts += _rule(x(1, 10 ** decades[0]), x(1, 10 ** decades[1]), y(share), f"{share:.0%}")
    for panel in (0, 1):
        for power in range(decades[0], decades[1] + 1):
            place = x(panel, 10**power)
            parts.append(f'<text x="{place:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{10**power:,}</text>')
        middle = LEFT + panel * (PANEL + BETWEEN) + PANEL / 2
        parts.append(f'<text x="{middle:.1f}" y="{HEIGHT - 10}" text-anchor="middle">workers</text>')
    parts.append(_curve("ideal", [(x(0, one["workers"]), y_of_games(one["perfect"])) for one in found]))
    parts.append(_curve("games", [(x(0, one["workers"]), y_of_games(one["games_a_minute"])) for one in found]))
    for place, (name, meaning) in enumerate(SHARES):
        points = [(x(1, one["workers"]), y(min(1.0, _share(one, name)))) for one in found]
        parts.append(_curve(name, points))
        top = TOP + 12 + 16 * place
        left = LEFT + PANEL + BETWEEN + 8
        parts.append(_curve(name, [(left, top - 4), (left + 24, top - 4)]))
        parts.append(f'<text x="{left + 30:.0f}" y="{top}">{meaning}</text>')
    title = "Games a minute, and what takes the time, by workers"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">\n'
        f'<style>{STYLE}</style>\n<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _share(one, name):
    """A share of the time; of pairs that are wasted, of all that were begun."""
    if name != "wasted":
        return one[name]
    counted = one["games_a_minute"] * one["seconds"] / 120.0
    return one["wasted"] / (one["wasted"] + counted)


def _rule(left, right, height, text):
    return [
        f'<line class="rule" x1="{left:.1f}" x2="{right:.1f}" y1="{height:.1f}" y2="{height:.1f}"/>',
        f'<text x="{left - 6:.1f}" y="{height + 4:.1f}" text-anchor="end">{text}</text>',
    ]


def _curve(name, points):
    path = "".join(f"{'L' if number else 'M'}{x:.1f} {y:.1f}" for number, (x, y) in enumerate(points))
    return f'<path class="{name}" d="{path}"/>'
