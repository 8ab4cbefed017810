"""Marks moves by an engine's answers: moves that lose value or give a result away, and the loser's last chance.

All values are for the side that makes the move. The result that a position leads to may be known, by proof or because
the game is over. If the results before and after a move are known, they decide on the move's mark. Otherwise the values
that the engine states decide. These values and results may have different scales: the values of reversi are shares of
the board.

The answers are stored in the review file, beside the record file.
"""

import collections
import copy
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from judge.games import GAMES
from judge.games.positions import AnyMove, IllegalMove, Position
from judge.language import _
from judge.play.recheck import WIRE, new_position
from judge.play.scoresheet import in_order
from judge.terminal import printable
from protocol.errors import LocalProtocolError
from protocol.records.record import GameRecord
from protocol.records.review import DRAW, LOSS, WIN, Answer, Reviewer, ReviewLine, game_key, read_answers

DRAWN = ""  # the winner of a drawn game
MISTAKE, BLUNDER, LAST_CHANCE = "mistake", "blunder", "last_chance"
GAVE_AWAY_WIN, GAVE_AWAY_DRAW = "gave_away_win", "gave_away_draw"
MARKS = (GAVE_AWAY_WIN, GAVE_AWAY_DRAW, BLUNDER, MISTAKE, LAST_CHANCE)  # a move gets the first mark that applies
VALUES = {WIN: 1.0, DRAW: 0.0, LOSS: -1.0}
VALUE_DIGITS = 4
MOST_NAMED = 2  # if more moves stop a threat, only their number is given
SUFFIX = ".review.jsonl"  # the review file has the record file's full name with this appended


class CannotBeAsked(Exception):
    """No engine can be asked about the game. The error's text gives the reason."""


class ReviewedGame:
    """A recorded game to review. `number` is the game's number in the record file, from 1.

    `movers` has the side to move, "A" or "B", in the position before ply 1, before ply 2 and so on, as long as the
    moves are legal and the game is not over. `plies` is the number of legal moves. `winner` is the side that won on the
    board, DRAWN for a draw, or None if the game is not over. `key` identifies the game in the review file. Raises
    CannotBeAsked if the rules do not know the game or its board, or if the protocol cannot express the board.
    """

    def __init__(self, number: int, record: GameRecord) -> None:
        self.number, self.record, self.key = number, record, game_key(record)
        try:
            position = new_position(record)
            GAMES[record.game].wire(WIRE, position).opening(position, 0)
        except (ValueError, LocalProtocolError) as error:
            raise CannotBeAsked(str(error)) from error
        sides = in_order(record.first)
        self.movers: list[str] = []
        self.winner: str | None = None
        for ply, position in enumerate(positions(record)):
            self.plies = ply
            if position.over:
                self.winner = DRAWN if position.winner is None else sides[position.winner]
            else:
                self.movers.append(sides[position.to_move])

    def in_words(self) -> str:
        """Return the name of the game for people, such as "game 3"."""
        return _("game {number}").format(number=self.number)


def positions(record: GameRecord) -> Iterator[Position]:
    """Yield the position before each ply, up to the first illegal move, and then the position after the last ply.

    The same Position object is yielded each time; it changes from ply to ply. Raises ValueError for a game or board
    that the rules do not know.
    """
    position = new_position(record)
    yield position
    for move in record.moves:
        try:
            position.play(move.move)
        except (ValueError, IllegalMove):
            return
        yield position


