"""Dots and boxes."""

from judge.games.dots import board, cells, checks, picture
from judge.games.dots.position_words import POSITION_WORDS
from judge.games.dots.rules import Dots
from judge.games.dots.wire import DotsWire
from judge.games.dots.written import WRITTEN
from judge.games.game import Game

GAME = Game[board.Board, Dots](
    board_options=board.OPTIONS,
    complete_board_options=board.complete_board_options,
    draw_board=board.draw_board,
    read_board=board.read_board,
    new_position=lambda start: Dots(start.rows, start.columns, start.opening),
    wire=DotsWire,
    picture=picture.picture,
    cells=cells.CELLS,
    stones=picture.OWNERS,
    move_in_words=picture.move_in_words,
    ending=picture.ending,
    read_move=picture.read_move,
    worth=picture.worth,
    written=WRITTEN,
    position_words=POSITION_WORDS,
    check_cases=checks.CASES,
    most_turns=checks.MOST_TURNS,
)
