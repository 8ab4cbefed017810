"""Records for pages: games of random moves with reports, of every game, and ways in which games end."""

import dataclasses

from judge.games import GAMES
from judge.play.recheck import new_position
from protocol.records.record import Player, Termination
from tests.judge.helpers.random_games import recorded_game

SMALL = {
    "connect_four": {"rows": 9, "cols": 10, "forbidden": [3, 4]},
    "reversi": {"size": 6, "opening": ["c2", "d2"]},
    "dots": {"rows": 3, "columns": 4, "opening": ["AAB", "BBA"]},
}


def report(side, ply):
    """A bot's report that goes up and down; every seventh is the guard's."""
    if ply % 7 == 0:
        return {"value": 0.0, "guard": True}
    return {"value": (ply % 10) / 10 - 0.45, "depth": ply, "iterations": 1000 * ply, "proven": None}


def game_of(game, seed=1, board=None, first="A"):
    """A game of random moves with reports."""
    return recorded_game(game, board or SMALL[game], seed=seed, first=first, report=report)


def positions(record):
    """The judge's positions of a record, from the first to the last."""
    position = new_position(record)
    yield 0, position
    for ply, move in enumerate(record.moves, start=1):
        position.play(move.move)
        yield ply, position


def codes(record, position):
    """What judge/games/cells.py says of a position."""
    return GAMES[record.game].cells.codes(position)


def between(record, first, second, pair=0, **extra):
    """The record with its players called so."""
    players = (Player(first, first), Player(second, second))
    return dataclasses.replace(record, players=players, pair=pair, extra={**record.extra, **extra})


def forfeited(record, plies=8, side="B", **kept):
    """The record cut off after so many plies by a crash of a side, of which `kept` is kept."""
    return dataclasses.replace(
        record,
        moves=record.moves[:plies],
        winner={"A": "B", "B": "A"}[side],
        termination=Termination.CRASH,
        at_fault=side,
        extra={
            **record.extra,
            "reason": f"{side} was ended by signal 11 (SIGSEGV, Segmentation fault)",
            side: {"stderr_bytes": 100, "exit_status": -11, **kept},
        },
    )
