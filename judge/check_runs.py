"""The trials of a compliance check: each starts the player and drives it in one particular way.

A trial is a function of a Bench. It returns a few words on what it saw, and raises Forfeit or Unfit with
the reason if the player failed. The functions here make trials of a game's boards and opponents; which of them
a game has is in judge/<game>_checks.py.

An opponent is a function of the position and of the move that the player made last (None before the first)
to the move it plays.
"""

import random
import time
from collections.abc import Callable
from typing import Any

from judge.boards import Board
from judge.check_trial import Conditions, Costs, Trial
from judge.players import Contestant
from judge.rules import AnyMove, Position

FEW_TURNS = 3
LONG_TURNS = 8
PAUSE_S = 0.05  # between the parts of a message
THINKING_S = 0.02  # an opponent's move: bytes out of turn show
EXIT_LIMIT_S = 1.0  # after the end of the input


class Unfit(Exception):
    """The player failed otherwise than by losing a game. str() is the reason."""


Opponent = Callable[[Any, Any], AnyMove]  # it knows the positions and the moves of one game
Sender = Callable[[bytes], None]


class Bench:
    """Starts trials of one player under the same Conditions and keeps what they cost."""

    def __init__(self, contestant: Contestant, conditions: Conditions) -> None:
        self.contestant = contestant
        self.conditions = conditions
        self.costs: list[Costs] = []

    def trial(self, board: Board, drain_stderr: bool = True) -> Trial:
        """A new Trial on the board; without `drain_stderr` its costs, a full pipe's, are not kept."""
        trial = Trial(self.contestant, self.conditions, board, drain_stderr)
        if drain_stderr:
            self.costs.append(trial.costs)
        return trial


Check = Callable[[Bench], str]


def wanderer(seed: int) -> Callable[[Position, object], AnyMove]:
    """An opponent that plays any legal move, the same for the same seed."""
    generator = random.Random(seed)
    return lambda position, last_move: generator.choice(position.legal_moves())


def play(trial: Trial, opponent: Opponent, player: int, most_turns: int | None = None) -> int:
    """Play a game, or the first so many turns of the player, who is number 0 or 1; returns how many."""
    position = trial.position
    charged = position.to_move == player  # its clock begins with the process
    trial.send(trial.opening(player))
    last_move: AnyMove | None = None
    turns = 0
    while not position.over and turns != most_turns:
        if position.to_move != player:
            position.play(opponent(position, last_move))
            continue
        if charged and not turns:
            trial.costs.charged_start = True
            trial.send(trial.turn())
            last_move = trial.await_moves(trial.process.spawned)[-1]
        else:
            trial.expect_silence(THINKING_S)
            last_move = trial.ask()[-1]
        turns += 1
    return turns


def whole_game(board: Board, player: int, opponent: Opponent) -> Check:
    """A trial that plays a game to its end, the player being number 0 or 1."""

    def check(bench: Bench) -> str:
        with bench.trial(board) as trial:
            turns = play(trial, opponent, player)
        return f"{turns} moves, the slowest {max(trial.costs.walls_s):.3f} s"

    return check


def byte_by_byte(board: Board) -> Check:
    """Every byte of the first messages comes by itself."""
    return _sent_by(board, lambda trial: trial.send_bytewise)


def in_parts(board: Board) -> Check:
    """Every message comes in three parts, cut anywhere."""
    return _sent_by(board, lambda trial: lambda data: trial.send_in_parts(data, 3, PAUSE_S))


def _sent_by(board: Board, sender: Callable[[Trial], Sender]) -> Check:
    def check(bench: Bench) -> str:
        opponent = wanderer(bench.conditions.seed)
        with bench.trial(board) as trial:
            send = sender(trial)
            send(trial.opening())
            _converse(trial, opponent, FEW_TURNS, lambda: trial.ask(send))
        return f"{len(trial.costs.walls_s)} moves"

    return check


def _converse(trial: Trial, opponent: Opponent, turns: int, ask: Callable[[], list[AnyMove]]) -> None:
    """Have the player, as the side to move now, take so many turns by ask(); its opponent answers at once."""
    position = trial.position
    player = position.to_move
    for _ in range(turns):
        last_move = ask()[-1]
        while not position.over and position.to_move != player:
            position.play(opponent(position, last_move))
        if position.over:
            return


def joined(board: Board) -> Check:
    """The first two messages come in one piece."""

    def check(bench: Bench) -> str:
        with bench.trial(board) as trial:
            trial.costs.charged_start = True
            trial.send(trial.opening() + trial.turn())
            trial.await_moves(trial.process.spawned)
        return f"first move after {trial.costs.walls_s[0]:.3f} s"

    return check


def slow_judge(board: Board, opponent: Opponent) -> Check:
    """Long pauses before the first message and before turns: the player waits, in silence."""

    def check(bench: Bench) -> str:
        pause_s = bench.conditions.limit_s + 0.5
        with bench.trial(board) as trial:

            def ask_late() -> list[AnyMove]:
                trial.expect_silence(pause_s)
                return trial.ask()

            trial.expect_silence(min(1.0, bench.conditions.limit_s))
            trial.send(trial.opening())
            _converse(trial, opponent, 2, ask_late)
        return f"silent for {pause_s:g} s before each turn"

    return check


def end_before_turn(board: Board) -> Check:
    """The input ends before the first turn, after the first message where a game has one."""

    def check(bench: Bench) -> str:
        with bench.trial(board) as trial:
            trial.send(trial.opening())
            trial.expect_silence(bench.conditions.limit_s)
            return _ends(trial)

    return check


def end_after_reply(board: Board) -> Check:
    """The input ends after a reply."""

    def check(bench: Bench) -> str:
        with bench.trial(board) as trial:
            trial.send(trial.opening())
            trial.ask()
            return _ends(trial)

    return check


def _ends(trial: Trial) -> str:
    took_s = trial.await_exit(EXIT_LIMIT_S)
    if took_s is None:
        raise Unfit(f"it still runs {EXIT_LIMIT_S:g} s after the end of its input")
    time.sleep(PAUSE_S)  # its children may be ending
    left = trial.left_behind()
    if left:
        raise Unfit(f"it ended but left {len(left)} processes running")
    return f"ended after {took_s:.3f} s"


def unread_stderr(board: Board, opponent: Opponent) -> Check:
    """Nobody reads stderr: a player that writes more than the pipe holds would block."""

    def check(bench: Bench) -> str:
        with bench.trial(board, drain_stderr=False) as trial:
            turns = play(trial, opponent, trial.position.to_move)
        return f"{turns} moves"

    return check


def long_search(board: Board, opponent: Opponent) -> Check:
    """Several whole searches, while memory is watched."""

    def check(bench: Bench) -> str:
        with bench.trial(board) as trial:
            play(trial, opponent, trial.position.to_move, LONG_TURNS)
        return f"{len(trial.costs.walls_s)} moves, {trial.costs.peak_rss_bytes / 1e6:.0f} MB"

    return check
