"""When a turn's clock begins and when its reply leaves, measured on real processes."""

import time

from bot_process import BotProcess, play_turns
from wire_games import WireGame

from protocol.connect_four import Opening, Turn, encode_opening, encode_turn

PROMPT_S = 0.5
FIRST_TURN = WireGame().opening() + WireGame().turn()


def test_start_up_is_charged_to_the_first_move_when_the_turn_was_waiting():
    """Limit 2, first margin 0.5: the reply comes 1.5 s after the process began, not after it had read the turn."""
    with BotProcess("--limit", "2", "--info") as bot:
        bot.send(FIRST_TURN)
        _, received = bot.reply()
        assert 1.35 < received - bot.started < 1.75
        assert bot.end()[:2] == (0, [])
    assert bot.info_lines()[0]["iterations"] > 10_000


def test_a_second_mover_has_its_full_budget():
    """The first turn comes long after the start: its clock runs from its arrival."""
    game = WireGame(first=False)
    with BotProcess("--limit", "1.6", "--info") as bot:
        bot.send(game.opening())
        time.sleep(1.2)
        sent = bot.send(game.turn())
        reply, received = bot.reply()
        game.take(reply)
        assert 1.15 < received - sent < 1.4
        # The later moves' margin is the same here: a quarter of the limit.
        seconds, = play_turns(bot, game, 1)
        assert 1.15 < seconds < 1.4
        assert bot.end()[:2] == (0, [])
    assert all(line["iterations"] > 10_000 for line in bot.info_lines())


def test_a_margin_is_left_of_the_limit():
    game = WireGame()
    with BotProcess("--limit", "1", "--margin", "0.1", "--first-margin", "0.2", "--engine", "plain") as bot:
        bot.send(game.opening() + game.turn())
        reply, received = bot.reply()
        game.take(reply)
        assert 0.75 < received - bot.started < 0.9
        seconds, = play_turns(bot, game, 1)
        assert 0.87 < seconds < 0.97
        assert bot.end()[:2] == (0, [])


def test_a_proven_result_is_answered_at_once():
    rows = cols = 9
    board = [0] * 81
    for column in (2, 3, 4):
        board[8 * 9 + column], board[7 * 9 + column] = 2, 1
    tops = (9, 9, 7, 7, 7, 9, 9, 9, 9)
    with BotProcess("--limit", "3", "--engine", "plain") as bot:
        bot.send(encode_opening(Opening(rows, cols, (0, 0)), "saiblo"))
        sent = bot.send(encode_turn(Turn((7, 4), tops, tuple(board)), "saiblo"))
        (row, column), received = bot.reply()
        assert (row, column) in ((8, 1), (8, 5))
        assert received - sent < PROMPT_S
        assert bot.end()[:2] == (0, [])
