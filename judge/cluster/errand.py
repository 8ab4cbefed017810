"""What a worker is asked for: the games of a pair that are still to be played, without what lies on one machine."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from judge.play.scoresheet import GamePlan
from judge.players.players import Contestant
from judge.runs.schedule import ScheduledGame

MOST_GAMES = 2  # of a pair


@dataclass(frozen=True)
class GameToPlay:
    """A ScheduledGame whose players A and B are numbers of parcels."""

    players: tuple[int, int]
    plan: GamePlan
    attempts: int


@dataclass(frozen=True)
class Errand:
    """One pair's games, or the one that is left of it, for one worker."""

    games: tuple[GameToPlay, ...]


class Errands:
    """Makes errands of games; `players` are those of the run, in the order of their parcels."""

    def __init__(self, players: Sequence[Contestant]) -> None:
        self._players = list(players)

    def of(self, games: Iterable[ScheduledGame | None]) -> Iterator[Errand | None]:
        """The games in errands, in their order; None where the next game is not known yet, as play_all() has it."""
        waiting: list[ScheduledGame] = []
        for game in games:
            if waiting and (game is None or not _are_a_pair(waiting[-1], game)):
                yield self._errand(waiting)
                waiting = []
            if game is None:
                yield None
                continue
            waiting.append(game)
            if len(waiting) == MOST_GAMES:
                yield self._errand(waiting)
                waiting = []
        if waiting:
            yield self._errand(waiting)

    def _errand(self, games: Sequence[ScheduledGame]) -> Errand:
        return Errand(tuple(self._game(game) for game in games))

    def _game(self, game: ScheduledGame) -> GameToPlay:
        first, second = (self._players.index(player) for player in game.contestants)
        # What the judge here must not let its bots write is not there.
        plan = replace(game.plan, sandbox=replace(game.plan.sandbox, protected=()))
        return GameToPlay((first, second), plan, game.attempts)


def scheduled(game: GameToPlay, players: Mapping[int, Contestant]) -> ScheduledGame:
    """The game as a worker plays it; players: {number of a parcel: who is ready to start there}."""
    return ScheduledGame([players[number] for number in game.players], game.plan, game.attempts)


def _are_a_pair(one: ScheduledGame, other: ScheduledGame) -> bool:
    return one.plan.pair == other.plan.pair and one.plan.board == other.plan.board
