"""`scripts/measure strength COMMAND ..`: how strong the bot is, in games and in positions of known value.

A run can be stopped and goes on with --resume. What it has found is kept in docs/results/, and `report` makes
docs/results.md of all that is there.
"""

import argparse
import os
import shlex
from itertools import combinations
from pathlib import Path

from bot.games import NAMES, adapter_of
from judge.__main__ import main as judge
from judge.games import DEFAULT_GAME, GAMES
from judge.games.dots.board import sides_of
from judge.players.players import Contestant, with_groups_expanded
from judge.reports import batch, circumstances, match
from measurement import choices, positions, report
from measurement.commands import flag, option, run
from measurement.kept import RESULTS, WORK, MeasureError, Run, file_name
from option_types import count, quantity, seconds
from protocol.records.record import read_records

DEFAULT = "default"
# Pairs of presets beside each one against the default. Connect four: what the reports say is the stronger stands
# second, and the last pair is what the exact solver adds. Reversi: the report's evaluations and chance, each with each.
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


def of_match(options):
    """Play a match between two of the judge's players."""
    return _play([_match(options, options.A, options.B, options.A, options.B)], options)


def of_presets(options):
    """Play the pairs named, or those of AMONG_THEMSELVES and every preset of the game against the default."""
    adapter = adapter_of(options.game)
    against_default = [(DEFAULT, name) for name in sorted(adapter.PRESETS) if name != DEFAULT]
    pairs = [pair.split(":") for pair in options.pairs] or [*AMONG_THEMSELVES[options.game], *against_default]
    for pair in pairs:
        if len(pair) != 2:
            raise MeasureError(f"expected A:B, two presets, got {':'.join(pair)!r}")
        for name in pair:
            positions.settings_of(name, adapter)
    return _play([_match(options, *map(_bot_with, pair), *pair) for pair in pairs], options)


def _bot_with(text):
    """The judge's player with the settings "NAME[+KEY=VALUE...]"."""
    name, *assignments = text.split("+")
    return " ".join([f"bot:{name}", *(f"--set {shlex.quote(assignment)}" for assignment in assignments)])


def _match(options, a, b, *shown):
    """(the Run of two players, the judge's words, games); shown: their names in tables and in the names of files."""
    opening = {} if options.opening_plies is None else {"opening_plies": options.opening_plies}
    game = () if options.game == DEFAULT_GAME else (options.game,)
    asked = {
        "game": options.game,
        "players": list(shown),
        "limit_s": options.limit,
        "games": options.games,
        "seed": options.seed,
        **opening,
    }
    words = ["match", a, b, "--game", options.game, "--games", options.games, "--free-start"]
    words += ["--opening-plies", options.opening_plies] if opening else []
    return Run("match", file_name("match", *game, *shown, f"{options.limit:g}s"), asked, options), words, options.games


def of_batch(options):
    """Play one player against strategy libraries, in their folder if that is named, so that records say no path."""
    named = options.against
    options.work, options.results = options.work.resolve(), options.results.resolve()
    if len(named) == 1 and os.path.isdir(named[0]):
        os.chdir(named[0])
        against, which = with_groups_expanded(["lib:."], DEFAULT_GAME), "all"
    else:
        against, which = with_groups_expanded(named, DEFAULT_GAME), "+".join(Path(text).stem for text in named)
    opponents = [Path(text.removeprefix("lib:")).name for text in against]
    asked = {
        "player": options.BOT,
        "opponents": opponents,
        "rounds": options.rounds,
        "limit_s": options.limit,
        "free_start": options.free_start,
        "seed": options.seed,
    }
    words = ["batch", options.BOT, "--against", *against, "--rounds", options.rounds]
    words += ["--free-start"] if options.free_start else []
    batch_run = Run("batch", file_name("batch", options.BOT, which, f"{options.limit:g}s"), asked, options)
    return _play([(batch_run, words, 2 * len(against) * options.rounds)], options)


def _play(runs, options):
    """Have the judge play the runs, one after the other, and keep each as far as it has come; the worst exit status."""
    options.work.mkdir(parents=True, exist_ok=True)
    for one, _words, _games in runs:
        one.require_new()
    worst = 0
    for number, (one, words, games) in enumerate(runs, start=1):
        print(f"[{number}/{len(runs)}] {one.name}", flush=True)
        if options.resume and one.is_done():
            print("    done already", flush=True)
            continue
        words += ["--limit", options.limit, "--seed", options.seed, "--jobs", options.jobs]
        words += [*(["--oversubscribe"] if options.oversubscribe else []), "--record", one.record.resolve(), "--resume"]
        try:
            worst = max(worst, judge(list(map(str, words))))
        except SystemExit as refusal:
            raise MeasureError(f"the judge refused {one.name}, see above") from refusal
        records = read_records(one.record)[0] if one.record.exists() else []
        summary = summary_of(one.kind, one.asked, records)
        judged = summary["wins"] + summary["draws"] + summary["losses"]
        if judged:
            versions = {player.version for player in records[0].players if player.version}
            one.keep(summary, judged == games, ", ".join(sorted(versions)))
            print("    {wins} won, {draws} drawn, {losses} lost".format(**summary), flush=True)
        if judged < games and not worst:
            raise KeyboardInterrupt  # the judge has ended well and early: it was asked to stop
    return worst


