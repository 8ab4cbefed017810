"""Reversi."""

from judge.games.game import Game
from judge.games.reversi import board, cells, checks, picture
from judge.games.reversi.position_words import POSITION_WORDS
from judge.games.reversi.rules import Reversi
from judge.games.reversi.wire import ReversiWire
from judge.games.reversi.written import WRITTEN

GAME = Game[board.Board, Reversi](
    board_options=board.OPTIONS,
    complete_board_options=board.complete_board_options,
    draw_board=board.draw_board,
    read_board=board.read_board,
    new_position=lambda start: Reversi(start.size, start.opening),
    wire=ReversiWire,
    picture=picture.picture,
    cells=cells.CELLS,
    stones=picture.DISCS,
    move_in_words=picture.move_in_words,
    ending=picture.ending,
    read_move=picture.read_move,
    worth=picture.worth,
    written=WRITTEN,
    position_words=POSITION_WORDS,
    check_cases=checks.CASES,
    most_turns=checks.MOST_TURNS,
)
