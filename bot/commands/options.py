"""The options of the commands: makes a Session from the command line of a playing bot, and lists the presets.

A usage error ends the program with a message and status 2, as argparse does.
"""

from __future__ import annotations

import argparse

from ..backends.compiled import BACKENDS, Kernels
from ..games import NAMES, adapter_of, part_of
from ..shell.player import Log
from ..shell.session import (
    DEFAULT_FIRST_MARGIN_S,
    DEFAULT_LIMIT_S,
    DEFAULT_MARGIN_S,
    build_session,
    random_seed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from ..games.interface import Adapter, Settings
    from ..search.engine import Decision
    from ..shell.session import Report, Session

    Number = TypeVar("Number", int, float)

MORE = "More: docs/bot.md"  # a page of the documentation; the path is relative to the repository's root


def _number_type(
    convert: Callable[[str], Number], accepts: Callable[[Number], bool], expected: str
) -> Callable[[str], Number]:
    """Returns a function, for argparse's argument `type`, that converts a text to a number by `convert`.

    If `convert` fails or accepts(number) is false, the function raises argparse.ArgumentTypeError. The message says
    that `expected` was expected.
    """

    def number(text: str) -> Number:
        value: Number | None
        try:
            value = convert(text)
        except ValueError:
            value = None
        if value is None or not accepts(value):
            raise argparse.ArgumentTypeError(f"expected {expected}, got {text}")
        return value

    return number


positive_number = _number_type(float, lambda value: 0 < value < float("inf"), "a positive number")
not_negative_number = _number_type(float, lambda value: 0 <= value < float("inf"), "a number of 0 or more")
positive_integer = _number_type(int, lambda value: value >= 1, "a whole number of 1 or more")


def add_search_options(parser: argparse.ArgumentParser, adapter: Adapter) -> None:
    """Add the options that playing, `analyze` and `bench` share."""
    parser.add_argument(
        "--game",
        choices=NAMES,
        default=adapter.GAME,
        metavar="NAME",
        help=f"{' or '.join(NAMES)} (default {NAMES[0]})",
    )
    parser.add_argument(
        "--preset", default="default", metavar="NAME", help=f"named settings: {', '.join(sorted(adapter.PRESETS))}"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        dest="assignments",
        help="change one setting; may be given several times",
    )
    parser.add_argument(
        "--memory",
        type=positive_integer,
        default=adapter.DEFAULT_MEMORY_MB,
        metavar="MB",
        help="memory of the whole process (default %(default)s)",
    )
    parser.add_argument("--seed", type=int, default=None, metavar="N", help="of the random choices (default: random)")
    engines = ", ".join(BACKENDS[4:])
    parser.add_argument(
        "--backend",
        choices=BACKENDS,
        default="auto",
        metavar="NAME",
        help=f"where the compiled search comes from: native (an engine compiled before, of {engines} the best "
        "for this CPU; or one of these by name), jit (numba), python (none: the plain search); "
        "default: native if it is built, else jit",
    )


def chosen_settings(parser: argparse.ArgumentParser, arguments: argparse.Namespace, adapter: Adapter) -> Settings:
    """Returns the Settings that --preset and --set name. Ends the program with a usage error if they are wrong."""
    if arguments.game != adapter.GAME:
        parser.error(f"--game: this program plays {adapter.GAME} alone")
    try:
        return adapter.preset(arguments.preset).with_values(arguments.assignments)
    except adapter.SettingsError as error:
        parser.error(str(error))


def chosen_seed(arguments: argparse.Namespace) -> int:
    """Returns the value of the option --seed, or a random seed if the option is not given."""
    return arguments.seed if arguments.seed is not None else random_seed()


def _parser(adapter: Adapter) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bot",
        description="Play one game on stdin and stdout, as Saiblo does it.",
        epilog="Also: `python -m bot analyze --help`, and the same of `bench` and `presets`. With --game NAME before "
        f"it, --help tells the options of that game. {MORE}",
    )
    parser.add_argument(
        "--protocol", choices=adapter.WIRES, default=adapter.WIRES[0], help="wire (default %(default)s)"
    )
    parser.add_argument(
        "--limit",
        type=positive_number,
        default=DEFAULT_LIMIT_S,
        metavar="S",
        help="the platform's limit for a move in seconds (default %(default)s)",
    )
    parser.add_argument(
        "--margin",
        type=not_negative_number,
        default=DEFAULT_MARGIN_S,
        metavar="S",
        help="left unused of it, at most a quarter of the limit (default %(default)s)",
    )
    parser.add_argument(
        "--first-margin",
        type=not_negative_number,
        default=DEFAULT_FIRST_MARGIN_S,
        metavar="S",
        help="the same for the first move (default %(default)s)",
    )
    parser.add_argument(
        "--engine",
        choices=adapter.ENGINES,
        default=None,
        help="the search that plays (default: what the settings name)",
    )
    parser.add_argument(
        "--iterations",
        type=positive_integer,
        default=None,
        metavar="N",
        help="search so many iterations a move and ignore the clock",
    )
    parser.add_argument("--info", action="store_true", help="one JSON object a move on stderr")
    add_search_options(parser, adapter)
    return parser


