"""The cases of a check: each starts the player and drives it in one particular way.

A case's function returns a few words on what it saw, and raises Forfeit or Unfit with the reason if the player failed,
Doubtful with what to know where that may or may not matter.
Which cases a game has is in its package in judge/games/.
"""

import time
from collections.abc import Callable

from judge.checks.bench import Bench, Doubtful, Unfit
from judge.checks.long_games import against_itself, late_positions, long_game, many_games, opponent_of, play, seen_of
from judge.checks.shares import Claim
from judge.checks.trial import Trial
from judge.games.check_cases import CheckCase, Kind, Opponent
from judge.games.positions import AnyMove
from judge.language import recorded

FEW_TURNS = 3
LONG_TURNS, LEAST_LONG_TURNS = 8, 4
LEAST_UNREAD_TURNS = 2
SLOW_TURNS, LAST_SLOW_TURN = (
    2,
    12,
)  # asked for after a long pause: the first, and the last; the others after a short one
SHORT_PAUSE_S = 0.5
EXIT_LIMIT_S = 1.0  # after the end of the input
PAUSE_S = 0.05  # between the parts of a message

# What was seen, as JSON has it.
MOVES = recorded("{moves} moves")
MOVES_AND_MEMORY = recorded("{moves} moves, {peak} MB")
FIRST_MOVE = recorded("first move after {time} s")
SILENT = recorded("silent in {number} pauses before turns, the longest {time} s")
RUNS_ON = recorded(
    "it still runs {limit} s after the end of its input, as the platform's own main() does: the platform ends it, but "
    "elsewhere it would run for ever"
)
LEFT_BEHIND = recorded("it ended but left {number} processes running")
ENDED = recorded("ended after {time} s")


Sender = Callable[[bytes], None]


def _whole_game(bench: Bench, case: CheckCase, until: float) -> str:
    """A game; afterwards the player's last words are listened to, unless it was seen not to end with its input."""
    with bench.trial(case.board, hurried=True) as trial:
        turns = play(trial, opponent_of(bench, case), case.player, until=until)
        if not bench.runs_on.is_set() and trial.await_exit(EXIT_LIMIT_S) is None:
            bench.runs_on.set()
    return seen_of(trial, turns)


def _byte_by_byte(bench: Bench, case: CheckCase, until: float) -> str:
    return _sent_by(bench, case, lambda trial: trial.send_bytewise)


def _in_parts(bench: Bench, case: CheckCase, until: float) -> str:
    return _sent_by(bench, case, lambda trial: lambda data: trial.send_in_parts(data, 3, PAUSE_S))


def _sent_by(bench: Bench, case: CheckCase, sender: Callable[[Trial], Sender]) -> str:
    with bench.trial(case.board) as trial:
        send = sender(trial)
        send(trial.opening())
        _converse(trial, opponent_of(bench, case), FEW_TURNS, lambda: trial.ask(send))
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


def _joined(bench: Bench, case: CheckCase, until: float) -> str:
    with bench.trial(case.board) as trial:
        trial.costs.charged_start = True
        trial.send(trial.opening() + trial.turn())
        trial.await_first_moves()
    return FIRST_MOVE.format(time=f"{trial.costs.walls_s[0]:.3f}")


def _slow_judge(bench: Bench, case: CheckCase, until: float) -> str:
    """Long pauses before the first turns and, if the player is quick enough to get there, before a later one."""
    limit_s = bench.conditions.limit_s
    long_pause_s = limit_s + SHORT_PAUSE_S

    def pause_s(turn: int) -> float:
        return long_pause_s if turn < SLOW_TURNS or turn == LAST_SLOW_TURN else SHORT_PAUSE_S

    with bench.trial(case.board, hurried=True) as trial:
        trial.expect_silence(min(1.0, limit_s))
        player = trial.position.to_move
        opponent = opponent_of(bench, case)
        turns = play(trial, opponent, player, LAST_SLOW_TURN + 1, until, SLOW_TURNS, pause_s, is_charged=False)
    return SILENT.format(number=turns, time=f"{long_pause_s:g}")


