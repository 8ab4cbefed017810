"""What an engine thinks of a position and of each move there: once, or again and again in twice the time."""

from __future__ import annotations

import time

from protocol.value_types import ValueType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from ..interfaces import Decision, Engine, MoveValue

# Of the time, where an engine searches its moves one by one for their values.
SHARE_FOR_MOVES = 0.5
# The first of several opinions comes after so many seconds, or less than twice as many.
FIRST_OPINION_S = 0.1
# Who has something to find out uses its time up; who ends in less of it than this has nothing more to say.
EARLY = 0.5


class Opinion(ValueType):
    """What is known after some time."""

    decision: Decision
    values: list[MoveValue]  # the decision's move first, then the others by their values
    elapsed_s: float  # from the beginning
    iterations: int  # of all searches since
    is_final: bool


def opinion(
    engine: Engine,
    position: Any,
    budget_s: float | None,
    iterations: int | None,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[Decision, list[MoveValue]]:
    """The engine's Decision, and what it knows of each move, the best one first and the others by their values."""
    started = clock()
    think_s = budget_s and budget_s * (1 - SHARE_FOR_MOVES * engine.SEARCHES_APART)
    decision = engine.think(position, think_s, iterations)
    left_s = None if budget_s is None else max(0.0, budget_s - (clock() - started))
    return decision, _ranked(decision, engine.move_values(position, decision, left_s, iterations))


def _ranked(decision: Decision, values: Iterable[MoveValue]) -> list[MoveValue]:
    return sorted(
        values,
        key=lambda known: (
            known.move != decision.move,
            known.value is None,
            -(known.value or 0.0),
            known.is_bound,
            -(known.visits or 0),
        ),
    )


def moments(budget_s: float) -> list[float]:
    """When opinions are due, in seconds from the beginning: at the end, at half of it, and so on.

    So each rests on as much new time as all before it had, and none on less than the last.
    """
    found = [budget_s]
    while found[0] >= 2 * FIRST_OPINION_S:
        found.insert(0, found[0] / 2)
    return found


def deepened(
    engine: Engine, position: Any, budget_s: float, clock: Callable[[], float] = time.monotonic
) -> Iterator[Opinion]:
    """An Opinion each time the time spent has doubled, the last after budget_s seconds.

    The engine keeps what it has found between them. The last one comes sooner where the position is proven and nothing
    more is to be found of its moves, or the engine searches no deeper.
    """
    started, due, done = clock(), moments(budget_s), 0
    before: tuple[Decision, list[MoveValue]] | None = None
    for moment in due:
        began = clock()
        left_s = max(0.0, started + moment - began)
        decision, values = opinion(engine, position, left_s, None, clock)
        now = clock()
        done += decision.iterations
        if before is not None and engine.SEARCHES_APART:
            decision, values = _deeper(before, decision, values)
        before = decision, values
        is_early = now - began < EARLY * left_s
        is_settled = decision.proven is not None and (is_early or all(known.proven for known in values))
        yield Opinion(decision, values, now - started, done, is_settled or moment == due[-1])
        if is_settled:
            return


def _deeper(
    before: tuple[Decision, list[MoveValue]], decision: Decision, values: list[MoveValue]
) -> tuple[Decision, list[MoveValue]]:
    """What goes deeper of two opinions, move by move, the later one of equals.

    More time may go into a try to search to the end of the game, and the last search that was finished be shallower.
    """
    known_before = {known.move: known for known in before[1]}
    if decision.proven is None and decision.depth < before[0].depth:
        decision = before[0]
    found = [max(known, known_before.get(known.move, known), key=_depth_of) for known in values]
    return decision, _ranked(decision, found)


def _depth_of(known: MoveValue) -> tuple[bool, int]:
    return known.proven is not None, known.depth or 0
