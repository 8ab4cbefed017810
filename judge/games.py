"""The games the judge knows: for each its boards, its rules, its wire and its pictures, under one name.

What `judge check` does for a game stands in judge/<name>_checks.py: it needs the referee, and that this table.
"""

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from judge import (
    connect_four_boards,
    connect_four_picture,
    dots_boards,
    dots_picture,
    reversi_boards,
    reversi_picture,
)
from judge.boards import Board, BoardOption
from judge.connect_four_wire import ConnectFourWire
from judge.dots_wire import DotsWire
from judge.reversi_wire import ReversiWire
from judge.rules import AnyMove, Position
from judge.rules.connect_four import ConnectFour
from judge.rules.dots import Dots
from judge.rules.reversi import Reversi

if TYPE_CHECKING:
    from rich.console import RenderableType

    from judge.check_runs import Check

DEFAULT_GAME = "connect_four"  # the course's libraries, Compete and this bot's older revisions know no other

BoardT = TypeVar("BoardT", bound=Board)
PositionT = TypeVar("PositionT", bound=Position)
AskedPositionT = TypeVar("AskedPositionT", bound=Position, contravariant=True)


class Replies(Protocol):
    """What makes replies of a bot's bytes; `partial` while some have come that belong to none handed out."""

    @property
    def partial(self) -> bool: ...

    def feed(self, data: bytes) -> None: ...

    def next_reply(self) -> object | None: ...


class Wire(Protocol[AskedPositionT]):
    """The judge's half of one bot's wire, of which Game says more. A reply is what `replies` hands out."""

    @property
    def replies(self) -> Replies: ...

    def opening(self, position: AskedPositionT, player: int) -> bytes: ...

    def turn(self, position: AskedPositionT) -> bytes: ...

    def answer(self, position: AskedPositionT, reply: Any) -> bytes | None: ...

    def game_over(self) -> bytes: ...

    def play(self, position: AskedPositionT, reply: Any) -> Iterable[AnyMove]: ...


class Checks(Protocol):
    """A game's part of `judge check`: its trials with their names, and a player's turns in the longest game."""

    RUNS: "tuple[tuple[str, Check], ...]"
    MOST_TURNS: int


@dataclass(frozen=True)
class Game(Generic[BoardT, PositionT]):
    """What the judge needs of a game.

    Boards: `board_options` (boards.BoardOption) are the command line's; complete_wishes(wishes, for_one_game)
    turns what was given of them into the keywords that draw_board(seed, pair, **wishes) takes; read_board(json)
    is the board of a record. These raise ValueError for what is out of range. What a wish turns into is kept with the
    records, as JSON. A board has as_json(), as records hold it, and in_words().

    Rules: new_position(board), a position with `to_move` (0 or 1, the same twice running where a player has
    no move, or another one), `over`, `winner` (0, 1 or None), `moves`, `last`, legal_moves(), and play(move), which
    takes a move as records hold it and raises rules.IllegalMove.

    Wire: wire(name, position), a codec like ConnectFourWire. Its opening(position, player) is sent to a player, number
    0 or 1, before the game; play(position, reply) gives the moves of a reply one by one, each when it has been made:
    where a side is to move twice running, one reply may hold both.

    Pictures: picture(position), a rich renderable; `stones`, how it draws players 0 and 1; and in words
    move_in_words(position), the move just made, and ending(position), what the winner has or why it is a draw.

    Console: read_move(text), a typed move as records hold it (ValueError says what is expected); worth(position,
    player), an int that says at a glance how a player stands, None where the game has no such measure.
    """

    board_options: tuple[BoardOption, ...]
    complete_wishes: Callable[[dict[str, Any], bool], dict[str, Any]]
    draw_board: Callable[..., BoardT]
    read_board: Callable[[dict[str, Any]], BoardT]
    new_position: Callable[[BoardT], PositionT]
    wire: Callable[[str, PositionT], Wire[PositionT]]
    picture: "Callable[[PositionT], RenderableType]"
    stones: tuple[str, str]
    move_in_words: Callable[[PositionT], str]
    ending: Callable[[PositionT], str]
    read_move: Callable[[str], AnyMove]
    worth: Callable[[PositionT, int], int | None]


AnyGame = Game[Any, Any]  # a name of the command line or a record tells which
AnyWire = Wire[Any]

GAMES: dict[str, AnyGame] = {
    "connect_four": Game[connect_four_boards.Board, ConnectFour](
        board_options=connect_four_boards.OPTIONS,
        complete_wishes=connect_four_boards.complete_wishes,
        draw_board=connect_four_boards.draw_board,
        read_board=connect_four_boards.read_board,
        new_position=lambda board: ConnectFour(board.rows, board.cols, board.forbidden),
        wire=ConnectFourWire,
        picture=connect_four_picture.picture,
        stones=connect_four_picture.STONES,
        move_in_words=connect_four_picture.move_in_words,
        ending=connect_four_picture.ending,
        read_move=connect_four_picture.read_move,
        worth=lambda position, player: None,
    ),
    "reversi": Game[reversi_boards.Board, Reversi](
        board_options=reversi_boards.OPTIONS,
        complete_wishes=reversi_boards.complete_wishes,
        draw_board=reversi_boards.draw_board,
        read_board=reversi_boards.read_board,
        new_position=lambda board: Reversi(board.size, board.opening),
        wire=ReversiWire,
        picture=reversi_picture.picture,
        stones=reversi_picture.DISCS,
        move_in_words=reversi_picture.move_in_words,
        ending=reversi_picture.ending,
        read_move=reversi_picture.read_move,
        worth=reversi_picture.worth,
    ),
    "dots": Game[dots_boards.Board, Dots](
        board_options=dots_boards.OPTIONS,
        complete_wishes=dots_boards.complete_wishes,
        draw_board=dots_boards.draw_board,
        read_board=dots_boards.read_board,
        new_position=lambda board: Dots(board.rows, board.columns, board.opening),
        wire=DotsWire,
        picture=dots_picture.picture,
        stones=dots_picture.OWNERS,
        move_in_words=dots_picture.move_in_words,
        ending=dots_picture.ending,
        read_move=dots_picture.read_move,
        worth=dots_picture.worth,
    ),
}


def checks_of(name: str) -> Checks:
    """The module of this game's part of `judge check`."""
    return cast(Checks, importlib.import_module(f"judge.{name}_checks"))
