"""docs/results.md, made of the summaries in docs/results/ and of nothing else: each is what the judge's reports said of
the games beside it. An info is the content of one NAME.json.
"""

import json
import re

from measurement.kept import MeasureError, renamed
from measurement.positions import OUTCOMES
from protocol.records.record import Fault, Termination

INTRODUCTION = """\
# Results

Written by `scripts/measure strength report` from the files in [results/](results/); a change made here is lost with
the next report. Times are in seconds. The last table says when each run was made, at which revision, on
what machine and by which command.
"""

IN_SHORT = """\
## In short

The bot as it was then, at its own time for a move or at the one named, against programs of others: the newest run with
each of them. The score lies within "how sure" with 95 %, as Wilson has it for games that are independent of each other.
`./ego` is Egaroucid's web build; the sections below say what the others are.
"""

CONDITIONS = """\
"Machine" is what the judge measured itself in a moment before the games: idle, or busy where one of
[its bounds](matches.md#is-the-machine-good-enough) was passed before any part of a run. "Short of a core" is the share
of a side's moves that got less than 95 % of their time, because the machine ran other programs; above 2 % of either
side's it has a (!), and small differences of strength say little. Runs before there were such measurements have
"not measured".
"""

HOW_TO_REPLAY = """\
## The games behind the tables

Each run `NAME` has two files in `docs/results/`: `NAME.json`, its circumstances and figures, and
`NAME.jsonl.gz`, one JSON object a line. Of a match or a batch these are the judge's game records, but for
what the bots reported of their moves, and can be judged again:

```sh
gunzip -c docs/results/NAME.jsonl.gz > NAME.jsonl
python -m judge replay NAME.jsonl --number 1
```

"Load" is the machine's load average when a run ended: above its number of cores the players got less out of
their seconds than they would have alone. `scripts/strength` was the command before
`scripts/measure strength`: its code is in commit 6ffb3b60.
"""

MATCHES = """\
## Matches

Both sides of every board are played; starting up is not on the clock. Elo with its 95 % error is counted
from the pairs of games. `lionjump` is github.com/Lionjump0723/connect4 as its README builds it (`g++ -std=c++17 -O2
-DONLINE_JUDGE`); it thinks for 2.7 s a move. `./sl` is github.com/Selflocking/DotsAndBoxes, its search limited to 0.9 s
of processor time (its own default is 32 s), on the empty board. "On time": games that a side lost on the clock.
"Reported": what the reports behind the presets say.
"""

CROSS_TABLE = "The score of each player (row) against each other (column), draws counting half"

BATCHES = """\
## Against strategy libraries

`2.so` to `100.so` are the course's samples, `lionjump-Ts.so` is github.com/Lionjump0723/connect4 with a search time of
T seconds, compiled with `g++ -O3 -march=native`. Every board is played from both sides. In the score a draw counts
half a win. Faults are the player's own.
"""

POSITIONS = """\
## Moves that keep the value

Moves in positions of which the value of every move is known
([tests/positions](../tests/positions/README.md)). "A random move": what a player without any knowledge
would score. Each position is given to a fresh engine.
"""

CHOICES = """\
## Turns that keep a win

Dots and boxes: positions from random safe play, each won for the side to move by the exact solver's word; counted are
the turns after which it is still won. Each position is given to a fresh engine.
"""

SOLVER_RANDOM = """\
## The solver on random positions

Win, draw or loss of positions from random legal play on 6 rows x 7 columns, without a win at once. The
table is empty before each of them; a position that was cut off counts with the time it had.
"""

SOLVER_ENDGAMES = """\
## Empty cells that the solver settles

Games between strong players on boards of the platform, played down to 40 empty cells or fewer, are taken
back from their end move by move until the solver no longer settles the position in its time: the number of
empty cells up to which it settled every one. The table is empty before each position.
"""

