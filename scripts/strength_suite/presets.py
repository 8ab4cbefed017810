"""`scripts/strength presets`: settings against each other, as matches of the judge."""

from strength_suite.json_lines import SuiteError
from strength_suite.judged_run import JudgedRun, play_runs
from strength_suite.players import SEAT, bot_with, settings_of
from strength_suite.store import file_name

# What the seeds say is the stronger stands second; the last pair is what the exact solver adds.
AMONG_THEMSELVES = (
    ("seed000-v1", "seed000-v2"),
    ("seed000-v2", "seed000-v3"),
    ("seed003-alphabeta-basic", "seed003-alphabeta"),
    ("seed003-alphabeta", "seed003-mcts"),
    ("default+solver=false", "default+solver=true"),
)
DEFAULT = "default"


def default_pairs():
    """Every preset against the default, and those of AMONG_THEMSELVES that exist."""
    against_default = [(name, DEFAULT) for name in sorted(SEAT.PRESETS) if name != DEFAULT]
    exist = [
        pair for pair in AMONG_THEMSELVES if all(name.partition("+")[0] in SEAT.PRESETS for name in pair)
    ]
    return [*exist, *against_default]


def pairs_of(text):
    """[(settings, settings)] of "A:B,C:D". Raises SuiteError naming the pair that is none."""
    pairs = []
    for part in text.split(","):
        names = tuple(part.split(":"))
        if len(names) != 2 or not all(names):
            raise SuiteError(f"--pairs: expected A:B, two presets, got {part!r}")
        pairs.append(names)
    return pairs


def main(options, store):
    """Play the matches; returns the exit status."""
    pairs = pairs_of(options.pairs) if options.pairs else default_pairs()
    if options.revision is None:  # another revision knows its own presets
        for name in {name for pair in pairs for name in pair}:
            settings_of(name)
    runs = [_run(pair, options) for pair in pairs]
    return play_runs(runs, store, options.jobs, options.resume)


def _run(pair, options):
    players = [bot_with(name, options.revision) for name in pair]
    words = (*players, "--games", str(options.games), "--limit", f"{options.limit:g}", "--free-start")
    return JudgedRun(
        name=file_name("match", *pair, f"{options.limit:g}s"),
        kind="match",
        words=(*words, "--seed", str(options.seed)),
        games=options.games,
        asked={"players": list(pair), "limit_s": options.limit, "games": options.games, "seed": options.seed},
    )
