"""A tournament as a run: its games, which are scheduled while it is played, and its results so far.

The two players of a pair of games are chosen when the pair begins. The pair's board is the board with its number or,
with common boards, the first board of those that these two players have used least often. Recorded games keep their
players and their boards: an earlier run may have had more, fewer or other players, and another rule.

Players are numbers from 0; those of this run come first. For each pair of games, in the order of the pairs' numbers, a
plan chooses two players, or is told the two players if they are known already. The choice depends only on the earlier
pairs, the seed, and the results that the plan waits for. So a resumed run continues as the interrupted one would have,
whatever the number of games at a time and their durations.
"""

import collections
import dataclasses
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from judge.games.boards import Board as Start
from judge.games.boards import number_below
from judge.language import _
from judge.players import players
from judge.players.own_bot import with_new_names
from judge.players.players import Contestant, PlayerError
from judge.runs.config import RunConfig
from judge.runs.ledger import Ledger
from judge.runs.schedule import Schedule, ScheduledGame, paired_game
from judge.statistics import score
from judge.statistics.ratings import Board, Game, Question, Ratings, StrengthCovariance
from judge.terminal import printable
from protocol.records.record import GameRecord

DIGITS = 9  # decimals of a gain in exponent form that are compared
TICKETS = 2**62  # the range of the lots that are drawn to break ties between pairings
# More games do not lower the error of a player whose rating is held, only its error among its own rivals. After this
# many pairs against others, its score is with 95 % confidence below 9 % or above 91 %: it is 400 Elo away.
PAIRS_OF_HELD = 16
MOST_GAMES = 2 * 10**12  # the largest schedule of a file


class Pairing(NamedTuple):
    """Two players. `one` is the lower number and plays as A; `other` plays as B."""

    one: int
    other: int


class NotYet(Exception):
    """The next pairing depends on games that are still being played."""


class Plan(Protocol):
    """The way in which a tournament chooses its pairings."""

    def next(self, number: int, left_out: Collection[int]) -> Pairing | None:
        """Return the players of pair `number`, none of them in `left_out`, or None if no more pairs are to be played.

        Raises NotYet. Precondition: note() was called for all earlier pairs.
        """

    def note(self, number: int, pairing: Pairing) -> None:
        """Note the players of pair `number`, which is in play or finished. They may be players of an earlier run."""

    def pairs_to_come(self, begun: Iterable[Pairing]) -> int:
        """Return how many more pairs will follow those in `begun` if nobody is left out."""


