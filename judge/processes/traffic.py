"""What is done with all processes of a game at once: waiting for what they write, and ending them."""

import selectors
import time
from collections.abc import Sequence

from judge.processes import descendants
from judge.processes.process import GRACE_STEP_S, BotProcess

TERM_GRACE_S = 0.25  # between SIGTERM and SIGKILL


def pump(processes: Sequence[BotProcess], timeout_s: float) -> float:
    """Wait for traffic with any of the processes, at most timeout_s, and move all bytes that can move.

    Returns the moment of waking up, with which everything read is stamped. An ended process is noticed here.
    """
    with selectors.DefaultSelector() as selector:
        for process in processes:
            if process.wants_to_read():
                selector.register(process.stdout, selectors.EVENT_READ)
            if process.wants_stderr():
                selector.register(process.stderr, selectors.EVENT_READ)
            if process.prints.descriptor is not None:
                selector.register(process.prints.descriptor, selectors.EVENT_READ)
            if process.wants_to_write():
                selector.register(process.stdin, selectors.EVENT_WRITE)
        selector.select(max(0.0, timeout_s))
    now = time.monotonic()
    for process in processes:
        process.read_stdout(now)
        if process.wants_stderr():
            process.read_stderr()
        process.prints.read()
        process.write_pending()
        process.start_up.look(process.stdin, now)
        process.notice_exit(now)
    return now


def end_all(processes: Sequence[BotProcess], marker: str) -> int:
    """End the game's processes and everything they started; returns how many strays had to be killed."""
    for process in processes:
        process.request_end()
    give_up = time.monotonic() + TERM_GRACE_S
    while time.monotonic() < give_up and any(process.exit_status is None for process in processes):
        time.sleep(GRACE_STEP_S)
        for process in processes:
            process.notice_exit(time.monotonic())
    for process in processes:
        process.kill()
    killed = 0
    if processes or marker in descendants.unswept_games:  # also where a wall failed, and there is no bot
        known = set[int]().union(*(process.seen for process in processes))
        killed = descendants.sweep(marker, known)
    for process in processes:
        process.close()
    return killed
