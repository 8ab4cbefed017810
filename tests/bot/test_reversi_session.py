"""A bot at reversi as a real process: what it says to what it is told, on every wire, and how it ends."""

import random

import pytest
from bot_process import BotProcess, run_bot
from reversi_games import BOTZONE, ReversiGame, reply_decoder

from judge.rules.reversi import Reversi
from protocol.reversi import Requests, RuleQuery, encode_rule_query
from protocol.reversi_botzone import answer_decoder, encode_requests

QUICK = ("--game", "reversi", "--backend", "python", "--limit", "0.2", "--seed", "1")
WIRES = ("saiblo", *BOTZONE)


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
    game = ReversiGame(wire, side)
    words = ("--protocol", wire) if protocol == "by name" else ()
    with BotProcess(*QUICK, "--limit", "0.02", *words, decoder=reply_decoder(wire)) as bot:
        played(bot, game, cut)
        status, extra, _ = bot.end()
    # So short a limit is the guard's now and then, on a full machine.
    words = [line for line in bot.last_words.splitlines() if "the guard answered" not in line]
    assert (status, extra, words) == (0, [], ["dropfour: engine python (asked for)"])


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
    done = run_bot(encode_requests(history_that_ends_before_a_pass(), wire), *QUICK)
    answers.feed(done.stdout)
    answer = answers.next_answer()
    assert (done.returncode, answer.move, answer.keep_running) == (0, None, True)


@pytest.mark.parametrize("size", (4, 5, 10))
def test_every_size_of_board_on_saiblos_wire(size):
    game = ReversiGame("saiblo", 0, seed=3, size=size)
    with BotProcess(*QUICK, "--limit", "0.02", decoder=reply_decoder("saiblo", size)) as bot:
        played(bot, game)
        assert bot.end()[:2] == (0, [])


@pytest.mark.parametrize("wire", BOTZONE)
def test_a_fresh_process_for_each_turn(wire):
    """As Botzone runs a bot that does not stay, or one that it has put to rest."""
    game = ReversiGame(wire, 1, seed=4)
    for _ in range(3):
        game._asked = False
        answers = answer_decoder(wire)
        done = run_bot(game.turn(), *QUICK)
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
    done = run_bot(data, *QUICK)
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
    done = run_bot(data, *QUICK)
    assert done.returncode == 0
    assert f"turn 1 is impossible: {words}" in done.stderr.decode()


def test_a_first_turn_that_comes_late_has_its_full_budget():
    """No message comes before it: a bot that has long been waiting must not count from its process's start."""
    game = ReversiGame("saiblo", 0)
    with BotProcess(
        "--game", "reversi", "--backend", "python", "--limit", "0.6", decoder=reply_decoder("saiblo")
    ) as bot:
        bot.wait_until_idle()
        sent = bot.send(game.turn())
        _, received = bot.reply()
        assert 0.4 < received - sent < 0.6
        assert bot.end()[:2] == (0, [])
