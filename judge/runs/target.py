"""When ratings are known well enough to play no more."""

import collections
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from judge.statistics.design import Question
from judge.statistics.ratings import Board, Ratings

# Of a player that is held by the prior no games make the error smaller, but that among its own rivals. After so many
# pairs against others its score is below 9 % with 95 % confidence, or above 91 %: 400 Elo away.
PAIRS_OF_HELD = 16


@dataclass(frozen=True)
class Target:
    """Every error of a rating is to be as small as `error`, in Elo. rated() makes the Ratings of boards."""

    error: float
    rated: Callable[[Sequence[Board]], Ratings | None]

    def in_need(self, players: Iterable[int], boards: Sequence[Board]) -> list[int]:
        """Which of the players need more games, by these boards."""
        ratings = self.rated(boards)
        pairs = collections.Counter(player for board in boards for player in board[0][:2])
        return [player for player in players if self._is_in_need(player, ratings, pairs[player])]

    def question(self, players: Sequence[int], everybody: int, boards: Sequence[Board]) -> Question:
        """What a plan should find out next of these players, of everybody in the tournament."""
        ratings = self.rated(boards)
        reference = [1.0 / everybody] * everybody if ratings is None else ratings.weights(everybody)
        return Question(self.in_need(players, boards) or players, reference)

    def _is_in_need(self, player: int, ratings: Ratings | None, pairs: int) -> bool:
        if ratings is None:
            return True
        is_held = player in ratings.held
        error = ratings.error_among_rivals(player) if is_held else ratings.error(player)
        return error is None or error > self.error or (is_held and pairs < PAIRS_OF_HELD)
