"""The games of a page that are pairs, two on one board with either side first, as `match` and `sprt` count them.

A file counts its pairs from 0: those of two files are different ones, whatever their numbers. Games that `play` put
into a file all have the number 0, and are no pairs.
"""

from collections.abc import Iterable, Sequence

from judge.pages.rows import Source
from judge.runs.schedule import is_settled
from protocol.records.record import SIDES, GameRecord, Termination

Key = tuple[int | None, str]  # a pair's number, and who moved first


def paired_games(sources: Iterable[Source]) -> list[list[GameRecord]]:
    """For each file its games that belong to pairs, in the order of its schedule; a pair may lack one of its games.

    Each game's latest record stands for it: a VOID game was played again, if it has another. One that was to be played
    again is left out, as the run that a judge left in it does.
    """
    files: dict[int, dict[Key, list[GameRecord]]] = {}
    for source in sources:
        attempts = files.setdefault(source.file, {})
        attempts.setdefault((source.record.pair, source.record.first), []).append(source.record)
    return [_paired(attempts) for attempts in files.values()]


def _paired(attempts: dict[Key, list[GameRecord]]) -> list[GameRecord]:
    games: list[GameRecord] = []
    for pair in sorted({number for number, _first in attempts if number is not None}):
        both = [attempts[pair, first] for first in SIDES if (pair, first) in attempts]
        if _is_pair(both):
            games += [records[-1] for records in both if is_settled(records[-1])]
    return games


def _is_pair(both: Sequence[Sequence[GameRecord]]) -> bool:
    """Whether all are on one board, and no game has two results."""
    boards = [(record.game, record.board) for records in both for record in records]
    is_on_one_board = all(board == boards[0] for board in boards)
    results = [sum(record.termination is not Termination.VOID for record in records) for records in both]
    return is_on_one_board and max(results) <= 1
