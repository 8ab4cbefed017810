"""`python -m bot analyze`: the engine's opinion of one position, and of each move there."""

from __future__ import annotations

import argparse
import json
import sys

from ..backends.compiled import Kernels, KernelsUnavailable
from ..games import adapter_of
from . import board_view, recorded_position
from .opinions import deepened, opinion
from .options import MORE, add_search_options, chosen_seed, chosen_settings, positive_integer, positive_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..interfaces import Adapter, Decision, MoveValue, Notation, Solution
    from .recorded_position import Looked, Recorded

DEFAULT_BUDGET_S = 3.0


class _FormerLimit(argparse.Action):
    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        print("note: --budget is called --limit now", file=sys.stderr)
        namespace.limit = values


def _parser(adapter: Adapter, notation: Notation) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=recorded_position.PROG,
        description="Search one position and print the best move, its value, and the board with a value for each move.",
        epilog=MORE,
    )
    notation.add_position_options(parser)
    recorded_position.add_options(parser)
    stop = parser.add_mutually_exclusive_group()
    stop.add_argument(
        "--limit",
        type=positive_number,
        default=None,
        metavar="S",
        help=f"search time in seconds, start-up not counted (default {DEFAULT_BUDGET_S})",
    )
    stop.add_argument("--budget", action=_FormerLimit, type=positive_number, dest="limit", help=argparse.SUPPRESS)
    stop.add_argument(
        "--iterations",
        type=positive_integer,
        default=None,
        metavar="N",
        help="instead of a time; engines that search their moves one by one for the values take so many for them too",
    )
    parser.add_argument(
        "--exact",
        action="store_true",
        help="solve the position: its outcome, and the plies to the end of the shortest win or longest "
        "loss; takes as long as it takes unless --limit is given",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--deepen",
        action="store_true",
        help="with --json: print an object each time the time spent has doubled, from 0.1 to 0.2 s on; the last, with "
        '"final": true, when --limit is spent, or sooner where no more is to be found',
    )
    add_search_options(parser, adapter)
    return parser


def main(argv: list[str], game: str) -> int:
    """Analyse what the command line names; returns the exit status."""
    recorded, words = recorded_position.requested(argv)
    adapter: Adapter = adapter_of(game if recorded is None else recorded.record.game)
    notation = recorded_position.notation_of(adapter.GAME)
    parser = _parser(adapter, notation)
    arguments = parser.parse_args(words)
    if arguments.deepen and (not arguments.json or arguments.exact or arguments.iterations is not None):
        parser.error("--deepen: with --json, and with neither --exact nor --iterations")
    settings = chosen_settings(parser, arguments, adapter)
    try:
        adapter.check_memory(arguments.memory)
        looked = _looked_at(parser, arguments, notation, recorded)
    except ValueError as error:
        parser.error(str(error))
    try:
        kernels = Kernels(adapter.GAME, arguments.backend).obtain(report=lambda text: print(text, file=sys.stderr))
    except KernelsUnavailable as error:
        parser.error(str(error))
    if arguments.exact and arguments.iterations is not None:
        parser.error("--exact counts no iterations: give --limit or nothing")
    position = looked.position
    engine = adapter.make_engine(kernels, settings, arguments.memory, chosen_seed(arguments), position)
    if arguments.exact:
        solution = engine.solve(position, arguments.limit, exact=True)
        if solution is None:
            parser.error("--exact needs the solver, and these settings do without it")
        _print_solution(solution, adapter, arguments.json)
        return 0
    budget_s = arguments.limit
    if budget_s is None and arguments.iterations is None:
        budget_s = DEFAULT_BUDGET_S
    if arguments.deepen:
        for found in deepened(engine, position, budget_s):
            told = _as_json(found.decision, found.values, adapter, looked, recorded)
            since = {"elapsed_s": round(found.elapsed_s, 4), "iterations": found.iterations, "final": found.is_final}
            print(json.dumps({**told, **since}), flush=True)
        return 0
    decision, values = opinion(engine, position, budget_s, arguments.iterations)
    unsearched = engine.static_values(position)
    if arguments.json:
        told = _as_json(decision, values, adapter, looked, recorded)
        print(json.dumps({**told, **board_view.static_as_json(unsearched, adapter)}))
    else:
        _print(decision, values, adapter, looked, recorded)
        for line in board_view.static_lines(unsearched, adapter):
            print(line)
    return 0