def summary_of(kind, asked, records):
    """What the judge's own reports say of a file's records, as a JSON object; `asked`: of the Run."""
    settled = {record.extra["index"]: record for record in records}  # a VOID game may have been played again
    games = [settled[index] for index in sorted(settled)]
    void = sum(not record.termination.counts for record in records)
    if kind == "match":
        return {**match.summary(games), **circumstances.summary(games, void)}
    numbers = {record.extra["id"]: number for number, record in enumerate(records, start=1)}
    players = [Contestant(name, f"lib:{name}") for name in asked["opponents"]]
    results = batch.results(players, games, asked["rounds"])
    return {**batch.summary(results, numbers), **circumstances.summary(games, void)}


def _several_seconds(text):
    """Numbers of seconds divided by commas."""
    return [seconds(part) for part in text.split(",")]


def _plies(text):
    """(least, most) of "11-14"."""
    least, dash, most = text.partition("-")
    if not dash or not 0 <= quantity(least) <= quantity(most) <= 40:
        raise argparse.ArgumentTypeError(f"expected LEAST-MOST, at most 40, such as 11-14, got {text!r}")
    return int(least), int(most)


def boxes(text):
    """(rows, columns) of such as "5x5"."""
    return sides_of(next(option for option in GAMES["dots"].board_options if option.name == "size").read(text))


MATCH = (
    option("--game", default=DEFAULT_GAME, letter=None, choices=NAMES),
    option("--games", count, 20, text="of each pair"),
    option("--opening-plies", quantity, text="moves played at random first"),
    option("--limit", seconds, 1.0, "S", "a move"),
)
JUDGE = (
    option("--jobs", count, 1, "J", "games at a time"),
    flag("--oversubscribe", "allow more games at a time than cores"),
)
PRESET = option("--preset", default=DEFAULT, letter="NAME[+KEY=VALUE...]", text="who moves")
COMMANDS = {
    "match": (of_match, (option("A", letter="A"), option("B", letter="B"), *MATCH, *JUDGE)),
    "presets": (
        of_presets,
        (option("pairs", letter="A:B", text="such as default:default+solver=false", nargs="*"), *MATCH, *JUDGE),
    ),
    "batch": (
        of_batch,
        (
            option("BOT", letter="BOT"),
            option("--against", letter="FOLDER|FILE.so", nargs="+", required=True),
            option("--rounds", count, 1, text="boards for each, both sides"),
            flag("--free-start", "do not charge starting up"),
            option("--limit", seconds, 3.0, "S", "a move"),
            *JUDGE,
        ),
    ),
    "positions": (
        positions.of_suite,
        (
            PRESET,
            option("--budgets", _several_seconds, [0.1, 0.5, 1.0], "S,...", "a move"),
            option("--limit-count", count, text="so many of them, evenly picked"),
            option("--memory", count, 800, "MB", "of the bot"),
            option("--suite", Path, positions.SUITE, "FILE"),
        ),
    ),
    "choices": (
        choices.main,
        (
            PRESET,
            option("--size", boxes, (5, 5), "RxC", "boxes"),
            option("--free", count, 42, text="edges that random safe play leaves"),
            option("--count", count, 100, text="positions"),
            option("--budget", seconds, 1.0, "S", "a turn"),
        ),
    ),
    "solver-random": (
        positions.solver_random,
        (
            option("--count", count, 500, text="positions"),
            option("--plies", _plies, (11, 14), "A-B", "stones on the board"),
            option("--limit", seconds, 60.0, "S", "give a position up after"),
        ),
    ),
    "solver-endgames": (
        positions.solver_endgames,
        (
            option("--games", Path, letter="FILE", text="records, plain or .gz", nargs="+", required=True),
            option("--count", count, 50, text="games"),
            option("--budget", seconds, 2.0, "S", "a position"),
        ),
    ),
    "report": (report.main, ()),
}
COMMON = (
    option("--seed", int, 1, text="of all chance"),
    flag("--resume", "go on with the run that was stopped"),
    option("--results", Path, RESULTS, "DIR", "what is kept"),
    option("--work", Path, WORK, "DIR", "runs in progress"),
)


def main(words):
    """Run the command; returns the exit status, which is the judge's for games."""
    return run("strength", __doc__, COMMANDS, words, COMMON)
