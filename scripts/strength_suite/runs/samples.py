"""`scripts/strength samples FOLDER`: players against the course's strategies, as batches of the judge."""

from strength_suite.json_lines import SuiteError
from strength_suite.runs.judged_run import JudgedRun, play_runs
from strength_suite.runs.players import at_revision
from strength_suite.runs.store import file_name


def libraries(folder, only):
    """File names of the libraries to meet, 2.so before 10.so; `only` is a list of names or None for all.

    Raises SuiteError where the folder has none, or not those.
    """
    if not folder.is_dir():
        raise SuiteError(f"{folder} is no folder, expected one with strategy libraries (*.so)")
    found = sorted((path.name for path in folder.glob("*.so")), key=_natural_order)
    if not found:
        raise SuiteError(f"folder {folder} holds no strategy library, expected files *.so")
    missing = [name for name in only or () if name not in found]
    if missing:
        raise SuiteError(f"--only: folder {folder} has no {', '.join(missing)}")
    return found if only is None else [name for name in found if name in only]


def _natural_order(name):
    stem = name.removesuffix(".so")
    return (not stem.isdecimal(), int(stem) if stem.isdecimal() else 0, name)


def main(options, store):
    """Play the batches; returns the exit status."""
    only = options.only.split(",") if options.only else None
    names = libraries(options.folder, only)
    runs = [_run(player, names, options) for player in options.players.split(",")]
    return play_runs(runs, store, options)


def _run(player, names, options):
    """The batch of one player; libraries are named from within their folder, so that records say no path."""
    against = [f"lib:{name}" for name in names]
    words = [at_revision(player, options.revision), "--against", *against, "--rounds", str(options.rounds)]
    words += ["--limit", f"{options.limit:g}", "--seed", str(options.seed)]
    if options.free_start:
        words.append("--free-start")
    which = "+".join(name.removesuffix(".so") for name in names) if options.only else "all"
    return JudgedRun(
        name=file_name("batch", player, which, f"{options.limit:g}s"),
        kind="batch",
        words=tuple(words),
        games=2 * len(names) * options.rounds,
        asked={
            "player": player,
            "opponents": names,
            "rounds": options.rounds,
            "limit_s": options.limit,
            "free_start": options.free_start,
            "seed": options.seed,
        },
        folder=options.folder.resolve(),
    )
