"""What an engine's answers say of the moves of a game: value lost, results given away, the last chance of who lost.

All values are those of the side that makes the move. Where a result is known on both sides of a move, by proof or
because the game is over, the results decide; else the values that were stated do, which need not be of one scale with
results: reversi's are shares of the board.

The answers stand in a file beside the record.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from judge.games import GAMES
from judge.games.positions import IllegalMove, Position
from judge.language import _
from judge.play.recheck import WIRE, new_position
from judge.play.scoresheet import in_order
from judge.terminal import printable
from protocol.errors import LocalProtocolError
from protocol.records.record import GameRecord
from protocol.records.review import DRAW, LOSS, WIN, Answer, Reviewer, ReviewLine, game_key, read_answers

DRAWN = ""  # in place of a winner
MISTAKE, BLUNDER, LAST_CHANCE = "mistake", "blunder", "last_chance"
GAVE_AWAY_WIN, GAVE_AWAY_DRAW = "gave_away_win", "gave_away_draw"
MARKS = (GAVE_AWAY_WIN, GAVE_AWAY_DRAW, BLUNDER, MISTAKE, LAST_CHANCE)  # of several the first is a move's mark
VALUES = {WIN: 1.0, DRAW: 0.0, LOSS: -1.0}
OF_OTHER_SIDE = {WIN: LOSS, DRAW: DRAW, LOSS: WIN}
LOST_ON_THE_BOARD = ("NORMAL", "RESIGNATION")  # endings that are no fault
VALUE_DIGITS = 4
SUFFIX = ".review.jsonl"  # behind the record file's whole name


class CannotBeAsked(Exception):
    """A game whose positions can be put to no engine; str() says why."""


@dataclass(frozen=True)
class ReviewedGame:
    """A record, with its number in its file, from 1.

    `movers` has the side to move, "A" or "B", in each position, from the one before ply 1 on, as far as the moves are
    legal and the game is not over. `winner` is who has won on the board, DRAWN for a draw, None where it is not over.
    Raises CannotBeAsked where the rules do not know the game or its board, or the wire has no words for it.
    """

    number: int
    record: GameRecord
    key: str = field(init=False)
    movers: tuple[str, ...] = field(init=False)
    plies: int = field(init=False)  # legal ones
    winner: str | None = field(init=False)

    def __post_init__(self) -> None:
        sides = in_order(self.record.first)
        movers, winner, plies = [], None, -1
        try:
            position = new_position(self.record)
            GAMES[self.record.game].wire(WIRE, position).opening(position, 0)
        except (ValueError, LocalProtocolError) as error:
            raise CannotBeAsked(str(error)) from error
        for position in positions(self.record):
            plies += 1
            if position.over:
                winner = DRAWN if position.winner is None else sides[position.winner]
            else:
                movers.append(sides[position.to_move])
        for name, value in (("movers", tuple(movers)), ("plies", plies), ("winner", winner)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "key", game_key(self.record))

    def in_words(self) -> str:
        """What the reader calls it."""
        return _("game {number}").format(number=self.number)


def positions(record: GameRecord) -> Iterator[Position]:
    """The position before each ply, and the last one, as far as the moves are legal: one object, changed by each step.

    Raises ValueError for a game or board that the rules do not know.
    """
    position = new_position(record)
    yield position
    for move in record.moves:
        try:
            position.play(move.move)
        except (ValueError, IllegalMove):
            return
        yield position


class Bounds(NamedTuple):
    """What is marked: a move that loses more than `mistake` of its side's value, and `last chance` the last move of who
    lost before which its position was not proven lost, and worth more than `chance`.
    """

    mistake: float = 0.3
    chance: float = -0.5

    @property
    def blunder(self) -> float:
        """From which loss on a mistake is a blunder."""
        return 2 * self.mistake


USUAL = Bounds()


@dataclass(frozen=True)
class Worth:
    """What a position is worth to one side: a value in -1..1, and the result that is known of it, or None."""

    value: float
    proven: str | None

    def to_other(self) -> "Worth":
        """The same for the other side."""
        return Worth(-self.value, None if self.proven is None else OF_OTHER_SIDE[self.proven])


@dataclass(frozen=True)
class MoveReview:
    """A move and what it was worth: `before` and `after` as its side sees them, None where that is not known.

    `best` is the engine's move and `pv` what it expected; `lost` is at least 0; `mark` is one of MARKS or None.
    """

    ply: int
    side: str
    played: str
    before: Worth | None
    after: Worth | None
    best: str | None
    pv: tuple[str, ...]
    lost: float | None
    mark: str | None

    def as_json(self) -> dict[str, Any]:
        """What the page has of it."""
        return {
            "value": None if self.before is None else self.before.value,
            "proven": None if self.before is None else self.before.proven,
            "best": None if self.best is None else printable(self.best),
            "lost": self.lost,
            "mark": self.mark,
        }


@dataclass(frozen=True)
class Sum:
    """What a side's moves add up to; each move counts under one mark at most, `last chance` under none.

    `moves` are those of which it is known what they lost: `lost`, all together.
    """

    moves: int = 0
    mistakes: int = 0
    blunders: int = 0
    wins_given_away: int = 0
    draws_given_away: int = 0
    lost: float = 0.0

    def __add__(self, other: "Sum") -> "Sum":
        return Sum(*(getattr(self, entry.name) + getattr(other, entry.name) for entry in fields(self)))

    @property
    def given_away(self) -> int:
        """Results given away, wins and draws."""
        return self.wins_given_away + self.draws_given_away

    @property
    def mean_lost(self) -> float | None:
        """The value that a move has lost on average; None without moves."""
        return self.lost / self.moves if self.moves else None

    def as_json(self) -> dict[str, Any]:
        """All of it, with the average."""
        mean = None if self.mean_lost is None else round(self.mean_lost, VALUE_DIGITS)
        return {**asdict(self), "lost": round(self.lost, VALUE_DIGITS), "mean_lost": mean}


@dataclass(frozen=True)
class GameReview:
    """A game by the answers of an engine of this name: its legal moves, and which ply was its loser's last chance."""

    engine: str
    bounds: Bounds
    moves: tuple[MoveReview, ...]
    last_chance: int | None

    def sum_of(self, side: str) -> Sum:
        """What the moves of a side, "A" or "B", add up to."""
        return _sum(move for move in self.moves if move.side == side)

    def as_json(self) -> dict[str, Any]:
        """What the page has of it."""
        return {
            "engine": printable(self.engine),
            "bound": self.bounds.mistake,
            "plies": [move.as_json() for move in self.moves],
            "last_chance": self.last_chance,
            "sums": {side: self.sum_of(side).as_json() for side in "AB"},
        }


