"""The game of reversi, as the judge has it."""

from judge.games.game import Game
from judge.games.reversi import board, checks
from judge.games.reversi.board import ANALYSIS_INPUT, NOTATION
from judge.games.reversi.rules import Reversi
from judge.games.reversi.wire import ReversiWire
from judge.language import marked

GAME = Game[board.Board, Reversi](
    title=marked("黑白棋 (reversi)"),
    board_options=board.OPTIONS,
    complete_board_options=board.complete_board_options,
    draw_board=board.draw_board,
    read_board=board.read_board,
    new_position=lambda start: Reversi(start.size, start.opening),
    wire=ReversiWire,
    rendering=board.rendering,
    cells=board.CELLS,
    stones=board.DISCS,
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
