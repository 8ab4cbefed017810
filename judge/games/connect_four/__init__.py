"""Connect four with gravity and a forbidden cell."""

from judge.games.connect_four import board, cells, checks, picture
from judge.games.connect_four.position_words import POSITION_WORDS
from judge.games.connect_four.rules import ConnectFour
from judge.games.connect_four.wire import ConnectFourWire
from judge.games.connect_four.written import WRITTEN
from judge.games.game import Game

GAME = Game[board.Board, ConnectFour](
    board_options=board.OPTIONS,
    complete_board_options=board.complete_board_options,
    draw_board=board.draw_board,
    read_board=board.read_board,
    new_position=lambda start: ConnectFour(start.rows, start.cols, start.forbidden),
    wire=ConnectFourWire,
    picture=picture.picture,
    cells=cells.CELLS,
    stones=picture.STONES,
    move_in_words=picture.move_in_words,
    ending=picture.ending,
    read_move=picture.read_move,
    worth=lambda position, player: None,
    written=WRITTEN,
    position_words=POSITION_WORDS,
    check_cases=checks.CASES,
    most_turns=checks.MOST_TURNS,
)
