"""Rechecks a recorded game: replays its moves and reports where the record disagrees with the rules.

Also rebuilds from a record the bytes that a player was sent, so that its program can be run on these bytes.
"""

from judge.games import GAMES
from judge.games.positions import IllegalMove, Position
from judge.language import _, shown
from judge.play.scoresheet import ending_in_words, in_order, opponent
from protocol.records.record import GameRecord, Termination

ROUNDING_S = 1e-5  # tolerance for times that a record rounds
WIRE = "saiblo"  # the wire of every recorded player


def new_position(record: GameRecord) -> Position:
    """Return the recorded game's first position. Raises ValueError for an unknown game or an invalid board."""
    if record.game not in GAMES:
        message = _("the record is of the unknown game {value!r}, expected one of {choices}")
        raise ValueError(message.format(value=record.game, choices=", ".join(GAMES)))
    game = GAMES[record.game]
    position: Position = game.new_position(game.read_board(record.board))
    return position


def disagreements(record: GameRecord) -> list[str]:
    """Return a sentence for each point in which a record disagrees with the rules; [] for a sound record.

    The check ends with the first move that disagrees, as the rest of the game cannot be judged without it.
    """
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
    """Return a sentence for each point in which the ending or the times of a record disagree with the rules.

    Precondition: the record's moves are sound. `position` is the position after them.
    """
    if record.termination is Termination.NORMAL:
        sentences = _normal_ending(record, position)
    elif not record.termination.counts:
        is_sound = record.winner is record.at_fault is None
        sentences = [] if is_sound else [_("the game is VOID, but the record names a winner or a side at fault")]
    elif record.termination is Termination.RESIGNATION:
        sentences = _resignation(record, position)
    else:
        sentences = _forfeit(record, position)
    return sentences + _late_moves(record)


def _side_of(record: GameRecord, player: int) -> str:
    """Return the side, A or B, of player 0 or 1."""
    return in_order(record.first)[player]


def _normal_ending(record: GameRecord, position: Position) -> list[str]:
    """Return a sentence for each point in which the record of a NORMAL game disagrees with the rules."""
    if not position.over:
        ending = ending_in_words(record.termination)
        return [_("the game is recorded as {ending}, but it is not over").format(ending=ending)]
    winner = None if position.winner is None else _side_of(record, position.winner)
    sentences: list[str] = []
    if record.winner != winner:
        nobody = _("nobody (a draw)")
        sentence = _("the recorded winner is {recorded}, but by the rules it is {winner}")
        sentences.append(sentence.format(recorded=record.winner or nobody, winner=winner or nobody))
    if record.at_fault is not None:
        sentences.append(_("{side} is recorded at fault in a NORMAL game").format(side=record.at_fault))
    return sentences


def _resignation(record: GameRecord, position: Position) -> list[str]:
    """Return a sentence for each point in which the record of a resigned game disagrees with the rules."""
    sentences = _over_before(record, position)
    if record.winner is None or record.at_fault is not None:
        sentences.append(_("the game was resigned, but the record names no winner or names a side at fault"))
    return sentences


def _over_before(record: GameRecord, position: Position) -> list[str]:
    """Return a sentence if the game was over on the board although it is recorded as ended in another way, else []."""
    sentence = _("the game is recorded as {ending}, but it was over on the board before")
    return [sentence.format(ending=ending_in_words(record.termination))] if position.over else []


def _forfeit(record: GameRecord, position: Position) -> list[str]:
    """Return a sentence for each point in which the record of a game lost by a fault disagrees with the rules."""
    name = ending_in_words(record.termination)
    if record.at_fault is None:
        return [_("the record names no side at fault for {ending}").format(ending=name)]
    sentences = _over_before(record, position)
    expected = opponent(record.at_fault)
    if record.winner != expected:
        sentence = _("the recorded winner is {recorded}, expected {winner} after {ending}")
        sentences.append(sentence.format(recorded=record.winner or _("nobody (a draw)"), winner=expected, ending=name))
    if record.termination.is_by_mover and record.at_fault != _side_of(record, position.to_move):
        sentence = _("{side} is recorded at fault for {ending}, but was not to move")
        sentences.append(sentence.format(side=record.at_fault, ending=name))
    if record.termination is Termination.STARTUP_FAILURE and any(move.side == record.at_fault for move in record.moves):
        sentence = _("{side} is recorded at fault for {ending}, but has made moves")
        sentences.append(sentence.format(side=record.at_fault, ending=name))
    return sentences


def _late_moves(record: GameRecord) -> list[str]:
    """Return a sentence for each recorded move that took longer than the limit, [] if the record has no limit."""
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
    """Return by how many seconds the reply at this ply may exceed the limit.

    This is the overtime that the record states for the ply of this side, plus a tolerance for rounding.
    """
    return record.kept(side).get("overtime_s", {}).get(str(ply), 0.0) + ROUNDING_S


def recorded_limit_s(record: GameRecord) -> float | None:
    """Return the recorded limit in seconds per move; None if the record has none."""
    limit_s = record.extra.get("limit_s")
    return None if limit_s is None else float(limit_s)


class NothingAsked(Exception):
    """The player was not asked for a move at the given ply. str() says at which plies it was asked."""


def questions(record: GameRecord, side: str) -> list[tuple[int, bytes]]:
    """Return (ply, bytes) for each time that the side was asked for a move.

    The bytes are all that was sent to the side up to and including that question. Plies count from 1. If the game ended
    before the side answered a question, that question is the last. Raises ValueError or IllegalMove for a record that
    the rules refuse.
    """
    position = new_position(record)
    wire = GAMES[record.game].wire(WIRE, position)
    player = in_order(record.first).index(side)
    sent = wire.opening(position, player)
    asked: list[tuple[int, bytes]] = []
    is_own_turn = False  # whether the previous move was the side's own
    for ply, move in enumerate(record.moves, start=1):
        # A wire that has whole turns asks once for all moves of a turn.
        if move.side == side and not (wire.has_whole_turns and is_own_turn):
            sent += wire.turn(position)
            asked.append((ply, sent))
        is_own_turn = move.side == side
        wire.repeat(position, move.move, is_own=is_own_turn)
    if not position.over and position.to_move == player and not (wire.has_whole_turns and is_own_turn):
        asked.append((len(record.moves) + 1, sent + wire.turn(position)))
    return asked


def sent_until(record: GameRecord, side: str, ply: int | None = None) -> tuple[int, bytes]:
    """Return (ply, bytes): all bytes sent to the side up to and including the question for this ply.

    A `ply` of None stands for the side's last question. If the side was never asked, the result for None is 0 and the
    opening message. Raises NothingAsked if the side was not asked for the given ply, ValueError or IllegalMove for a
    record that the rules refuse.
    """
    asked = questions(record, side)
    for asked_ply, sent in reversed(asked):
        if ply in (None, asked_ply):
            return asked_ply, sent
    if not asked and ply is None:
        position = new_position(record)
        opening = GAMES[record.game].wire(WIRE, position).opening(position, in_order(record.first).index(side))
        return 0, opening
    if not asked:
        raise NothingAsked(_("{side} was never asked for a move").format(side=side))
    plies = ", ".join(str(asked_ply) for asked_ply, _bytes in asked)
    message = _("{side} was asked for a move only at ply {plies}: choose one of these plies")
    raise NothingAsked(message.format(side=side, plies=plies))
