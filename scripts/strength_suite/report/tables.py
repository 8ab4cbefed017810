"""Markdown tables of the summaries that runs left; an info is the content of a docs/results/NAME.json.

Those of games and of the runs themselves; position_tables.py has the others.
"""

from strength_suite.report import reported_figures

NOT_MEASURED = "not measured"
ABOVE = " (!)"
FORFEIT_ON_TIME = ("TIME_FORFEIT", "STALL")


def markdown_table(headings, rows):
    """The lines of a table."""
    lines = ["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings)]
    return [*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)]


def percent(part, whole):
    """A share in percent, "-" of nothing."""
    return f"{part / whole:.1%}" if whole else "-"


def score(counts):
    """Points for wins and half points for draws, as a share of the games."""
    wins, draws, losses = counts
    return percent(wins + draws / 2, wins + draws + losses)


def elo(summary):
    """The Elo difference from pairs of games with its error, as the judge found it."""
    found = summary["pairs"]
    if found["elo"] is None:
        return "all lost" if summary["losses"] else "all won" if summary["wins"] else "-"
    return f"{round(found['elo']):+d}" + ("" if found["elo_error"] is None else f" +-{found['elo_error']:.0f}")


def lost_on_time(summary, side):
    """Games that a side lost on the clock."""
    return sum(summary["at_fault"][side].get(name, 0) for name in FORFEIT_ON_TIME)


def other_faults(summary, side):
    """Games that a side lost by any other fault than the clock."""
    return sum(summary["at_fault"][side].values()) - lost_on_time(summary, side)


def machine_state(summary):
    """What the judge found of the machine before the games: "idle", "busy", or that it was not measured."""
    return summary.get("machine", {}).get("state") or NOT_MEASURED


def short_of_core(summary):
    """The shares of A's and B's moves that were short of a core; ABOVE marks those that are too large."""
    found = summary.get("short_of_core", {})
    if found.get("A") is None and found.get("B") is None:
        return NOT_MEASURED
    shares = ("-" if found[side] is None else f"{found[side]:.1%}" for side in "AB")
    return "/".join(shares) + (ABOVE if found["warning"] else "")


def counts_of(summary):
    """(wins, draws, losses)."""
    return summary["wins"], summary["draws"], summary["losses"]


def matches(infos):
    """The table of matches: A against B."""
    headings = (
        "A",
        "B",
        "s/move",
        "games",
        "A won",
        "drawn",
        "lost",
        "A's score",
        "Elo of A",
        "on time A/B",
        "machine",
        "short of a core A/B",
        "reported",
    )
    rows = []
    for info in infos:
        (a, b), summary = info["asked"]["players"], info["summary"]
        rows.append(
            (
                a,
                b,
                f"{info['asked']['limit_s']:g}",
                done_of(info, summary["games"], info["asked"]["games"]),
                *counts_of(summary),
                score(counts_of(summary)),
                elo(summary),
                f"{lost_on_time(summary, 'A')}/{lost_on_time(summary, 'B')}",
                machine_state(summary),
                short_of_core(summary),
                _order(a, b),
            )
        )
    return markdown_table(headings, rows)


def game_of(info):
    """The game of a run; the oldest ones do not name it."""
    return info["asked"].get("game", "connect_four")


def cross_table(infos):
    """The scores of players of whom each met each in one match, [] if there are not three such."""
    scores = {}
    for info in infos:
        (a, b), (wins, draws, losses) = info["asked"]["players"], counts_of(info["summary"])
        scores[a, b], scores[b, a] = score((wins, draws, losses)), score((losses, draws, wins))
    names = _all_met(scores)
    if len(names) < 3:
        return []
    rows = [(row, *("" if row == column else scores[row, column] for column in names)) for row in names]
    return markdown_table(("", *names), rows)


