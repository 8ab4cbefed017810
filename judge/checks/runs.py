"""The cases of a check: each starts the player and drives it in one particular way.

A case's function returns a few words on what it saw, and raises Forfeit or Unfit with the reason if the player failed,
Doubtful with what to know where that may or may not matter.
Which cases a game has is in its package in judge/games/.
"""

import time
from collections.abc import Callable

from judge.checks.trial import Conditions, Costs, Trial
from judge.games.boards import Board
from judge.games.check_cases import CheckCase, Kind, Opponent, wanderer
from judge.games.positions import AnyMove
from judge.language import recorded
from judge.players.players import Contestant

FEW_TURNS = 3
LONG_TURNS = 8
PAUSE_S = 0.05  # between the parts of a message
THINKING_S = 0.02  # an opponent's move: bytes out of turn show
EXIT_LIMIT_S = 1.0  # after the end of the input

# What was seen, as JSON has it.
MOVES_AND_TIME = recorded("{moves} moves, the slowest {slowest} s")
MOVES = recorded("{moves} moves")
MOVES_AND_MEMORY = recorded("{moves} moves, {peak} MB")
FIRST_MOVE = recorded("first move after {time} s")
SILENT = recorded("silent for {time} s before each turn")
RUNS_ON = recorded(
    "it still runs {limit} s after the end of its input, as the platform's own main() does: the platform ends it, but "
    "elsewhere it would run for ever"
)
LEFT_BEHIND = recorded("it ended but left {number} processes running")
ENDED = recorded("ended after {time} s")


class Unfit(Exception):
    """The player failed otherwise than by losing a game. str() is the reason."""


class Doubtful(Exception):
    """What the platform puts up with, or what only matters elsewhere. str() says what, and where."""


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


def _whole_game(bench: Bench, case: CheckCase) -> str:
    with bench.trial(case.board) as trial:
        turns = play(trial, _opponent(bench, case), case.player)
        trial.await_exit(EXIT_LIMIT_S)  # its last words
    return MOVES_AND_TIME.format(moves=turns, slowest=f"{max(trial.costs.walls_s):.3f}")


def _byte_by_byte(bench: Bench, case: CheckCase) -> str:
    return _sent_by(bench, case, lambda trial: trial.send_bytewise)


def _in_parts(bench: Bench, case: CheckCase) -> str:
    return _sent_by(bench, case, lambda trial: lambda data: trial.send_in_parts(data, 3, PAUSE_S))


def _sent_by(bench: Bench, case: CheckCase, sender: Callable[[Trial], Sender]) -> str:
    with bench.trial(case.board) as trial:
        send = sender(trial)
        send(trial.opening())
        _converse(trial, _opponent(bench, case), FEW_TURNS, lambda: trial.ask(send))
    return MOVES.format(moves=len(trial.costs.walls_s))


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


def _joined(bench: Bench, case: CheckCase) -> str:
    with bench.trial(case.board) as trial:
        trial.costs.charged_start = True
        trial.send(trial.opening() + trial.turn())
        trial.await_moves(trial.process.spawned)
    return FIRST_MOVE.format(time=f"{trial.costs.walls_s[0]:.3f}")


def _slow_judge(bench: Bench, case: CheckCase) -> str:
    pause_s = bench.conditions.limit_s + 0.5
    with bench.trial(case.board) as trial:

        def ask_late() -> list[AnyMove]:
            trial.expect_silence(pause_s)
            return trial.ask()

        trial.expect_silence(min(1.0, bench.conditions.limit_s))
        trial.send(trial.opening())
        _converse(trial, _opponent(bench, case), 2, ask_late)
    return SILENT.format(time=f"{pause_s:g}")


def _end_before_turn(bench: Bench, case: CheckCase) -> str:
    with bench.trial(case.board) as trial:
        trial.send(trial.opening())
        trial.expect_silence(bench.conditions.limit_s)
        return _ends(trial)


def _end_after_reply(bench: Bench, case: CheckCase) -> str:
    with bench.trial(case.board) as trial:
        trial.send(trial.opening())
        trial.ask()
        return _ends(trial)


def _ends(trial: Trial) -> str:
    took_s = trial.await_exit(EXIT_LIMIT_S)
    if took_s is None:
        raise Doubtful(RUNS_ON.format(limit=f"{EXIT_LIMIT_S:g}"))
    time.sleep(PAUSE_S)  # its children may be ending
    left = trial.left_behind()
    if left:
        raise Unfit(LEFT_BEHIND.format(number=len(left)))
    return ENDED.format(time=f"{took_s:.3f}")


def _unread_stderr(bench: Bench, case: CheckCase) -> str:
    with bench.trial(case.board, drain_stderr=False) as trial:
        turns = play(trial, _opponent(bench, case), trial.position.to_move)
    return MOVES.format(moves=turns)


def _long_search(bench: Bench, case: CheckCase) -> str:
    with bench.trial(case.board) as trial:
        play(trial, _opponent(bench, case), trial.position.to_move, LONG_TURNS)
    peak = f"{trial.costs.peak_rss_bytes / 1e6:.0f}"
    return MOVES_AND_MEMORY.format(moves=len(trial.costs.walls_s), peak=peak)


_KINDS = {
    Kind.WHOLE_GAME: _whole_game,
    Kind.BYTE_BY_BYTE: _byte_by_byte,
    Kind.IN_PARTS: _in_parts,
    Kind.JOINED: _joined,
    Kind.SLOW_JUDGE: _slow_judge,
    Kind.END_BEFORE_TURN: _end_before_turn,
    Kind.END_AFTER_REPLY: _end_after_reply,
    Kind.UNREAD_STDERR: _unread_stderr,
    Kind.LONG_SEARCH: _long_search,
}


def run(bench: Bench, case: CheckCase) -> str:
    """Put the bench's player through a case."""
    return _KINDS[case.kind](bench, case)


def _opponent(bench: Bench, case: CheckCase) -> Opponent:
    return case.opponent or wanderer(bench.conditions.seed)
