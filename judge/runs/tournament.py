"""A tournament as a run: which games it plays, made while it is played, and what is known of it so far.

The two of a pair of games are chosen when the pair is begun (pairings.py), on the board that its number draws. What a
record file holds stays as it was played, whoever plays on: an earlier run may have had other players, more or fewer.
"""

import collections
import dataclasses
from collections.abc import Iterator, Sequence

from judge.language import _
from judge.players import names
from judge.players.own_bot import with_new_names
from judge.players.players import Contestant, PlayerError
from judge.runs.config import RunConfig
from judge.runs.ledger import Ledger
from judge.runs.pairings import NotYet, Pairing, Plan
from judge.runs.schedule import Schedule, ScheduledGame, paired_game
from judge.statistics import score
from judge.statistics.ratings import Board, Game
from judge.terminal import printable
from protocol.records.record import GameRecord

MOST_GAMES = 2 * 10**12  # that a file may number


class Entrants:
    """The players by numbers: `contestants` are those of the command line, and behind them, from `playing` on, those
    that only a record file knows. What a player is told by is its command, and the folder that runs in.

    Raises PlayerError where one is named twice.
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
        """What each is called."""
        return [player.name for player in self.contestants]

    def number_of(self, record: GameRecord, side: str) -> int:
        """The number of the player on this side of a recorded game; one that is not known yet is added."""
        player = record.players["AB".index(side)]
        kept = record.extra.get(side)
        folder = kept.get("folder") if isinstance(kept, dict) else None
        key = player.name, player.command, folder
        if key not in self._numbers:
            self._numbers[key] = self._found(*key)
            if self._numbers[key] == len(self.contestants):
                former = Contestant(printable(player.name), player.command, player.version, folder=folder)
                self._tell_apart_from(former)
                self.contestants.append(former)
        return self._numbers[key]

    def _tell_apart_from(self, former: Contestant) -> None:
        """Have no player who plays on the name of one that plays no more, unless the players file names it."""
        for number, player in enumerate(self.contestants[: self.playing]):
            if player.name == former.name and not player.is_named:
                own, _other = names.told_apart([player.command, former.command])
                own = printable(own)
                name = own if own not in self.names else f"{own} ({number + 1})"
                self.contestants[number] = dataclasses.replace(player, name=name)

    def _found(self, name: str, command: str, folder: str | None) -> int:
        """The number of the player whom a record calls so, len(contestants) for none."""
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

    def keep_name(self, number: int, name: str) -> None:
        """Call a player what its record calls it, unless the players file names it or another is called so."""
        player = self.contestants[number]
        if not player.is_named and printable(name) not in self.names:
            self.contestants[number] = dataclasses.replace(player, name=printable(name))


class Tournament:
    """The games of `entrants`. `boards` are the results so far, {a pair's number: its judged games}.

    `left_out` are players who begin no more games in this run; who uses it may add some.
    """

    def __init__(self, entrants: Entrants, config: RunConfig) -> None:
        self.entrants = entrants
        self.boards: dict[int, list[Game]] = {}
        self.left_out: set[int] = set()
        self._config = config
        self._sides: dict[int, tuple[int, int]] = {}  # of each pair begun, who is A and who is B
        self._judged: set[int] = set()  # numbers of games
        self._waiting: dict[int, int] = {}  # {a pair's number: how many of its games have not ended yet}
        self._ended: set[int] = set()  # pairs of which nothing is played any more
        self._first_open = 0  # all pairs before it have ended

    def recorded(self, records: Sequence[GameRecord]) -> Schedule:
        """The games of the file that is taken up, for its ledger: which these are the records tell."""
        for record in records:
            one, other = (self.entrants.number_of(record, side) for side in "AB")
            for number, player in zip((one, other), record.players, strict=True):
                self.entrants.keep_name(number, player.name)
            if record.extra["index"] < MOST_GAMES:
                self._sides.setdefault(record.extra["index"] // 2, (one, other))
        return Schedule(MOST_GAMES, self._game)

    def take_up(self, ledger: Ledger) -> None:
        """Count the results that the file holds. VOID games are played again."""
        for record in ledger.records:
            self._count(record)
            pair = record.extra["index"] // 2
            if {2 * pair, 2 * pair + 1} <= self._judged:
                self._end(pair)

    @property
    def begun(self) -> dict[int, Pairing]:
        """Who met in the pairs begun, by their numbers."""
        return {number: Pairing(*sorted(sides)) for number, sides in self._sides.items()}

    @property
    def games_judged(self) -> int:
        """How many games have a result."""
        return len(self._judged)

    def games_missing(self) -> int:
        """How many games of the pairs begun have no result, of players who play on."""
        return sum(
            index not in self._judged
            for pair, sides in self._sides.items()
            if max(sides) < self.entrants.playing
            for index in (2 * pair, 2 * pair + 1)
        )

    def boards_before(self, number: int) -> list[Board]:
        """The boards of all pairs before this one. Raises NotYet where one is still played."""
        if self.first_open < number:
            raise NotYet
        return [self.boards[pair] for pair in sorted(self.boards) if pair < number]

    @property
    def first_open(self) -> int:
        """The number of the first pair that has not ended: what comes in behind it must not decide anything yet."""
        while self._first_open in self._ended:
            self._first_open += 1
        return self._first_open

    def games(self, plan: Plan, ledger: Ledger) -> Iterator[ScheduledGame | None]:
        """The games to play, in order; None where the next depends on games that were given out and have not ended.

        Each has to be told of by ended().
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
                self._sides[number] = chosen
            plan.note(number, Pairing(*sorted(self._sides[number])))
            yield from self._games_of(number, ledger)
            number += 1
        # Begun by a run that was to play more: a pair is worth more than its half.
        for later in sorted(pair for pair in self._sides if pair > number):
            yield from self._games_of(later, ledger)

    def _games_of(self, number: int, ledger: Ledger) -> Iterator[ScheduledGame]:
        """What is left to play of a pair."""
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
        """Take in a game that was played to its end, or for the last time that it may be."""
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
        return paired_game(sides, index, self._config)