def round_robin_order(players: int) -> list[Pairing]:
    """Return every pairing of the players once, in the order of Schurig's tables.

    That order consists of rounds in which each player plays at most once.
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
    """Return the pairings of player 0 with each of the others."""
    return [Pairing(0, other) for other in range(1, players)]


class InTurn:
    """A Plan with pairings in a fixed order, each played `rounds` times.

    The next pairing is the first of those that were played least often. `begun` are the pairs that an earlier run
    began, by their numbers; pairs with lower numbers may still have to be chosen.
    """

    def __init__(self, order: Sequence[Pairing], rounds: int, begun: Mapping[int, Pairing] | None = None) -> None:
        self._order, self._rounds, self._begun = order, rounds, dict(begun or {})
        self._played = collections.Counter(self._begun.values())

    def next(self, number: int, left_out: Collection[int]) -> Pairing | None:
        """Return the players of pair `number`, as Plan.next() does."""
        waiting = [
            pairing for pairing in self._order if self._played[pairing] < self._rounds and not {*pairing} & {*left_out}
        ]
        return min(waiting, key=lambda pairing: self._played[pairing], default=None)

    def note(self, number: int, pairing: Pairing) -> None:
        """Note the players of a pair, as Plan.note() does."""
        self._played[pairing] += number not in self._begun

    def pairs_to_come(self, begun: Iterable[Pairing]) -> int:
        """Return how many more pairs will follow, as Plan.pairs_to_come() does."""
        played = collections.Counter(begun)
        return sum(max(0, self._rounds - played[pairing]) for pairing in self._order)


# A function of a pair's number that returns the boards of all earlier pairs. Raises NotYet.
BoardsBefore = Callable[[int], Sequence[Board]]
Ask = Callable[[Sequence[Board]], Question]  # returns the Question that the next pair should help to answer


class Adaptive:
    """A Plan that chooses the pairing with the largest gain for the ratings in question (statistics/ratings.py).

    It ends after `pairs` pairs. Pairs are chosen in blocks. A block is chosen by the results of all blocks except the
    last one before it; the pairs of that one and of the block itself may still be in play and count with their expected
    results. Of the `players` players the first `playing` are in this run. Lots drawn with the seed break ties.
    """

    BLOCK = 8  # pairs in a block: one block is played while the next is chosen, which allows 16 games at a time or more

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
        self._known_before = -1  # the number of a pair: self._covariance was made from the results of all earlier pairs
        self._covariance: StrengthCovariance
        self._question: Question

    def next(self, number: int, left_out: Collection[int]) -> Pairing | None:
        """Return the players of pair `number`, as Plan.next() does."""
        if self._to_come <= 0:
            return None
        self._update(number)
        choice = [
            Pairing(one, other)
            for other in range(self._playing)
            for one in range(other)
            if not {one, other} & {*left_out}
        ]
        # Compare rounded gains: the digits after these are rounding errors and must not decide.
        gains = {pairing: f"{self._covariance.gain(*pairing, self._question):.{DIGITS}e}" for pairing in choice}
        most = max(gains.values(), key=float, default="")
        best = [pairing for pairing, gain in gains.items() if gain == most]
        return min(
            best, key=lambda pairing: number_below(TICKETS, "pairing", self._seed, number, *pairing), default=None
        )

    def note(self, number: int, pairing: Pairing) -> None:
        """Note the players of a pair, as Plan.note() does."""
        self._noted[number] = pairing
        self._to_come -= max(pairing) < self._playing
        if self._known_before == self._last_block(number):
            self._covariance.learn(*pairing)

    def pairs_to_come(self, begun: Iterable[Pairing]) -> int:
        """Return how many more pairs will follow, as Plan.pairs_to_come() does."""
        return max(0, self._pairs - sum(max(pairing) < self._playing for pairing in begun))

    def _last_block(self, number: int) -> int:
        """Return the number of the first pair in the block before the block of pair `number`."""
        return max(0, number // self.BLOCK - 1) * self.BLOCK

    def _update(self, number: int) -> None:
        """Update the covariance and the question with the results by which pair `number` is chosen. Raises NotYet."""
        begin = self._last_block(number)
        if begin == self._known_before:
            return
        boards = self._boards_before(begin)
        self._covariance, self._question = StrengthCovariance(self._players, boards), self._ask(boards)
        self._known_before = begin
        for waiting in sorted(self._noted):
            if waiting >= begin:
                self._covariance.learn(*self._noted[waiting])


@dataclass(frozen=True)
class Target:
    """The aim that the error of every rating is at most `error`, in Elo. rated(boards) returns the Ratings."""

    error: float
    rated: Callable[[Sequence[Board]], Ratings | None]

    def in_need(self, players: Iterable[int], boards: Sequence[Board]) -> list[int]:
        """Return the players that need more games after these boards."""
        ratings = self.rated(boards)
        pairs = collections.Counter(player for board in boards for player in board[0][:2])
        return [player for player in players if self._is_in_need(player, ratings, pairs[player])]

    def question(self, players: Sequence[int], everybody: int, boards: Sequence[Board]) -> Question:
        """Return the Question for an Adaptive plan: the ratings of those of `players` that need more games.

        If none does, it is about all of them. `everybody` is the number of all players of the tournament.
        """
        ratings = self.rated(boards)
        reference = [1.0 / everybody] * everybody if ratings is None else ratings.weights(everybody)
        return Question(self.in_need(players, boards) or players, reference)

    def _is_in_need(self, player: int, ratings: Ratings | None, pairs: int) -> bool:
        if ratings is None:
            return True
        is_held = player in ratings.held
        error = ratings.error_among_rivals(player) if is_held else ratings.error(player)
        return error is None or error > self.error or (is_held and pairs < PAIRS_OF_HELD)


class Entrants:
    """The players by their numbers.

    `contestants` are first the `playing` players of the command line, then those known only from a record file. A
    command and the folder in which it runs identify a player. Raises PlayerError if a player is named twice.
    """

    def __init__(self, contestants: Sequence[Contestant]) -> None:
        self.contestants = list(contestants)
        self.playing = len(self.contestants)
        self._numbers: dict[tuple[str, str, str | None], int] = {}
        keys = collections.Counter((with_new_names(player.command), player.folder) for player in contestants)
        (command, _folder), times = keys.most_common(1)[0]
        if times > 1:
            raise PlayerError(_("player {name!r} is named {number} times").format(name=command, number=times))

    @property
    def names(self) -> list[str]:
        """The name of each player."""
        return [player.name for player in self.contestants]

    def number_of(self, record: GameRecord, side: str) -> int:
        """Return the number of the player who was `side` in a recorded game. A new player is added."""
        player = record.players["AB".index(side)]
        folder = record.kept(side).get("folder")
        key = player.name, player.command, folder
        if key not in self._numbers:
            self._numbers[key] = self._found(*key)
            if self._numbers[key] == len(self.contestants):
                former = Contestant(printable(player.name), player.command, player.version, folder=folder)
                self._rename_namesakes(former)
                self.contestants.append(former)
        return self._numbers[key]

    def _rename_namesakes(self, former: Contestant) -> None:
        """Rename players of this run that have the name of `former`, unless the players file names them."""
        for number, player in enumerate(self.contestants[: self.playing]):
            if player.name == former.name and not player.is_named:
                own, _other = players.distinct_names([player.command, former.command])
                own = printable(own)
                name = own if own not in self.names else f"{own} ({number + 1})"
                self.contestants[number] = dataclasses.replace(player, name=name)

    def _found(self, name: str, command: str, folder: str | None) -> int:
        """Return the number of the player that a record describes, or len(self.contestants) if there is none."""
        command = with_new_names(command)
        alike = [n for n, player in enumerate(self.contestants) if with_new_names(player.command) == command]
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
        """Rename player `number` to its name in a record.

        Nothing changes if the players file names it or another player has that name.
        """
        player = self.contestants[number]
        if not player.is_named and printable(name) not in self.names:
            self.contestants[number] = dataclasses.replace(player, name=printable(name))


class Tournament:
    """The games of a tournament between `entrants`.

    `boards` are the results so far: {number of a pair: its judged games}. If `has_common_boards`, every two players
    meet on the same boards. `left_out` are the players who begin no more games in this run; callers may add players.
    """

    def __init__(self, entrants: Entrants, config: RunConfig, has_common_boards: bool = False) -> None:
        self.entrants = entrants
        self._has_common_boards = has_common_boards
        self._starts: dict[int, Start] = {}  # {a pair's number: its board} of the pairs begun
        self._uses: dict[frozenset[int], collections.Counter[str]] = collections.defaultdict(collections.Counter)
        self._known_boards: list[Start] = []  # the run's boards in the order of their numbers
        self.boards: dict[int, list[Game]] = {}
        self.left_out: set[int] = set()
        self._config = config
        self._sides: dict[int, tuple[int, int]] = {}  # {a pair's number: (A, B)} of the pairs begun
        self._judged: set[int] = set()  # the numbers of the games that have a result
        self._waiting: dict[int, int] = {}  # {a pair's number: its games that have not ended}
        self._ended: set[int] = set()  # pairs with no game left to play
        self._first_open = 0  # all pairs before it have ended

    def recorded(self, records: Sequence[GameRecord]) -> Schedule:
        """Take the players and pairs of a record file from its records, and return the schedule for its ledger."""
        for record in records:
            one, other = (self.entrants.number_of(record, side) for side in "AB")
            for number, player in zip((one, other), record.players, strict=True):
                self.entrants.use_recorded_name(number, player.name)
            if record.extra["index"] < MOST_GAMES:
                self._sides.setdefault(record.extra["index"] // 2, (one, other))
        self._take_up_boards(records)
        return Schedule(MOST_GAMES, self._game)

    def _take_up_boards(self, records: Sequence[GameRecord]) -> None:
        """Set the board of each recorded pair.

        A pair whose board does not belong to this run gets another board; the ledger then refuses its record.
        """
        played = {record.extra["index"] // 2: record.board for record in records if record.extra["index"] < MOST_GAMES}
        for pair, content in played.items():
            board = self._config.board(pair)
            if board.as_json() != content:
                of_run = {_text(found): found for found in self._first_boards(len(played))}
                board = of_run.get(json.dumps(content, sort_keys=True), board)
            self._place(pair, board)

    def _begin(self, number: int, pairing: Pairing) -> None:
        """Begin pair `number` between these players, and set its board."""
        self._sides[number] = pairing
        if self._has_common_boards:
            uses = self._uses[frozenset(pairing)]
            board = min(self._first_boards(1 + sum(uses.values())), key=lambda board: uses[_text(board)])
        else:
            board = self._config.board(number)
        self._place(number, board)

    def _place(self, number: int, board: Start) -> None:
        self._starts[number] = board
        self._uses[frozenset(self._sides[number])][_text(board)] += 1

    def _first_boards(self, number: int) -> Sequence[Start]:
        """Return the first `number` boards of the run. Later boards may repeat earlier ones."""
        known = self._known_boards
        known += [self._config.board(place) for place in range(len(known), number)]
        return known[:number]

    def take_up(self, ledger: Ledger) -> None:
        """Count the results in the record file. VOID games are played again."""
        for record in ledger.records:
            self._count(record)
            pair = record.extra["index"] // 2
            if {2 * pair, 2 * pair + 1} <= self._judged:
                self._end(pair)

    @property
    def begun(self) -> dict[int, Pairing]:
        """{Number of a pair: its players} of all pairs begun."""
        return {number: Pairing(*sorted(sides)) for number, sides in self._sides.items()}

    @property
    def games_judged(self) -> int:
        """The number of games with a result."""
        return len(self._judged)

    def games_missing(self) -> int:
        """Return how many games of the pairs begun between players of this run have no result."""
        return sum(
            index not in self._judged
            for pair, sides in self._sides.items()
            if max(sides) < self.entrants.playing
            for index in (2 * pair, 2 * pair + 1)
        )

    def boards_before(self, number: int) -> list[Board]:
        """Return the boards of all pairs before pair `number`. Raises NotYet if one of these is still in play."""
        if self.first_open < number:
            raise NotYet
        return [self.boards[pair] for pair in sorted(self.boards) if pair < number]

    @property
    def first_open(self) -> int:
        """The number of the first pair that has not ended. Results of later pairs must not decide anything yet."""
        while self._first_open in self._ended:
            self._first_open += 1
        return self._first_open

    def games(self, plan: Plan, ledger: Ledger) -> Iterator[ScheduledGame | None]:
        """Yield the games to play, in order. Yields None while the next game depends on games that have not ended.

        The caller must call ended() for each game.
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
        # Finish the pairs that a longer run began, because half a pair is worth less.
        for later in sorted(pair for pair in self._sides if pair > number):
            yield from self._games_of(later, ledger)

    def _games_of(self, number: int, ledger: Ledger) -> Iterator[ScheduledGame]:
        """Yield the games of pair `number` that are still to be played."""
        missing = [index for index in (2 * number, 2 * number + 1) if index not in self._judged]
        self._waiting[number] = len(missing)
        if not missing:
            self._end(number)
        for index in missing:
            sides = self._sides[number]
            if max(sides) < self.entrants.playing and not {*sides} & self.left_out:
                yield dataclasses.replace(self._game(index), attempts=ledger.attempts_at(index))
            else:
                self._ends_one(number)

    def ended(self, record: GameRecord) -> None:
        """Count a game that has ended and will not be played again."""
        self._count(record)
        self._ends_one(record.extra["index"] // 2)

    def _ends_one(self, number: int) -> None:
        self._waiting[number] -= 1
        if not self._waiting[number]:
            self._end(number)

    def _end(self, number: int) -> None:
        self._waiting.pop(number, None)
        self._ended.add(number)

    def _count(self, record: GameRecord) -> None:
        result, index = score.result(record), record.extra["index"]
        if result is None:
            return
        self._judged.add(index)
        one, other = (self.entrants.number_of(record, side) for side in "AB")
        game = Game(one, other, result) if record.first == "A" else Game(other, one, score.WIN - result)
        self.boards.setdefault(index // 2, []).append(game)

    def _game(self, index: int) -> ScheduledGame:
        sides = [self.entrants.contestants[number] for number in self._sides[index // 2]]
        return paired_game(sides, index, self._config, self._starts[index // 2])


def _text(board: Start) -> str:
    """Return a text that is the same for equal boards."""
    return json.dumps(board.as_json(), sort_keys=True)
