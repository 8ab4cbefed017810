"""Which position our bot is asked about, in the words of `bot analyze`, whatever the game."""

from collections.abc import Mapping, Sequence
from typing import Any

from judge.games import GAMES
from judge.games.game import AnyGame, Words
from judge.games.positions import AnyMove
from judge.language import _

PLAYERS = (0, 1)


def words_of(game: str, board: Mapping[str, Any], moves: Sequence[AnyMove]) -> Words:
    """(options, stdin) for the position that the moves of a record lead to from its board, both as the record has them.

    Raises ValueError for a game or board that the rules do not know; what is wrong with the moves is for the bot to
    say.
    """
    played = _game(game)
    return played.analysis_input.after_moves(played.read_board(dict(board)), moves)


def words_of_cells(game: str, size: tuple[int, int], codes: str, mover: int) -> Words:
    """(options, stdin) for the position of so many (rows, columns) with these characters (judge/games/cells.py).

    mover: player 0 or 1. Raises ValueError for what cannot be drawn; whether the rules know such a position is for the
    bot to say.
    """
    if mover not in PLAYERS:
        message = _("{name} is {value!r}, expected one of {choices}")
        raise ValueError(message.format(name="mover", value=mover, choices=", ".join(map(str, PLAYERS))))
    return _game(game).analysis_input.of_cells(size, codes, mover)


def _game(name: str) -> AnyGame:
    if name not in GAMES:
        message = _("{name} is {value!r}, expected one of {choices}")
        raise ValueError(message.format(name="game", value=name, choices=", ".join(GAMES)))
    return GAMES[name]
