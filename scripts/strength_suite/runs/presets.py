"""`scripts/strength presets`: settings against each other, as matches of the judge."""

from itertools import combinations

from bot.games import adapter_of
from strength_suite.json_lines import SuiteError
from strength_suite.runs.judged_run import JudgedRun, play_runs
from strength_suite.runs.players import DEFAULT_GAME, bot_with, settings_of
from strength_suite.runs.store import file_name

# Pairs beside each preset against the default. Connect four: what the reports say is the stronger stands second, and
# the last pair is what the exact solver adds. Reversi: the evaluations of the report and chance, each with each.
AMONG_THEMSELVES = {
    "connect_four": (
        ("uct-plain", "uct-forced"),
        ("uct-forced", "uct-proofs"),
        ("alphabeta-basic", "alphabeta"),
        ("alphabeta", "mcts"),
        ("default+solver=false", "default+solver=true"),
    ),
    "reversi": tuple(
        combinations(
            [f"alphabeta-{name}" for name in ("discs", "stable", "mobility", "restricting", "combined")] + ["random"],
            2,
        )
    ),
    "dots": (
        *((f"amaf+alpha={tenths / 10:g}", "merged") for tenths in range(11)),
        *combinations(("mc", "uct", "merged", "alphabeta"), 2),
    ),
}
DEFAULT = "default"


def default_pairs(game):
    """The pairs of AMONG_THEMSELVES, then every preset of the game against the default."""
    against_default = [(DEFAULT, name) for name in sorted(adapter_of(game).PRESETS) if name != DEFAULT]
    return [*AMONG_THEMSELVES.get(game, ()), *against_default]


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
    pairs = pairs_of(options.pairs) if options.pairs else default_pairs(options.game)
    if options.revision is None:  # another revision knows its own presets
        for name in {name for pair in pairs for name in pair}:
            settings_of(name, adapter_of(options.game))
    runs = [_run(pair, options) for pair in pairs]
    return play_runs(runs, store, options)


def _run(pair, options):
    return match_run([bot_with(name, options.revision) for name in pair], pair, options)


def match_run(players, shown, options, folder=None, opening_plies=None):
    """The JudgedRun of two of the judge's players; `shown`: their names in tables and in the names of files.

    folder: where it runs, if not here; opening_plies: played at random, if not as many as the judge plays by itself.
    """
    words = (*players, "--game", options.game, "--games", str(options.games), "--limit", f"{options.limit:g}")
    opening = {} if opening_plies is None else {"opening_plies": opening_plies}
    if opening:
        words += ("--opening-plies", str(opening_plies))
    game = () if options.game == DEFAULT_GAME else (options.game,)
    return JudgedRun(
        name=file_name("match", *game, *shown, f"{options.limit:g}s"),
        kind="match",
        words=(*words, "--free-start", "--seed", str(options.seed)),
        games=options.games,
        asked={
            "game": options.game,
            "players": list(shown),
            "limit_s": options.limit,
            "games": options.games,
            "seed": options.seed,
            **opening,
        },
        **({} if folder is None else {"folder": folder}),
    )