def reviewed(game: ReviewedGame, engine: str, answers: Mapping[int, Answer], bounds: Bounds = USUAL) -> GameReview:
    """The review of a game by the answers of the engine of this name, by the ply before which each position stands."""
    worths = _worths(game, answers)
    last_chance = _last_chance(game, worths, bounds)
    moves = []
    for ply in range(1, game.plies + 1):
        before, after, answer = worths.get(ply), _after(game, worths, ply), answers.get(ply)
        lost, mark = None, None
        if before is not None and after is not None:
            lost = _lost(before, after)
            mark = _mark(before, after, lost, bounds)
        if mark is None and ply == last_chance:
            mark = LAST_CHANCE
        best, pv = (None, ()) if answer is None else (answer.best, answer.pv)
        moves.append(MoveReview(ply, game.movers[ply - 1], _played(game, ply), before, after, best, pv, lost, mark))
    return GameReview(engine, bounds, tuple(moves), last_chance)


def _played(game: ReviewedGame, ply: int) -> str:
    return str(game.record.moves[ply - 1].move)


def _worths(game: ReviewedGame, answers: Mapping[int, Answer]) -> dict[int, Worth]:
    """What each position is worth to the side to move, by the ply before which it stands.

    What is proven of a position holds for the next one too, where the move was the engine's own or the position lost:
    whoever is asked then may have had no time to prove it once more.
    """
    worths: dict[int, Worth] = {}
    for ply in range(1, len(game.movers) + 1):
        answer, before = answers.get(ply), answers.get(ply - 1)
        if answer is None:
            continue
        proven = answer.proven
        if proven is None and before is not None and ply - 1 in worths:
            known = worths[ply - 1]
            if known.proven == LOSS or before.best == _played(game, ply - 1):
                proven = _seen_by(game, known, ply - 1, ply).proven
        worths[ply] = Worth(answer.value, proven)
    return worths


def _seen_by(game: ReviewedGame, worth: Worth, ply: int, other: int) -> Worth:
    """What is known as the mover before `ply` sees it, as the mover before the `other` one does."""
    return worth if game.movers[ply - 1] == game.movers[other - 1] else worth.to_other()


