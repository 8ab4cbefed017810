"""A tournament as its command plays it: what decides who meets, who is left out, when it ends, and how things stand."""

import argparse
import math
import time
from collections.abc import Callable, Sequence

from rich.table import Table

from judge.language import _, marked
from judge.players.players import PlayerError
from judge.reports import tournament as report
from judge.reports.standings import Standing, standings
from judge.runs.failure_streak import FailureStreaks, in_words
from judge.runs.pairings import Adaptive, InTurn, Plan, gauntlet_order, round_robin_order
from judge.runs.target import Target
from judge.runs.tournament import Tournament
from judge.statistics.design import Question
from judge.statistics.ratings import Board, Ratings, rate
from protocol.records.record import GameRecord

ROUNDS = 8  # by default: of eight players at 0.1 s a move and two games at a time, some 20 minutes
MOST_ROUNDS = 1000  # where an error is asked for: it should be reached before
SHARE_FOR_SHOWING = 0.02  # of the time, that may go into standings which the next game changes
FIRST = 0  # whose gauntlet it is
ROUND_ROBIN, GAUNTLET, ADAPTIVE = marked("round robin"), marked("gauntlet"), marked("adaptive")


class TournamentRun:
    """Who uses it tells it of every game that has ended, by on_new(). clock() gives seconds."""

    def __init__(
        self, options: argparse.Namespace, tournament: Tournament, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.options, self.tournament, self.entrants = options, tournament, tournament.entrants
        self.has_target = options.target_error is not None
        self.rounds = options.rounds or (MOST_ROUNDS if self.has_target else ROUNDS)
        self.skipped: dict[int, str] = {}  # {a player: why it plays no more}
        self.has_failed = False  # too many are skipped for anything to go on
        self.is_done = False  # every error is small enough
        self.total = 0
        self._anchor: tuple[int, float] | None = None
        # Without one nobody's error is small enough.
        self._target = Target(options.target_error or 0.0, self._rated_for_target)
        self._streaks = FailureStreaks(self.entrants.number_of)
        self._looked_at = -1  # up to this pair the target was looked for
        self._rows: tuple[int, list[Standing], Ratings | None] = (-1, [], None)  # with the number of games behind it
        self._clock, self._next_look = clock, -math.inf

    def plan(self, seed: int) -> Plan:
        """What decides who meets."""
        playing = self.entrants.playing
        if self.options.mode == ADAPTIVE:
            return Adaptive(
                playing,
                len(self.entrants.contestants),
                self.rounds * len(round_robin_order(playing)),
                seed,
                self.tournament.boards_before,
                self._question,
            )
        order = gauntlet_order(playing) if self.options.mode == GAUNTLET else round_robin_order(playing)
        return InTurn(order, self.rounds, self.tournament.begun)

    def find_anchor(self) -> None:
        """Know the player of --anchor. Raises PlayerError where there is none of that name."""
        if self.options.anchor is None:
            return
        name, elo = self.options.anchor
        called = [n for n, player in enumerate(self.entrants.contestants) if name in (player.name, player.command)]
        if len(called) != 1:
            message = _("--anchor: {number} players are called {name!r}; there are {names}")
            names = ", ".join(self.entrants.names)
            raise PlayerError(message.format(number=len(called), name=name, names=names))
        self._anchor = called[0], elo

    def rated(self, boards: Sequence[Board]) -> Ratings | None:
        """The ratings by these boards, as --anchor has them; without it the mean of those who play on is 0."""
        ratings = self._rated_around_players(boards)
        return ratings if ratings is None or self._anchor is None else ratings.anchored(*self._anchor)

    def _rated_around_players(self, boards: Sequence[Board]) -> Ratings | None:
        ratings = rate(len(self.entrants.contestants), boards, meant=self._players)
        return None if ratings is None else ratings.around(self._players)

    def _rated_for_target(self, boards: Sequence[Board]) -> Ratings | None:
        """The same; but no number of games makes differences to a held anchor exact, so they are not asked for."""
        ratings = self._rated_around_players(boards)
        if ratings is None or self._anchor is None or self._anchor[0] in ratings.held:
            return ratings
        return ratings.anchored(*self._anchor)

    @property
    def _players(self) -> list[int]:
        """Who plays on."""
        return [player for player in range(self.entrants.playing) if player not in self.skipped]

    def _question(self, boards: Sequence[Board]) -> Question:
        return self._target.question(self._players, len(self.entrants.contestants), boards)

    def has_reached_target(self) -> bool:
        """Whether every error is small enough, by the pairs before the first that has not ended."""
        if not self.has_target:
            return False
        first_open = self.tournament.first_open
        if first_open == self._looked_at:
            return False
        self._looked_at = first_open
        return not self._target.in_need(self._players, self.tournament.boards_before(first_open))

    def on_new(self, record: GameRecord) -> bool:
        """Take in a game that has ended; returns whether no more is to be played."""
        self.tournament.ended(record)
        side = None if self.options.keep_going else self._streaks.add(record)
        if side is not None:
            player = self.entrants.number_of(record, side)
            self.skipped.setdefault(player, in_words(record, side))
            self.tournament.left_out.add(player)
            is_needed = self.options.mode == GAUNTLET and FIRST in self.skipped
            self.has_failed = is_needed or self.entrants.playing - len(self.skipped) < 2
        self.is_done = self.is_done or self.has_reached_target()
        return self.has_failed or self.is_done

    def rows(self) -> tuple[list[Standing], Ratings | None]:
        """The standings and the ratings as things are."""
        boards = list(self.tournament.boards.values())
        games = sum(map(len, boards))
        if self._rows[0] != games:
            ratings = self.rated(boards)
            self._rows = games, standings(self.entrants.names, boards, ratings), ratings
        return self._rows[1:]

    def _rows_lately(self) -> list[Standing]:
        """The standings, as they were when there was time: to rate very many players takes a while."""
        began = self._clock()
        if began >= self._next_look:
            self.rows()
            ended = self._clock()
            self._next_look = ended + (ended - began) / SHARE_FOR_SHOWING
        return self._rows[1]

    @property
    def former(self) -> range:
        """Who is in the record file and plays no more."""
        return range(self.entrants.playing, len(self.entrants.contestants))

    def line(self, records: Sequence[GameRecord]) -> str:
        """One line on how things stand."""
        return report.running(self._rows_lately(), len(records), self.total, self.options.target_error)

    def table(self) -> Table:
        """The standings for a terminal."""
        return report.standings_table(self._rows_lately(), self.former)

    def player_of(self, record: GameRecord, side: str) -> str:
        """What the player on a side of a recorded game is called."""
        return self.entrants.names[self.entrants.number_of(record, side)]
