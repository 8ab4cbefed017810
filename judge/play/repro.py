"""What a player of a recorded game was sent, byte by byte, so that its program can be run on it alone."""

from judge.games import GAMES
from judge.language import _
from judge.play.recheck import new_position
from judge.play.scoresheet import in_order
from protocol.records.record import GameRecord

WIRE = "saiblo"  # the one that every player of a record was spoken to on


class NothingAsked(Exception):
    """The player was not asked for a move at that ply. str() says which plies it was asked for."""


def questions(record: GameRecord, side: str) -> list[tuple[int, bytes]]:
    """(ply, bytes) of each time the side was asked for its move: what had been sent to it by then, all together.

    Plies count from 1. The last is the question that the side did not answer, where the game ended with it. Raises
    ValueError, IllegalMove for a record that the rules refuse.
    """
    position = new_position(record)
    wire = GAMES[record.game].wire(WIRE, position)
    player = in_order(record.first).index(side)
    sent = wire.opening(position, player)
    found: list[tuple[int, bytes]] = []
    is_own_turn = False  # the move before was the side's own
    for ply, move in enumerate(record.moves, start=1):
        if move.side == side and not (wire.has_whole_turns and is_own_turn):
            sent += wire.turn(position)
            found.append((ply, sent))
        is_own_turn = move.side == side
        wire.repeat(position, move.move, is_own=is_own_turn)
    if not position.over and position.to_move == player and not (wire.has_whole_turns and is_own_turn):
        found.append((len(record.moves) + 1, sent + wire.turn(position)))
    return found


def sent_until(record: GameRecord, side: str, ply: int | None = None) -> tuple[int, bytes]:
    """(ply, bytes): what the side had been sent when it was asked for this ply, None for the last one it was asked for.

    A side that was asked for none has ply 0, and what a player is sent before the game. Raises NothingAsked where it
    was not asked for the ply given, and as questions() does.
    """
    asked = questions(record, side)
    for number, sent in reversed(asked):
        if ply is None or number == ply:
            return number, sent
    if not asked and ply is None:
        position = new_position(record)
        opening = GAMES[record.game].wire(WIRE, position).opening(position, in_order(record.first).index(side))
        return 0, opening
    if not asked:
        raise NothingAsked(_("{side} was never asked for a move").format(side=side))
    plies = ", ".join(str(number) for number, _sent in asked)
    raise NothingAsked(_("{side} was asked for its moves at ply {plies}").format(side=side, plies=plies))
