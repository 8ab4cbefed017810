"""When a turn's clock begins and when its reply leaves, measured on real processes."""

import time

from bot_process import BotProcess, play_turns
from wire_games import WireGame

from protocol.connect_four import Opening, Turn, encode_opening, encode_turn

PROMPT_S = 0.5
SLOW_START_S = 0.9
FIRST_TURN = WireGame().opening() + WireGame().turn()


def slow_starting_bot(limit_s):
    """A bot whose interpreter is busy for SLOW_START_S before it gets to the bot's first statement."""
    program = f"import runpy, time; time.sleep({SLOW_START_S}); runpy.run_module('bot', run_name='__main__')"
    return BotProcess("--limit", limit_s, "--info", command=("-c", program))


def test_start_up_is_charged_to_the_first_move_when_the_turn_was_waiting():
    """The reply comes a soft budget of 1.5 s after the process began, not after the turn was read."""
    with slow_starting_bot(2.0) as bot:
        bot.send(FIRST_TURN)
        _, received = bot.reply()
        assert 1.35 < received - bot.started < 2.0
        assert bot.end()[:2] == (0, [])
    assert bot.info_lines()[0]["elapsed_s"] > 1.35


def test_a_second_mover_has_its_full_budget():
    """The same start, but the turn comes after it: the soft budget of 1.5 s runs from the turn's arrival."""
    game = WireGame(first=False)
    with slow_starting_bot(2.0) as bot:
        bot.send(game.opening())
        time.sleep(SLOW_START_S)
        bot.wait_until_idle()
        sent = bot.send(game.turn())
        reply, received = bot.reply()
        game.take(reply)
        assert 1.45 < received - sent < 2.0
        # The margin of the later moves is 0.4 s.
        (seconds,) = play_turns(bot, game, 1)
        assert 1.55 < seconds < 2.0
        assert bot.end()[:2] == (0, [])
    assert all(line["iterations"] > 10_000 for line in bot.info_lines())


def test_a_margin_is_left_of_the_limit():
    game = WireGame()
    with BotProcess("--limit", "1", "--margin", "0.1", "--first-margin", "0.2", "--backend", "python") as bot:
        bot.send(game.opening() + game.turn())
        reply, received = bot.reply()
        game.take(reply)
        assert 0.75 < received - bot.started < 1
        (seconds,) = play_turns(bot, game, 1)
        assert 0.87 < seconds < 1
        assert bot.end()[:2] == (0, [])


def test_a_proven_result_is_answered_at_once():
    rows = cols = 9
    board = [0] * 81
    for column in (2, 3, 4):
        board[8 * 9 + column], board[7 * 9 + column] = 2, 1
    tops = (9, 9, 7, 7, 7, 9, 9, 9, 9)
    with BotProcess("--limit", "3", "--backend", "python") as bot:
        bot.send(encode_opening(Opening(rows, cols, (0, 0)), "saiblo"))
        sent = bot.send(encode_turn(Turn((7, 4), tops, tuple(board)), "saiblo"))
        (row, column), received = bot.reply()
        assert (row, column) in ((8, 1), (8, 5))
        assert received - sent < PROMPT_S
        assert bot.end()[:2] == (0, [])
