"""Speed of native engines against numba's kernels, in turns within one process."""

import statistics
import time

from bot.backends import native_build
from bot.backends.compiled import JIT, Kernels
from bot.games import adapter_of

ROUNDS = 15
ITERATIONS = 100_000
MEMORY_MB = 800


def measure(names, game="connect_four", rounds=ROUNDS):
    """{engine: sorted ratios of its speed to numba's, one a round}; every round searches the same positions."""
    adapter = adapter_of(game)
    native_build.build(names, game)
    kernels = {JIT: Kernels(game, JIT).obtain(), **{name: Kernels(game, name).load() for name in names}}
    engines = {
        name: adapter.make_engine(found, adapter.preset("default"), MEMORY_MB, 1) for name, found in kernels.items()
    }
    ratios = {name: [] for name in names}
    for number in range(rounds + 1):
        order = list(engines) if number % 2 else list(engines)[::-1]
        seconds = {name: _seconds(engines[name], adapter) for name in order}
        if number:  # the first round touches the memory
            for name in names:
                ratios[name].append(seconds[JIT] / seconds[name])
    return {name: sorted(found) for name, found in ratios.items()}


def _seconds(engine, adapter):
    """Processor time: a neighbour's work shall not count."""
    started = time.process_time()
    for position in adapter.bench_positions()[:3]:
        engine.think(position, iterations=ITERATIONS)
    return time.process_time() - started


def describe(found):
    """Lines with median and spread."""
    for name, ratios in found.items():
        yield f"{name}: {statistics.median(ratios):.3f} of numba's speed ({ratios[0]:.3f} .. {ratios[-1]:.3f})"