def threat_in_words(game: ReviewedGame, ply: int) -> str:
    """Return a sentence on a win in one move that the move of `ply` missed, or that it left to the other side.

    The sentence follows from the rules alone. It is "" if there is no such win, or if the move wins. Precondition:
    `ply` is from 1 to game.plies.
    """

    position = next(itertools.islice(positions(game.record), ply - 1, None))
    played = game.record.moves[ply - 1].move
    wins = _wins_at_once(position)
    if wins:
        missed = _("{moves} would have won at once").format(moves=_moves_in_words(game, position, wins))
        return "" if played in wins else missed
    after = _position_after(position, played)
    threats = [] if after.to_move == position.to_move else _wins_at_once(after)
    if not threats:
        return ""
    defences = [move for move in position.legal_moves() if not _wins_at_once(_position_after(position, move))]
    sentence = _("{side} threatens to win by {moves}; no other move would have kept {side} from winning at once")
    if defences:
        sentence = _("{side} threatens to win by {moves}; only {stop} would have stopped this")
    if len(defences) > MOST_NAMED:
        sentence = _("{side} threatens to win by {moves}; {number} other moves would have stopped this")
    opponent, stop = "AB".replace(game.movers[ply - 1], ""), _moves_in_words(game, position, defences)
    moves = _moves_in_words(game, after, threats)
    return sentence.format(side=opponent, moves=moves, number=len(defences), stop=stop)


def _moves_in_words(game: ReviewedGame, position: Position, moves: Iterable[AnyMove]) -> str:
    """Return the texts of `moves`, each of which may be played in `position`, separated by commas."""
    in_words = GAMES[game.record.game].move_in_words
    return ", ".join(in_words(_position_after(position, move)) for move in moves)


def _position_after(position: Position, move: AnyMove) -> Position:
    """Return a copy of `position` in which `move` has been played."""
    after = copy.deepcopy(position)
    after.play(move)
    return after


def _wins_at_once(position: Position) -> list[AnyMove]:
    """Return the moves with which the side to move wins the game at once."""
    if position.over:
        return []
    return [move for move in position.legal_moves() if _position_after(position, move).winner == position.to_move]


class Bounds(NamedTuple):
    """Bounds for marks.

    A mistake is a move that lowers the value for the side that makes it by more than `mistake`. The last chance is the
    loser's last move in a position that was not proven lost and whose value for the loser was more than `chance`.
    """

    mistake: float = 0.3
    chance: float = -0.5

    @property
    def blunder(self) -> float:
        """A mistake that loses at least this value is a blunder."""
        return 2 * self.mistake


USUAL = Bounds()


@dataclass(frozen=True)
class Worth:
    """The worth of a position for one side: a value from -1 to 1, and its proven result or None."""

    value: float
    proven: str | None

    def to_other(self) -> "Worth":
        """Return the worth of the same position for the other side."""
        return Worth(-self.value, None if self.proven is None else {WIN: LOSS, DRAW: DRAW, LOSS: WIN}[self.proven])


@dataclass(frozen=True)
class MoveReview:
    """A move and what the engine says about it.

    `before` and `after` are the worth, for the side that makes the move, of the positions before and after the move, or
    None if unknown. `best` is the move that the engine would make, and `pv` is the line of play that it expects. `lost`
    is the value that the move loses, at least 0, or None if unknown. `mark` is one of MARKS or None.
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
        """Return the move as a JSON object for the page."""
        return {
            "value": None if self.before is None else self.before.value,
            "proven": None if self.before is None else self.before.proven,
            "best": None if self.best is None else printable(self.best),
            "lost": self.lost,
            "mark": self.mark,
        }


@dataclass(frozen=True)
class Sum:
    """Totals over the moves of a side. Marks other than LAST_CHANCE are counted; a move has at most one mark.

    `moves` is the number of moves whose lost value is known, and `lost` is the sum of these values.
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
        """The number of wins and draws that were given away."""
        return self.wins_given_away + self.draws_given_away

    @property
    def mean_lost(self) -> float | None:
        """The mean of the values that moves lose, or None if no lost value is known."""
        return self.lost / self.moves if self.moves else None

    def as_json(self) -> dict[str, Any]:
        """Return the totals and the mean as a JSON object."""
        mean = None if self.mean_lost is None else round(self.mean_lost, VALUE_DIGITS)
        return {**asdict(self), "lost": round(self.lost, VALUE_DIGITS), "mean_lost": mean}


