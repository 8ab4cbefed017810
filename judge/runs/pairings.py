"""Who meets whom next in a tournament. Players are numbers, those who play on come first, from 0.

A plan is asked for the two of each pair of games in the order of the pairs' numbers, and told of those that are known
already: it depends on nothing else but the seed, and results that it waits for. So a run that is taken up again goes on
as it would have, whatever is played at a time and however long it takes.
"""

import collections
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from judge.games.boards import number_below
from judge.statistics.design import Knowledge, Question
from judge.statistics.ratings import Board

DIGITS = 9  # of a gain, that decide
TICKETS = 2**62  # of the lots drawn between pairings that tell as much


class Pairing(NamedTuple):
    """Two players, the lower number first: it is A, the other B."""

    one: int
    other: int


class NotYet(Exception):
    """Who meets next depends on games that are still played."""


class Plan(Protocol):
    """What decides who meets."""

    def next(self, number: int, left_out: Collection[int]) -> Pairing | None:
        """The two of the pair of games of this number, none of them left out; None if there is to be no more.

        Raises NotYet. Precondition: note() was called for all pairs before.
        """

    def note(self, number: int, pairing: Pairing) -> None:
        """The pair of this number is, or was, played by these two, of whom some may play no more."""

    def pairs_to_come(self, begun: Iterable[Pairing]) -> int:
        """How many pairs are played after these, if nobody is left out."""


def round_robin_order(players: int) -> list[Pairing]:
    """Every two of so many players once, by Schurig's tables: in rounds in which each meets one of the others."""
    seats = players + players % 2  # whoever meets the one too many has a bye
    circle = seats - 1
    order = []
    for turn in range(circle):
        tables = [(seats - 1, turn)]
        tables += [((turn + step) % circle, (turn - step) % circle) for step in range(1, seats // 2)]
        order += [Pairing(*sorted(table)) for table in tables if max(table) < players]
    return order


def gauntlet_order(players: int) -> list[Pairing]:
    """The first of so many players against each of the others."""
    return [Pairing(0, other) for other in range(1, players)]


class InTurn:
    """Pairings in a fixed order, each of them in so many `rounds`: next is the first that was played least.

    `begun` are the pairs that an earlier run has begun, by their numbers: one of them may be behind a pair that is
    still to be chosen.
    """

    def __init__(self, order: Sequence[Pairing], rounds: int, begun: Mapping[int, Pairing] | None = None) -> None:
        self._order, self._rounds, self._begun = order, rounds, dict(begun or {})
        self._played = collections.Counter(self._begun.values())

    def next(self, number: int, left_out: Collection[int]) -> Pairing | None:
        """As Plan's."""
        waiting = [
            pairing for pairing in self._order if self._played[pairing] < self._rounds and not {*pairing} & {*left_out}
        ]
        return min(waiting, key=lambda pairing: self._played[pairing], default=None)

    def note(self, number: int, pairing: Pairing) -> None:
        """As Plan's."""
        self._played[pairing] += number not in self._begun

    def pairs_to_come(self, begun: Iterable[Pairing]) -> int:
        """As Plan's."""
        played = collections.Counter(begun)
        return sum(max(0, self._rounds - played[pairing]) for pairing in self._order)


# From the number of a pair to the boards of all pairs before it, of everybody. Raises NotYet.
BoardsBefore = Callable[[int], Sequence[Board]]
Ask = Callable[[Sequence[Board]], Question]  # from such boards to what is to be known better


class Adaptive:
    """The pairing that tells most about the ratings in question (statistics/design.py), until so many pairs.

    Pairs are chosen in blocks, from all results of the blocks before the last: those of the last are still played
    meanwhile, and count as they are expected to end. `playing` of the `players` play on; of pairings that tell as much,
    lots that the seed draws decide.
    """

    BLOCK = 8  # pairs: one block is played while the next is chosen, up to 16 games at a time and more

    def __init__(
        self,
        playing: int,
        players: int,
        pairs: int,
        seed: int,
        boards_before: BoardsBefore,
        ask: Ask,
    ) -> None:
        self._playing, self._players, self._pairs, self._seed = playing, players, pairs, seed
        self._boards_before, self._ask = boards_before, ask
        self._noted: dict[int, Pairing] = {}
        self._to_come = pairs
        self._known_before = -1  # the results of pairs before this one are what self._knowledge began with
        self._knowledge: Knowledge
        self._question: Question

    def next(self, number: int, left_out: Collection[int]) -> Pairing | None:
        """As Plan's."""
        if self._to_come <= 0:
            return None
        self._look(number)
        choice = [
            Pairing(one, other)
            for other in range(self._playing)
            for one in range(other)
            if not {one, other} & {*left_out}
        ]
        # As they are written: what lies behind these digits is rounding, and must not decide.
        gains = {pairing: f"{self._knowledge.gain(*pairing, self._question):.{DIGITS}e}" for pairing in choice}
        most = max(gains.values(), key=float, default="")
        best = [pairing for pairing, gain in gains.items() if gain == most]
        return min(
            best, key=lambda pairing: number_below(TICKETS, "pairing", self._seed, number, *pairing), default=None
        )

    def note(self, number: int, pairing: Pairing) -> None:
        """As Plan's."""
        self._noted[number] = pairing
        self._to_come -= max(pairing) < self._playing
        if self._known_before == self._last_block(number):
            self._knowledge.learn(*pairing)

    def pairs_to_come(self, begun: Iterable[Pairing]) -> int:
        """As Plan's."""
        return max(0, self._pairs - sum(max(pairing) < self._playing for pairing in begun))

    def _last_block(self, number: int) -> int:
        """Where the block before that of this pair begins."""
        return max(0, number // self.BLOCK - 1) * self.BLOCK

    def _look(self, number: int) -> None:
        """Have all results that may be known for this pair."""
        begin = self._last_block(number)
        if begin == self._known_before:
            return
        boards = self._boards_before(begin)
        self._knowledge, self._question = Knowledge(self._players, boards), self._ask(boards)
        self._known_before = begin
        for waiting in sorted(self._noted):
            if waiting >= begin:
                self._knowledge.learn(*self._noted[waiting])
