"""Records for pages: games of random moves with reports, of every game, and ways in which games end."""

import itertools
import random
import signal

from msgspec import structs

from judge.games import GAMES
from judge.language import as_data
from judge.play.recheck import new_position
from judge.play.seat import describe_exit
from judge.reasons import ENDED
from protocol.records.record import GameRecord, Player, Termination
from tests.judge.helpers.random_games import recorded_game

SMALL = {
    "connect_four": {"rows": 9, "cols": 10, "forbidden": [3, 4]},
    "reversi": {"size": 6, "opening": ["c2", "d2"]},
    "dots": {"rows": 3, "columns": 4, "opening": ["AAB", "BBA"]},
}

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><svg onload=alert(3)>"
CLOSING = "</script></style></title>--><!--<script>alert(4)"
ESCAPES = "\x1b[31mred\x1b[0m\x07\x00\u202egnp.exe\u2028\ud83d"
DIGITS = "9" * 64  # as many as a record may hold


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
    """What judge/games/game.py says of a position."""
    return GAMES[record.game].cells.codes(position)


def between(record, first, second, pair=0, **extra):
    """The record with its players called so."""
    players = (Player(first, first), Player(second, second))
    return structs.replace(record, players=players, pair=pair, extra={**record.extra, **extra})


def forfeited(record, plies=8, side="B", **kept):
    """The record cut off after so many plies by a crash of a side, of which `kept` is kept."""
    return structs.replace(
        record,
        moves=record.moves[:plies],
        winner={"A": "B", "B": "A"}[side],
        termination=Termination.CRASH,
        at_fault=side,
        extra={
            **record.extra,
            "reason": as_data(ENDED.format(side=side, end=describe_exit(-signal.SIGSEGV))),
            side: {"stderr_bytes": 100, "exit_status": -11, **kept},
        },
    )


def hostile(record):
    """The record with script, escapes and endless numbers wherever a record has text."""
    report = {
        "value": int(DIGITS),
        "depth": SCRIPT,
        "iterations": CLOSING,
        "proven": SCRIPT,
        "pv": [SCRIPT, int(DIGITS), {"a": [CLOSING]}],
        "__proto__": {"polluted": True},
        "constructor": 1,
        ESCAPES: DIGITS,
        SCRIPT: [int(DIGITS)],
    }
    moves = [structs.replace(move, report=report) for move in record.moves]
    players = (Player(SCRIPT + CLOSING, CLOSING, ESCAPES), Player(ESCAPES + DIGITS, DIGITS))
    extra = {"reason": f"B: {SCRIPT}{CLOSING}{ESCAPES}", "limit_s": 10**9, "id": SCRIPT}
    changed = structs.replace(record, players=players, moves=tuple(moves), started=SCRIPT, extra=extra)
    text = "\n".join([SCRIPT, CLOSING, ESCAPES, DIGITS] * 9)
    return GameRecord.from_json(forfeited(changed, stderr=text, stdout=text).to_json())


def match(pairs=12, **extra):
    """A match of one against two: random games on two sizes of boards, one of them a forfeit, one VOID."""
    records = []
    for pair in range(pairs):
        board = {"rows": 9, "cols": 9 + pair % 2, "forbidden": None}
        for first in "AB":
            record = game_of("connect_four", seed=2 * pair + (first == "B"), board=board, first=first)
            records.append(between(record, "one", "two", pair, **extra))
    records[3] = forfeited(records[3])
    records[-1] = structs.replace(records[-1], winner=None, termination=Termination.VOID)
    return records


def tournament(names=("ada", "bob", "cyd", "dee"), rounds=3, loser=None):
    """Everybody against everybody, won by chance; `loser` loses all."""
    chance = random.Random(4)
    played = game_of("connect_four")
    records = []
    for pair, (one, other) in enumerate(list(itertools.combinations(names, 2)) * rounds):
        for first in "AB":
            winner = chance.choice("AB")
            if loser in (one, other):
                winner = "B" if loser == one else "A"
            record = between(played, one, other, pair)
            records.append(structs.replace(record, first=first, winner=winner))
    return records