# What the documents that the project started from report of their own systems, by preset: against the best sample at
# the budget that each document names, against all samples that it played, and of two of them.
BEST_SAMPLE = "100.so"
AGAINST_BEST_SAMPLE = {
    "uct-plain": "40 %",
    "uct-forced": "50 %",
    "uct-proofs": "80 %",
    "uct-fresh-tree": "50 %",
    "alphabeta-basic": "about 30 %",
    "mcts": "85 to 95 %",
}
AGAINST_ALL_SAMPLES = {
    "uct-proofs": "98 of 100 won",
    "uct-fresh-tree": "73 of 100 won",
    "alphabeta": "80 to 90 points",
    "mcts": "about 96 %",
}
ORDERS = {
    frozenset(("uct-plain", "uct-forced")): "v2 beats v1 almost always",
    frozenset(("uct-forced", "uct-proofs")): "v3 is the stronger",
    frozenset(("alphabeta-basic", "alphabeta")): "the improved one is the stronger",
    frozenset(("alphabeta", "mcts")): "MCTS is the stronger",
}

NOT_MEASURED = "not measured"
FORFEIT_ON_TIME = tuple(ending.value for ending in Termination if ending.fault is Fault.TIME)
OWN_BOT = re.compile(r"bot( |@|:|$)")
LEAST_POINTS = 3  # of a plot
NORMAL_95 = 1.96


def main(options):
    """Write the report beside the folder of results; returns the exit status."""
    path, infos = options.results.with_suffix(".md"), read_infos(options.results)
    path.write_text(report(infos), "utf-8")
    print(f"{len(infos)} runs in {path}")
    return 0


def read_infos(folder):
    """The infos in a folder, by kind and name. Raises MeasureError naming a file that is none."""
    infos = []
    for path in folder.glob("*.json"):
        try:
            info = json.loads(path.read_text("utf-8"))
            # Presets are called by one name in all tables; a run's own name and command stay as they were.
            infos.append({**renamed(info), "name": info["name"], "command": info["command"], "kind": info["kind"]})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise MeasureError(f"{path} is no summary of a run: {error!r}") from error
    return sorted(infos, key=lambda info: (info["kind"], info["name"]))


def report(infos):
    """The text of docs/results.md."""
    of_kind = {kind: [info for info in infos if info["kind"] == kind] for kind in SECTIONS}
    parts = [INTRODUCTION, *in_short([*of_kind["match"], *of_kind["batch"]]), CONDITIONS]
    for kind, section in SECTIONS.items():
        parts += section(of_kind[kind]) if of_kind[kind] else []
    return "\n".join([*parts, HOW_TO_REPLAY, table(RUN, infos)])


def table(columns, infos):
    """A Markdown table with a row for each info; columns: {heading: what an info has there}."""
    rows = [columns, ["---"] * len(columns), *([cell(info) for cell in columns.values()] for info in infos)]
    lines = ["| " + " | ".join(map(str, row)) + " |\n" for row in rows]
    return "".join([lines[0], lines[1].replace(" ", ""), *lines[2:]])


def in_short(infos):
    """The newest run against each opponent, [] without one."""
    newest = {}
    for info in sorted(infos, key=lambda info: info["date"]):
        player, opponent = player_of(info), opponent_of(info)
        if OWN_BOT.match(player) and preset_of(player) == "default" and not OWN_BOT.match(opponent):
            newest[game_of(info), opponent] = info
    return [IN_SHORT, table(SHORT, [newest[key] for key in sorted(newest)])] if newest else []


def how_sure(info):
    """The 95 % interval of the score (Wilson 1927)."""
    games = sum(counts_of(info))
    share, z = score_of(info), NORMAL_95**2 / games
    middle, half = (share + z / 2) / (1 + z), (z * (share * (1 - share) + z / 4)) ** 0.5 / (1 + z)
    return f"{max(0, middle - half):.1%} to {min(1, middle + half):.1%}"


