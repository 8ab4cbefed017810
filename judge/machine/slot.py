"""One slot: does the same piece of work time and again, in rounds of equal length, and counts. Run as a file.

    python -I -S slot.py ROUNDS ROUND_S

writes a line when it is ready, reads the moment to begin (time.monotonic(), one clock for all processes) and writes a
JSON list in the end: for each round the pieces done, the seconds that they took, and the seconds that it ran and that
it waited for a core meanwhile, None where the system does not tell. It ends with the process that has started it.
"""

import json
import os
import sys
import time

READY = "ready"
STEPS = 5000  # of a piece: some tenths of a millisecond
NANOSECOND = 1e-9


def piece_of_work() -> int:
    """The same integer arithmetic whenever it is done."""
    number = 1
    for _ in range(STEPS):
        number = (number * 1103515245 + 12345) & 0x7FFFFFFF
    return number


def scheduled(path: str = "/proc/self/schedstat") -> "tuple[float, float] | None":
    """Seconds that this process, which has one thread, ran and waited for a core; None where that is not counted."""
    try:
        with open(path) as file:
            run_ns, waited_ns, _ = file.read().split()
            return int(run_ns) * NANOSECOND, int(waited_ns) * NANOSECOND
    except (OSError, ValueError):
        return None


def one_round(end: float) -> "list[float | None]":
    """Work until this moment; returns what is told of the round."""
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
    """Work through the rounds, unless the process that has started this one ends."""
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
