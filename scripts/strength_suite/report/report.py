"""`scripts/strength report`: docs/results.md, made of the summaries in docs/results/ and of nothing else."""

import json

from strength_suite.json_lines import SuiteError, renamed
from strength_suite.report import position_tables, sweeps, tables

INTRODUCTION = """\
# Results

Written by `scripts/strength report` from the files in [results/](results/); a change made here is lost with
the next report. Times are in seconds. The last table says when each run was made, at which revision, on
what machine and by which command.
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
their seconds than they would have alone.
"""

CONDITIONS = """\
"Machine" is what the judge measured itself in a moment before the games: idle, or busy where one of
[its bounds](matches.md#is-the-machine-good-enough) was passed before any part of a run. "Short of a core" is the share
of a side's moves that got less than 95 % of their time, because the machine ran other programs; above 2 % of either
side's it has a (!), and small differences of strength say little. Runs before there were such measurements have
"not measured".
"""

MATCHES = """\
Both sides of every board are played; starting up is not on the clock. Elo with its 95 % error is counted
from the pairs of games. `./sl` is github.com/Selflocking/DotsAndBoxes, its search limited to 0.9 s of processor time
(its own default is 32 s), on the empty board. "On time": games that a side lost on the clock. "Reported": what
the reports behind the presets say.
"""

CROSS_TABLE = "The score of each player (row) against each other (column), draws counting half"

BATCHES = """\
`2.so` to `100.so` are the course's samples, `lionjump-Ts.so` is github.com/Lionjump0723/connect4 with a search time of
T seconds, compiled with `g++ -O3 -march=native`. Every board is played from both sides. In the score a draw counts
half a win. Faults are the player's own.
"""

POSITIONS = """\
Moves in positions of which the value of every move is known
([tests/positions](../tests/positions/README.md)). "A random move": what a player without any knowledge
would score. Each position is given to a fresh engine.
"""

CHOICES = """\
Dots and boxes: positions from random safe play, each won for the side to move by the exact solver's word; counted are
the turns after which it is still won. Each position is given to a fresh engine.
"""

SOLVER_RANDOM = """\
Win, draw or loss of positions from random legal play on 6 rows x 7 columns, without a win at once. The
table is empty before each of them; a position that was cut off counts with the time it had.
"""

SOLVER_ENDGAMES = """\
Games between strong players on boards of the platform, played down to 40 empty cells or fewer, are taken
back from their end move by move until the solver no longer settles the position in its time: the number of
empty cells up to which it settled every one. The table is empty before each position.
"""

# (kind of the runs, heading, text, tables)
SECTIONS = (
    ("match", "Matches", MATCHES, tables.matches),
    ("batch", "Against strategy libraries", BATCHES, tables.batches),
    ("positions", "Moves that keep the value", POSITIONS, position_tables.positions),
    ("choices", "Turns that keep a win", CHOICES, position_tables.choices),
    ("solver-random", "The solver on random positions", SOLVER_RANDOM, position_tables.solved_random),
    ("solver-endgames", "Empty cells that the solver settles", SOLVER_ENDGAMES, position_tables.solved_endgames),
)


def main(options, store):
    """Write the report beside the folder of results; returns the exit status."""
    path = store.results.with_suffix(".md")
    infos = read_infos(store.results)
    path.write_text(report(infos), "utf-8")
    print(f"{len(infos)} runs in {path}")
    return 0


def read_infos(folder):
    """The infos in a folder, by name. Raises SuiteError naming a file that is none."""
    infos = []
    for path in sorted(folder.glob("*.json")):
        try:
            info = json.loads(path.read_text("utf-8"))
            # Presets are called by one name in all tables; a run's own name and command stay as they were.
            shown = {**renamed(info), "name": info["name"], "command": info["command"]}
            infos.append((info["kind"], info["name"], shown))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SuiteError(f"{path} is no summary of a run: {error!r}") from error
    return [info for _, _, info in sorted(infos, key=lambda found: found[:2])]


def report(infos):
    """The text of docs/results.md."""
    parts = [INTRODUCTION, CONDITIONS]
    for kind, heading, text, table in SECTIONS:
        chosen = [info for info in infos if info["kind"] == kind]
        if not chosen:
            continue
        parts.append(f"## {heading}\n\n{text}")
        parts += _by_game(chosen) if kind == "match" else [_lines(table(chosen))]
        if kind == "batch":
            parts += _details_of_batches(chosen)
    if infos:
        parts += [HOW_TO_REPLAY, _lines(tables.runs(infos))]
    return "\n".join(parts)


def _by_game(infos):
    """Each game's matches, and a cross table where some of its players met each other."""
    parts = []
    for game in sorted({tables.game_of(info) for info in infos}):
        chosen = [info for info in infos if tables.game_of(info) == game]
        parts += [f"### {game.replace('_', ' ').capitalize()}\n", _lines(tables.matches(chosen))]
        for limit_s in sorted({info["asked"]["limit_s"] for info in chosen}):
            cross = tables.cross_table([info for info in chosen if info["asked"]["limit_s"] == limit_s])
            if cross:
                parts += [f"{CROSS_TABLE}, {limit_s:g} s a move:\n", _lines(cross)]
        parts += [_lines(plot) for plot in sweeps.plots(chosen)]
    return parts


def _details_of_batches(infos):
    """Each sample's results where a batch has many, and the games that were not won."""
    parts = []
    many = [info for info in infos if len(info["asked"]["opponents"]) > 1]
    if many:
        parts += ["### Each sample: games won-drawn-lost\n", _lines(tables.per_sample(many))]
    for info in infos:
        missed = tables.samples_not_beaten(info)
        if missed:
            parts += [f"### Not won: `{info['name']}`\n", _lines(missed)]
    return parts


def _lines(lines):
    return "".join(f"{line}\n" for line in lines)
