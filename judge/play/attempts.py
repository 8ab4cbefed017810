"""How often a game is played: one that the machine or the judge spoilt (VOID) is played again at once.

A game has a series of four attempts at most: itself, and three times again on its board, side and seeds. A series
that a stopped judge left is gone on with; one that is used up is followed by another only where a run is resumed that
plays its VOID games again. The record of an attempt says which it was, from 1 over all series.
"""

import dataclasses

from protocol.records.record import GameRecord, Termination

AGAIN = 3  # times at most that a VOID game is played again
MOST_ATTEMPTS = 1 + AGAIN
KEY = "attempt"  # of GameRecord.extra


def attempts_made(record: GameRecord | None) -> int:
    """How many attempts there were by this record, a game's latest; 0 without one, or where it is too old to say."""
    number = None if record is None else record.extra.get(KEY)
    return number if type(number) is int and number > 0 else 0


def attempts_left(made: int) -> int:
    """How many more may be made after so many: those of the series begun, else of a new one."""
    return MOST_ATTEMPTS - made % MOST_ATTEMPTS


def is_settled(record: GameRecord) -> bool:
    """False for a VOID game that is to be played again: its series is not used up."""
    return record.termination is not Termination.VOID or attempts_made(record) % MOST_ATTEMPTS == 0


def numbered(record: GameRecord, attempt: int) -> GameRecord:
    """The record with the number of its attempt."""
    return dataclasses.replace(record, extra={**record.extra, KEY: attempt})
