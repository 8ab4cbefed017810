"""The answers that stand beside a record file: whose they are, of which game, and what they make of it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from judge.review.games import CannotBeAsked, ReviewedGame
from judge.review.marks import GameReview, reviewed
from protocol.records.record import GameRecord
from protocol.records.review import Answer, Reviewer, ReviewLine, game_key, read_answers

SUFFIX = ".review.jsonl"  # behind the record file's whole name


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
