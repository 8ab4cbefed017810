"""A bot at reversi: what it says to what it is told, on every wire; shell/test_whole_games.py has whole games."""

import random

import pytest

from judge.games.reversi.rules import Reversi
from protocol.games.reversi import Requests, RuleQuery, encode_rule_query
from protocol.games.reversi.botzone import answer_decoder, encode_requests
from tests.bot.games.reversi.helpers.wire_games import BOTZONE, ReversiGame, reply_decoder
from tests.bot.helpers.bot_here import run_bot_here
from tests.bot.helpers.bot_process import QUICK_BOT, BotProcess, run_bot
from tests.bot.helpers.whole_games import played

GAME = "reversi"
QUICK = ("--game", GAME, "--backend", "python", "--limit", "60", "--seed", "1")


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
    answers = answer_decoder(wire)
    done = run_bot_here(encode_requests(history_that_ends_before_a_pass(), wire), GAME)
    answers.feed(done.stdout)
    answer = answers.next_answer()
    assert (done.returncode, answer.move, answer.keep_running) == (0, None, True)


@pytest.mark.parametrize("size", (4, 5, 10))
def test_every_size_of_board_on_saiblos_wire(size):
    game = ReversiGame("saiblo", 0, seed=3, size=size)
    with BotProcess(*QUICK, decoder=reply_decoder("saiblo", size), command=QUICK_BOT) as bot:
        played(bot, game)
        assert bot.end()[:2] == (0, [])


@pytest.mark.parametrize("wire", BOTZONE)
def test_a_fresh_process_for_each_turn(wire):
    """As Botzone runs a bot that does not stay, or one that it has put to rest."""
    game = ReversiGame(wire, 1, seed=4)
    for turn in range(4):
        game._asked = False
        answers = answer_decoder(wire)
        here = turn > 0  # a session in this process will do
        done = run_bot_here(game.turn(), GAME) if here else run_bot(game.turn(), *QUICK, command=QUICK_BOT)
        answers.feed(done.stdout)
        game.take(answers.next_answer().move)
        assert (done.returncode, answers.end()) == (0, None)


@pytest.mark.parametrize(
    "data, words",
    [
        (b"hello", "first byte"),
        (b"#0222#", "cells"),
        (b"#3" + b"2" * 64 + b"#", "expected"),
        (b"{]}\n", "JSON"),
        (b'{"requests":[{"x":9,"y":0}],"responses":[]}', "9"),
        (b'{"requests":[],"responses":[]}', "requests"),
        (b"1\n2", "end of input"),
        (b"#02222", "end of input"),
        (encode_rule_query(RuleQuery(0, 8, (2,) * 64)), "first byte"),
    ],
)
def test_malformed_input_is_named_and_answered_by_nothing(data, words):
    done = run_bot_here(data, GAME)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr.decode() and len(done.stderr) < 500


@pytest.mark.parametrize(
    "data, words",
    [
        (b"#0" + b"0" + b"2" * 63 + b"#", "the side to move has no move"),
        (b'{"requests":[{"x":0,"y":0}],"responses":[]}\n', "a1 is no legal move"),
    ],
)
def test_an_impossible_position_is_named(data, words):
    done = run_bot_here(data, GAME)
    assert done.returncode == 0
    assert f"turn 1 is impossible: {words}" in done.stderr.decode()
