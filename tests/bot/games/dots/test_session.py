"""A bot at dots and boxes as a process; whole games: shell/test_whole_games.py, the rest: tests/contracts."""

import random

import pytest

from judge.games.dots.rules import Dots
from tests.bot.games.dots.helpers.wire_games import BOTZONE, PASS, DotsGame, reply_decoder
from tests.bot.helpers.bot_here import run_bot_here
from tests.bot.helpers.bot_process import PATIENCE_S, QUICK_BOT, BotProcess
from tests.bot.helpers.whole_games import played

QUICK = ("--game", "dots", "--backend", "python", "--limit", "60", "--seed", "1")


def quick_bot():
    """A process of a bot whose turns are short, on the platform's wire."""
    return BotProcess(*QUICK, decoder=reply_decoder("platform"), command=QUICK_BOT)


@pytest.mark.parametrize("size, side", [((1, 1), 1), ((3, 2), 0), pytest.param((7, 7), 1, marks=pytest.mark.slow)])
def test_every_size_of_board_on_the_platforms_wire(size, side):
    game = DotsGame("platform", side, seed=3, size=size)
    with quick_bot() as bot:
        played(bot, game)
        assert bot.end()[:2] == (0, [])


def test_an_opening_with_boxes_completed():
    """The judge's board holds turns that have completed boxes, and ends within one."""
    generator = random.Random(5)
    rules = Dots(2, 3)
    while rules.counts == (0, 0) or rules.drawers[-1] != rules.to_move:
        rules.play(generator.choice(rules.legal_moves()))
    game = DotsGame("platform", rules.to_move, seed=6, size=(2, 3), opening=tuple(rules.drawn))
    with quick_bot() as bot:
        played(bot, game)
        assert bot.end()[:2] == (0, [])


def test_the_platforms_other_words_nuls_and_several_games():
    """A name when asked, a new game while one runs, no answer to error and end, and an end at `quit`."""
    with quick_bot() as bot:
        bot.send(b"name?\r\n\0new black\n\0")
        first = bot.reply()[0]
        assert len(first.edges) == 1
        bot.send(b"error\0\nnew white\n\0move 1 AAA\n\0")
        assert bot.reply()[0].edges != ("AAA",)
        bot.send(b"end\r\n\0")
        game = DotsGame("platform", 1, seed=2)
        played(bot, game)
        bot.send(b"quit\0")
        assert bot.process.wait(PATIENCE_S) == 0
    assert bot.words_but_for_the_engine() == []


def test_the_name_is_said_when_asked():
    done = run_bot_here(b"name?\nname?\n", "dots")
    assert (done.returncode, done.stdout) == (0, b"name dropfour\nname dropfour\n")


@pytest.mark.parametrize("wire", BOTZONE)
def test_a_pass_is_answered_where_one_is_asked_for(wire):
    game = DotsGame(wire, 1, seed=4)
    while not game.must_pass():
        assert not game.rules.over
        game.take(PASS._replace(edges=(game.rules.legal_moves()[0],)))
    game._asked, decoder = False, reply_decoder(wire)
    done = run_bot_here(game.turn(), "dots")
    decoder.feed(done.stdout)
    assert (done.returncode, decoder.next_reply()) == (0, PASS)