def _end_before_turn(bench: Bench, case: CheckCase, until: float) -> str:
    with bench.trial(case.board) as trial:
        trial.send(trial.opening())
        trial.expect_silence(bench.conditions.limit_s)
        return _ends(bench, trial)


def _end_after_reply(bench: Bench, case: CheckCase, until: float) -> str:
    with bench.trial(case.board) as trial:
        trial.send(trial.opening())
        trial.ask()
        return _ends(bench, trial)


def _ends(bench: Bench, trial: Trial) -> str:
    took_s = trial.await_exit(EXIT_LIMIT_S)
    if took_s is None:
        bench.runs_on.set()
        raise Doubtful(RUNS_ON.format(limit=f"{EXIT_LIMIT_S:g}"))
    time.sleep(PAUSE_S)  # its children may be ending
    left = trial.left_behind()
    if left:
        raise Unfit(LEFT_BEHIND.format(number=len(left)))
    return ENDED.format(time=f"{took_s:.3f}")


def _unread_stderr(bench: Bench, case: CheckCase, until: float) -> str:
    with bench.trial(case.board, drain_stderr=False, hurried=True) as trial:
        player = trial.position.to_move
        turns = play(trial, opponent_of(bench, case), player, until=until, least_turns=LEAST_UNREAD_TURNS)
    return MOVES.format(moves=turns)


def _long_search(bench: Bench, case: CheckCase, until: float) -> str:
    with bench.trial(case.board) as trial:
        play(trial, opponent_of(bench, case), trial.position.to_move, LONG_TURNS, until, LEAST_LONG_TURNS)
    peak = f"{trial.costs.peak_rss_bytes / 1e6:.0f}"
    return MOVES_AND_MEMORY.format(moves=len(trial.costs.walls_s), peak=peak)


_KINDS = {
    Kind.WHOLE_GAME: _whole_game,
    Kind.LONG_GAME: long_game,
    Kind.AGAINST_ITSELF: against_itself,
    Kind.MANY_GAMES: many_games,
    Kind.LATE_POSITIONS: late_positions,
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
    until = bench.until(case.name)
    try:
        return _KINDS[case.kind](bench, case, until)
    finally:
        bench.finish(case.name)


# What a kind takes at least: turns, pauses of the limit's length, and seconds besides.
_LEAST = {
    Kind.WHOLE_GAME: (1, 0, 0.0),
    Kind.LONG_GAME: (1, 0, 0.0),
    Kind.AGAINST_ITSELF: (2, 0, 0.0),
    Kind.MANY_GAMES: (1, 0, 0.0),
    Kind.LATE_POSITIONS: (1, 0, 0.0),
    Kind.BYTE_BY_BYTE: (FEW_TURNS, 0, 0.1),
    Kind.IN_PARTS: (FEW_TURNS, 0, 0.5),
    Kind.JOINED: (1, 0, 0.0),
    Kind.SLOW_JUDGE: (SLOW_TURNS, SLOW_TURNS, 2 * SHORT_PAUSE_S + 1),
    Kind.END_BEFORE_TURN: (0, 1, 1.0),
    Kind.END_AFTER_REPLY: (1, 0, 1.0),
    Kind.UNREAD_STDERR: (LEAST_UNREAD_TURNS, 0, 0.0),
    Kind.LONG_SEARCH: (LEAST_LONG_TURNS, 0, 0.0),
}


def least_turns(case: CheckCase) -> int:
    """How many turns the player has in the case at least."""
    return _LEAST[case.kind][0]


def pauses_s(case: CheckCase, limit_s: float) -> float:
    """How long the case waits at least, in seconds, besides the player's turns."""
    _turns, pauses, seconds = _LEAST[case.kind]
    return pauses * limit_s + seconds


def claim(case: CheckCase, limit_s: float) -> Claim:
    """What the case asks of the check's time for a player that takes the whole limit."""
    return Claim(least_turns(case) * limit_s + pauses_s(case, limit_s), case.weight)
