"""A tournament as a run: its games, which are scheduled while it is played, and its results so far.

The two players of a pair of games are chosen when the pair begins. A pair is played on the board with the pair's
number. With common boards it is played on the first of the boards that its two players have used least often. Recorded
games keep their players and their boards, because an earlier run may have had other players and another rule.

Players are numbered from 0, and the players of this run come first. For each pair of games, in the order of the pairs'
numbers, a plan chooses two players, or is told the two players if they are known already. The choice depends only on
the earlier pairs, on the seed, and on the results for which the plan waits. A resumed run therefore continues as the
interrupted run would have, whatever the number of games at a time and the durations of games.
"""

import collections
import dataclasses
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from judge.games.boards import Board, number_below
from judge.language import _
from judge.players import players
from judge.players.own_bot import with_new_names
from judge.players.players import Contestant, PlayerError
from judge.runs.config import RunConfig
from judge.runs.ledger import Ledger
from judge.runs.schedule import Schedule, ScheduledGame, paired_game
from judge.statistics import score
from judge.statistics.ratings import BoardResults, Game, Question, Ratings, StrengthCovariance
from judge.terminal import printable
from protocol.records.record import GameRecord

GAIN_DECIMALS = 9  # of gains in exponent form, in which they are compared
# If a player's rating is held, more games lower only its error among its own rivals. After PAIRS_OF_HELD pairs against
# other players its score is, with 95 % confidence, below 9 % or above 91 %, which means a difference of 400 Elo.
PAIRS_OF_HELD = 16
MOST_GAMES = 2 * 10**12  # the number of games in the schedule of a record file


class Pairing(NamedTuple):
    """The numbers of two players who meet. `one` is the lower number and plays as A; `other` plays as B."""

    one: int
    other: int


class NotYet(Exception):
    """The next pairing depends on games that are still being played."""


class Plan(Protocol):
    """The way in which a tournament chooses its pairings."""

    def next(self, number: int, left_out: Collection[int]) -> Pairing | None:
        """Return the players of pair number `number`, or None if no more pairs are to be played.

        No player in `left_out` is chosen. Raises NotYet if the choice depends on games that are still being played.
        Precondition: note() was called for all earlier pairs.
        """

    def note(self, number: int, pairing: Pairing) -> None:
        """Note that `pairing` has the players of pair `number`, which has begun. They may be from an earlier run."""

    def pairs_to_come(self, begun: Iterable[Pairing]) -> int:
        """Return how many more pairs will follow if no player is left out. `begun` are the pairs that have begun."""