def reporter(log: Log, adapter: Adapter) -> Report:
    """Returns the function that is called after each reply and writes the line of --info to the log."""
    import json  # imported here, so that only --info pays for it

    def report(turn: int, move: int, decision: Decision | None, elapsed_s: float) -> None:
        line: dict[str, object] = {"turn": turn, "move": adapter.move_name(move)}
        if decision is None:  # the guard chose the move; the same fields, so that readers find them in every line
            searched = {"value": None, "proven": None, "iterations": 0, "depth": 0, "pv": [line["move"]], "nodes": 0}
            line.update(searched, guard=True)
        else:
            line.update(
                value=round(decision.value, 4),
                proven=decision.proven,
                iterations=decision.iterations,
                depth=decision.depth,
                pv=list(map(adapter.move_name, decision.pv[:24])),
                nodes=decision.nodes,
            )
        line["elapsed_s"] = round(elapsed_s, 4)
        log.info(json.dumps(line))

    return report


def session_from(argv: list[str], game: str, engines: str | None = None, patient: bool = False) -> Session:
    """Returns the Session that the command line `argv` asks for, playing the game named `game`.

    `engines` and `patient` are passed to Kernels and to Player. None for `engines` stands for the usual folder.
    """
    adapter = adapter_of(game)
    parser = _parser(adapter)
    arguments = parser.parse_args(argv)
    settings = chosen_settings(parser, arguments, adapter)
    if arguments.engine is not None:
        settings = settings.with_values(["engine=" + arguments.engine])
    kernels = None if arguments.backend == "python" else Kernels(game, arguments.backend, engines)
    if arguments.iterations is not None and (kernels is None or not kernels.available()):
        parser.error("--iterations needs the compiled search: a native engine or numba, and not --backend python")
    try:
        adapter.check_memory(arguments.memory)
    except ValueError as error:
        parser.error(f"--memory: {error}")
    log = Log()
    return build_session(
        adapter,
        kernels,
        log,
        settings=settings,
        wire=arguments.protocol,
        limit=arguments.limit,
        margin=arguments.margin,
        first_margin=arguments.first_margin,
        memory_mb=arguments.memory,
        seed=chosen_seed(arguments),
        iterations=arguments.iterations,
        report=reporter(log, adapter) if arguments.info else None,
        patient=patient,
    )


def list_presets(words: list[str], game: str) -> int:
    """`python -m bot presets`: print the names of a game's presets, one on each line, for completion in a shell.

    The option --game in `words` names the game. Without this option it is `game`. Returns the exit status.
    """
    parser = argparse.ArgumentParser(
        prog="python -m bot presets", description="List the presets of a game.", epilog=MORE
    )
    parser.add_argument("--game", choices=NAMES, default=game, help=f"default: {NAMES[0]}")
    print("\n".join(part_of(parser.parse_args(words).game, "config").PRESETS))
    return 0
