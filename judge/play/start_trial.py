"""Tests once before many games that the players start, so that a misspelt name does not lose a match."""

import os
import shutil
import time
from collections.abc import Iterable, Sequence
from typing import NoReturn

from judge.language import _, shown
from judge.play.driver import started
from judge.play.sandbox import OFF, Sandbox
from judge.play.seat import describe_exit
from judge.players.players import BadCommand, Contestant, PlayerError
from judge.processes.process import BotProcess, close_pipe, pump, pump_until_idle
from judge.processes.start import CannotStart
from judge.terminal import meant, printable

# A process that has neither ended nor waited for input after this time counts as started.
PROCESSOR_S, PATIENCE_S = 1.0, 20.0
POLL_S = 0.05
TRIAL_SEED = 0


def require_start(
    contestants: Iterable[Contestant], limit_s: float, names: Sequence[str] = (), sandbox: Sandbox | None = None
) -> None:
    """Start each player that was not tried before, send it nothing, and end it again.

    sandbox: the sandbox options; None turns sandboxes off.

    Raises PlayerError for the first player that cannot be executed or ends at once, with the reason and the name among
    `names` (the known players) that may have been meant. Raises JudgeFailure if the machine fails.
    """
    players = list(contestants)
    untried = {(player.command, player.folder): player for player in players if not player.is_tried}
    for contestant in untried.values():
        others = [player for player in players if player is not contestant]
        reason = _why_not(contestant, limit_s, sandbox or Sandbox(OFF), others)
        if reason:
            _refuse(contestant, reason, names)


def require_programs(contestants: Iterable[Contestant], limit_s: float, names: Sequence[str] = ()) -> None:
    """Check that each untried player's program exists, without starting it; arguments and errors as require_start()."""
    for contestant in contestants:
        if contestant.is_tried:
            continue
        try:
            launch = contestant.launch(limit_s, TRIAL_SEED)
            program = launch.argv[0]
            place = os.path.join(launch.folder or "", program) if os.sep in program else program
            reason = "" if shutil.which(place) else _("{program}: No such file or directory").format(program=program)
        except BadCommand as error:
            reason = shown(str(error))
        if reason:
            _refuse(contestant, reason, names)


def _refuse(contestant: Contestant, reason: str, names: Sequence[str]) -> NoReturn:
    message = _("player {name!r} cannot start: {reason}")
    raise PlayerError(
        message.format(name=contestant.command, reason=printable(reason)) + meant(contestant.command, names)
    )


def _why_not(contestant: Contestant, limit_s: float, sandbox: Sandbox, others: Sequence[Contestant]) -> str:
    """Return the reason why the player does not start, "" if it does; the others' files are protected from it."""
    try:
        with started(contestant, limit_s, TRIAL_SEED, sandbox, others) as process:
            if contestant.keeps_prints_apart:
                _await_loaded(process)
            else:
                pump_until_idle(process, lambda: _has_worked(process), PATIENCE_S)
            ended = process.exit_status
    except (BadCommand, CannotStart) as error:
        return shown(str(error))
    if contestant.keeps_prints_apart and not ended:
        return _("loading it takes over {limit:g} s").format(limit=PATIENCE_S) if ended is None else ""
    if ended is None:
        return ""
    words = [line for line in process.stderr_log.text().splitlines() if line.strip()]
    reason = _("it {end} before its first turn").format(end=shown(describe_exit(ended)))
    return _("{reason}: {words}").format(reason=reason, words=printable(words[-1])) if words else reason


def _has_worked(process: BotProcess) -> bool:
    """Return whether the process has used PROCESSOR_S of CPU time; drop what it has written meanwhile."""
    process.received.clear()
    return process.cpu_s > PROCESSOR_S


def _await_loaded(process: BotProcess) -> None:
    """Wait at most PATIENCE_S for the end of our host of a strategy library: without input it loads it and ends."""
    close_pipe(process.stdin)
    give_up = time.monotonic() + PATIENCE_S
    while process.exit_status is None and (left_s := give_up - time.monotonic()) > 0:
        pump([process], min(left_s, POLL_S))
        process.received.clear()
