"""When a turn's clock begins and how long the bot thinks, with real processes; to the instant: test_guard_logic.py."""

import time

from protocol.games.connect_four import Opening, Turn, encode_opening, encode_turn
from tests.bot.games.connect_four.helpers.wire_games import WireGame
from tests.bot.helpers.bot_process import BotProcess, play_turns

SLOW_START_S = 0.6
# Far less than a turn of 30 s, far more than a full machine needs for a proof of a few plies.
SOON_S = 15.0


def test_start_up_is_charged_to_the_first_move_when_the_turn_was_waiting():
    """All of a limit that the slow start has used up is gone: the guard answers as soon as it can."""
    program = f"import runpy, time; time.sleep({SLOW_START_S}); runpy.run_module('bot', run_name='__main__')"
    with BotProcess("--limit", SLOW_START_S / 2, "--info", command=("-c", program)) as bot:
        bot.send(WireGame().opening() + WireGame().turn())
        bot.reply()
        assert bot.end()[:2] == (0, [])
    assert bot.info_lines()[0]["elapsed_s"] > SLOW_START_S


def test_the_time_is_used_but_for_a_margin():
    game = WireGame()
    with BotProcess("--limit", 1, "--margin", 0.1, "--backend", "python", "--info") as bot:
        bot.send(game.opening())
        play_turns(bot, game, 1)
        began = time.monotonic()
        play_turns(bot, game, 1)
        assert time.monotonic() - began > 0.85
        assert bot.end()[:2] == (0, [])
    assert bot.info_lines()[1]["elapsed_s"] > 0.88


def test_a_proven_result_is_answered_at_once():
    rows = cols = 9
    board = [0] * 81
    for column in (2, 3, 4):
        board[8 * 9 + column], board[7 * 9 + column] = 2, 1
    tops = (9, 9, 7, 7, 7, 9, 9, 9, 9)
    with BotProcess("--limit", 30, "--backend", "python") as bot:
        bot.send(encode_opening(Opening(rows, cols, (0, 0)), "saiblo"))
        sent = bot.send(encode_turn(Turn((7, 4), tops, tuple(board)), "saiblo"))
        (row, column), received = bot.reply()
        assert (row, column) in ((8, 1), (8, 5))
        assert received - sent < SOON_S
        assert bot.end()[:2] == (0, [])