def _looked_at(
    parser: argparse.ArgumentParser, arguments: argparse.Namespace, notation: Any, recorded: Recorded | None
) -> Looked:
    """The position that is meant. Raises ValueError."""
    if recorded is not None:
        recorded_position.check_alone(parser, arguments, notation)
        return recorded_position.position_of(recorded, notation)
    for name in ("record", "number", "ply"):  # written otherwise than requested() reads them
        if getattr(arguments, name) is not None:
            parser.error(
                f"--{name}: write --record, --number and --ply out in full, the latter two with --record alone"
            )
    position = notation.position_from(arguments, sys.stdin.read)
    return recorded_position.Looked(position, notation.mover_of(arguments, position), None)


def _played_value(values: Iterable[MoveValue], looked: Looked) -> MoveValue | None:
    """What is known of the move that was played: of one that leads to the same position, as turns may."""
    if looked.played is None:
        return None
    after = looked.position.play(looked.played)
    return next((known for known in values if looked.position.play(known.move) == after), None)


def _name(adapter: Adapter, move: int | None) -> int | str | None:
    return None if move is None else adapter.move_name(move)


def _names(adapter: Adapter, moves: Iterable[int]) -> list[int | str]:
    return [adapter.move_name(move) for move in moves]


def _side(recorded: Recorded, looked: Looked) -> str:
    """Who is to move, "A" or "B"."""
    first: str = recorded.record.first
    return first if looked.mover == 0 else {"A": "B", "B": "A"}[first]


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


def _as_json(
    decision: Decision, values: list[MoveValue], adapter: Adapter, looked: Looked, recorded: Recorded | None
) -> dict[str, Any]:
    """What --json prints."""
    told: dict[str, Any] = {
        "best": _name(adapter, decision.move),
        "value": round(decision.value, 4),
        "proven": decision.proven,
        "proven_by": decision.proven_by,
        "pv": _names(adapter, decision.pv),
        "iterations": decision.iterations,
        "depth": decision.depth,
        "nodes": decision.nodes,
        "elapsed_s": round(decision.elapsed_s, 4),
        "moves": board_view.as_json(values, adapter),
    }
    if recorded is not None:
        told["record"] = {
            "game": recorded.number,
            "ply": recorded.ply,
            "side": _side(recorded, looked),
            "played": _name(adapter, looked.played),
        }
    return told


def _print(
    decision: Decision, values: list[MoveValue], adapter: Adapter, looked: Looked, recorded: Recorded | None
) -> None:
    if recorded is not None:
        print(f"game {recorded.number}, where ply {recorded.ply} was due: ", end="")
        print(f"{_side(recorded, looked)} to move")
    for line in board_view.lines(
        adapter.GAME, looked.position, looked.mover, board_view.labels_of(values, decision.move)
    ):
        print(line)
    for line in board_view.legend(values):
        print(line)
    print(f"best move    {adapter.in_words(decision.move)}")
    sure = f"proven {decision.proven} by {decision.proven_by}" if decision.proven else "not proven"
    print(f"value        {decision.value:+.3f} for the side to move ({sure})")
    if recorded is not None:
        print(f"played       {_played_in_words(values, adapter, looked, recorded)}")
    line = " ".join(map(str, _names(adapter, decision.pv)))
    print(f"line         {line}")
    print(
        f"searched     {decision.iterations:,} iterations, {decision.depth} plies deep, "
        f"{decision.nodes:,} nodes, {decision.elapsed_s:.2f} s"
    )


def _played_in_words(values: list[MoveValue], adapter: Adapter, looked: Looked, recorded: Recorded) -> str:
    if looked.played is None:
        return f"nothing that counts: the game ended as {recorded.record.termination.value}"
    known = _played_value(values, looked)
    said = "not among the moves looked at" if known is None else f"value {board_view.value_text(known)}"
    return f"{adapter.in_words(looked.played)} ({said})"
