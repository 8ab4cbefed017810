"""What the judge needs of a game. Each game's package makes a Game of its modules."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from rich.text import Text

from judge.games.boards import Board, BoardOption
from judge.games.cells import Cells
from judge.games.check_cases import CheckCase
from judge.games.position_words import PositionWords
from judge.games.positions import AnyMove, Position
from judge.games.written import Written

BoardT = TypeVar("BoardT", bound=Board)
PositionT = TypeVar("PositionT", bound=Position)
AskedPositionT = TypeVar("AskedPositionT", bound=Position, contravariant=True)


class Replies(Protocol):
    """What makes replies of a bot's bytes; `partial` while some have come that belong to none handed out, `unread`."""

    @property
    def partial(self) -> bool: ...

    @property
    def unread(self) -> bytes: ...

    def feed(self, data: bytes) -> None: ...

    def next_reply(self) -> object | None: ...


class Wire(Protocol[AskedPositionT]):
    """The judge's half of one bot's wire, of which Game says more. A reply is what `replies` hands out."""

    @property
    def replies(self) -> Replies: ...

    @property
    def has_whole_turns(self) -> bool: ...

    def opening(self, position: AskedPositionT, player: int) -> bytes: ...

    def turn(self, position: AskedPositionT) -> bytes: ...

    def answer(self, position: AskedPositionT, reply: Any) -> bytes | None: ...

    def game_over(self) -> bytes: ...

    def play(self, position: AskedPositionT, reply: Any) -> Iterable[AnyMove]: ...

    def repeat(self, position: AskedPositionT, move: Any, is_own: bool) -> None: ...


@dataclass(frozen=True)
class Game(Generic[BoardT, PositionT]):
    """What the judge needs of a game.

    Boards: `board_options` (boards.BoardOption) are the command line's; complete_board_options(given, for_one_game)
    turns what was given of them into the keywords that draw_board(seed, pair, **given) takes; read_board(json)
    is the board of a record. These raise ValueError for what is out of range. What a wish turns into is kept with the
    records, as JSON. A board has as_json(), as records hold it, and in_words().

    Rules: new_position(board), a position with `to_move` (0 or 1, the same twice running where a player has
    no move, or another one), `over`, `winner` (0, 1 or None), `moves`, `last`, legal_moves(), and play(move), which
    takes a move as records hold it and raises rules.IllegalMove.

    Wire: wire(name, position), a codec like ConnectFourWire. Its opening(position, player) is sent to a player, number
    0 or 1, before the game; play(position, reply) gives the moves of a reply one by one, each when it has been made:
    where a side is to move twice running, one reply may hold both. repeat(position, move, is_own) makes a move of a
    record instead, the bot's own or the other side's; `has_whole_turns` where one reply holds all moves of a side until
    the other's turn.

    Pictures: picture(position), a rich Text with the last moves and a line that has won marked, so that it can be seen
    without colours; `stones`, how it draws players 0 and 1; `cells`, the position for whoever draws it elsewhere; and
    in words move_in_words(position), the move just made, and ending(position), what the winner has or why it is a draw.

    Checks: `check_cases`, what `judge check` puts a player through; `most_turns`, a player's turns in the longest game.

    Console: read_move(text), a typed move as records hold it (ValueError says what is expected); worth(position,
    player), an int that says at a glance how a player stands, None where the game has no such measure.

    Files: `written`, how people write its boards and moves down. Our bot: `position_words`, how it is asked about one.
    """

    board_options: tuple[BoardOption, ...]
    complete_board_options: Callable[[dict[str, Any], bool], dict[str, Any]]
    draw_board: Callable[..., BoardT]
    read_board: Callable[[dict[str, Any]], BoardT]
    new_position: Callable[[BoardT], PositionT]
    wire: Callable[[str, PositionT], Wire[PositionT]]
    picture: Callable[[PositionT], Text]
    cells: Cells[PositionT]
    stones: tuple[str, str]
    move_in_words: Callable[[PositionT], str]
    ending: Callable[[PositionT], str]
    read_move: Callable[[str], AnyMove]
    worth: Callable[[PositionT, int], int | None]
    written: Written
    position_words: PositionWords[BoardT]
    check_cases: tuple[CheckCase, ...]
    most_turns: int


AnyGame = Game[Any, Any]  # a name of the command line or a record tells which
AnyWire = Wire[Any]
