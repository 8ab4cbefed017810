"""What networks know by the positions that they learnt from, as one SVG."""

import math

WIDTH, HEIGHT = 900, 290
LEFT, RIGHT, TOP, BOTTOM = 40, 10, 44, 74
BETWEEN = 14  # two panels
ASIDE = 12  # of the first and the last point
STEP = 0.2  # of the rules across the panels
RADIUS = 3
LABEL = 32  # the width of a number of positions below a panel
SAMPLE = 24  # of a line, in the legend
LEGEND = HEIGHT - 20
COLOURS = ("#1560a8", "#c2410c", "#15803d", "#7c3aed")
DASHES = ("2 3", "6 4", "12 4", "1 5")
STYLE = (
    "text { font: 12px sans-serif; fill: #333 } .title { font-weight: bold; font-size: 13px } "
    ".rule { stroke: #ddd } path { fill: none; stroke-width: 2 } .fixed { stroke: #666; stroke-width: 1.5 }"
)
TITLE = "Share of the result's variance explained, and of moves named, by positions learnt from"


def picture(networks, others):
    """The SVG, as text: a panel for each phase and one for the moves named.

    networks: [(the size's name, positions learnt from, Figures)]; others: [(name, Figures)], each a line across.
    """
    phases = list(networks[0][2].explained)
    headings = [*(phase if phase == "exact" else f"free cells: {phase}" for phase in phases), "moves named"]
    shares = [_shares(figures) for _, _, figures in networks] + [_shares(figures) for _, figures in others]
    highest = math.ceil(max(STEP, *map(max, shares)) / STEP) * STEP
    width = (WIDTH - LEFT - RIGHT - BETWEEN * (len(headings) - 1)) / len(headings)
    parts = [_text(LEFT, 16, TITLE, "title")]
    for step in range(round(highest / STEP) + 1):
        parts.append(_text(LEFT - 6, _height(step * STEP, highest) + 4, f"{step * STEP:.1f}", anchor="end"))
    for number, heading in enumerate(headings):
        points = [(size, positions, _shares(figures)[number]) for size, positions, figures in networks]
        lines = [_shares(figures)[number] for _, figures in others]
        parts += _panel(LEFT + number * (width + BETWEEN), width, heading, points, lines, highest)
    parts += _legend(list(dict.fromkeys(size for size, _, _ in networks)), [name for name, _ in others])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{TITLE}">\n'
        f'<style>{STYLE}</style>\n<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _shares(figures):
    """The height of each panel's point; 0 where there are no positions to tell it."""
    return [max(0.0, share) if share else 0.0 for share in (*figures.explained.values(), figures.named)]


def _panel(left, width, heading, points, lines, highest):
    """points: [(size, positions, share)], a curve for each size, positions by their logarithm."""
    logarithms = {positions: math.log10(positions) for _, positions, _ in points}
    least, range_of = min(logarithms.values()), max(logarithms.values()) - min(logarithms.values())

    def x(positions):
        part = (logarithms[positions] - least) / range_of if range_of else 0.5
        return left + ASIDE + part * (width - 2 * ASIDE)

    parts = [_text(left, TOP - 8, heading)]
    for step in range(round(highest / STEP) + 1):
        parts.append(_across("rule", left, left + width, _height(step * STEP, highest)))
    for dashes, share in zip(DASHES, lines, strict=False):
        parts.append(_across("fixed", left, left + width, _height(share, highest), dashes))
    for colour, size in zip(COLOURS, dict.fromkeys(size for size, _, _ in points), strict=False):
        curve = sorted((x(positions), _height(share, highest)) for name, positions, share in points if name == size)
        parts.append(_curve(curve, colour))
    told = -math.inf
    for positions in sorted(logarithms):
        if x(positions) >= told + LABEL:  # else it would cover the last one
            told = x(positions)
            parts.append(_text(told, HEIGHT - BOTTOM + 16, f"{positions / 1000:,.0f}k", anchor="middle"))
    return parts


def _legend(sizes, others):
    parts, across = [], (WIDTH - LEFT) / (len(sizes) + len(others))
    lefts = [LEFT + place * across for place in range(len(sizes) + len(others))]
    for left, size, colour in zip(lefts, sizes, COLOURS, strict=False):
        parts += [_curve([(left, LEGEND), (left + SAMPLE, LEGEND)], colour)]
        parts += [_text(left + SAMPLE + 8, LEGEND + 4, f"network, {size}")]
    for left, name, dashes in zip(lefts[len(sizes) :], others, DASHES, strict=False):
        parts += [_across("fixed", left, left + SAMPLE, LEGEND, dashes), _text(left + SAMPLE + 8, LEGEND + 4, name)]
    return parts


def _height(share, highest):
    return TOP + (1 - share / highest) * (HEIGHT - TOP - BOTTOM)


def _text(x, y, text, name="", anchor="start"):
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def _across(name, left, right, height, dashes="none"):
    return f'<path class="{name}" stroke-dasharray="{dashes}" d="M{left:.1f} {height:.1f}H{right:.1f}"/>'


def _curve(points, colour):
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}" fill="{colour}"/>' for x, y in points)
    return f'<path stroke="{colour}" d="M{path}"/>{dots}'
