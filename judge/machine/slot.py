"""Runs one slot of a fairness measurement: repeats a piece of work in rounds of equal length, and counts.

Run as a file.

    python -I -S slot.py ROUNDS ROUND_S

writes a line when it is ready, reads the moment to begin (of time.monotonic(), the same for all processes) and prints a
JSON list at the end: for each round the number of pieces, the seconds they took, and the seconds that the process ran
and waited for a core (null if the system does not report them). It ends early if its parent process ends.
"""

import json
import os
import sys
import time

READY = "ready"
STEPS = 5000  # of arithmetic in a piece of work, which takes some tenths of a millisecond
NANOSECOND = 1e-9


def piece_of_work() -> int:
    """Do a fixed amount of integer arithmetic and return its result."""
    number = 1
    for _ in range(STEPS):
        number = (number * 1103515245 + 12345) & 0x7FFFFFFF
    return number


def scheduled(path: str = "/proc/self/schedstat") -> "tuple[float, float] | None":
    """Return the seconds that this single-threaded process (ran, waited for a core); None if they are unknown."""
    try:
        with open(path) as file:
            run_ns, waited_ns, _ = file.read().split()
            return int(run_ns) * NANOSECOND, int(waited_ns) * NANOSECOND
    except (OSError, ValueError):
        return None


def one_round(end: float) -> "list[float | None]":
    """Work until the moment `end` of time.monotonic(); return the round's [pieces, seconds, seconds run, waited]."""
    pieces, began, before = 0, time.monotonic(), scheduled()
    now = began
    while now < end:
        piece_of_work()
        pieces += 1
        now = time.monotonic()
    after = scheduled()
    told = (None, None) if before is None or after is None else (after[0] - before[0], after[1] - before[1])
    return [pieces, now - began, *told]


def main(rounds: int, round_s: float) -> None:
    """Run the rounds and print the results; stop early if the parent process ends."""
    parent = os.getppid()
    print(READY, flush=True)
    begin = float(sys.stdin.readline() or "nan")
    time.sleep(max(0.0, begin - time.monotonic()))
    done = []
    for number in range(1, rounds + 1):
        if os.getppid() != parent:
            return
        done.append(one_round(begin + number * round_s))
    print(json.dumps(done), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
