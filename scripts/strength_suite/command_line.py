"""The words of `scripts/strength`, and the command that they call."""

import argparse
import importlib
import sys
from pathlib import Path

from bot.games import NAMES
from bot.games.dots.board import DEFAULT_SIZE
from dots_solving.sizes import board_of_boxes
from option_types import count, quantity, seconds
from stopping import stop_like_ctrl_c
from strength_suite.json_lines import SuiteError
from strength_suite.positions.exact_positions import SUITE
from strength_suite.runs.judged_run import INTERRUPTED, REFUSED
from strength_suite.runs.players import DEFAULT_GAME
from strength_suite.runs.store import RESULTS, WORK, Store


def several_seconds(text):
    """Numbers of seconds divided by commas."""
    return [seconds(part) for part in text.split(",")]


def plies(text):
    """(least, most) of "11-14"."""
    least, dash, most = text.partition("-")
    if not dash or not 0 <= quantity(least) <= quantity(most) <= 40:
        raise argparse.ArgumentTypeError(f"expected LEAST-MOST, at most 40, such as 11-14, got {text!r}")
    return int(least), int(most)


def main(words):
    """Run the command; returns the exit status, 0, REFUSED, INTERRUPTED or the judge's."""
    parser = _parser()
    options = parser.parse_args(words)
    stop_like_ctrl_c()  # what has been found is exported; the judge's runs handle signals themselves
    try:
        module = importlib.import_module(f"strength_suite.{options.module}")
        store = Store(options.work, options.results, tuple(words))
        return getattr(module, options.function)(options, store)
    except (SuiteError, OSError) as error:
        print(f"strength: error: {error}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("stopped; the same command with --resume goes on", file=sys.stderr)
        return INTERRUPTED


def _parser():
    parser = argparse.ArgumentParser(
        prog="scripts/strength",
        description="Measure how strong the bot is. Runs can be stopped, and go on with --resume; "
        "what they found is kept in docs/results/, and `report` makes docs/results.md of it.",
        epilog="Exit status: 0, 1 for fewer positions than asked for, 2 for what cannot be done, "
        "3 for a VOID game (the judge's or the machine's fault), 130 if stopped.",
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for add in (
        _add_presets,
        _add_samples,
        _add_engines,
        _add_positions,
        _add_make_positions,
        _add_solver,
        _add_choices,
        _add_report,
    ):
        add(commands)
    return parser


def _command(commands, name, module, help_text, function="main"):
    parser = commands.add_parser(name, help=help_text, description=help_text[0].upper() + help_text[1:] + ".")
    parser.set_defaults(module=module, function=function)
    parser.add_argument(
        "--results", type=Path, default=RESULTS, metavar="DIR", help="what is kept (default: docs/results)"
    )
    parser.add_argument(
        "--work", type=Path, default=WORK, metavar="DIR", help="runs in progress (default: records/strength)"
    )
    return parser


def _add_run_options(parser, seed_of):
    parser.add_argument("--seed", type=int, default=1, metavar="N", help=f"{seed_of} (default: 1)")
    parser.add_argument("--resume", action="store_true", help="go on with the run that was stopped")


def _add_judge_options(parser, limit_s):
    parser.add_argument(
        "--limit", type=seconds, default=limit_s, metavar="S", help=f"seconds a move (default: {limit_s:g})"
    )
    parser.add_argument("--jobs", type=count, default=1, metavar="J", help="games at a time (default: 1)")
    parser.add_argument("--oversubscribe", action="store_true", help="allow more games at a time than cores")
    parser.add_argument("--revision", metavar="REV", help="the bot of a commit, tag or branch instead of this one")
    _add_run_options(parser, "of boards and players")


def _add_presets(commands):
    parser = _command(commands, "presets", "runs.presets", "play presets against the default and among themselves")
    parser.add_argument(
        "--pairs",
        metavar="A:B,...",
        help="which, each a preset with settings if need be: uct-fresh-tree:default,default:default+solver=false "
        "(default: those that the seeds compare, then the default against each preset)",
    )
    _add_match_options(parser)


def _add_samples(commands):
    parser = _command(commands, "samples", "runs.samples", "play the sample strategies in a folder")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where the strategy libraries (*.so) lie")
    parser.add_argument("--players", default="bot", metavar="BOT,...", help="such as bot,bot:uct-proofs (default: bot)")
    parser.add_argument("--only", metavar="100.so,...", help="these libraries only (default: all)")
    parser.add_argument(
        "--rounds",
        type=count,
        default=1,
        metavar="N",
        help="boards for each library, both sides (default: 1)",
    )
    parser.add_argument("--free-start", action="store_true", help="do not charge starting up")
    _add_judge_options(parser, 3.0)


def _add_engines(commands):
    parser = _command(commands, "engines", "runs.engines", "play other programs, which speak the game's wire")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where they are started")
    parser.add_argument("command", nargs="+", metavar="COMMAND", help='such as "./engine 5", in quotes')
    parser.add_argument("--player", default="bot", metavar="BOT", help="who meets them (default: bot)")
    parser.add_argument(
        "--opening-plies",
        type=quantity,
        metavar="N",
        help="moves played at random first, 0 for programs that only know the empty board (default: as the judge)",
    )
    _add_match_options(parser)


def _add_match_options(parser):
    parser.add_argument("--game", choices=NAMES, default=DEFAULT_GAME, help=f"default: {DEFAULT_GAME}")
    parser.add_argument("--games", type=count, default=20, metavar="N", help="for each pair (default: 20)")
    _add_judge_options(parser, 1.0)


def _add_suite_option(parser):
    parser.add_argument(
        "--suite",
        type=Path,
        default=SUITE,
        metavar="FILE",
        help="file of positions (default: tests/positions/exact.jsonl)",
    )


def _add_positions(commands):
    parser = _command(
        commands, "positions", "positions.positions", "count the moves that keep the value of positions known exactly"
    )
    parser.add_argument(
        "--preset", default="default", metavar="NAME[+KEY=VALUE...]", help="who moves (default: default)"
    )
    parser.add_argument(
        "--budgets",
        type=several_seconds,
        default=[0.1, 0.5, 1.0],
        metavar="S,...",
        help="seconds a move (default: 0.1,0.5,1)",
    )
    parser.add_argument(
        "--limit-count", type=count, metavar="N", help="so many positions, evenly picked (default: all)"
    )
    parser.add_argument("--memory", type=count, default=800, metavar="MB", help="of the bot (default: 800)")
    _add_suite_option(parser)
    _add_run_options(parser, "of the bot")


def _add_make_positions(commands):
    parser = _command(
        commands,
        "make-positions",
        "positions.make_positions",
        "fill the file of exact positions up to the numbers asked for, with the project's own solver; "
        "what is in it stays, so a stopped run goes on by itself",
    )
    parser.add_argument(
        "--small", type=quantity, default=80, metavar="N", help="on 4 to 6 rows, 4 to 7 columns (default: 80)"
    )
    parser.add_argument(
        "--standard", type=quantity, default=210, metavar="N", help="on 6 rows x 7 columns (default: 210)"
    )
    parser.add_argument(
        "--endgames", type=quantity, default=60, metavar="N", help="from the games of --games (default: 60)"
    )
    parser.add_argument(
        "--games",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="records of the judge, plain or .gz, of games between strong players",
    )
    parser.add_argument(
        "--limit",
        type=seconds,
        metavar="S",
        help="give up a position when one move takes longer (default: never)",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the positions (default: 1)")
    _add_suite_option(parser)


def _add_solver(commands):
    parser = commands.add_parser("solver", help="time the exact solver", description="Time the exact solver.")
    which = parser.add_subparsers(metavar="random|endgames", required=True)
    on_random = _command(
        which, "random", "positions.solver", "solve random positions of 6 rows x 7 columns", "random_positions"
    )
    on_random.add_argument("--count", type=count, default=500, metavar="N", help="positions (default: 500)")
    on_random.add_argument(
        "--plies", type=plies, default=(11, 14), metavar="A-B", help="stones on the board (default: 11-14)"
    )
    on_random.add_argument(
        "--limit", type=seconds, default=60.0, metavar="S", help="give a position up after (default: 60)"
    )
    _add_run_options(on_random, "of the positions")
    on_endgames = _command(
        which,
        "endgames",
        "positions.solver",
        "find how many empty cells of recorded games the solver settles",
        "endgames",
    )
    on_endgames.add_argument(
        "--games",
        nargs="+",
        type=Path,
        required=True,
        metavar="FILE",
        help="records of the judge, plain or .gz",
    )
    on_endgames.add_argument("--count", type=count, default=50, metavar="N", help="games (default: 50)")
    on_endgames.add_argument("--budget", type=seconds, default=2.0, metavar="S", help="for each position (default: 2)")
    on_endgames.add_argument("--resume", action="store_true", help="go on with the run that was stopped")


def _add_choices(commands):
    parser = _command(
        commands,
        "choices",
        "positions.choices",
        "count the bot's turns at dots and boxes that win on where the solver says that the position is won",
    )
    parser.add_argument("--preset", default="default", metavar="NAME[+KEY=VALUE...]", help="default: default")
    parser.add_argument("--size", type=board_of_boxes, default=DEFAULT_SIZE, metavar="RxC", help="boxes (default: 5x5)")
    parser.add_argument(
        "--free", type=count, default=42, metavar="N", help="edges that random safe play leaves (default: 42)"
    )
    parser.add_argument("--count", type=count, default=100, metavar="N", help="positions (default: 100)")
    parser.add_argument("--budget", type=seconds, default=1.0, metavar="S", help="for a turn (default: 1)")
    _add_run_options(parser, "of the positions and the bot")


def _add_report(commands):
    _command(commands, "report", "report.report", "write docs/results.md from what lies in docs/results/")