def _all_met(pairs):
    """Players of whom each met each: of all of them, those who met the fewest of the rest are left out first."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    while True:
        met = {name: sum((name, other) in pairs for other in names) for name in names}
        if all(found == len(names) - 1 for found in met.values()):
            return names
        names.remove(min(names, key=met.get))


def done_of(info, played, planned):
    """How much of what was planned a run has done."""
    return f"{played}" if info["complete"] else f"{played} of {planned}"


def _order(a, b):
    """What a report says of A against B, whichever of them stands first."""
    return reported_figures.ORDERS.get((a, b)) or reported_figures.ORDERS.get((b, a)) or ""


def preset_of(player):
    """The preset of a judge's player such as "bot:puct-basic --seed 1"; "default" where it names none."""
    return player.split()[0].partition(":")[2] or "default"


def batches(infos):
    """The table of batches in all, with the reported figures for the same preset and opponents."""
    headings = (
        "player",
        "against",
        "s/move",
        "games",
        "won",
        "drawn",
        "lost",
        "score",
        "lost on time",
        "other faults",
        "machine",
        "short of a core, player/against",
        "reported",
    )
    rows = []
    for info in infos:
        asked, summary = info["asked"], info["summary"]
        rows.append(
            (
                asked["player"],
                _opponents(asked["opponents"]),
                f"{asked['limit_s']:g}",
                done_of(info, summary["judged"], summary["total"]),
                *counts_of(summary),
                score(counts_of(summary)),
                lost_on_time(summary, "A"),
                other_faults(summary, "A"),
                machine_state(summary),
                short_of_core(summary),
                _reported_figure(asked),
            )
        )
    return markdown_table(headings, rows)


def _opponents(names):
    return ", ".join(names) if len(names) <= 4 else f"{len(names)} samples"


def _reported_figure(asked):
    preset = preset_of(asked["player"])
    if asked["opponents"] == [reported_figures.BEST_SAMPLE]:
        return reported_figures.AGAINST_BEST_SAMPLE.get(preset, "")
    return reported_figures.AGAINST_ALL_SAMPLES.get(preset, "") if len(asked["opponents"]) > 1 else ""


def samples_not_beaten(info):
    """Sentences naming the games of a batch that the player did not win."""
    lines = []
    for word in ("lost", "drawn"):
        for game in info["summary"][word]:
            side = "first" if game["first"] == "A" else "second"
            fault = f", {game['termination']} by the {'player' if game['at_fault'] == 'A' else 'sample'}"
            ending = "" if game["at_fault"] is None else fault
            lines.append(
                f"* {word} against {game['opponent']}, moving {side}, {game['plies']} plies{ending} "
                f"(game {game['game']} of `{info['name']}.jsonl.gz`)"
            )
    return lines


def per_sample(infos):
    """A row for each sample and a column for each batch: won-drawn-lost, and by whose fault games ended."""
    names = list(dict.fromkeys(one["name"] for info in infos for one in info["summary"]["opponents"]))
    columns = [{one["name"]: one for one in info["summary"]["opponents"]} for info in infos]
    cells = [[_cell(column.get(name)) for column in columns] for name in names]
    headings = [f"{info['asked']['player']}, {info['asked']['limit_s']:g} s" for info in infos]
    return markdown_table(("sample", *headings), [(name, *row) for name, row in zip(names, cells, strict=True)])


def _cell(found):
    return "-" if found is None else "-".join(map(str, counts_of(found)))


def runs(infos):
    """The table of runs: when, what, on which machine."""
    headings = ("run", "date", "revision", "lines", "machine", "command")
    rows = [
        (
            info["name"],
            info["date"],
            info["revision"],
            info["lines"],
            machine_in_words(info["machine"]),
            f"`{info['command']}`",
        )
        for info in infos
    ]
    return markdown_table(headings, rows)


def machine_in_words(machine):
    """One line on a machine."""
    load = f" (load {machine['load']:g})" if "load" in machine else ""
    versions = f"Python {machine['python']}, numba {machine['numba']}"
    return f"{machine['cpu']}, {machine['cores']} cores{load}, {machine['system']}, {versions}"
