"""`python -m bot bench`: the speed of the search, and a signature that changes when the search's behaviour changes.

The signature is a hash of the search's results in fixed positions with a fixed seed and number of iterations, and of
the exact solver's results in other positions if the settings use a solver. The signature is the same on every machine.
A change of the code that is not meant to change the play must not change the signature. The speeds are measured on this
machine at this moment. `steps_per_s` is the speed of a simple kernel. It makes figures from different machines
comparable.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import time
from collections.abc import Iterable
from typing import Any

from ..backends.compiled import Kernels, KernelsUnavailable
from ..games import adapter_of
from ..kernels.memory_block import calibrate
from .options import MORE, add_search_options, chosen_settings, positive_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..games.interface import Adapter, Engine, LoadedKernels, Settings
    from ..search.engine import Decision, Solution

SIGNATURE_ITERATIONS = 20_000
ROLLOUTS_TIMED = 1_000_000
STEPS_TIMED = 100_000_000
DEFAULT_SECONDS = 3.0
SOLVER_NODES = 2_000_000
SEED = 20240229
ROUNDS = 9


def signature(
    adapter: Adapter, kernels: LoadedKernels, settings: Settings, memory_mb: int, solved: Iterable[Solution]
) -> str:
    """Returns 12 hex digits that identify the search's behaviour.

    The digits are a hash of the search's decisions in the game's bench positions and of `solved`, which is what
    solutions() returns.
    """
    digest = hashlib.sha256()
    for position in adapter.bench_positions():
        engine = adapter.make_engine(kernels, settings, memory_mb, SEED, position)
        decision = engine.think(position, iterations=SIGNATURE_ITERATIONS)
        digest.update(
            repr(
                (
                    decision.move,
                    f"{decision.value:.6f}",
                    decision.proven,
                    decision.pv,
                    decision.iterations,
                    decision.nodes,
                )
            ).encode()
        )
    for solution in solved:
        digest.update(repr((solution.outcome, solution.move, solution.nodes)).encode())
    return digest.hexdigest()[:12]


def solutions(adapter: Adapter, kernels: LoadedKernels, settings: Settings, memory_mb: int) -> list[Solution]:
    """Returns the exact solver's Solutions of the positions adapter.solver_bench_positions().

    Returns [] if the settings use no solver.
    """
    engine = adapter.make_engine(kernels, settings, memory_mb, SEED)
    found = [engine.solve(position, nodes=SOLVER_NODES) for position in adapter.solver_bench_positions()]
    return [solution for solution in found if solution is not None]


def timed(
    adapter: Adapter, kernels: LoadedKernels, settings: Settings, memory_mb: int, seconds: float, rollouts: int
) -> tuple[Engine, float, int, Decision]:
    """Make an engine and warm it up; then run `rollouts` rollouts and a search of `seconds` seconds.

    Returns (the engine, the seconds that the rollouts took, the number of plies in the rollouts, the search's
    Decision). For an engine without rollouts, seconds and plies are 0.
    """
    position = adapter.bench_positions()[0]
    engine = adapter.make_engine(kernels, settings, memory_mb, SEED, position)
    engine.time_rollouts(position, rollouts // 10)
    rollout_s, plies = engine.time_rollouts(position, rollouts)
    return engine, rollout_s, plies, engine.think(position, budget_s=seconds)


def measure(
    adapter: Adapter, kernels: LoadedKernels, settings: Settings, memory_mb: int, seconds: float
) -> dict[str, Any]:
    """Measure the speeds and the signature. Returns {name: figure}, with the names that --json prints."""
    engine, rollout_s, plies, decision = timed(adapter, kernels, settings, memory_mb, seconds, ROLLOUTS_TIMED)
    started = time.perf_counter()
    calibrate(kernels, STEPS_TIMED)
    steps_s = time.perf_counter() - started
    solved = solutions(adapter, kernels, settings, memory_mb)
    return {
        "signature": signature(adapter, kernels, settings, memory_mb, solved),
        "rollouts_per_s": round(ROLLOUTS_TIMED / rollout_s) if plies else None,
        "iterations_per_s": round(decision.iterations / decision.elapsed_s),
        "ns_per_ply": round(rollout_s * 1e9 / plies, 2) if plies else None,
        "solver_nodes_per_s": round(
            sum(solution.nodes for solution in solved) / sum(solution.elapsed_s for solution in solved)
        )
        if solved
        else None,
        "nodes": decision.nodes,
        "megabytes": round(engine.search_bytes() / 2**20, 1),
        "backend": kernels.name,
        "steps_per_s": round(STEPS_TIMED / steps_s),
        "seconds": round(decision.elapsed_s, 3),
    }


def speeds(
    adapter: Adapter, kernels: LoadedKernels, settings: Settings, memory_mb: int, seconds: float
) -> dict[str, float]:
    """Measure the speeds of a new engine once. Returns {name of a speed: units per second}.

    An engine without rollouts has no rollouts_per_s and no plies_per_s.
    """
    rollouts = ROLLOUTS_TIMED // 10
    _, rollout_s, plies, decision = timed(adapter, kernels, settings, memory_mb, seconds, rollouts)
    found = {"rollouts_per_s": rollouts / rollout_s, "plies_per_s": plies / rollout_s} if plies else {}
    return {**found, "iterations_per_s": decision.iterations / decision.elapsed_s}


def compare(
    adapter: Adapter, kernels: LoadedKernels, settings: Settings, other: Settings, memory_mb: int, seconds: float
) -> dict[str, Any]:
    """Measure the speeds with `settings` and with `other` in turns.

    Returns {name of a speed: [lowest, median, highest] of ROUNDS ratios}. A ratio is the speed with `settings` divided
    by the speed with `other`.
    """
    ratios: dict[str, list[float]] = {}
    for turn in range(ROUNDS + 1):
        pair = (settings, other) if turn % 2 else (other, settings)
        measured = {chosen: speeds(adapter, kernels, chosen, memory_mb, seconds) for chosen in pair}
        for name in measured[settings] if turn else ():  # the first round warms up
            ratios.setdefault(name, []).append(measured[settings][name] / measured[other][name])
    return {
        name: [round(figure, 3) for figure in (min(found), statistics.median(found), max(found))]
        for name, found in ratios.items()
    }


def main(argv: list[str], game: str) -> int:
    """Measure what the command line asks for, and print it. Returns the exit status."""
    adapter: Adapter = adapter_of(game)
    parser = argparse.ArgumentParser(
        prog="python -m bot bench", description="Speed and signature of the search.", epilog=MORE
    )
    parser.add_argument(
        "--seconds",
        type=positive_number,
        default=DEFAULT_SECONDS,
        metavar="S",
        help="length of the timed search (default %(default)s)",
    )
    parser.add_argument(
        "--against",
        metavar="NAME",
        help=f"instead, speeds as ratios to those of these named settings, {ROUNDS} rounds in turns",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_search_options(parser, adapter)
    arguments = parser.parse_args(argv)
    settings = chosen_settings(parser, arguments, adapter)
    try:
        other = adapter.preset(arguments.against) if arguments.against is not None else settings
    except adapter.SettingsError as error:
        parser.error(f"--against: {error}")
    for measured in (settings, other):
        if measured.engine != adapter.ENGINES[0]:
            parser.error(
                "bench measures the strong search: "
                f"expected settings with engine={adapter.ENGINES[0]}, got engine={measured.engine}"
            )
    if arguments.against is not None and other == settings:
        parser.error(f"--against {arguments.against}: expected other settings than those measured")
    try:
        kernels = Kernels(game, arguments.backend).obtain(report=lambda text: print(text, file=sys.stderr))
        adapter.check_memory(arguments.memory)
    except (KernelsUnavailable, ValueError) as error:
        parser.error(str(error))
    if arguments.against is not None:
        figures = compare(adapter, kernels, settings, other, arguments.memory, arguments.seconds)
    else:
        figures = measure(adapter, kernels, settings, arguments.memory, arguments.seconds)
    if arguments.json:
        print(json.dumps(figures))
    elif arguments.against is not None:
        _print_ratios(figures, arguments.against)
    else:
        _print(figures)
    return 0


def _print_ratios(ratios: dict[str, Any], against: str) -> None:
    print(f"ratio to {against}, median (lowest .. highest of {ROUNDS})")
    for name, (lowest, median, highest) in ratios.items():
        print(f"{name:<17} {median:.3f}   ({lowest:.3f} .. {highest:.3f})")


def _print(figures: dict[str, Any]) -> None:
    rollouts, iterations = figures["rollouts_per_s"], figures["iterations_per_s"]
    solver_nodes, steps = figures["solver_nodes_per_s"], figures["steps_per_s"]
    print(f"signature      {figures['signature']}")
    if rollouts is not None:
        print(f"rollouts/s     {rollouts:,}   ({rollouts / steps:.4f} of the machine's steps/s)")
    share = f"{iterations / steps:.4f} of the machine's steps/s"
    print(f"iterations/s   {iterations:,}   ({share}), over {figures['seconds']:.1f} s")
    if figures["ns_per_ply"] is not None:
        print(f"ns per ply     {figures['ns_per_ply']}")
    if solver_nodes is not None:
        print(f"solver nodes/s {solver_nodes:,}   ({solver_nodes / steps:.4f})")
    print(f"nodes          {figures['nodes']:,} in {figures['megabytes']} MB")
    print(f"backend        {figures['backend']}")
    print(f"steps/s        {steps:,}   (calibration: xorshift and one counter)")