def round_robin_order(players: int) -> list[Pairing]:
    """Return every pairing of players 0 .. players - 1 once, in the order of Schurig's tables.

    The order consists of rounds. In each round a player plays at most once.
    """
    seats = players + players % 2  # if the number of players is odd, the player who meets the last seat has a bye
    circle = seats - 1
    order = []
    for turn in range(circle):
        tables = [(seats - 1, turn)]
        tables += [((turn + step) % circle, (turn - step) % circle) for step in range(1, seats // 2)]
        order += [Pairing(*sorted(table)) for table in tables if max(table) < players]
    return order


def gauntlet_order(players: int) -> list[Pairing]:
    """Return the pairings of player 0 with each of the players 1 .. players - 1."""
    return [Pairing(0, other) for other in range(1, players)]


class FixedOrder:
    """A Plan that plays each pairing in `order` `rounds` times.

    The next pairing is the one that was played least often; of several such pairings the first in `order`. `begun` maps
    the number of each pair that an earlier run began to its players. Pairs with lower numbers may still have to be
    chosen.
    """

    def __init__(self, order: Sequence[Pairing], rounds: int, begun: Mapping[int, Pairing] | None = None) -> None:
        self._order, self._rounds, self._begun = order, rounds, dict(begun or {})
        self._played = collections.Counter(self._begun.values())

    def next(self, number: int, left_out: Collection[int]) -> Pairing | None:
        """Return the players of pair `number`. See Plan.next()."""
        unfinished = [
            pairing for pairing in self._order if self._played[pairing] < self._rounds and not {*pairing} & {*left_out}
        ]
        return min(unfinished, key=lambda pairing: self._played[pairing], default=None)

    def note(self, number: int, pairing: Pairing) -> None:
        """Note the players of pair `number`. See Plan.note()."""
        self._played[pairing] += number not in self._begun

    def pairs_to_come(self, begun: Iterable[Pairing]) -> int:
        """Return how many more pairs will follow. See Plan.pairs_to_come()."""
        played = collections.Counter(begun)
        return sum(max(0, self._rounds - played[pairing]) for pairing in self._order)


# A function that takes a pair's number and returns the boards of all earlier pairs, or raises NotYet.
BoardsBefore = Callable[[int], Sequence[BoardResults]]
# A function that returns the Question for the choice of the next pairs.
Ask = Callable[[Sequence[BoardResults]], Question]


class Adaptive:
    """A Plan that chooses the pairing with the largest gain for the ratings in question; see statistics/ratings.py.

    It ends after `pairs` pairs. Pairs are chosen in blocks of BLOCK. The pairs of a block are chosen by the results of
    all earlier blocks except the block just before. The pairs of that block, and the earlier pairs of the same block,
    may still be in play and count with their expected results. `players` is the number of all players, of whom the
    first `playing` are in this run. Lots drawn with the seed break ties.
    """

    BLOCK = 8  # pairs; a block is played while the next block is chosen, so that at least 16 games at a time can run

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
        self._pairings: dict[int, Pairing] = {}  # {number of a pair that has begun: its players}
        self._to_come = pairs
        self._known_before = -1  # self._covariance was made from the results of all pairs before this number
        self._covariance: StrengthCovariance
        self._question: Question

    def next(self, number: int, left_out: Collection[int]) -> Pairing | None:
        """Return the players of pair `number`. See Plan.next()."""
        if self._to_come <= 0:
            return None
        self._update(number)
        pairings = [
            Pairing(one, other)
            for other in range(self._playing)
            for one in range(other)
            if not {one, other} & {*left_out}
        ]
        # Compare rounded gains, because further digits are rounding errors and must not decide.
        gains = {
            pairing: f"{self._covariance.gain(*pairing, self._question):.{GAIN_DECIMALS}e}" for pairing in pairings
        }
        most = max(gains.values(), key=float, default="")
        best = [pairing for pairing, gain in gains.items() if gain == most]
        return min(best, key=lambda pairing: number_below(2**62, "pairing", self._seed, number, *pairing), default=None)

    def note(self, number: int, pairing: Pairing) -> None:
        """Note the players of pair `number`. See Plan.note()."""
        self._pairings[number] = pairing
        self._to_come -= max(pairing) < self._playing
        if self._known_before == self._block_before(number):
            self._covariance.learn(*pairing)

    def pairs_to_come(self, begun: Iterable[Pairing]) -> int:
        """Return how many more pairs will follow. See Plan.pairs_to_come()."""
        return max(0, self._pairs - sum(max(pairing) < self._playing for pairing in begun))

    def _block_before(self, number: int) -> int:
        """Return the number of the first pair in the block before the block of pair `number`."""
        return max(0, number // self.BLOCK - 1) * self.BLOCK

    def _update(self, number: int) -> None:
        """Update the covariance and the question with the results by which pair `number` is chosen.

        Raises NotYet if a game with one of these results is still being played.
        """
        begin = self._block_before(number)
        if begin == self._known_before:
            return
        boards = self._boards_before(begin)
        self._covariance, self._question = StrengthCovariance(self._players, boards), self._ask(boards)
        self._known_before = begin
        for later in sorted(self._pairings):
            if later >= begin:
                self._covariance.learn(*self._pairings[later])


@dataclass(frozen=True)
class Target:
    """The aim that the error of every rating is at most `error`, in Elo.

    rate_boards(boards) returns the Ratings that follow from the results on `boards`, or None if there are none.
    """

    error: float
    rate_boards: Callable[[Sequence[BoardResults]], Ratings | None]

    def players_in_need(self, players: Iterable[int], boards: Sequence[BoardResults]) -> list[int]:
        """Return those of `players` that need more games after the results on `boards`."""
        ratings = self.rate_boards(boards)
        pairs = collections.Counter(player for board in boards for player in board[0][:2])
        return [player for player in players if self._needs_games(player, ratings, pairs[player])]

    def question(self, players: Sequence[int], all_players: int, boards: Sequence[BoardResults]) -> Question:
        """Return the Question for an Adaptive plan. It is about the ratings of those of `players` that need more games.

        If none of `players` needs more games, the Question is about all of `players`. `all_players` is the number of
        all players of the tournament.
        """
        ratings = self.rate_boards(boards)
        reference = [1.0 / all_players] * all_players if ratings is None else ratings.weights(all_players)
        return Question(self.players_in_need(players, boards) or players, reference)

    def _needs_games(self, player: int, ratings: Ratings | None, pairs: int) -> bool:
        """Return whether the error of a player's rating is still too large after so many `pairs` of its games."""
        if ratings is None:
            return True
        is_held = player in ratings.held
        error = ratings.error_among_rivals(player) if is_held else ratings.error(player)
        return error is None or error > self.error or (is_held and pairs < PAIRS_OF_HELD)


class Entrants:
    """The players of a tournament. A player's number is its index in `contestants`.

    The first `playing` of them are the players of the command line. The others are known only from a record file. A
    player is identified by its command and the folder in which the command runs. Raises PlayerError if a player is
    named twice.
    """

    def __init__(self, contestants: Sequence[Contestant]) -> None:
        self.contestants = list(contestants)
        self.playing = len(self.contestants)
        self._numbers: dict[tuple[str, str, str | None], int] = {}
        keys = collections.Counter((with_new_names(player.command), player.folder) for player in contestants)
        (command, _folder), times = keys.most_common(1)[0]
        if times > 1:
            raise PlayerError(
                _("player {name!r} is named {number} times: name each player once").format(name=command, number=times)
            )

    @property
    def names(self) -> list[str]:
        """The names of the players, by their numbers."""
        return [player.name for player in self.contestants]

    def number_of(self, record: GameRecord, side: str) -> int:
        """Return the number of the player who was `side` in a recorded game. If the player is new, it is added."""
        player = record.players["AB".index(side)]
        folder = record.kept(side).get("folder")
        key = player.name, player.command, folder
        if key not in self._numbers:
            self._numbers[key] = self._find(*key)
            if self._numbers[key] == len(self.contestants):
                former = Contestant(printable(player.name), player.command, player.version, folder=folder)
                self._rename_namesakes(former)
                self.contestants.append(former)
        return self._numbers[key]

    def _rename_namesakes(self, former: Contestant) -> None:
        """Rename players of this run that have the same name as `former`, a player known only from a record file.

        A player that the players file names keeps its name.
        """
        for number, player in enumerate(self.contestants[: self.playing]):
            if player.name == former.name and not player.is_named:
                own, _other = players.distinct_names([player.command, former.command])
                own = printable(own)
                name = own if own not in self.names else f"{own} ({number + 1})"
                self.contestants[number] = dataclasses.replace(player, name=name)

    def _find(self, name: str, command: str, folder: str | None) -> int:
        """Return the number of the player that a record describes by `name`, `command` and `folder`.

        Returns len(self.contestants) if there is no such player.
        """
        command = with_new_names(command)
        alike = [number for number, player in enumerate(self.contestants) if with_new_names(player.command) == command]
        for number in alike:
            if self.contestants[number].folder == folder:
                return number
        for number in alike:
            if self.contestants[number].name == printable(name):
                return number
        if folder is None and len(alike) == 1:  # a player that could not be started has no folder in its record
            return alike[0]
        return len(self.contestants)

    def use_recorded_name(self, number: int, name: str) -> None:
        """Rename player `number` to `name`, its name in a record.

        Nothing changes if the players file names the player, or if another player has the name `name`.
        """
        player = self.contestants[number]
        if not player.is_named and printable(name) not in self.names:
            self.contestants[number] = dataclasses.replace(player, name=printable(name))


class Tournament:
    """The games of a tournament between `entrants`.

    `boards` are the results so far, as {number of a pair: the pair's judged games}. If `has_common_boards` is True, all
    pairings are played on the same boards. `left_out` are the players who begin no more games in this run; the caller
    may add players to it.
    """

    def __init__(self, entrants: Entrants, config: RunConfig, has_common_boards: bool = False) -> None:
        self.entrants = entrants
        self._has_common_boards = has_common_boards
        self._board_of: dict[int, Board] = {}  # {number of a pair that has begun: the pair's board}
        # {the two players of a pairing: {text of a board: number of their pairs on the board}}
        self._uses: dict[frozenset[int], collections.Counter[str]] = collections.defaultdict(collections.Counter)
        self._known_boards: list[Board] = []  # the run's boards in the order of their numbers
        self.boards: dict[int, list[Game]] = {}
        self.left_out: set[int] = set()
        self._config = config
        self._sides: dict[int, tuple[int, int]] = {}  # {number of a pair that has begun: (A, B)}
        self._judged: set[int] = set()  # the numbers of the games that have a result
        self._unfinished: dict[int, int] = {}  # {number of a pair in play: how many of its games have not ended}
        self._ended: set[int] = set()  # the numbers of the pairs with no game left to play
        self._first_open = 0  # all pairs before the pair of this number have ended

    def read_records(self, records: Sequence[GameRecord]) -> Schedule:
        """Take the players and pairs from `records`, the games in the record file, and return the ledger's schedule."""
        for record in records:
            one, other = (self.entrants.number_of(record, side) for side in "AB")
            for number, player in zip((one, other), record.players, strict=True):
                self.entrants.use_recorded_name(number, player.name)
            if record.extra["index"] < MOST_GAMES:
                self._sides.setdefault(record.extra["index"] // 2, (one, other))
        self._read_boards(records)
        return Schedule(MOST_GAMES, self._game)

    def _read_boards(self, records: Sequence[GameRecord]) -> None:
        """Set the board of each pair in `records`.

        A pair that was played on a board that does not belong to this run gets another board. The ledger then refuses
        the pair's records.
        """
        played = {record.extra["index"] // 2: record.board for record in records if record.extra["index"] < MOST_GAMES}
        for pair, content in played.items():
            board = self._config.board(pair)
            if board.as_json() != content:
                of_run = {_text(known): known for known in self._first_boards(len(played))}
                board = of_run.get(json.dumps(content, sort_keys=True), board)
            self._set_board(pair, board)

    def _begin(self, number: int, pairing: Pairing) -> None:
        """Begin pair `number` between the players of `pairing`, and set the board of the pair."""
        self._sides[number] = pairing
        if self._has_common_boards:
            uses = self._uses[frozenset(pairing)]
            board = min(self._first_boards(1 + sum(uses.values())), key=lambda board: uses[_text(board)])
        else:
            board = self._config.board(number)
        self._set_board(number, board)

    def _set_board(self, number: int, board: Board) -> None:
        """Set the board of pair `number`, and count that the pair's players use it."""
        self._board_of[number] = board
        self._uses[frozenset(self._sides[number])][_text(board)] += 1

    def _first_boards(self, number: int) -> Sequence[Board]:
        """Return the first `number` boards of the run. Later boards may repeat earlier ones."""
        known = self._known_boards
        known += [self._config.board(place) for place in range(len(known), number)]
        return known[:number]

    def count_results(self, ledger: Ledger) -> None:
        """Count the results in the ledger's record file. VOID games are not counted; they are played again."""
        for record in ledger.records:
            self._count(record)
            pair = record.extra["index"] // 2
            if {2 * pair, 2 * pair + 1} <= self._judged:
                self._end(pair)

    @property
    def begun(self) -> dict[int, Pairing]:
        """All pairs that have begun, as {number of a pair: the pair's players}."""
        return {number: Pairing(*sorted(sides)) for number, sides in self._sides.items()}

    @property
    def games_judged(self) -> int:
        """The number of games with a result."""
        return len(self._judged)

    def games_missing(self) -> int:
        """Return how many games have no result in the pairs that have begun between two players of this run."""
        return sum(
            index not in self._judged
            for pair, sides in self._sides.items()
            if max(sides) < self.entrants.playing
            for index in (2 * pair, 2 * pair + 1)
        )

    def boards_before(self, number: int) -> list[BoardResults]:
        """Return the boards of all pairs before pair `number`. Raises NotYet if one of these pairs is still in play."""
        if self.first_open < number:
            raise NotYet
        return [self.boards[pair] for pair in sorted(self.boards) if pair < number]

    @property
    def first_open(self) -> int:
        """The number of the first pair that has not ended. Results of later pairs must not influence any choice yet."""
        while self._first_open in self._ended:
            self._first_open += 1
        return self._first_open

    def games(self, plan: Plan, ledger: Ledger) -> Iterator[ScheduledGame | None]:
        """Yield the games to play, in order. Yields None while the next game depends on games that have not ended.

        The caller must call note_end() for each game.
        """
        number = 0
        while True:
            if number not in self._sides:
                try:
                    chosen = plan.next(number, self.left_out)
                except NotYet:
                    yield None
                    continue
                if chosen is None:
                    break
                self._begin(number, chosen)
            plan.note(number, Pairing(*sorted(self._sides[number])))
            yield from self._games_of(number, ledger)
            number += 1
        # Finish the pairs that a longer run began, because a pair of which only one game was played is worth less.
        for later in sorted(pair for pair in self._sides if pair > number):
            yield from self._games_of(later, ledger)

    def _games_of(self, number: int, ledger: Ledger) -> Iterator[ScheduledGame]:
        """Yield the games of pair `number` that are still to be played."""
        missing = [index for index in (2 * number, 2 * number + 1) if index not in self._judged]
        self._unfinished[number] = len(missing)
        if not missing:
            self._end(number)
        for index in missing:
            sides = self._sides[number]
            if max(sides) < self.entrants.playing and not {*sides} & self.left_out:
                yield dataclasses.replace(self._game(index), attempts=ledger.attempts_at(index))
            else:
                self._note_end_in(number)

    def note_end(self, record: GameRecord) -> None:
        """Count a game that has ended and will not be played again."""
        self._count(record)
        self._note_end_in(record.extra["index"] // 2)

    def _note_end_in(self, number: int) -> None:
        """Note that a game of pair `number` has ended or will not be played."""
        self._unfinished[number] -= 1
        if not self._unfinished[number]:
            self._end(number)

    def _end(self, number: int) -> None:
        """Note that pair `number` has no game left to play."""
        self._unfinished.pop(number, None)
        self._ended.add(number)

    def _count(self, record: GameRecord) -> None:
        """Count the result of a game, unless the game is VOID."""
        result, index = score.result(record), record.extra["index"]
        if result is None:
            return
        self._judged.add(index)
        one, other = (self.entrants.number_of(record, side) for side in "AB")
        game = Game(one, other, result) if record.first == "A" else Game(other, one, score.WIN - result)
        self.boards.setdefault(index // 2, []).append(game)

    def _game(self, index: int) -> ScheduledGame:
        """Return the game with the number `index`. Precondition: the game's pair has begun."""
        sides = [self.entrants.contestants[number] for number in self._sides[index // 2]]
        return paired_game(sides, index, self._config, self._board_of[index // 2])


def _text(board: Board) -> str:
    """Return a text that is the same for equal boards."""
    return json.dumps(board.as_json(), sort_keys=True)
