"""A bot at dots and boxes as a real process: what it says to what it is told, on every wire, and how it ends."""

import random

import pytest
from bot_process import BotProcess, run_bot
from dots_games import BOTZONE, PASS, WIRES, DotsGame, reply_decoder

from judge.rules.dots import Dots
from protocol.dots import New, encode_message

QUICK = ("--game", "dots", "--backend", "python", "--limit", "0.2", "--seed", "1")


def pieces_of_one(data):
    return [data[place : place + 1] for place in range(len(data))]


def whole(data):
    return [data]


def played(bot, game, cut=whole):
    """Play a game to its end."""
    while not game.rules.over:
        for piece in cut(game.turn()):
            bot.send(piece)
        game.take(bot.reply()[0])


@pytest.mark.parametrize("protocol", ["by name", "auto"])
@pytest.mark.parametrize("cut", [whole, pieces_of_one], ids=["whole", "byte by byte"])
@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("side", (0, 1))
def test_whole_games(wire, cut, side, protocol):
    """One legal reply a turn, nothing else; the end of the input is the end."""
    game = DotsGame(wire, side)
    words = ("--protocol", wire) if protocol == "by name" else ()
    with BotProcess(*QUICK, "--limit", "0.02", *words, decoder=reply_decoder(wire)) as bot:
        played(bot, game, cut)
        status, extra, _ = bot.end()
    # So short a limit is the guard's now and then, on a full machine.
    words = [line for line in bot.last_words.splitlines() if "the guard answered" not in line]
    assert (status, extra, words) == (0, [], ["dropfour: engine python (asked for)"])


@pytest.mark.parametrize("size", ((1, 1), (1, 4), (3, 2), (7, 7)))
def test_every_size_of_board_on_the_platforms_wire(size):
    for side in (0, 1):
        game = DotsGame("platform", side, seed=3, size=size)
        with BotProcess(*QUICK, "--limit", "0.02", decoder=reply_decoder("platform")) as bot:
            played(bot, game)
            assert bot.end()[:2] == (0, [])


def test_an_opening_with_boxes_completed():
    """The judge's board holds turns that have completed boxes, and ends within one."""
    generator = random.Random(5)
    rules = Dots(2, 3)
    while rules.counts == (0, 0) or rules.drawers[-1] != rules.to_move:
        rules.play(generator.choice(rules.legal_moves()))
    game = DotsGame("platform", rules.to_move, seed=6, size=(2, 3), opening=tuple(rules.drawn))
    with BotProcess(*QUICK, decoder=reply_decoder("platform")) as bot:
        played(bot, game)
        assert bot.end()[:2] == (0, [])


def test_the_platforms_other_words_nuls_and_several_games():
    """A name when asked, a new game while one runs, no answer to error and end, and an end at `quit`."""
    with BotProcess(*QUICK, decoder=reply_decoder("platform")) as bot:
        bot.send(b"name?\r\n\0new black\n\0")
        first = bot.reply()[0]
        assert len(first.edges) == 1
        bot.send(b"error\0\nnew white\n\0move 1 AAA\n\0")
        assert bot.reply()[0].edges != ("AAA",)
        bot.send(b"end\r\n\0")
        game = DotsGame("platform", 1, seed=2)
        played(bot, game)
        bot.send(b"quit\0")
        assert bot.process.wait(15) == 0
    assert bot.words_but_for_the_engine() == []


def test_the_name_is_said_once():
    done = run_bot(b"name?\nname?\n", *QUICK)
    assert (done.returncode, done.stdout) == (0, b"name dropfour\nname dropfour\n")


@pytest.mark.parametrize("wire", BOTZONE)
def test_a_fresh_process_for_each_edge(wire):
    """As Botzone runs a bot that does not stay, or one it has put to rest; a pass is one where one is asked for."""
    game, passes = DotsGame(wire, 1, seed=4), 0
    for _ in range(6):
        game.take(answer_of_a_fresh_process(game))
    while not game.rules.over and not passes:  # the rest by chance, until the opponent completes a box
        if game.must_pass():
            passes += 1
            assert answer_of_a_fresh_process(game) == PASS
        else:
            name = game.rules.legal_moves()[0]
            game.take(PASS._replace(edges=(name,)))
    assert passes


def answer_of_a_fresh_process(game):
    game._asked = False
    decoder = reply_decoder(game.wire)
    done = run_bot(game.turn(), *QUICK)
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
    done = run_bot(data, *QUICK)
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
    done = run_bot(data, *QUICK)
    assert done.returncode == 0 and (done.stdout != b"") == answered
    assert f"turn 1 is impossible: {words}" in done.stderr.decode()


def test_a_first_turn_that_comes_late_has_its_full_budget():
    with BotProcess(
        "--game", "dots", "--backend", "python", "--limit", "0.6", decoder=reply_decoder("platform")
    ) as bot:
        bot.send(b"name?\n")
        bot.wait_until_idle()
        sent = bot.send(encode_message(New(0)))
        _, received = bot.reply()
        assert 0.4 < received - sent < 0.6
        assert bot.end()[:2] == (0, [])
