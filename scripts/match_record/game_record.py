"""A match as a record of the judge's, so that `python -m judge replay` shows it and judges it again."""

from protocol.records.record import GameRecord, Move, Player, Termination

SIDES = "AB"  # seat 0 is A, seat 1 is B
OK = "OK"
# What lost a seat the game. Other end states (UE, CANCEL, STLE) are the platform's own or unexplained.
TERMINATIONS = {
    "TLE": Termination.TIME_FORFEIT,
    "MLE": Termination.MEMORY_LIMIT,
    "OLE": Termination.OUTPUT_LIMIT,
    "IA": Termination.ILLEGAL_MOVE,
    "RE": Termination.CRASH,
    "EXIT": Termination.CRASH,
}


class RecordImpossible(Exception):
    """The match does not tell all that a record holds; str() says what is missing."""


def record_of(match, game):
    """The GameRecord of a Match with its Game (None where none could be put together).

    Raises RecordImpossible. Start and end are both the moment the match was made: no other is known.
    """
    if game is None or len(match.seats) != len(SIDES):
        raise RecordImpossible("no game of two seats could be read")
    if game.fault is not None:
        raise RecordImpossible(f"the game could not be read to its end: {game.fault}")
    termination, at_fault, winner = _ending(match.seats)
    columns = game.columns
    if termination is Termination.NORMAL:
        if game.last is None:
            raise RecordImpossible("the last move is in no stdin: give the match's replay with --moves")
        columns = game.all_columns
    created = match.created or ""
    opening = game.opening
    return GameRecord(
        game="connect_four",
        board={"rows": opening.rows, "cols": opening.cols, "forbidden": list(opening.forbidden)},
        players=[_player(seat) for seat in match.seats],
        first=SIDES[game.first],
        moves=_timed(columns, game, match.charges),
        winner=winner,
        termination=termination,
        at_fault=at_fault,
        started=created,
        finished=created,
        judge_version=f"Saiblo, logic {match.logic_version}",
        extra={
            "saiblo_match": match.number,
            "end_states": [seat.end_state for seat in match.seats],
            "reason": "as Saiblo decided",
        },
    )


def _player(seat):
    version = None if seat.version is None else str(seat.version)
    return Player(f"{seat.user or '?'}/{seat.entity or '?'}", f"saiblo:{seat.code or '?'}", version)


def _ending(seats):
    """(termination, side at fault, winner) by the end states, and where both are OK by the scores."""
    faults = [number for number, seat in enumerate(seats) if seat.end_state != OK]
    if not faults:
        scores = [seat.score for seat in seats]
        if None in scores:
            raise RecordImpossible("the scores are unknown")
        winner = None if scores[0] == scores[1] else SIDES[scores.index(max(scores))]
        return Termination.NORMAL, None, winner
    state = seats[faults[0]].end_state
    if state is None:
        raise RecordImpossible("an end state is unknown")
    if len(faults) > 1 or state not in TERMINATIONS:
        return Termination.VOID, None, None
    return TERMINATIONS[state], SIDES[faults[0]], SIDES[1 - faults[0]]


def _timed(columns, game, charges):
    """The moves with the platform's times; a seat's k-th charge is that of its k-th move."""
    times = [[charge.time_s for charge in charges if charge.seat == seat] for seat in (0, 1)]
    moves = []
    for ply, column in enumerate(columns):
        own = times[game.mover(ply)]
        time_s = own[ply // 2] if ply // 2 < len(own) else None
        if time_s is None:
            raise RecordImpossible(f"the time of ply {ply + 1} is unknown")
        moves.append(Move(SIDES[game.mover(ply)], column, time_s))
    return moves
