"""The result files of Compete, the course's own runner for two strategy libraries.

A is the player the batch is about, B its opponent; a round is two games on one board:

    0:
    1	35	0          result code, A's seconds, B's seconds: A moved first
    1	17	0          B moved first
    (an empty line)
    ...
    Stat:
    ratio of A wins : 1
    ...

Lines end with LF as on Linux, and seconds are counted as there: each move adds the difference of time(NULL)
around it, a whole number, so that a short move across the change of a second counts 1.
"""

import math
from collections.abc import Iterable, Sequence
from datetime import datetime

from judge.play.recheck import recorded_limit_s
from protocol.records.record import GameRecord, Termination

TIE, A_WON, B_WON, A_BUG, A_ILLEGAL, B_BUG, B_ILLEGAL, A_TIMEOUT, B_TIMEOUT = range(9)
A_NOT_LOADED, B_NOT_LOADED = -1, -2  # count for nobody

WON_BY_A = (A_WON, B_BUG, B_ILLEGAL, B_TIMEOUT)
WON_BY_B = (B_WON, A_BUG, A_ILLEGAL, A_TIMEOUT)

NORMAL_CODES = {None: TIE, "A": A_WON, "B": B_WON}
FAULT_CODES: dict[Termination, dict[str | None, int]] = {
    Termination.ILLEGAL_MOVE: {"A": A_ILLEGAL, "B": B_ILLEGAL},
    Termination.TIME_FORFEIT: {"A": A_TIMEOUT, "B": B_TIMEOUT},
    Termination.STALL: {"A": A_TIMEOUT, "B": B_TIMEOUT},
    Termination.STARTUP_FAILURE: {"A": A_NOT_LOADED, "B": B_NOT_LOADED},
}
OTHER_FAULTS: dict[str | None, int] = {"A": A_BUG, "B": B_BUG}  # Compete knows no frames, exits or limits of memory
LIMIT_S = 3.0  # Compete's, for a record that has none: from elsewhere, or of a person's game
OVERRUNS = (Termination.TIME_FORFEIT, Termination.STALL)


def result_code(record: GameRecord) -> int:
    """Compete's number for how a game ended; it knows no resignation. Precondition: the game is not VOID."""
    if record.termination in (Termination.NORMAL, Termination.RESIGNATION):
        return NORMAL_CODES[record.winner]
    return FAULT_CODES.get(record.termination, OTHER_FAULTS)[record.at_fault]


def seconds(record: GameRecord) -> dict[str, int]:
    """{"A": n, "B": n}: the whole seconds that Compete would have counted for each side.

    The record keeps when the game started and how long each move took; the moves are laid end to end from
    there. A move that overran the limit counts as long as the limit, when Compete stops waiting; the time of
    an illegal or failed last move is in no record and counts as none.
    """
    spans = [(move.side, move.wall_s) for move in record.moves]
    if record.termination in OVERRUNS and record.at_fault is not None:
        limit_s = recorded_limit_s(record)
        spans.append((record.at_fault, LIMIT_S if limit_s is None else limit_s))
    counted = {"A": 0, "B": 0}
    now = _seconds_since_1970(record.started)
    for side, span_s in spans:
        counted[side] += math.floor(now + span_s) - math.floor(now)
        now += span_s
    return counted


def _seconds_since_1970(moment: str) -> float:
    """The moment as time(NULL) counts, 0 where the record tells none."""
    try:
        return datetime.fromisoformat(moment).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def result_file(rounds: Iterable[Sequence[GameRecord]]) -> bytes:
    """The bytes of a result file. `rounds` are pairs of records of one board: A moved first, B moved first.

    Precondition: at least one round, and no VOID game.
    """
    lines = []
    codes = []
    for number, games in enumerate(rounds):
        lines.append(f"{number}:")
        for record in games:
            counted = seconds(record)
            codes.append(result_code(record))
            lines.append(f"{codes[-1]}\t{counted['A']}\t{counted['B']}")
        lines.append("")
    wins_of_a, wins_of_b, ties = (
        sum(code in chosen for code in codes) / len(codes) for chosen in (WON_BY_A, WON_BY_B, (TIE,))
    )
    lines += [
        "Stat:",
        f"ratio of A wins : {wins_of_a:g}",  # six significant digits, as a C++ stream prints a double
        f"ratio of B wins : {wins_of_b:g}",
        f"ratio of Tie : {ties:g}",
        "",
        f"ratio of (A wins + tie) : {wins_of_a + ties:g}",
        f"ratio of (B wins + tie) : {wins_of_b + ties:g}",
    ]
    return "".join(f"{line}\n" for line in lines).encode("ascii")