@dataclass(frozen=True)
class GameReview:
    """The review of a game by one engine. `moves` are the legal moves of the game.

    `last_chance` is the ply of the last chance of the side that lost, or None if there is no such ply.
    """

    engine: str
    bounds: Bounds
    moves: tuple[MoveReview, ...]
    last_chance: int | None

    def sum_of(self, side: str) -> Sum:
        """Return the Sum of the moves of `side`, "A" or "B"."""
        moves = [move for move in self.moves if move.side == side and move.lost is not None]
        count = collections.Counter(move.mark for move in moves)
        given_away = count[GAVE_AWAY_WIN], count[GAVE_AWAY_DRAW]
        lost = sum(move.lost or 0.0 for move in moves)
        return Sum(len(moves), count[MISTAKE], count[BLUNDER], *given_away, lost)

    def as_json(self) -> dict[str, Any]:
        """Return the review as a JSON object for the page."""
        return {
            "engine": printable(self.engine),
            "bound": self.bounds.mistake,
            "plies": [move.as_json() for move in self.moves],
            "last_chance": self.last_chance,
            "sums": {side: self.sum_of(side).as_json() for side in "AB"},
        }


def review_game(game: ReviewedGame, engine: str, answers: Mapping[int, Answer], bounds: Bounds = USUAL) -> GameReview:
    """Return the review of a game by the engine whose name is `engine`.

    `answers` is {ply: the engine's answer on the position before the ply}.
    """
    worths = _worths(game, answers)
    last_chance = _last_chance(game, worths, bounds)
    moves = []
    for ply in range(1, game.plies + 1):
        before, after, answer = worths.get(ply), _after(game, worths, ply), answers.get(ply)
        lost, mark = None, None
        if before is not None and after is not None:
            lost = _lost_value(before, after)
            mark = _mark(before, after, lost, bounds)
        if mark is None and ply == last_chance:
            mark = LAST_CHANCE
        best, pv = (None, ()) if answer is None else (answer.best, answer.pv)
        moves.append(MoveReview(ply, game.movers[ply - 1], _played(game, ply), before, after, best, pv, lost, mark))
    return GameReview(engine, bounds, tuple(moves), last_chance)


def _played(game: ReviewedGame, ply: int) -> str:
    return str(game.record.moves[ply - 1].move)


def _worths(game: ReviewedGame, answers: Mapping[int, Answer]) -> dict[int, Worth]:
    """Return {ply: the Worth of the position before the ply, for the side to move in that position}.

    Positions without an answer are left out. If the engine has not proven a position's result, it may follow from the
    position before: the result there was proven, and either was a loss, so that every move loses, or the move played
    was the engine's best move.
    """
    worths: dict[int, Worth] = {}
    for ply in range(1, len(game.movers) + 1):
        answer, before = answers.get(ply), answers.get(ply - 1)
        if answer is None:
            continue
        proven: str | None = answer.proven
        if proven is None and before is not None and ply - 1 in worths:
            worth_before = worths[ply - 1]
            if worth_before.proven == LOSS or before.best == _played(game, ply - 1):
                proven = _worth_for(game, worth_before, ply - 1, ply).proven
        worths[ply] = Worth(answer.value, proven)
    return worths


def _worth_for(game: ReviewedGame, worth: Worth, ply: int, other: int) -> Worth:
    """Return the worth of a position for the side that moves at ply `other`.

    `worth` is the worth of the same position for the side that moves at ply `ply`.
    """
    return worth if game.movers[ply - 1] == game.movers[other - 1] else worth.to_other()


def _after(game: ReviewedGame, worths: Mapping[int, Worth], ply: int) -> Worth | None:
    """Return the worth of the position after ply `ply` for the side that made this ply, or None if it is unknown.

    If the game is over in that position, the worth follows from the rules.
    """
    mover = game.movers[ply - 1]
    if ply == game.plies and game.winner is not None:
        result = DRAW if game.winner == DRAWN else WIN if game.winner == mover else LOSS
        return Worth(VALUES[result], result)
    worth = worths.get(ply + 1)
    return None if worth is None else _worth_for(game, worth, ply + 1, ply)