def matches(infos):
    """Each game's matches, a cross table where some of its players met each other, and plots of a setting."""
    parts = [MATCHES]
    for game in sorted({game_of(info) for info in infos}):
        chosen = [info for info in infos if game_of(info) == game]
        parts += [f"### {game}\n", table(MATCH, chosen)]
        for limit_s in sorted({info["asked"]["limit_s"] for info in chosen}):
            cross = cross_table([info for info in chosen if info["asked"]["limit_s"] == limit_s])
            parts += [f"{CROSS_TABLE}, {limit_s:g} s a move:\n", cross] if cross else []
        parts += plots(chosen)
    return parts


def cross_table(infos):
    """The scores of players of whom each met each in one match, "" if there are not three such."""
    scores = {}
    for info in infos:
        (a, b), (wins, draws, losses) = info["asked"]["players"], counts_of(info)
        games = wins + draws + losses
        scores[a, b], scores[b, a] = percent(wins + draws / 2, games), percent(losses + draws / 2, games)
    names = _all_met(scores)
    headings = {"": lambda row: row, **{name: lambda row, name=name: scores.get((row, name), "") for name in names}}
    return table(headings, names) if len(names) >= 3 else ""


def _all_met(pairs):
    """Players of whom each met each: of all of them, those who met the fewest of the rest are left out first."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    while True:
        met = {name: sum((name, other) in pairs for other in names) for name in names}
        if all(found == len(names) - 1 for found in met.values()):
            return names
        names.remove(min(names, key=met.get))


def plots(infos):
    """A plot (Mermaid) of the score for each setting of A that takes several values against one opponent."""
    series = {}
    for info in infos:
        player, opponent = info["asked"]["players"]
        name, plus, assignment = player.rpartition("+")
        setting, _, value = assignment.partition("=")
        if plus and value.replace(".", "", 1).isdecimal():
            key = (name, setting, opponent, info["asked"]["limit_s"])
            series.setdefault(key, []).append((float(value), 100 * score_of(info)))
    return [_plot(*key, sorted(points)) for key, points in series.items() if len(points) >= LEAST_POINTS]


def _plot(name, setting, opponent, limit_s, points):
    return f"""\
```mermaid
xychart-beta
  title "{name} against {opponent}, {limit_s:g} s a move"
  x-axis "{setting}" [{", ".join(f"{value:g}" for value, _ in points)}]
  y-axis "score, %" 0 --> 100
  line [{", ".join(f"{share:.1f}" for _, share in points)}]
```

"""


def batches(infos):
    """The batches in all, each sample's results where a batch has many, and the games that were not won."""
    parts = [BATCHES, table(BATCH, infos)]
    many = [info for info in infos if len(info["asked"]["opponents"]) > 1]
    if many:
        names = dict.fromkeys(name for info in many for name in info["asked"]["opponents"])
        columns = {f"{player_of(info)}, {info['asked']['limit_s']:g} s": _per_sample(info) for info in many}
        parts += ["### Each sample: games won-drawn-lost\n", table({"sample": str, **columns}, names)]
    for info in infos:
        missed = "".join(missed_games(info))
        parts += [f"### Not won: `{info['name']}`\n", missed] if missed else []
    return parts


def _per_sample(info):
    found = {one["name"]: f"{one['wins']}-{one['draws']}-{one['losses']}" for one in info["summary"]["opponents"]}
    return lambda name: found.get(name, "-")


def missed_games(info):
    """Sentences naming the games of a batch that the player did not win."""
    for word in ("lost", "drawn"):
        for game in info["summary"][word]:
            side = "first" if game["first"] == "A" else "second"
            fault = f", {game['termination']} by the {'player' if game['at_fault'] == 'A' else 'sample'}"
            yield (
                f"* {word} against {game['opponent']}, moving {side}, {game['plies']} plies"
                f"{'' if game['at_fault'] is None else fault} (game {game['game']} of `{info['name']}.jsonl.gz`)\n"
            )


def positions(infos):
    """Value-preserving moves, a row for each budget and kind of position."""
    return [POSITIONS, table(POSITION, [{**info, "summary": row} for info in infos for row in info["summary"]["rows"]])]


