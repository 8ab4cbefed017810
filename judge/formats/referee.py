"""A logged game judged by the rules, and the record of it; what the file says otherwise is named."""

import uuid
from datetime import datetime, timezone
from typing import Any

from judge.formats.logged import DRAW, Claim, LoggedGame, Problem, named
from judge.games import GAMES
from judge.games.positions import IllegalMove, Position
from judge.language import recorded
from judge.play.recheck import ON_THE_CLOCK
from judge.play.scoresheet import RESIGNED, WON, in_order, opponent
from judge.players.players import own_version
from judge.reports import imports
from protocol.records.record import SIDES, GameRecord, Move, Player, RecordError, Termination

UNKNOWN = "unknown-{side}"  # the name of a player whom the file does not name
# Reasons and problems, as records and JSON keep them.
AS_LOGGED = recorded("as the file has it: {words}")
AS_LOGGED_ALONE = recorded("as the file has it")
UNFINISHED = recorded("the file ends before the game does")
ILLEGAL_LAST = recorded("{side} made an illegal move: {error}")
ILLEGAL = recorded("ply {ply} is not legal: {error}")
WRONG_SIDE = recorded("ply {ply} is {logged}'s by the file, but {side} was to move")
OTHER_RESULT = recorded("the file says {logged}, by the rules it is {result}")
NOT_OVER = recorded("the file says {logged}, but the game is not over and the file does not say why it ended: VOID")
FAULT_AFTER_THE_END = recorded("the file says {ending} by {side}, but by the rules the game was over")
NOT_TO_MOVE = recorded("the file says {ending} by {side}, but {other} was to move")
FAULT_AND_WIN = recorded("the file says {ending} by {side}, and that {side} has won")
NOTHING_WON = recorded("a draw")
WON_BY = recorded("a win of {side}")
VOID_BY_FILE = recorded("the file says that the game does not count")


def record_of(logged: LoggedGame, format_name: str, file_name: str) -> tuple[GameRecord | None, list[Problem]]:
    """(the record, what is wrong with the game); no record of one whose moves or board the rules refuse.

    A game that is over by the rules ended so, whatever the file says but that it does not count. One that is not over
    ended by the fault that the file tells of, else it is VOID: it does not count.
    """
    judged = _Judged(logged)
    try:
        judged.play()
    except RecordError as error:  # of a move that no record may hold
        return None, [*judged.problems, Problem(logged.place, str(error))]
    if judged.position is None or judged.is_refused:
        return None, judged.problems
    termination, winner, at_fault, reason = judged.ending(judged.position)
    imported: dict[str, Any] = {"format": format_name, "file": file_name, "place": logged.place}
    if logged.claim.words:
        imported["words"] = logged.claim.words
    if len(logged.times_s) < len(judged.moves) or None in logged.times_s:
        imported[imports.TIMES] = imports.UNKNOWN
    if logged.is_one_order:
        imported[imports.MOVES] = imports.RECONSTRUCTED
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    if logged.started is None:
        imported[imports.DATE] = imports.UNKNOWN
    try:
        record = GameRecord(
            game=logged.game,
            board=logged.board,
            players=_players(logged),
            first=logged.first,
            moves=tuple(judged.moves),
            winner=winner,
            termination=termination,
            at_fault=at_fault,
            started=logged.started or now,
            finished=logged.started or now,
            judge_version=logged.judge_version or own_version(),
            extra={**logged.extra, "id": uuid.uuid4().hex, "reason": reason, imports.KEY: imported},
        )
    except RecordError as error:
        return None, [*judged.problems, Problem(logged.place, str(error))]
    return record, judged.problems


def _players(logged: LoggedGame) -> tuple[Player, Player]:
    first, second = (
        player or named(UNKNOWN.format(side=side)) for side, player in zip("AB", logged.players, strict=True)
    )
    return first, second


