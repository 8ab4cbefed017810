"""The games the judge knows: for each its rules, its wire and its picture, under one name."""

from collections.abc import Callable
from dataclasses import dataclass

from judge.connect_four_picture import STONES, picture
from judge.connect_four_wire import ConnectFourWire
from judge.rules.connect_four import ConnectFour


@dataclass(frozen=True)
class Game:
    """What the referee needs of a game.

    `new_position(board)` gives a position with `to_move`, `over`, `winner` and `play(move)` (which
    raises rules.IllegalMove); `wire(name)` a codec like ConnectFourWire; `picture(position)` a rich
    renderable. `stones` are how it draws players 0 and 1; `win` and `draw` put the two kinds of ending
    in words.
    """

    new_position: Callable
    wire: Callable
    picture: Callable
    stones: tuple
    win: str
    draw: str


GAMES = {
    "connect_four": Game(
        new_position=lambda board: ConnectFour(board.rows, board.cols, board.forbidden),
        wire=ConnectFourWire,
        picture=picture,
        stones=STONES,
        win="has four in a line",
        draw="the board is full",
    ),
}
