"""A real bot session around an engine that misbehaves: python -m tests.bot.helpers.faulty_bot FAULT FROM_TURN LIMIT_S
GAME

Turns before FROM_TURN are answered at once. "engine loaded" on stderr says that the engine is in place.
"""

import _thread
import ctypes
import os
import random
import sys
import time
import types

from bot.backends.jit import LOAD_S
from bot.games import adapter_of
from bot.search.engine import Decision, Engine
from bot.shell.guard import Budget
from bot.shell.player import Log, Player
from bot.shell.session import Session

MARGIN_S = 0.4
NO_MOVE = -7  # of any game


def hang_without_the_gil():
    """As a compiled kernel that gives the GIL away and never returns."""
    libc = ctypes.CDLL(None)
    while True:
        libc.pause()


class FaultyEngine(Engine):
    """think() misbehaves as its fault says from the given turn on."""

    def __init__(self, fault, from_turn, limit_s):
        self._misbehave = getattr(self, fault)
        self._from_turn = from_turn
        self._budget = Budget(limit_s, MARGIN_S)
        self._best = None
        self._turns = 0
        os.write(2, b"engine loaded\n")

    def think(self, position, budget_s=None, iterations=None):
        self._turns += 1
        move = position.legal_moves()[0]
        if self._turns >= self._from_turn:
            move = self._misbehave(position, budget_s)
        return Decision(move, 0.0, None, None, [move], 1, 1, 1, 0.0)

    def best_so_far(self):
        return self._best() if self._best else None

    def hang(self, position, budget_s):
        hang_without_the_gil()

    def hang_and_raise_when_asked(self, position, budget_s):
        def best():
            raise IndexError("the tree is in pieces")

        self._best = best
        hang_without_the_gil()

    def hang_and_name_an_illegal_move(self, position, budget_s):
        self._best = lambda: NO_MOVE
        hang_without_the_gil()

    def sleep(self, position, budget_s):
        time.sleep(1e6)

    def compute_in_python(self, position, budget_s):
        while True:
            pass

    def return_at_the_hard_deadline(self, position, budget_s):
        """Every other turn, within a millisecond of it, before or after: as the guard answers."""
        if self._turns % 2:
            return position.legal_moves()[0]
        wait_s = budget_s + self._budget.hard - self._budget.soft + random.uniform(-0.001, 0.001)
        time.sleep(max(0.0, wait_s))
        return position.legal_moves()[0]

    def behave(self, position, budget_s):
        time.sleep(budget_s)
        return position.legal_moves()[0]


def refuse_threads():
    def refuse(function, arguments):
        raise RuntimeError("can't start new thread")

    _thread.start_new_thread = refuse


def main():
    fault, from_turn, limit_s, adapter = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), adapter_of(sys.argv[4])
    if fault == "behave":
        refuse_threads()
    loaded = types.SimpleNamespace(name="faulty", reason="for a test")
    kernels = types.SimpleNamespace(
        may_be_native=lambda: False,
        available=lambda: True,
        ready=lambda: True,
        load_s=lambda: LOAD_S,
        load=lambda: loaded,
        stop_compiling=lambda: None,
    )
    table = types.SimpleNamespace(**vars(adapter))
    table.make_engine = lambda *arguments: FaultyEngine(fault, from_turn, limit_s)
    log = Log()
    player = Player(table, adapter.PRESETS["default"], kernels, 800, 1, log)
    budget = Budget(limit_s, MARGIN_S)
    os._exit(Session(table, adapter.WIRES[0], player, (budget, budget), log).run())


if __name__ == "__main__":
    main()
