"""What is done with all processes of a game at once: waiting for what they write, and ending them."""

import selectors
import socket
import time
from collections.abc import Callable, Iterable, Sequence

from judge.processes import descendants, usage
from judge.processes.process import GRACE_STEP_S, BotProcess

TERM_GRACE_S = 0.25  # between SIGTERM and SIGKILL
IDLE_POLL_S = 0.02
POLLS_ASLEEP = 8  # running, all its processes without work: it waits for its input


def pump(processes: Sequence[BotProcess], timeout_s: float, others: Iterable[tuple[socket.socket, int]] = ()) -> float:
    """Wait for traffic with any of the processes, at most timeout_s, and move all bytes that can move.

    Returns the moment of waking up, with which everything read is stamped. An ended process is noticed here. It wakes
    up for `others` too, sockets each with the selectors' EVENT_READ, EVENT_WRITE or both, and leaves them as they are.
    """
    with selectors.DefaultSelector() as selector:
        for connection, events in others:
            selector.register(connection, events)
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


def pump_until_idle(process: BotProcess, is_enough: Callable[[], bool], patience_s: float) -> None:
    """Move the bytes of a process until is_enough(), or it has ended, or waits for its input, or patience is out.

    A busy machine may keep it from running for long: then it does not wait, and is waited for.
    """
    give_up = time.monotonic() + patience_s
    asleep, cpu_s = 0, 0.0
    while process.exit_status is None and asleep < POLLS_ASLEEP and not is_enough():
        now = pump([process], IDLE_POLL_S)
        before, cpu_s = cpu_s, process.sample()
        if now > give_up:
            return
        is_idle = cpu_s == before and all(map(usage.is_asleep, process.bot_pids()))
        asleep = asleep + 1 if is_idle else 0


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
