"""The game of connect four with gravity and a forbidden cell, as the judge has it."""

from judge.games.connect_four import board, checks
from judge.games.connect_four.board import ANALYSIS_INPUT, NOTATION
from judge.games.connect_four.rules import ConnectFour
from judge.games.connect_four.wire import ConnectFourWire
from judge.games.game import Game
from judge.language import marked

GAME = Game[board.Board, ConnectFour](
    title=marked("四子棋 (connect four with gravity)"),
    board_options=board.OPTIONS,
    complete_board_options=board.complete_board_options,
    draw_board=board.draw_board,
    read_board=board.read_board,
    new_position=lambda start: ConnectFour(start.rows, start.cols, start.forbidden),
    wire=ConnectFourWire,
    rendering=board.rendering,
    cells=board.CELLS,
    stones=board.STONES,
    move_in_words=board.move_in_words,
    ending=board.ending,
    read_move=board.read_move,
    worth=lambda position, player: None,
    notation=NOTATION,
    analysis_input=ANALYSIS_INPUT,
    check_cases=checks.CASES,
    most_turns=checks.MOST_TURNS,
    on_pages=board.ON_PAGES,
)