def game_of(info):
    """The game of a run, as a heading has it; the oldest ones do not name it."""
    return info["asked"].get("game", "connect_four").replace("_", " ").capitalize()


def player_of(info):
    """Whom a run is about."""
    return info["asked"]["player"] if info["kind"] == "batch" else info["asked"]["players"][0]


def opponent_of(info):
    """Whom that one met."""
    if info["kind"] == "match":
        return info["asked"]["players"][1]
    names = info["asked"]["opponents"]
    return ", ".join(names) if len(names) <= 4 else f"{len(names)} samples"


def preset_of(player):
    """The preset of such as "bot:puct-basic --seed 1" or "puct-basic"; "default" where it names none."""
    name, _, preset = player.split()[0].partition(":")
    return preset or ("default" if name == "bot" else name)


def counts_of(info):
    """(wins, draws, losses)."""
    return info["summary"]["wins"], info["summary"]["draws"], info["summary"]["losses"]


def score_of(info):
    """Points for wins and half points for draws, as a share of the games."""
    wins, draws, losses = counts_of(info)
    return (wins + draws / 2) / max(1, wins + draws + losses)


def percent(part, whole=1):
    """A share in percent, "-" of nothing."""
    return f"{part / whole:.1%}" if whole else "-"


def elo(info):
    """The Elo difference from pairs of games with its error, as the judge found it."""
    found = info["summary"]["pairs"]
    if found["elo"] is None:
        wins, _draws, losses = counts = counts_of(info)
        return "all won" if wins == sum(counts) else "all lost" if losses == sum(counts) else "-"
    return f"{round(found['elo']):+d}" + ("" if found["elo_error"] is None else f" +-{found['elo_error']:.0f}")


def lost_on_time(info, side):
    """Games that a side lost on the clock."""
    return sum(info["summary"]["at_fault"][side].get(name, 0) for name in FORFEIT_ON_TIME)


def machine_state(info):
    """What the judge found of the machine before the games."""
    return info["summary"].get("machine", {}).get("state") or NOT_MEASURED


def short_of_core(info):
    """The shares of A's and B's moves that were short of a core, with a mark where one is above the judge's bound."""
    found = info["summary"].get("short_of_core", {})
    shares = [found.get(side) for side in "AB"]
    if shares == [None, None]:
        return NOT_MEASURED
    is_telling = any(share is not None and share > found["bound"] for share in shares)
    return "/".join("-" if share is None else f"{share:.1%}" for share in shares) + (" (!)" if is_telling else "")


def done_of(kind, played, planned):
    """A column of how much of what was planned a run has done; kind: of the JSON object that has the planned number."""
    return lambda info: f"{info['summary'][played]}" + ("" if info["complete"] else f" of {info[kind][planned]}")


def of_batch_reported(info):
    """What a document says of the same preset against the same opponents."""
    preset, names = preset_of(player_of(info)), info["asked"]["opponents"]
    if len(names) > 1:
        return AGAINST_ALL_SAMPLES.get(preset, "")
    return AGAINST_BEST_SAMPLE.get(preset, "") if names == [BEST_SAMPLE] else ""


def millions(info):
    """The solver's positions in a second."""
    return f"{(info['summary']['nodes_per_s'] or 0) / 1e6:.1f} M"


def asked(name, form="{}"):
    """A column of what was asked for."""
    return lambda info: form.format(info["asked"][name])


def found(name, form="{}"):
    """A column of what was found."""
    return lambda info: form.format(info["summary"][name])


def machine_in_words(info):
    """One line on a run's machine."""
    machine = info["machine"]
    load = f" (load {machine['load']:g})" if "load" in machine else ""
    versions = f"Python {machine['python']}, numba {machine['numba']}"
    return f"{machine['cpu']}, {machine['cores']} cores{load}, {machine['system']}, {versions}"


