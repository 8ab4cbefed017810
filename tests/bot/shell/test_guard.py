"""Exactly one legal reply leaves for every turn, whatever the engine does: real processes, real threads.

When the guard answers, to the instant, is test_guard_logic.py's. Here seconds are allowed: a machine may be full.
"""

import random
import subprocess
import sys
import time
import types

import pytest

from bot.shell.guard import Budget, Deadline, Guard, OpenTurn
from tests.bot.games.connect_four.helpers.wire_games import WireGame
from tests.bot.helpers.bot_process import BotProcess, play_turns, waited_s
from tests.bot.helpers.guarded_games import game_and_decoder

LIMIT_S = 0.7
FULL_MACHINE_S = 10.0
# A fault and the game in which it happens.
HANGS = [
    ("hang_and_name_an_illegal_move", "dots"),
    ("compute_in_python", "connect_four"),
    *(
        pytest.param(*case, marks=pytest.mark.slow)
        for case in (("hang", "connect_four"), ("hang_and_raise_when_asked", "reversi"), ("sleep", "reversi"))
    ),
]


def faulty_bot(fault, from_turn=1, limit_s=LIMIT_S, name="connect_four", decoder=None):
    """The session of helpers/faulty_bot.py as a process."""
    command = ("-m", "tests.bot.helpers.faulty_bot")
    return BotProcess(fault, from_turn, limit_s, name, command=command, decoder=decoder)


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
    turn = OpenTurn(1, None, Deadline(0.0, 1e9, 1e9), safe_move=None, encode=None, sent=None, guarded=None)

    def main_reads():
        guard.come_back()
        guard.open(turn)

    inbox.main_reads = main_reads
    guard.leave()
    assert guard._act() == 0
    assert inbox.noted == 0


@pytest.mark.parametrize("with_a_turn", [False, True])
def test_nobody_stands_in_for_a_main_thread_that_has_just_come_back(with_a_turn):
    """It has read the bytes whose time was up, and may have begun their turn, before the guard could read them."""
    turn = OpenTurn(1, None, Deadline(0.0, 1e9, 1e9), safe_move=None, encode=None, sent=None, guarded=None)
    stood_in = []

    def budget():
        guard.come_back()
        if with_a_turn:
            guard.open(turn)
        return Budget(1.0, 0.1)

    inbox = types.SimpleNamespace(arrival=lambda: 0.0)
    guard = Guard(inbox, budget, lambda: stood_in.append(True), log=None, clock=lambda: 1.0)
    guard.leave()
    assert guard._act() > 0
    assert stood_in == []


@pytest.mark.parametrize("fault, name", HANGS)
def test_an_engine_that_does_not_return(fault, name):
    """The guard answers this turn and, the main thread never coming back, all that follow."""
    game, decoder = game_and_decoder(name, seed=2)
    with faulty_bot(fault, 2, name=name, decoder=decoder) as bot:
        bot.send(game.opening())
        bot.wait_for_words("engine loaded")
        assert max(play_turns(bot, game, 3)) < LIMIT_S + FULL_MACHINE_S
        bot.wait_for_words("turn 2: the guard answered, the engine had not by")
        bot.wait_for_words("turn 3: the guard answered, the engine is still busy")
        # The end of input comes while the engine still hangs.
        status, extra, seconds = bot.end()
    assert (status, extra) == (0, [])
    assert seconds < FULL_MACHINE_S


def test_the_first_turn_waits_while_the_engine_hangs_already():
    """Opening and turn are there at the start."""
    game, decoder = game_and_decoder("connect_four")
    with faulty_bot("hang", decoder=decoder) as bot:
        bot.send(game.opening() + game.turn())
        reply, received = bot.reply()
        assert received - bot.started < LIMIT_S + FULL_MACHINE_S
        game.take(reply)
        play_turns(bot, game, 1)
        assert bot.end()[:2] == (0, [])


def test_engine_and_guard_finish_together():
    """Both have an answer at the same instant, again and again: one of them leaves."""
    turns, limit_s = 50, 0.05
    game = WireGame(seed=8)
    with faulty_bot("return_at_the_hard_deadline", limit_s=limit_s) as bot:
        bot.send(game.opening())
        bot.wait_for_words("engine loaded")
        play_turns(bot, game, turns)
        assert bot.is_silent(4 * limit_s)
        assert bot.end()[:2] == (0, [])
    # Either one has been the first now and then: every other turn the engine does not wait.
    assert 0 < bot.last_words.count("the guard answered") < turns


def test_engine_and_guard_finish_together_with_the_next_turn_waiting():
    """Turns that arrive before the reply to the last one: the guard may stand in, none is answered twice."""
    turns, limit_s = 40, 0.03
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


def test_no_thread_may_be_started():
    game, decoder = game_and_decoder("dots")
    with faulty_bot("behave", name="dots", decoder=decoder) as bot:
        bot.send(game.opening())
        bot.wait_for_words("engine loaded")
        assert max(play_turns(bot, game, 2)) < LIMIT_S + FULL_MACHINE_S
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, first, backend",
    [
        ("connect_four", True, "auto"),
        ("connect_four", False, "jit"),
        ("reversi", True, "auto"),
        ("dots", False, "jit"),
    ],
)
def test_beside_four_busy_processes(busy_machine, name, first, backend):
    """At the platform's limit; the second mover may still be loading numba's kernels when its turn comes.

    What a thread of the bot waits for a core beyond a second, the machine has to answer for.
    """
    latest_s, usual_wait_s = 2.95, 1.0
    game, decoder = game_and_decoder(name, first=first)
    with BotProcess("--game", name, "--backend", backend, "--limit", 3, decoder=decoder) as bot:
        bot.send(game.opening())
        if not first:
            time.sleep(0.3)
        waited_before = waited_s(bot.process.pid)
        sent = bot.send(game.turn())
        reply, received = bot.reply()
        game.take(reply)
        allowance_s = max(0.0, waited_s(bot.process.pid) - waited_before - usual_wait_s)
        assert received - (bot.started if first else sent) < latest_s + allowance_s
        waited_before = waited_s(bot.process.pid)
        (seconds,) = play_turns(bot, game, 1)
        assert seconds < latest_s + max(0.0, waited_s(bot.process.pid) - waited_before - usual_wait_s)
        assert bot.end()[:2] == (0, [])
