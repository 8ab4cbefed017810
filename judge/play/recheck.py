"""A recorded game judged again from its moves alone: what in the record is not what the rules say."""

from judge.games import GAMES
from judge.games.positions import IllegalMove, Position
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


def new_position(record: GameRecord) -> Position:
    """The recorded game's first position. Raises ValueError for a game or board the rules do not know."""
    if record.game not in GAMES:
        raise ValueError(f"game is {record.game!r}, expected one of {', '.join(GAMES)}")
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
                return [f"ply {ply} is recorded as legal, but {error}"]
            if move.side != _side_of(record, mover):
                return [f"ply {ply} is recorded as {move.side}'s, but {_side_of(record, mover)} was to move"]
    except ValueError as error:
        return [str(error)]
    if record.termination is Termination.NORMAL:
        found = _normal_ending(record, position)
    elif record.termination is Termination.VOID:
        found = [] if record.winner is record.at_fault is None else ["a VOID game has no winner and no fault"]
    else:
        found = _forfeit(record, position)
    return found + _late_moves(record)


def _side_of(record: GameRecord, player: int) -> str:
    """The side, A or B, of player 0 or 1."""
    return in_order(record.first)[player]


def _normal_ending(record: GameRecord, position: Position) -> list[str]:
    if not position.over:
        return ["the game is recorded as NORMAL, but it is not over"]
    winner = None if position.winner is None else _side_of(record, position.winner)
    found: list[str] = []
    if record.winner != winner:
        found.append(f"the recorded winner is {record.winner or 'nobody'}, by the rules {winner or 'nobody'}")
    if record.at_fault is not None:
        found.append(f"{record.at_fault} is recorded at fault in a NORMAL game")
    return found


def _forfeit(record: GameRecord, position: Position) -> list[str]:
    name = record.termination.value
    if record.at_fault is None:
        return [f"nobody is recorded at fault for {name}"]
    found: list[str] = []
    if position.over:
        found.append(f"the game is recorded as {name}, but it was over before")
    expected = opponent(record.at_fault)
    if record.winner != expected:
        found.append(f"the recorded winner is {record.winner or 'nobody'}, expected {expected} after {name}")
    if record.termination in ON_THE_CLOCK and record.at_fault != _side_of(record, position.to_move):
        found.append(f"{record.at_fault} is at fault for {name}, but was not to move")
    if record.termination is Termination.STARTUP_FAILURE and record.moves:
        found.append(f"the game is recorded as {name}, but has moves")
    return found


def _late_moves(record: GameRecord) -> list[str]:
    limit_s = record.extra.get("limit_s")
    if not isinstance(limit_s, (int, float)):
        return []
    return [
        f"ply {ply} is recorded as in time, but took {move.wall_s:.3f} s of {limit_s:g} s"
        for ply, move in enumerate(record.moves, start=1)
        if move.wall_s > limit_s + _overtime_s(record, move.side, ply)
    ]


def _overtime_s(record: GameRecord, side: str, ply: int) -> float:
    """How long past the limit that ply came and counted as in time, as the record has it."""
    kept = record.extra.get(side)
    overtime = kept.get("overtime_s") if isinstance(kept, dict) else None
    over_s = overtime.get(str(ply), 0.0) if isinstance(overtime, dict) else 0.0
    return over_s + ROUNDING_S if isinstance(over_s, (int, float)) else 0.0
