"""Games by chance, as the model of judge/statistics/bradley_terry.py has them, and tournaments of these.

Strengths are in natural units, as there. A board favours whoever moves first on it, or the other, by a number of its
own, normal around 0: so the two games of a pair are not independent, as in fact they are not.
"""

import functools
import math
from dataclasses import dataclass

from judge.runs.tournament import Adaptive, NotYet, Target
from judge.statistics import bradley_terry
from judge.statistics.ratings import ELO, Game, rate
from judge.statistics.score import DRAW, LOSS, WIN

QUADRATURE = 41  # places at which a board's favour is summed up
WIDEST = 4.0  # deviations of it either way


@dataclass(frozen=True)
class World:
    """How strong players are, what moving first is worth, the weight of draws, the deviation of a board's favour."""

    strengths: tuple[float, ...]
    first_move: float = 0.0
    draw: float = 0.0
    board_deviation: float = 0.0

    def board(self, one, other, chance):
        """The two games of two players on a board, by a random.Random."""
        favour = chance.gauss(0.0, self.board_deviation)
        return [self._game(first, second, favour, chance) for first, second in ((one, other), (other, one))]

    def _chances(self, first, second, favour):
        x = self.strengths[first] - self.strengths[second] + self.first_move + favour
        return bradley_terry.chances(x, self.draw)

    def _game(self, first, second, favour, chance):
        (result,) = chance.choices((LOSS, DRAW, WIN), self._chances(first, second, favour))
        return Game(first, second, result)

    def truth(self):
        """The strengths that endless games of all against all tell, of mean 0, in Elo: boards take a little of them."""
        places = [WIDEST * (2.0 * place / (QUADRATURE - 1) - 1.0) for place in range(QUADRATURE)]
        weights = [math.exp(-place * place / 2.0) for place in places]
        players = range(len(self.strengths))
        counts = {}
        for first in players:
            for second in players:
                if first != second:
                    parts = [self._chances(first, second, self.board_deviation * place) for place in places]
                    counts[first, second] = [
                        sum(weight * part[result] for weight, part in zip(weights, parts, strict=True))
                        for result in (LOSS, DRAW, WIN)
                    ]
        return [ELO * strength for strength in bradley_terry.fit(len(self.strengths), counts).strengths]


def drawn_world(players, deviation, chance, **others):
    """A World of so many players whose strengths are normal, with this deviation in Elo."""
    return World(tuple(chance.gauss(0.0, deviation / ELO) for _ in range(players)), **others)


class Course:
    """A tournament of a World as far as it was played; as many pairs as `at_once` are played side by side."""

    def __init__(self, world, chance, at_once=2):
        self.boards = []
        self._world, self._chance, self._at_once = world, chance, at_once

    def boards_before(self, number):
        """As judge.runs.tournament's: the last pairs have not ended yet."""
        if number > max(0, len(self.boards) - self._at_once):
            raise NotYet
        return self.boards[:number]

    def play(self, plan, pairs):
        """Play so many pairs more, or as many as there are."""
        for _ in range(pairs):
            number = len(self.boards)
            pairing = plan.next(number, ())
            if pairing is None:
                return
            plan.note(number, pairing)
            self.boards.append(self._world.board(*pairing, self._chance))


def covered(world, boards):
    """Of each player, whether its error holds the truth; None for one whose rating is held."""
    ratings = rate(len(world.strengths), boards)
    truth = world.truth()
    if ratings.held:  # the mean is of the others then
        free = [player for player in ratings.rows if player not in ratings.held] or list(ratings.rows)
        mean = sum(truth[player] for player in free) / len(free)
        truth = [elo - mean for elo in truth]
    return [
        None if player in ratings.held else abs(ratings.elo(player) - truth[player]) <= ratings.error(player)
        for player in range(len(world.strengths))
    ]


def pairs_to_error(world, plan, course, error, most, step):
    """How many pairs a plan takes until all errors are this small, looked at after every `step`; None beyond `most`."""
    while len(course.boards) < most:
        course.play(plan, step)
        if not target_of(world, error).players_in_need(range(len(world.strengths)), course.boards):
            return len(course.boards)
    return None


def target_of(world, error):
    """The Target of this error for all players of the World."""
    return Target(error, lambda boards: rate(len(world.strengths), boards))


def adaptive(world, course, pairs, seed, error=0.0):
    """The plan of an adaptive tournament of so many pairs."""
    players = len(world.strengths)
    target = target_of(world, error)
    ask = functools.partial(target.question, range(players), players)
    return Adaptive(players, players, pairs, seed, course.boards_before, ask)
