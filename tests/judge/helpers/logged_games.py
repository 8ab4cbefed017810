"""Records with any ending, files in every format, and what import makes of them."""

import random

from hypothesis import strategies as st
from msgspec import structs

from judge.formats.reading import Source, record_of
from judge.formats.registry import FORMATS, format_of
from judge.games import GAMES
from judge.games.boards import number_below
from judge.play.scoresheet import in_order, opponent
from protocol.records.record import GameRecord, Move, Player, Termination

ON_MOVE = (Termination.TIME_FORFEIT, Termination.ILLEGAL_MOVE, Termination.CRASH)
BOARD_OPTIONS = {
    "connect_four": {},
    "reversi": {"size": 8, "opening_plies": 0},
    "dots": {"size": "4x3", "opening_plies": 4},
}


def any_record(game, seed, plies=None, termination=None, first="A", names=("one", "two")):
    """A record of random legal moves on a board drawn from the seed: to its end, or so many plies.

    One that stops early ended by `termination`, a fault of the side to move, or its resignation; VOID without one.
    """
    generator = random.Random(seed)
    board = GAMES[game].draw_board(number_below(2**31, "logged", seed), 0, **BOARD_OPTIONS[game])
    position = GAMES[game].new_position(board)
    moves = []
    while not position.over and (plies is None or len(moves) < plies):
        side = in_order(first)[position.to_move]
        move = generator.choice(position.legal_moves())
        position.play(move)
        moves.append(Move(side, move, 0.0))
    winner = at_fault = None
    if position.over:
        termination = Termination.NORMAL
        winner = None if position.winner is None else in_order(first)[position.winner]
    elif termination is None:
        termination = Termination.VOID
    else:
        to_move = in_order(first)[position.to_move]
        at_fault = None if termination is Termination.RESIGNATION else to_move
        winner = opponent(to_move)
    return GameRecord(
        game=game,
        board=board.as_json(),
        players=tuple(Player(name, f"imported:{name}") for name in names),
        first=first,
        moves=tuple(moves),
        winner=winner,
        termination=termination,
        at_fault=at_fault,
        started="2026-01-01T00:00:00.000+00:00",
        finished="2026-01-01T00:01:00.000+00:00",
        judge_version="test",
        extra={"limit_s": 3.0, "reason": "for some reason"},
    )


def records(game, **others):
    """A hypothesis strategy of such records."""
    return st.builds(
        any_record,
        st.just(game),
        st.integers(0, 2**32),
        plies=st.none() | st.integers(0, 30),
        termination=st.none() | st.sampled_from((*ON_MOVE, Termination.RESIGNATION)),
        first=st.sampled_from("AB"),
        **others,
    )


def imported(text, format_name=None):
    """(records, problems that are no notes, the format's name) of a file's content, text or bytes."""
    source = Source(text if isinstance(text, bytes) else text.encode())
    found = FORMATS[format_name] if format_name else format_of(source)
    reading = found.read(source)
    games, problems = [], list(reading.problems)
    for game in reading.games:
        record, more = (game, []) if isinstance(game, GameRecord) else record_of(game, found.name, "file")
        problems += more
        games += [] if record is None else [record]
    return games, [problem for problem in problems if not problem.is_note], found.name


def outcome(record):
    """What two records of one game share, whoever is called A: player numbers in place of sides."""
    number = {side: player for player, side in enumerate(in_order(record.first))}
    return (
        record.game,
        record.board,
        [(number[move.side], move.move) for move in record.moves],
        number.get(record.winner),
        record.termination,
        number.get(record.at_fault),
    )


def without_extra(record):
    """The record without what differs between a game and its import by nature: times, dates and the judge's notes."""
    return structs.replace(record, extra={}, started="", finished="", judge_version="", seed=None, pair=None)
