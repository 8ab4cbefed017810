"""The game of dots and boxes, as the judge has it."""

from judge.games.dots import board, checks
from judge.games.dots.board import ANALYSIS_INPUT, NOTATION
from judge.games.dots.rules import Dots
from judge.games.dots.wire import DotsWire
from judge.games.game import Game
from judge.language import marked

GAME = Game[board.Board, Dots](
    title=marked("点格棋 (dots and boxes)"),
    board_options=board.OPTIONS,
    complete_board_options=board.complete_board_options,
    draw_board=board.draw_board,
    read_board=board.read_board,
    new_position=lambda start: Dots(start.rows, start.columns, start.opening),
    wire=DotsWire,
    rendering=board.rendering,
    cells=board.CELLS,
    stones=board.OWNERS,
    move_in_words=board.move_in_words,
    ending=board.ending,
    read_move=board.read_move,
    worth=board.worth,
    notation=NOTATION,
    analysis_input=ANALYSIS_INPUT,
    check_cases=checks.CASES,
    most_turns=checks.MOST_TURNS,
    on_pages=board.ON_PAGES,
)
