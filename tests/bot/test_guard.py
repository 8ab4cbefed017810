"""Exactly one legal reply leaves in time for every turn, whatever the engine or the machine does."""

import random
import subprocess
import sys
import time

import pytest
from bot_process import HERE, BotProcess, play_turns
from guarded_games import GAMES, game_and_decoder
from wire_games import WireGame

from bot.clock import Deadline
from bot.guard import Guard, OpenTurn

LIMIT_S = 0.7
HANGS = ["hang", "hang_and_raise_when_asked", "hang_and_name_an_illegal_move", "sleep", "compute_in_python"]


def faulty_bot(fault, from_turn=1, limit_s=LIMIT_S, name="connect_four", decoder=None):
    """The session of faulty_bot.py as a process."""
    return BotProcess(fault, from_turn, limit_s, name, command=(str(HERE / "faulty_bot.py"),), decoder=decoder)


in_every_game = pytest.mark.parametrize("name", GAMES)


class ReadMeanwhile:
    """An inbox whose bytes the main thread reads, and whose turn it begins, just after the guard has seen them."""

    def __init__(self):
        self.main_reads = None
        self.noted = 0

    def arrival(self):
        return None

    def has_bytes(self, timeout_s):
        if timeout_s:
            self.main_reads()
        return bool(timeout_s)

    def has_ended(self):
        return False

    def note_arrival(self):
        self.noted += 1


def test_an_arrival_is_noted_only_while_nobody_has_read_it():
    inbox = ReadMeanwhile()
    guard = Guard(inbox, budget=None, stand_in=None, log=None)
    turn = OpenTurn(Deadline(0.0, 1e9, 1e9), emergency=None)

    def main_reads():
        guard.come_back()
        guard.open(turn)

    inbox.main_reads = main_reads
    guard.leave()
    assert guard._act() == 0
    assert inbox.noted == 0


@in_every_game
@pytest.mark.parametrize("fault, from_turn", [*((fault, 2) for fault in HANGS), ("hang", 1)])
def test_an_engine_that_does_not_return(fault, from_turn, name):
    """The guard answers this turn and, the main thread never coming back, all that follow."""
    game, decoder = game_and_decoder(name, seed=from_turn)
    with faulty_bot(fault, from_turn, name=name, decoder=decoder) as bot:
        bot.send(game.opening())
        bot.wait_for_words("engine loaded")
        assert max(play_turns(bot, game, 3)) < LIMIT_S
        assert "the guard answered" in bot.stderr()
        # The end of input comes while the engine still hangs.
        status, extra, seconds = bot.end()
    assert (status, extra) == (0, [])
    assert seconds < LIMIT_S + 0.2


@in_every_game
@pytest.mark.parametrize(
    "fault, words",
    [
        ("raise_an_error", "engine error: FloatingPointError: no number"),
        ("choose_an_illegal_move", "the engine chose -7, which is no legal move"),
    ],
)
def test_an_engine_that_fails(fault, words, name):
    game, decoder = game_and_decoder(name, seed=3)
    with faulty_bot(fault, from_turn=2, name=name, decoder=decoder) as bot:
        bot.send(game.opening())
        bot.wait_for_words("engine loaded")
        assert max(play_turns(bot, game, 4)) < LIMIT_S
        assert words in bot.stderr()
        assert bot.end()[:2] == (0, [])


@in_every_game
def test_the_first_turn_waits_while_the_engine_hangs_already(name):
    """Opening and turn are there at the start: the process's own start-up counts too."""
    game, decoder = game_and_decoder(name)
    with faulty_bot("hang", name=name, decoder=decoder) as bot:
        bot.send(game.opening() + game.turn())
        reply, received = bot.reply()
        assert received - bot.started < LIMIT_S
        game.take(reply)
        assert max(play_turns(bot, game, 2)) < LIMIT_S
        assert bot.end()[:2] == (0, [])


def test_engine_and_guard_finish_together():
    """Both have an answer at the same instant, again and again: one of them leaves."""
    turns, limit_s = 120, 0.03
    game = WireGame(seed=8)
    with faulty_bot("return_at_the_hard_deadline", limit_s=limit_s) as bot:
        bot.send(game.opening())
        bot.wait_for_words("engine loaded")
        play_turns(bot, game, turns)
        assert bot.is_silent(2 * limit_s)
        assert bot.end()[:2] == (0, [])
    # Either one has been the first now and then.
    assert 0 < bot.last_words.count("the guard answered") < turns


def test_engine_and_guard_finish_together_with_the_next_turn_waiting():
    """Turns that arrive before the reply to the last one: the guard may stand in, none is answered twice."""
    turns, limit_s = 60, 0.03
    game = WireGame(seed=8)
    with faulty_bot("return_at_the_hard_deadline", limit_s=limit_s) as bot:
        bot.send(game.opening())
        bot.wait_for_words("engine loaded")
        generator = random.Random(1)
        for _ in range(turns):
            bot.send(game.turn())
            time.sleep(generator.uniform(0, limit_s))
        for _ in range(turns):
            game.rules.play_cell(*bot.reply()[0])
            game = WireGame(seed=8)
        assert bot.is_silent(4 * limit_s)
        assert bot.end()[:2] == (0, [])


@in_every_game
def test_no_thread_may_be_started(name):
    game, decoder = game_and_decoder(name)
    with faulty_bot("behave", name=name, decoder=decoder) as bot:
        bot.send(game.opening())
        bot.wait_for_words("engine loaded")
        assert max(play_turns(bot, game, 2)) < LIMIT_S
        assert "no thread may be started" in bot.stderr()
        assert bot.end()[:2] == (0, [])


@pytest.fixture
def busy_machine():
    """Four processes that do nothing but compute."""
    hogs = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(4)]
    yield
    for hog in hogs:
        hog.kill()
        hog.wait()


@pytest.mark.parametrize(
    "name, first, backend",
    [
        ("connect_four", True, "auto"),
        ("connect_four", True, "jit"),
        ("connect_four", False, "jit"),
        ("reversi", True, "auto"),
        ("reversi", False, "jit"),
        ("dots", True, "auto"),
        ("dots", False, "jit"),
    ],
)
def test_beside_four_busy_processes(busy_machine, name, first, backend):
    """At the platform's limit; the second mover may still be loading numba's kernels when its turn comes."""
    latest_s = 2.95
    game, decoder = game_and_decoder(name, first=first)
    with BotProcess("--game", name, "--backend", backend, "--limit", 3, decoder=decoder) as bot:
        bot.send(game.opening())
        if not first:
            time.sleep(0.3)
        sent = bot.send(game.turn())
        reply, received = bot.reply()
        game.take(reply)
        assert received - (bot.started if first else sent) < latest_s
        assert max(play_turns(bot, game, 1)) < latest_s
        assert bot.end()[:2] == (0, [])
