"""The player in a human's game as a process, behind the same walls and limits as in a match."""

import contextlib

from judge.checks.trial import Conditions, Trial
from judge.play.referee import Interrupted
from judge.players.players import Contestant
from judge.processes.process import pump, pump_until_idle
from judge.sitting.game import PLAYER, HumanGame
from protocol.records.record import Move

START_CAP_S = 5.0  # a human waits: what does not look idle by then has started, or never will


class Opponent:
    """A process of the player, from start() to end(); afterwards none of it is left, and it may be started again.

    plays: whose moves it makes, PLAYER's, or HUMAN's where it is asked for a hint. What it does wrong is the player's
    fault in either case: Forfeit. JudgeFailure says that the machine failed, Interrupted that `conditions.stop` was
    set. Its clock does not count the time that it takes to start.
    """

    trial: Trial  # from start() on

    def __init__(self, contestant: Contestant, conditions: Conditions, plays: str = PLAYER) -> None:
        self.contestant, self.conditions, self.plays = contestant, conditions, plays
        self.is_running = False
        self._is_starting = False
        self._stack = contextlib.ExitStack()

    def start(self, game: HumanGame) -> None:
        """Start it, and tell it of the game as it stands."""
        self.trial = Trial(self.contestant, self.conditions, game.plan.board)
        self.trial.seat.side = PLAYER
        self._stack.enter_context(self.trial)
        self.is_running = self._is_starting = True
        self.trial.position = game.position_again()
        self.trial.send(self.trial.opening(game.number_of(self.plays)))

    def end(self) -> None:
        """End it and all that it has started."""
        self.is_running = False
        self._stack.close()

    def ask(self, game: HumanGame) -> list[Move]:
        """Its reply in the game's position, at least one move; `trial.position` is the one after it.

        Precondition: it runs, and the side that it plays is to move.
        """
        trial = self.trial
        trial.position = game.position_again()
        if self._is_starting:
            pump_until_idle(trial.process, self._has_looked, START_CAP_S)
            self._is_starting = False
        trial.expect_silence(0.0)
        log = trial.process.stderr_log
        log.begin_turn()
        first, *others = trial.ask()
        costs, report = trial.costs, log.report()
        wall_s, cpu_s = round(costs.walls_s[-1], 6), round(costs.cpus_s[-1], 3)
        of_first = Move(self.plays, first, wall_s, cpu_s, report)
        return [of_first, *[Move(self.plays, move, 0.0, 0.0) for move in others]]

    def _has_looked(self) -> bool:
        """As look(); False, as there is nothing to wait for."""
        self.look()
        return False

    def look(self) -> None:
        """Look at it while it is not to move: bytes and memory that it may not have are its Forfeit, its end is not."""
        if self.conditions.stop.is_set():
            raise Interrupted
        pump([self.trial.process], 0.0)
        self.trial.seat.check_silent()
        self.trial.seat.check_memory(self.conditions.memory_limit_bytes)