def _after(game: ReviewedGame, worths: Mapping[int, Worth], ply: int) -> Worth | None:
    """What the position after a ply is worth to who made it; at the end of the game by the rules."""
    mover = game.movers[ply - 1]
    if ply == game.plies and game.winner is not None:
        result = DRAW if game.winner == DRAWN else WIN if game.winner == mover else LOSS
        return Worth(VALUES[result], result)
    worth = worths.get(ply + 1)
    return None if worth is None else _seen_by(game, worth, ply + 1, ply)


def _lost(before: Worth, after: Worth) -> float:
    if before.proven is not None and after.proven is not None:
        return max(0.0, VALUES[before.proven] - VALUES[after.proven])
    return max(0.0, round(before.value - after.value, VALUE_DIGITS))  # 0.1 + 0.2 is not above 0.3


def _mark(before: Worth, after: Worth, lost: float, bounds: Bounds) -> str | None:
    if before.proven is not None and after.proven is not None:
        return None if lost == 0 else GAVE_AWAY_WIN if before.proven == WIN else GAVE_AWAY_DRAW
    if lost <= bounds.mistake:
        return None
    return BLUNDER if lost >= bounds.blunder else MISTAKE


def _last_chance(game: ReviewedGame, worths: Mapping[int, Worth], bounds: Bounds) -> int | None:
    """The last ply at which who lost on the board could still have drawn or won, as far as is known."""
    winner = game.record.winner
    if winner is None or game.record.termination.value not in LOST_ON_THE_BOARD:
        return None
    chances = [
        ply
        for ply, worth in worths.items()
        if ply <= game.plies and game.movers[ply - 1] != winner and worth.proven != LOSS and worth.value > bounds.chance
    ]
    return max(chances, default=None)


def _sum(moves: Iterable[MoveReview]) -> Sum:
    known = [move for move in moves if move.lost is not None]
    count = {mark: sum(move.mark == mark for move in known) for mark in MARKS}
    lost = sum(move.lost for move in known if move.lost is not None)
    given_away = count[GAVE_AWAY_WIN], count[GAVE_AWAY_DRAW]
    return Sum(len(known), count[MISTAKE], count[BLUNDER], *given_away, lost)


def review_path(record_file: Path) -> Path:
    """Where the answers on the games of a record file lie."""
    return record_file.with_name(record_file.name + SUFFIX)


class Kept:
    """Answers by engine, by game (its key) and by ply, from 1; of two answers to one question the later counts."""

    def __init__(self, lines: Iterable[ReviewLine] = ()) -> None:
        self._found: dict[Reviewer, dict[str, dict[int, Answer]]] = {}  # who has answered last comes last
        for line in lines:
            self.add(line)

    def add(self, line: ReviewLine) -> None:
        """Take in one more."""
        games = self._found.pop(line.engine, {})
        games.setdefault(line.moves, {})[line.ply] = line.answer
        self._found[line.engine] = games

    def answers(self, engine: Reviewer, key: str) -> Mapping[int, Answer]:
        """An engine's answers on a game."""
        return self._found.get(engine, {}).get(key, {})

    def engine_for(self, keys: Collection[str]) -> Reviewer | None:
        """Who has answered most on these games, of several the latest; None where nobody has answered at all."""
        counts = {
            engine: sum(len(games[key]) for key in keys if key in games)
            for engine, games in reversed(self._found.items())
        }
        most = max(counts, key=lambda engine: counts[engine], default=None)
        return most if most is not None and counts[most] else None


def read(path: Path) -> tuple[Kept, bool]:
    """(the answers in a review file, whether it ends in a torn line); nothing where there is none.

    Raises OSError and RecordError as read_answers() does.
    """
    try:
        lines, is_torn = read_answers(path)
    except FileNotFoundError:
        return Kept(), False
    return Kept(lines), is_torn


def reviews_of(records: Sequence[GameRecord], kept: Kept) -> list[GameReview | None]:
    """Of each game the review by the engine that has answered most on it; None where there is none."""
    return [_review_of(record, kept) for record in records]


def _review_of(record: GameRecord, kept: Kept) -> GameReview | None:
    key = game_key(record)
    engine = kept.engine_for([key])
    if engine is None:
        return None
    try:
        return reviewed(ReviewedGame(1, record), engine.name, kept.answers(engine, key))
    except CannotBeAsked:
        return None
