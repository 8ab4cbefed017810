"""Records of games made of random legal moves: no process plays them, so they are there at once."""

import random

from judge.games import GAMES
from judge.play.scoresheet import in_order
from protocol.records.record import GameRecord, Move, Player, Termination

LARGEST = {
    "connect_four": {"rows": 12, "cols": 12, "forbidden": [5, 7]},
    "reversi": {"size": 10, "opening": []},
    "dots": {"rows": 7, "columns": 7, "opening": []},
}


def recorded_game(game, board=None, seed=1, first="A", report=lambda side, ply: None):
    """The record of a game to its end, on the largest board unless told otherwise.

    report: from the side and the number of the ply, from 1, to a bot's report on that move.
    """
    generator = random.Random(seed)
    board = board or LARGEST[game]
    position = GAMES[game].new_position(GAMES[game].read_board(board))
    moves = []
    while not position.over:
        side = in_order(first)[position.to_move]
        move = generator.choice(position.legal_moves())
        position.play(move)
        moves.append(Move(side, move, 0.25, 0.125, report(side, len(moves) + 1)))
    winner = None if position.winner is None else in_order(first)[position.winner]
    ending = GAMES[game].ending(position)
    return GameRecord(
        game=game,
        board=board,
        players=(Player("one", "one", "1.0"), Player("two", "two")),
        first=first,
        moves=tuple(moves),
        winner=winner,
        termination=Termination.NORMAL,
        at_fault=None,
        started="2024-02-29T12:00:00.000+00:00",
        finished="2024-02-29T12:01:00.000+00:00",
        judge_version="test",
        seed=seed,
        pair=0,
        extra={"index": 0, "limit_s": 3.0, "reason": ending if winner is None else f"{winner} {ending}"},
    )
