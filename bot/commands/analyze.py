"""`python -m bot analyze`: the engine's opinion of one position."""

from __future__ import annotations

import argparse
import importlib
import json
import sys

from ..backends.compiled import Kernels, KernelsUnavailable
from ..games import adapter_of
from .options import MORE, add_search_options, chosen_seed, chosen_settings, positive_integer, positive_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..interfaces import Adapter, Decision, Notation, Solution

DEFAULT_BUDGET_S = 3.0


def _parser(adapter: Adapter, notation: Notation) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bot analyze",
        description="Search one position and print the best move and its value.",
        epilog=MORE,
    )
    notation.add_position_options(parser)
    stop = parser.add_mutually_exclusive_group()
    stop.add_argument(
        "--budget",
        type=positive_number,
        default=None,
        metavar="S",
        help=f"search time in seconds, start-up not counted (default {DEFAULT_BUDGET_S})",
    )
    stop.add_argument("--iterations", type=positive_integer, default=None, metavar="N", help="instead of a time")
    parser.add_argument(
        "--exact",
        action="store_true",
        help="solve the position: its outcome, and the plies to the end of the shortest win or longest "
        "loss; takes as long as it takes unless --budget is given",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_search_options(parser, adapter)
    return parser


def main(argv: list[str], game: str) -> int:
    """Analyse what the command line names; returns the exit status."""
    adapter: Adapter = adapter_of(game)
    notation: Any = importlib.import_module(f"bot.games.{game}.notation")
    parser = _parser(adapter, notation)
    arguments = parser.parse_args(argv)
    settings = chosen_settings(parser, arguments, adapter)
    try:
        adapter.check_memory(arguments.memory)
        position = notation.position_from(arguments, sys.stdin.read)
    except ValueError as error:
        parser.error(str(error))
    try:
        kernels = Kernels(game, arguments.backend).obtain(report=lambda text: print(text, file=sys.stderr))
    except KernelsUnavailable as error:
        parser.error(str(error))
    if arguments.exact and arguments.iterations is not None:
        parser.error("--exact counts no iterations: give --budget or nothing")
    engine = adapter.make_engine(kernels, settings, arguments.memory, chosen_seed(arguments), position)
    budget_s = arguments.budget
    if arguments.exact:
        solution = engine.solve(position, budget_s, exact=True)
        if solution is None:
            parser.error("--exact needs the solver, and these settings do without it")
        _print_solution(solution, adapter, arguments.json)
        return 0
    if budget_s is None and arguments.iterations is None:
        budget_s = DEFAULT_BUDGET_S
    _print(engine.think(position, budget_s, arguments.iterations), adapter, arguments.json)
    return 0


def _name(adapter: Adapter, move: int | None) -> int | str | None:
    return None if move is None else adapter.move_name(move)


def _names(adapter: Adapter, moves: Iterable[int]) -> list[int | str]:
    return [adapter.move_name(move) for move in moves]


def _print_solution(solution: Solution, adapter: Adapter, as_json: bool) -> None:
    if as_json:
        print(
            json.dumps(
                {
                    "best": _name(adapter, solution.move),
                    "proven": solution.outcome,
                    "proven_by": "solver" if solution.outcome else None,
                    "plies": solution.plies,
                    "nodes": solution.nodes,
                    "elapsed_s": round(solution.elapsed_s, 4),
                    "score": solution.score,
                }
            )
        )
        return
    length = "" if solution.plies is None else f" in {solution.plies} plies"
    print(f"outcome      {solution.outcome + length if solution.outcome else 'not settled in the time'}")
    if solution.outcome and solution.move is not None:
        print(f"best move    {adapter.in_words(solution.move)}")
    if solution.score is not None:
        print(f"score        {solution.score:+d} for the side to move")
    print(f"visited      {solution.nodes:,} positions, {solution.elapsed_s:.2f} s")


def _print(decision: Decision, adapter: Adapter, as_json: bool) -> None:
    if as_json:
        print(
            json.dumps(
                {
                    "best": _name(adapter, decision.move),
                    "value": round(decision.value, 4),
                    "proven": decision.proven,
                    "proven_by": decision.proven_by,
                    "pv": _names(adapter, decision.pv),
                    "iterations": decision.iterations,
                    "depth": decision.depth,
                    "nodes": decision.nodes,
                    "elapsed_s": round(decision.elapsed_s, 4),
                }
            )
        )
        return
    print(f"best move    {adapter.in_words(decision.move)}")
    sure = f"proven {decision.proven} by {decision.proven_by}" if decision.proven else "not proven"
    print(f"value        {decision.value:+.3f} for the side to move ({sure})")
    line = " ".join(map(str, _names(adapter, decision.pv)))
    print(f"line         {line}")
    print(
        f"searched     {decision.iterations:,} iterations, {decision.depth} plies deep, "
        f"{decision.nodes:,} nodes, {decision.elapsed_s:.2f} s"
    )
