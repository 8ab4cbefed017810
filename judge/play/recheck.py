"""A recorded game judged again from its moves alone: what in the record is not what the rules say."""

from typing import Any

from judge.games import GAMES
from judge.games.positions import IllegalMove, Position
from judge.language import _, shown
from judge.play.endings import ending_in_words
from judge.play.scoresheet import in_order, opponent
from protocol.records.record import GameRecord, Termination

# The side to move is at fault in these; in the others it may be either.
ON_THE_CLOCK = (
    Termination.ILLEGAL_MOVE,
    Termination.OUTPUT_LIMIT,
    Termination.TIME_FORFEIT,
    Termination.STALL,
    Termination.CRASH,
)
ROUNDING_S = 1e-5  # of times in a record
LONGEST_S = 1e9  # that a record can mean by a number of seconds


def new_position(record: GameRecord) -> Position:
    """The recorded game's first position. Raises ValueError for a game or board the rules do not know."""
    if record.game not in GAMES:
        message = _("{name} is {value!r}, expected one of {choices}")
        raise ValueError(message.format(name="game", value=record.game, choices=", ".join(GAMES)))
    game = GAMES[record.game]
    position: Position = game.new_position(game.read_board(record.board))
    return position


def disagreements(record: GameRecord) -> list[str]:
    """What the rules say differently, as sentences; [] for a sound record."""
    try:
        position = new_position(record)
        for ply, move in enumerate(record.moves, start=1):
            mover = position.to_move
            try:
                position.play(move.move)
            except IllegalMove as error:
                sentence = _("ply {ply} is recorded as legal, but {error}")
                return [sentence.format(ply=ply, error=shown(str(error)))]
            side = _side_of(record, mover)
            if move.side != side:
                sentence = _("ply {ply} is recorded as {recorded}'s, but {side} was to move")
                return [sentence.format(ply=ply, recorded=move.side, side=side)]
    except ValueError as error:
        return [shown(str(error))]
    return disagreements_at_end(record, position)


def disagreements_at_end(record: GameRecord, position: Position) -> list[str]:
    """The same of a record whose moves have been found sound: `position` is the one after them all."""
    if record.termination is Termination.NORMAL:
        found = _normal_ending(record, position)
    elif record.termination is Termination.VOID:
        found = [] if record.winner is record.at_fault is None else [_("a VOID game has no winner and no fault")]
    elif record.termination is Termination.RESIGNATION:
        found = _resignation(record, position)
    else:
        found = _forfeit(record, position)
    return found + _late_moves(record)


def _side_of(record: GameRecord, player: int) -> str:
    """The side, A or B, of player 0 or 1."""
    return in_order(record.first)[player]


def _normal_ending(record: GameRecord, position: Position) -> list[str]:
    if not position.over:
        return [_("the game is recorded as {ending}, but it is not over").format(ending=_("NORMAL"))]
    winner = None if position.winner is None else _side_of(record, position.winner)
    found: list[str] = []
    if record.winner != winner:
        sentence = _("the recorded winner is {recorded}, by the rules {winner}")
        found.append(sentence.format(recorded=record.winner or _("nobody"), winner=winner or _("nobody")))
    if record.at_fault is not None:
        found.append(_("{side} is recorded at fault in a NORMAL game").format(side=record.at_fault))
    return found


def _resignation(record: GameRecord, position: Position) -> list[str]:
    found = _over_before(record, position)
    if record.winner is None or record.at_fault is not None:
        found.append(_("a game that was resigned has a winner and no fault"))
    return found


def _over_before(record: GameRecord, position: Position) -> list[str]:
    sentence = _("the game is recorded as {ending}, but it was over before")
    return [sentence.format(ending=ending_in_words(record.termination))] if position.over else []


def _forfeit(record: GameRecord, position: Position) -> list[str]:
    name = ending_in_words(record.termination)
    if record.at_fault is None:
        return [_("nobody is recorded at fault for {ending}").format(ending=name)]
    found = _over_before(record, position)
    expected = opponent(record.at_fault)
    if record.winner != expected:
        sentence = _("the recorded winner is {recorded}, expected {winner} after {ending}")
        found.append(sentence.format(recorded=record.winner or _("nobody"), winner=expected, ending=name))
    if record.termination in ON_THE_CLOCK and record.at_fault != _side_of(record, position.to_move):
        sentence = _("{side} is at fault for {ending}, but was not to move")
        found.append(sentence.format(side=record.at_fault, ending=name))
    if record.termination is Termination.STARTUP_FAILURE and record.moves:
        found.append(_("the game is recorded as {ending}, but has moves").format(ending=name))
    return found


def _late_moves(record: GameRecord) -> list[str]:
    limit_s = recorded_limit_s(record)
    if limit_s is None:
        return []
    sentence = _("ply {ply} is recorded as in time, but took {elapsed:.3f} s of {limit:g} s")
    return [
        sentence.format(ply=ply, elapsed=move.wall_s, limit=limit_s)
        for ply, move in enumerate(record.moves, start=1)
        if move.wall_s > limit_s + _overtime_s(record, move.side, ply)
    ]


def _overtime_s(record: GameRecord, side: str, ply: int) -> float:
    """How long past the limit that ply came and counted as in time, as the record has it."""
    kept = record.extra.get(side)
    overtime = kept.get("overtime_s") if isinstance(kept, dict) else None
    over_s = _seconds(overtime.get(str(ply), 0.0)) if isinstance(overtime, dict) else 0.0
    return 0.0 if over_s is None else over_s + ROUNDING_S


def recorded_limit_s(record: GameRecord) -> float | None:
    """The limit on a move's time that the record keeps; None where it keeps none."""
    return _seconds(record.extra.get("limit_s"))


def _seconds(value: Any) -> float | None:
    """A time that a record keeps; None for anything else, such as a number of hundreds of digits."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= LONGEST_S else None
