"""Several slots at work at once, and what each did."""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from judge.language import recorded
from judge.machine.fairness.slot import READY

SLOT = Path(__file__).with_name("slot.py")
HEAD_START_S = 0.02  # from the word to begin to the beginning
# Reasons, as JSON has them.
NO_SLOT = recorded("a process that was to compute could not be started: {error}")
SLOT_ENDED = recorded("a process that was to compute ended before its time")


class NotMeasured(Exception):
    """The slots did not work; str() says why, made of templates of recorded()."""


@dataclass(frozen=True)
class Round:
    """What one slot did in one round: pieces of work, and seconds that they took, that it ran, that it waited for a
    core; the last two are None where the system does not tell.
    """

    pieces: int
    took_s: float
    ran_s: float | None = None
    waited_s: float | None = None

    @property
    def speed(self) -> float:
        """Pieces in a second."""
        return self.pieces / self.took_s if self.took_s > 0 else 0.0


class Slots:
    """Slots that run: begin() says when their rounds begin, results() waits for all that they did."""

    def __init__(self, processes: "Sequence[subprocess.Popen[str]]") -> None:
        self._processes = processes

    def begin(self) -> float:
        """Have all of them begin at once; returns the moment, by time.monotonic(). Raises NotMeasured."""
        if any(_line_of(process) != READY for process in self._processes):
            raise NotMeasured(SLOT_ENDED)
        moment = time.monotonic() + HEAD_START_S
        for process in self._processes:
            assert process.stdin is not None
            with contextlib.suppress(BrokenPipeError):  # results() tells
                process.stdin.write(f"{moment}\n")
                process.stdin.flush()
        return moment

    def results(self) -> list[list[Round]]:
        """Each slot's rounds, all slots having as many. Raises NotMeasured."""
        try:
            return [[Round(*entry) for entry in json.loads(_line_of(process))] for process in self._processes]
        except ValueError:
            raise NotMeasured(SLOT_ENDED) from None


def _line_of(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def _end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):  # what a slot that has ended was not sent
            assert pipe is not None
            pipe.close()
    process.wait()


@contextlib.contextmanager
def started(slots: int, rounds: int, round_s: float) -> Iterator[Slots]:
    """So many Slots for so many rounds of round_s seconds; none of them is left when the context ends.

    Raises NotMeasured. Each has a session of its own: what a terminal sends the judge does not reach it.
    """
    command = [sys.executable, "-I", "-S", str(SLOT), str(rounds), repr(round_s)]
    with contextlib.ExitStack() as stack:
        processes = []
        try:
            for _slot in range(slots):
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                    start_new_session=True,
                )
                stack.callback(_end, process)
                processes.append(process)
        except OSError as error:
            raise NotMeasured(NO_SLOT.format(error=error)) from error
        yield Slots(processes)