class _Judged:
    """A game as far as the rules allow it."""

    def __init__(self, logged: LoggedGame) -> None:
        self.logged = logged
        self.problems: list[Problem] = []
        self.moves: list[Move] = []
        self.position: Position | None = None
        self.is_refused = False
        self._illegal: str | None = None  # why the last move is not legal, where the file says that it lost the game
        try:
            game = GAMES[logged.game]
            self.position = game.new_position(game.read_board(logged.board))
        except ValueError as error:
            self._complain(str(error))

    def play(self) -> None:
        """Play the moves; `is_refused` says that one was against the rules."""
        position, logged = self.position, self.logged
        if position is None:
            return
        for ply, move in enumerate(logged.moves, start=1):
            side = self._to_move(position)
            place = logged.move_places[ply - 1] if logged.move_places else logged.place
            if logged.sides and logged.sides[ply - 1] != side and not position.over:
                self._refuse(place, WRONG_SIDE.format(ply=ply, logged=logged.sides[ply - 1], side=side))
                return
            try:
                position.play(move)
            except IllegalMove as error:
                if ply == len(logged.moves) and not position.over and self._lost_by_illegal_move(side):
                    self._illegal = str(error)
                else:
                    self._refuse(place, ILLEGAL.format(ply=ply, error=error))
                return
            time_s = logged.times_s[ply - 1] if ply <= len(logged.times_s) else None
            self.moves.append(Move(side, move, time_s or 0.0))

    def ending(self, position: Position) -> tuple[Termination, str | None, str | None, str]:
        """(termination, winner, side at fault, reason) as the record has them."""
        claim = self.logged.claim
        if position.over and claim.termination is not Termination.VOID:
            return self._over(position, claim)
        if self._illegal is not None:
            side = self._to_move(position)
            reason = ILLEGAL_LAST.format(side=side, error=self._illegal)
            return Termination.ILLEGAL_MOVE, opponent(side), side, reason
        if claim.termination is Termination.VOID:
            return Termination.VOID, None, None, self._words(claim, VOID_BY_FILE)
        if claim.termination is Termination.RESIGNATION and claim.result in SIDES:
            return claim.termination, claim.result, None, RESIGNED.format(side=opponent(claim.result))
        if claim.termination in (None, Termination.NORMAL) or claim.at_fault is None:
            if claim.result is not None or claim.termination is not None:
                self._complain(NOT_OVER.format(logged=_result_in_words(claim.result)))
            else:
                self.problems.append(Problem(self.logged.place, UNFINISHED, is_note=True))
            return Termination.VOID, None, None, self._words(claim, UNFINISHED)
        return self._forfeit(position, claim, claim.termination, claim.at_fault)

    def _over(self, position: Position, claim: Claim) -> tuple[Termination, str | None, str | None, str]:
        winner = None if position.winner is None else in_order(self.logged.first)[position.winner]
        if claim.at_fault is not None:
            self._complain(FAULT_AFTER_THE_END.format(ending=claim.termination, side=claim.at_fault))
        elif claim.result is not None and claim.result != (winner or DRAW):
            logged, result = (_result_in_words(each) for each in (claim.result, winner or DRAW))
            self._complain(OTHER_RESULT.format(logged=logged, result=result))
        ending = GAMES[self.logged.game].ending(position)
        return Termination.NORMAL, winner, None, ending if winner is None else WON.format(side=winner, ending=ending)

    def _forfeit(
        self, position: Position, claim: Claim, ending: Termination, side: str
    ) -> tuple[Termination, str | None, str | None, str]:
        if claim.result == side:
            self._complain(FAULT_AND_WIN.format(ending=ending, side=side))
        if ending in ON_THE_CLOCK and side != self._to_move(position):
            self._complain(NOT_TO_MOVE.format(ending=ending, side=side, other=self._to_move(position)))
        return ending, opponent(side), side, self._words(claim, AS_LOGGED_ALONE)

    def _lost_by_illegal_move(self, side: str) -> bool:
        """Whether the file says, or does not exclude, that the side lost by the move that it made last."""
        claim = self.logged.claim
        if claim.termination is Termination.ILLEGAL_MOVE:
            return claim.at_fault == side
        return claim.termination is None and claim.result == opponent(side)

    def _to_move(self, position: Position) -> str:
        return in_order(self.logged.first)[position.to_move]

    @staticmethod
    def _words(claim: Claim, otherwise: str) -> str:
        return AS_LOGGED.format(words=claim.words) if claim.words else otherwise

    def _refuse(self, place: str, text: str) -> None:
        self.is_refused = True
        self.problems.append(Problem(place, text))

    def _complain(self, text: str) -> None:
        self.problems.append(Problem(self.logged.place, text))


def _result_in_words(result: str | None) -> str:
    return NOTHING_WON if result in (None, DRAW) else WON_BY.format(side=result)
