"""A bot at reversi as a process and where it has to pass; shell/test_whole_games.py has whole games."""

import random

import pytest

from judge.games.reversi.rules import Reversi
from protocol.botzone import Requests
from protocol.games.reversi import botzone
from tests.bot.games.reversi.helpers.wire_games import BOTZONE, ReversiGame, reply_decoder
from tests.bot.helpers.bot_here import run_bot_here
from tests.bot.helpers.bot_process import QUICK_BOT, BotProcess
from tests.bot.helpers.whole_games import played


def history_that_ends_before_a_pass():
    """Requests to a side that has to pass, from a random game."""
    for seed in range(100):
        generator, rules, moves, mover = random.Random(seed), Reversi(8), [], 0
        while not rules.over:
            if rules.to_move != mover:
                requests = [None, *moves] if mover == 0 else moves
                return Requests(tuple(requests[::2]), tuple(requests[1::2]))
            moves.append(generator.choice(rules.legal_cells()))
            rules.play_cell(*moves[-1])
            mover = 1 - mover
    raise AssertionError("no game has a pass")


@pytest.mark.parametrize("wire", BOTZONE)
def test_a_side_without_a_move_passes_on_botzone(wire):
    answers = botzone.answer_decoder(wire)
    done = run_bot_here(botzone.encode_requests(history_that_ends_before_a_pass(), wire), "reversi")
    answers.feed(done.stdout)
    answer = answers.next_answer()
    assert (done.returncode, answer.move, answer.keep_running) == (0, None, True)


@pytest.mark.parametrize("size", (5, pytest.param(10, marks=pytest.mark.slow)))
def test_every_size_of_board_on_saiblos_wire(size):
    game = ReversiGame("saiblo", 0, seed=3, size=size)
    quick = ("--game", "reversi", "--backend", "python", "--limit", "60", "--seed", "1")
    with BotProcess(*quick, decoder=reply_decoder("saiblo", size), command=QUICK_BOT) as bot:
        played(bot, game)
        assert bot.end()[:2] == (0, [])
