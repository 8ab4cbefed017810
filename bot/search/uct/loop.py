"""The outermost loop of every tree search: iterations until time, their number or a proof of the root end it."""

from bot.kernels.kernel import kernel
from bot.kernels.machine import monotonic_ns

from .control import (
    BUDGET_NS,
    FLAG_STOP_WHEN_FORCED,
    FLAGS,
    ITERATIONS,
    MAX_ITERATIONS,
    STOP_FORCED,
    STOP_ITERATIONS,
    STOP_PROVEN,
    STOP_REASON,
    STOP_TIME,
)


def make_search(game, simulate, is_proven, is_decided, iterations_a_clock_check):
    """The kernel search(tree) over a tree whose root is prepared and has a move.

    simulate(tree, root_state): one iteration; is_proven(tree): whether the root is; is_decided(tree): whether at most
    one of its moves is left to choose among.
    """

    @kernel
    def search(tree):
        """Iterate; returns how often."""
        started = monotonic_ns()
        root_state = game.load_root(tree.position, 0)
        done = 0
        while True:
            if is_proven(tree):
                tree.control[STOP_REASON] = STOP_PROVEN
                break
            if done >= tree.control[MAX_ITERATIONS]:
                tree.control[STOP_REASON] = STOP_ITERATIONS
                break
            if done % iterations_a_clock_check == 0:
                if monotonic_ns() - started >= tree.control[BUDGET_NS]:
                    tree.control[STOP_REASON] = STOP_TIME
                    break
                if tree.control[FLAGS] & FLAG_STOP_WHEN_FORCED and is_decided(tree):
                    tree.control[STOP_REASON] = STOP_FORCED
                    break
            simulate(tree, root_state)
            done += 1
        tree.control[ITERATIONS] = done
        return done

    return search
