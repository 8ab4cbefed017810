"""Whole games of reversi and of dots and boxes with a real process, on every wire; connect four's: test_session.py."""

import time

import pytest

from protocol.games.dots import New, encode_message
from tests.bot.games.dots.helpers import wire_games as dots_games
from tests.bot.games.reversi.helpers import wire_games as reversi_games
from tests.bot.helpers.bot_process import QUICK_BOT, BotProcess
from tests.bot.helpers.whole_games import pieces_of_one, played, whole

GAMES = {"reversi": reversi_games.ReversiGame, "dots": dots_games.DotsGame}
DECODERS = {"reversi": reversi_games.reply_decoder, "dots": dots_games.reply_decoder}
WIRES = {"reversi": ("saiblo", *reversi_games.BOTZONE), "dots": dots_games.WIRES}
# Each of a kind meets each of the others on some wire: side, pieces, how the wire is known.
CASES = [
    [(1, pieces_of_one, "auto"), (0, whole, "by name")],
    [(0, pieces_of_one, "by name"), (1, whole, "auto")],
    [(0, whole, "auto"), (1, pieces_of_one, "by name")],
]


def cases():
    for name in GAMES:
        for wire, (often, seldom) in zip(WIRES[name], CASES, strict=True):
            yield name, wire, *often
            yield pytest.param(name, wire, *seldom, marks=pytest.mark.slow)


@pytest.mark.parametrize("name, wire, side, cut, protocol", list(cases()))
def test_whole_games(name, wire, side, cut, protocol):
    """One legal reply a turn, nothing else; the end of the input is the end."""
    words = ("--protocol", wire) if protocol == "by name" else ()
    with BotProcess(
        "--game",
        name,
        "--backend",
        "python",
        "--limit",
        60,
        "--seed",
        1,
        *words,
        decoder=DECODERS[name](wire),
        command=QUICK_BOT,
    ) as bot:
        played(bot, GAMES[name](wire, side), cut)
        status, extra, _ = bot.end()
    assert (status, extra, bot.last_words) == (0, [], "dropfour: engine python (asked for)\n")


@pytest.mark.parametrize("name", ["dots", pytest.param("reversi", marks=pytest.mark.slow)])
def test_a_first_turn_that_comes_late_has_its_full_budget(name):
    """No message begins a game: a bot that has long been waiting must not count from its process's start."""
    wire = WIRES[name][0]
    with BotProcess("--game", name, "--backend", "python", "--limit", "0.6", decoder=DECODERS[name](wire)) as bot:
        if name == "dots":
            bot.send(b"name?\n")
        bot.wait_until_idle()
        began = time.monotonic()
        bot.send(encode_message(New(0)) if name == "dots" else GAMES[name](wire, 0).turn())
        _, received = bot.reply()
        assert received - began > 0.4
        assert bot.end()[:2] == (0, [])
