"""The trials of a compliance check: each starts the player and drives it in one particular way.

A trial is a function of a Bench. It returns a few words on what it saw, and raises Forfeit or Unfit with
the reason if the player failed.
"""

import random
import time

from judge.boards import LARGEST_SIDE, Board
from judge.check_trial import Trial

FEW_TURNS = 3
LONG_TURNS = 8
PAUSE_S = 0.05  # between the parts of a message
THINKING_S = 0.02  # an opponent's move: bytes out of turn show
EXIT_LIMIT_S = 1.0  # after the end of the input
PLAIN_BOARD = Board(10, 11, (4, 5))


class Unfit(Exception):
    """The player failed otherwise than by losing a game. str() is the reason."""


class Bench:
    """Starts trials of one player under the same Conditions and keeps what they cost."""

    def __init__(self, contestant, conditions):
        self.contestant = contestant
        self.conditions = conditions
        self.costs = []

    def trial(self, board=PLAIN_BOARD, drain_stderr=True):
        """A new Trial on the board; without `drain_stderr` its costs, a full pipe's, are not kept."""
        trial = Trial(self.contestant, self.conditions, board, drain_stderr)
        if drain_stderr:
            self.costs.append(trial.costs)
        return trial


def wanderer(seed):
    """An opponent that plays any legal column, the same for the same seed."""
    generator = random.Random(seed)
    return lambda position, last_column: generator.choice(position.legal_moves())


def follower(position, last_column):
    """An opponent that plays on top of the player's stone: it blocks columns and fills them."""
    legal = position.legal_moves()
    return last_column if last_column in legal else legal[len(legal) // 2]


def blocker(position, last_column):
    """An opponent that never wins and stops a line of four where it can, so that the game lasts."""
    columns = position.legal_moves()
    threatened = [column for column in columns if _wins(position, column, 1 - position.to_move)]
    harmless = [column for column in columns if not _wins(position, column, position.to_move)]
    return (threatened or harmless or columns)[0]


def _wins(position, column, player):
    row = position.landing_row(column)
    position.owner[row][column] = player
    won = position.completes_line(row, column)
    position.owner[row][column] = None
    return won


def play(trial, opponent, first, most_turns=None):
    """Play a game, or the player's first so many turns of it."""
    column = None
    turns = 0
    if first:  # its clock begins with the process
        trial.costs.charged_start = True
        trial.send(trial.opening())
        trial.send(trial.turn())
        column = trial.await_move(trial.process.spawned)
        turns = 1
    else:
        trial.send(trial.opening())
    while not trial.position.over and turns != most_turns:
        trial.position.play(opponent(trial.position, column))
        if trial.position.over:
            break
        trial.expect_silence(THINKING_S)
        column = trial.ask()
        turns += 1
    return turns


def whole_game(rows, cols, forbidden, first, opponent):
    """A check that plays a game to its end."""

    def check(bench):
        with bench.trial(Board(rows, cols, forbidden)) as trial:
            turns = play(trial, opponent, first)
        return f"{turns} moves, the slowest {max(trial.costs.walls_s):.3f} s"

    return check


def byte_by_byte(bench):
    """Every byte of the first messages comes by itself."""
    return _sent_by(bench, lambda trial: trial.send_bytewise)


def in_parts(bench):
    """Every message comes in three parts, cut anywhere."""
    return _sent_by(bench, lambda trial: lambda data: trial.send_in_parts(data, 3, PAUSE_S))


def _sent_by(bench, sender):
    opponent = wanderer(bench.conditions.seed)
    with bench.trial() as trial:
        send = sender(trial)
        send(trial.opening())
        for _ in range(FEW_TURNS):
            column = trial.ask(send)
            if trial.position.over:
                break
            trial.position.play(opponent(trial.position, column))
    return f"{len(trial.costs.walls_s)} moves"


def joined(bench):
    """The first two messages come in one piece."""
    with bench.trial() as trial:
        trial.costs.charged_start = True
        trial.send(trial.opening() + trial.turn())
        trial.await_move(trial.process.spawned)
    return f"first move after {trial.costs.walls_s[0]:.3f} s"


def slow_judge(bench):
    """Long pauses before the opening and before turns: the player waits, in silence."""
    pause_s = bench.conditions.limit_s + 0.5
    with bench.trial() as trial:
        trial.expect_silence(min(1.0, bench.conditions.limit_s))
        trial.send(trial.opening())
        for _ in range(2):
            trial.expect_silence(pause_s)
            column = trial.ask()
            trial.position.play(follower(trial.position, column))
    return f"silent for {pause_s:g} s before each turn"


def end_after_opening(bench):
    """The input ends before the first turn."""
    with bench.trial() as trial:
        trial.send(trial.opening())
        trial.expect_silence(bench.conditions.limit_s)
        return _ends(trial)


def end_after_reply(bench):
    """The input ends after a reply."""
    with bench.trial() as trial:
        trial.send(trial.opening())
        trial.ask()
        return _ends(trial)


def _ends(trial):
    took_s = trial.await_exit(EXIT_LIMIT_S)
    if took_s is None:
        raise Unfit(f"it still runs {EXIT_LIMIT_S:g} s after the end of its input")
    time.sleep(PAUSE_S)  # its children may be ending
    left = trial.left_behind()
    if left:
        raise Unfit(f"it ended but left {len(left)} processes running")
    return f"ended after {took_s:.3f} s"


def unread_stderr(bench):
    """Nobody reads stderr: a player that writes more than the pipe holds would block."""
    with bench.trial(Board(LARGEST_SIDE, LARGEST_SIDE, (11, 6)), drain_stderr=False) as trial:
        turns = play(trial, follower, True)
    return f"{turns} moves"


def long_search(bench):
    """Several whole searches on the largest board, while memory is watched."""
    with bench.trial(Board(LARGEST_SIDE, LARGEST_SIDE, (0, 11))) as trial:
        play(trial, blocker, True, LONG_TURNS)
    return f"{len(trial.costs.walls_s)} moves, {trial.costs.peak_rss_bytes / 1e6:.0f} MB"
