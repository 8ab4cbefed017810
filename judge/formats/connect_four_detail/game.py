"""A match as a game that is judged again: what its messages, its end states and its scores tell of it."""

from collections.abc import Sequence

from judge.formats.connect_four_detail.match_detail import Charge, Match, Seat
from judge.formats.connect_four_detail.moves import Game
from judge.formats.logged import DRAW, Claim, LoggedGame
from judge.language import recorded
from protocol.records.record import Player, Termination

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
# Problems, as JSON keeps them.
NO_GAME = recorded("no game of two seats could be read")
NOT_TO_THE_END = recorded("the game could not be read to its end: {error}")
NO_LAST_MOVE = recorded("the last move is in no stdin: give the match's replay with --moves")
NO_SCORES = recorded("the scores are unknown")
NO_END_STATE = recorded("an end state is unknown")
NO_TIME = recorded("the time of ply {ply} is unknown")
END_STATES = recorded("Saiblo's end states are {first} and {second}")


class GameIncomplete(Exception):
    """The match does not tell all that a game needs; str() says what is missing, as a problem's text."""


def game_of(match: Match, game: Game | None) -> LoggedGame:
    """The game of a Match with its Game (None where none could be put together).

    Raises GameIncomplete. Start and end are both the moment the match was made: no other is known.
    """
    if game is None or len(match.seats) != len(SIDES):
        raise GameIncomplete(NO_GAME)
    if game.fault is not None:
        raise GameIncomplete(NOT_TO_THE_END.format(error=game.fault))
    claim = _claim(match.seats)
    columns = game.columns
    if claim.termination is Termination.NORMAL:
        if game.last is None:
            raise GameIncomplete(NO_LAST_MOVE)
        columns = game.all_columns
    opening = game.opening
    first, second = (_player(seat) for seat in match.seats)
    return LoggedGame(
        place="",
        game="connect_four",
        board={"rows": opening.rows, "cols": opening.cols, "forbidden": list(opening.forbidden)},
        moves=tuple(columns),
        claim=claim,
        first=SIDES[game.first],
        sides=tuple(SIDES[game.mover(ply)] for ply in range(len(columns))),
        players=(first, second),
        times_s=tuple(_times_s(len(columns), game, match.charges)),
        started=match.created or None,
        judge_version=f"Saiblo, logic {match.logic_version}",
        extra={"saiblo_match": match.number, "end_states": [seat.end_state for seat in match.seats]},
    )


def _player(seat: Seat) -> Player:
    version = None if seat.version is None else str(seat.version)
    return Player(f"{seat.user or '?'}/{seat.entity or '?'}", f"saiblo:{seat.code or '?'}", version)


def _claim(seats: Sequence[Seat]) -> Claim:
    """What the end states say, and where both are OK the scores."""
    faults = [number for number, seat in enumerate(seats) if seat.end_state != OK]
    words = END_STATES.format(first=seats[0].end_state, second=seats[1].end_state)
    if not faults:
        first, second = (seat.score for seat in seats)
        if first is None or second is None:
            raise GameIncomplete(NO_SCORES)
        return Claim(DRAW if first == second else SIDES[first < second], Termination.NORMAL)
    state = seats[faults[0]].end_state
    if state is None:
        raise GameIncomplete(NO_END_STATE)
    if len(faults) > 1 or state not in TERMINATIONS:
        return Claim(None, Termination.VOID, None, words)
    return Claim(SIDES[1 - faults[0]], TERMINATIONS[state], SIDES[faults[0]], words)


def _times_s(plies: int, game: Game, charges: Sequence[Charge]) -> list[float]:
    """The platform's times of the moves; a seat's k-th charge is that of its k-th move."""
    times = [[charge.time_s for charge in charges if charge.seat == seat] for seat in (0, 1)]
    found: list[float] = []
    for ply in range(plies):
        own = times[game.mover(ply)]
        time_s = own[ply // 2] if ply // 2 < len(own) else None
        if time_s is None:
            raise GameIncomplete(NO_TIME.format(ply=ply + 1))
        found.append(time_s)
    return found