def _lost_value(before: Worth, after: Worth) -> float:
    """Return the value, at least 0, that a move loses between two positions, for the side that makes it."""
    if before.proven is not None and after.proven is not None:
        return max(0.0, VALUES[before.proven] - VALUES[after.proven])
    return max(0.0, round(before.value - after.value, VALUE_DIGITS))  # without rounding 0.1 + 0.2 would be above 0.3


def _mark(before: Worth, after: Worth, lost: float, bounds: Bounds) -> str | None:
    """Return the mark of a move that loses the value `lost`, or None. LAST_CHANCE is left to review_game()."""
    if before.proven is not None and after.proven is not None:
        return None if lost == 0 else GAVE_AWAY_WIN if before.proven == WIN else GAVE_AWAY_DRAW
    if lost <= bounds.mistake:
        return None
    return BLUNDER if lost >= bounds.blunder else MISTAKE


def _last_chance(game: ReviewedGame, worths: Mapping[int, Worth], bounds: Bounds) -> int | None:
    """Return the ply of the last chance of the side that lost; see Bounds.

    Returns None if there is no such ply, or if the game was drawn, has no result or was lost by a fault.
    """
    winner = game.record.winner
    if winner is None or game.record.termination.fault is not None:
        return None
    chances = [
        ply
        for ply, worth in worths.items()
        if ply <= game.plies and game.movers[ply - 1] != winner and worth.proven != LOSS and worth.value > bounds.chance
    ]
    return max(chances, default=None)


def review_path(record_file: Path) -> Path:
    """Return the path of the review file that belongs to the record file `record_file`."""
    return record_file.with_name(record_file.name + SUFFIX)


class ReviewAnswers:
    """The answers of engines to questions about games. A question is about the position before a ply of a game.

    A game is identified by its key, and plies count from 1. A later answer to a question replaces an earlier answer.
    """

    def __init__(self, lines: Iterable[ReviewLine] = ()) -> None:
        # {engine: {key of a game: {ply: answer}}}. The engine that answered last comes last.
        self._answers: dict[Reviewer, dict[str, dict[int, Answer]]] = {}
        for line in lines:
            self.add(line)

    def add(self, line: ReviewLine) -> None:
        """Add the answer in a line of a review file."""
        games = self._answers.pop(line.engine, {})
        games.setdefault(line.moves, {})[line.ply] = line
        self._answers[line.engine] = games

    def answers(self, engine: Reviewer, key: str) -> Mapping[int, Answer]:
        """Return {ply: answer} of an engine for the game with the key `key`."""
        return self._answers.get(engine, {}).get(key, {})

    def engine_for(self, keys: Collection[str]) -> Reviewer | None:
        """Return the engine that has most answers about the games with the keys `keys`, or None if no engine has any.

        If several engines have equally many answers, the engine that answered last is returned.
        """
        counts = {
            engine: sum(len(games[key]) for key in keys if key in games)
            for engine, games in reversed(self._answers.items())
        }
        most = max(counts, key=lambda engine: counts[engine], default=None)
        return most if most is not None and counts[most] else None


def read(path: Path) -> tuple[ReviewAnswers, bool]:
    """Return (the answers in the review file `path`, whether the file's last line is torn).

    If the file does not exist, there are no answers. Raises OSError if the file cannot be read, and RecordError if it
    is damaged; see read_answers().
    """
    try:
        lines, is_torn = read_answers(path)
    except FileNotFoundError:
        return ReviewAnswers(), False
    return ReviewAnswers(lines), is_torn


def review_of(record: GameRecord, answers: ReviewAnswers) -> GameReview | None:
    """Return the review of a game, or None if `answers` has no answers about it.

    The review is by one engine, which ReviewAnswers.engine_for() chooses.
    """
    key = game_key(record)
    engine = answers.engine_for([key])
    if engine is None:
        return None
    try:
        return review_game(ReviewedGame(1, record), engine.name, answers.answers(engine, key))
    except CannotBeAsked:
        return None
