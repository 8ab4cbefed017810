"""A bot at dots and boxes: what it says to what it is told, on every wire. Whole games: shell/test_whole_games.py."""

import random

import pytest

from judge.games.dots.rules import Dots
from tests.bot.games.dots.helpers.wire_games import BOTZONE, PASS, DotsGame, reply_decoder
from tests.bot.helpers.bot_here import run_bot_here
from tests.bot.helpers.bot_process import PATIENCE_S, QUICK_BOT, BotProcess, run_bot
from tests.bot.helpers.whole_games import played

GAME = "dots"
QUICK = ("--game", GAME, "--backend", "python", "--limit", "60", "--seed", "1")


def quick_bot():
    """A process of a bot whose turns are short, on the platform's wire."""
    return BotProcess(*QUICK, decoder=reply_decoder("platform"), command=QUICK_BOT)


@pytest.mark.parametrize("size", ((1, 1), (1, 4), (3, 2), (7, 7)))
def test_every_size_of_board_on_the_platforms_wire(size):
    for side in (0, 1):
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


def test_the_name_is_said_once():
    done = run_bot_here(b"name?\nname?\n", GAME)
    assert (done.returncode, done.stdout) == (0, b"name dropfour\nname dropfour\n")


@pytest.mark.parametrize("wire", BOTZONE)
def test_a_fresh_process_for_each_edge(wire):
    """As Botzone runs a bot that does not stay, or one it has put to rest; a pass is one where one is asked for."""
    game, passes = DotsGame(wire, 1, seed=4), 0
    game.take(answer_of_a_fresh_process(game, lambda data: run_bot(data, *QUICK, command=QUICK_BOT)))
    for _ in range(5):
        game.take(answer_of_a_fresh_process(game))
    while not game.rules.over and not passes:  # the rest by chance, until the opponent completes a box
        if game.must_pass():
            passes += 1
            assert answer_of_a_fresh_process(game) == PASS
        else:
            name = game.rules.legal_moves()[0]
            game.take(PASS._replace(edges=(name,)))
    assert passes


def answer_of_a_fresh_process(game, run=lambda data: run_bot_here(data, GAME)):
    """Its reply to all that has been said in the game; a session in this process will do."""
    game._asked = False
    decoder = reply_decoder(game.wire)
    done = run(game.turn())
    assert done.returncode == 0
    decoder.feed(done.stdout)
    return decoder.next_reply()


@pytest.mark.parametrize(
    "data, words",
    [
        (b"#0222#", "first byte"),
        (b"new red\n", "black or white"),
        (b"move 2 AAA\n", "move"),
        (b"board 9x9\n", "RxC"),
        (b"{]}\n", "JSON"),
        (b'{"requests":[{"x":0,"y":0,"pass":0}],"responses":[]}', "x + y odd"),
        (b"1\n2", "end of input"),
        (b"new bla", "end of input"),
    ],
)
def test_malformed_input_is_named_and_answered_by_nothing(data, words):
    done = run_bot_here(data, GAME)
    assert (done.returncode, done.stdout) == (2, b"")
    assert words in done.stderr.decode() and len(done.stderr) < 500


@pytest.mark.parametrize(
    "data, words, answered",
    [
        (b"new white\nmove 2 AAAAAA\n", "AAA after the turn's end", True),
        (b"board 1x1\nnew white\nmove 1 ACA\n", "ACA is drawn already or off the board", True),
        (b"move 1 AAA\n", "a turn before the game has begun", False),
        (b"board 2x2 AAAAAA\nnew black\n", "AAA is drawn already", False),
    ],
)
def test_an_impossible_turn_is_named(data, words, answered):
    done = run_bot_here(data, GAME)
    assert done.returncode == 0 and (done.stdout != b"") == answered
    assert f"turn 1 is impossible: {words}" in done.stderr.decode()