SHORT = {
    "game": game_of,
    "against": opponent_of,
    "the bot": player_of,
    "s/move": asked("limit_s", "{:g}"),
    "games": lambda info: sum(counts_of(info)),
    "score": lambda info: percent(score_of(info)),
    "how sure": how_sure,
    "when": lambda info: info["date"].partition(" ")[0],
}
MATCH = {
    "A": player_of,
    "B": opponent_of,
    "s/move": asked("limit_s", "{:g}"),
    "games": done_of("asked", "games", "games"),
    "A won": found("wins"),
    "drawn": found("draws"),
    "lost": found("losses"),
    "A's score": lambda info: percent(score_of(info)),
    "Elo of A": elo,
    "on time A/B": lambda info: f"{lost_on_time(info, 'A')}/{lost_on_time(info, 'B')}",
    "machine": machine_state,
    "short of a core A/B": short_of_core,
    "reported": lambda info: ORDERS.get(frozenset(info["asked"]["players"]), ""),
}
BATCH = {
    "player": player_of,
    "against": opponent_of,
    "s/move": asked("limit_s", "{:g}"),
    "games": done_of("summary", "judged", "total"),
    "won": found("wins"),
    "drawn": found("draws"),
    "lost": found("losses"),
    "score": lambda info: percent(score_of(info)),
    "lost on time": lambda info: lost_on_time(info, "A"),
    "other faults": lambda info: sum(info["summary"]["at_fault"]["A"].values()) - lost_on_time(info, "A"),
    "machine": machine_state,
    "short of a core, player/against": short_of_core,
    "reported": of_batch_reported,
}
POSITION = {
    "settings": asked("preset"),
    "positions": found("kind"),
    "s/move": found("budget_s", "{:g}"),
    "moves asked": found("asked"),
    "keep the value": found("kept"),
    "share": lambda info: percent(info["summary"]["kept"], info["summary"]["asked"]),
    "a random move": found("random_share", "{:.1%}"),
    "called proven": found("proven"),
    "slowest, s": found("slowest_s", "{:.2f}"),
}
CHOICE = {
    "settings": asked("preset"),
    "boxes": lambda info: "x".join(map(str, info["asked"]["size"])),
    "free edges": asked("free"),
    "s/turn": asked("budget_s", "{:g}"),
    "positions": done_of("asked", "asked", "count"),
    "keep the win": found("kept"),
    "share": lambda info: percent(info["summary"]["kept"], info["summary"]["asked"]),
    "a random safe edge": lambda info: percent(info["summary"]["random_kept"], info["summary"]["asked"]),
    "called proven": found("proven"),
    "slowest, s": found("slowest_s", "{:.2f}"),
}
SOLVED = {
    "plies": lambda info: " to ".join(map(str, info["asked"]["plies"])),
    "positions": found("asked"),
    "settled": found("settled"),
    "within 5 s": found("within_5_s"),
    **{name: lambda info, name=name: info["summary"]["outcomes"][name] for name in OUTCOMES},
    "median, s": found("median_s", "{:g}"),
    "worst, s": found("worst_s", "{:g}"),
    "cut off at, s": asked("limit_s", "{:g}"),
    "nodes/s": millions,
}
ENDGAMES = {
    "s/position": asked("budget_s", "{:g}"),
    "games": found("games"),
    "median": found("median", "{:g}"),
    "worst": found("worst"),
    "best": found("best"),
    "nodes/s": millions,
}
RUN = {
    "run": lambda info: info["name"],
    "date": lambda info: info["date"],
    "revision": lambda info: info["revision"],
    "lines": lambda info: info["lines"],
    "machine": machine_in_words,
    "command": lambda info: f"`{info['command']}`",
}
# {kind of the runs: the parts of their section}, in the order of the report.
SECTIONS = {
    "match": matches,
    "batch": batches,
    "positions": positions,
    "choices": lambda infos: [CHOICES, table(CHOICE, infos)],
    "solver-random": lambda infos: [SOLVER_RANDOM, table(SOLVED, infos)],
    "solver-endgames": lambda infos: [SOLVER_ENDGAMES, table(ENDGAMES, infos)],
}
