"""Tests, before a match begins, whether every player starts. So no match is lost by a misspelt name."""

import contextlib
import os
import time
from collections.abc import Iterable, Sequence

from judge.language import _, shown
from judge.play.driver import started_process
from judge.play.sandbox import OFF, Sandbox, sandboxes_for
from judge.play.seat import describe_exit
from judge.players.players import BadCommand, Contestant, PlayerError
from judge.processes.process import BotProcess, close_pipe, pump, pump_until_idle
from judge.processes.start import CannotStart, JudgeFailure, own_environment, start_errno
from judge.reasons import WRONG_COMMAND
from judge.terminal import printable, suggestion

# A process that has neither ended nor waited for input after PROCESSOR_S of CPU time, or after PATIENCE_S, counts as
# started.
PROCESSOR_S, PATIENCE_S = 1.0, 20.0
POLL_S = 0.05
TRIAL_LIMIT_S, TRIAL_SEED = 1.0, 0


def require_start(
    contestants: Iterable[Contestant], limit_s: float, names: Sequence[str] = (), sandbox: Sandbox | None = None
) -> None:
    """Start each player that was not tried before, send it nothing, and end it again.

    `limit_s` are the seconds per move that the player's command gets. `sandbox` holds the sandbox options; None turns
    sandboxes off. Raises PlayerError for the first player that cannot be executed or ends at once. The error states the
    reason, and the name among `names` (the known players) that the user may have meant. Raises JudgeFailure if the
    machine fails.
    """
    players, sandbox = list(contestants), sandbox or Sandbox(OFF)
    require_entry(players, sandbox)
    for contestant in {(player.command, player.folder): player for player in players if not player.is_tried}.values():
        others = [player for player in players if player is not contestant]
        _raise_if(_why_not_started(contestant, limit_s, sandbox, others), contestant, names)


def require_programs(
    contestants: Iterable[Contestant], limit_s: float, names: Sequence[str] = (), sandbox: Sandbox | None = None
) -> None:
    """Check that the program of each player that was not tried before exists, without starting it.

    The arguments and errors are those of require_start().
    """
    players = list(contestants)
    for contestant in players:
        if not contestant.is_tried:
            _raise_if(_why_not_executable(contestant, limit_s), contestant, names)
    require_entry(players, sandbox or Sandbox(OFF))


def require_entry(contestants: Iterable[Contestant], sandbox: Sandbox) -> None:
    """Raise PlayerError for the first player whose sandbox cannot enter its folder or does not have its program.

    A sandbox may refuse what works outside it: root has no privileges in it, and its /dev and /proc are new. A player
    whose program cannot be executed even outside a sandbox is passed over, as require_start() and require_programs()
    report it.
    """
    players = list(contestants)
    for player in {(player.command, player.folder): player for player in players}.values():
        others = [other for other in players if other is not player]
        folder, why_not = os.path.abspath(player.folder or os.curdir), ""
        try:
            with contextlib.closing(sandboxes_for(sandbox, [player], others)) as sandboxes:
                player_sandbox = sandboxes.of(0)
                if player_sandbox is not None and not _why_not_executable(player, TRIAL_LIMIT_S):
                    launch = player.launch(TRIAL_LIMIT_S, TRIAL_SEED)
                    folder = os.path.abspath(launch.folder or os.curdir)
                    why_not = player_sandbox.why_not_entered(folder, launch.argv[0])
        except JudgeFailure as failure:  # the files there cannot be looked at or copied
            why_not = str(failure)
        except ValueError:  # an argument that no command can have: the start of the player reports it
            continue
        if why_not:
            message = _(
                "player {name!r}: the player's sandbox cannot enter {folder}: {reason}; start the command in another "
                "folder, or with --sandbox off"
            )
            reason = printable(shown(why_not))
            raise PlayerError(message.format(name=player.command, folder=printable(folder), reason=reason))


def _raise_if(why_not: str, contestant: Contestant, names: Sequence[str]) -> None:
    """Raise PlayerError with the reason `why_not` why the player cannot start, unless that is "".

    The error also states the one of `names`, the known players, that the user may have meant.
    """
    if why_not:
        message = _("player {name!r} cannot start: {reason}")
        error = message.format(name=contestant.command, reason=printable(why_not))
        raise PlayerError(error + suggestion(contestant.command, names))


def _why_not_executable(contestant: Contestant, limit_s: float) -> str:
    """Return the reason why the player's program cannot be executed outside a sandbox, "" if it can."""
    try:
        launch = contestant.launch(limit_s, TRIAL_SEED)
    except BadCommand as error:
        return shown(str(error))
    program, folder = launch.argv[0], os.path.abspath(launch.folder or os.curdir)
    failure = start_errno(program, {**own_environment(), **launch.environment}, folder)
    return shown(WRONG_COMMAND.format(command=program, error=os.strerror(failure))) if failure else ""


def _why_not_started(contestant: Contestant, limit_s: float, sandbox: Sandbox, others: Sequence[Contestant]) -> str:
    """Return the reason why the player does not start, "" if it starts. Its sandbox hides the files of `others`."""
    try:
        with started_process(contestant, limit_s, TRIAL_SEED, sandbox, others) as process:
            if contestant.keeps_prints_apart:
                _await_loaded(process)
            else:
                pump_until_idle(process, lambda: _has_worked(process), PATIENCE_S)
            status, why_not = process.exit_status, process.why_not_started
    except (BadCommand, CannotStart) as error:
        return shown(str(error))
    if contestant.keeps_prints_apart and status == 0:
        return ""
    if contestant.keeps_prints_apart and status is None:
        return _("the strategy library was not loaded within {limit:g} s").format(limit=PATIENCE_S)
    if status is None or why_not:
        return why_not
    lines = [line for line in process.stderr_log.text().splitlines() if line.strip()]
    end = shown(describe_exit(status))
    if not lines:
        return _("the program {end} before its first turn").format(end=end)
    message = _("the program {end} before its first turn; the last line of its stderr: {words}")
    return message.format(end=end, words=printable(lines[-1]))


def _has_worked(process: BotProcess) -> bool:
    """Return whether the process has used more than PROCESSOR_S of CPU time, and drop all that it has sent."""
    process.received.clear()
    return process.cpu_s > PROCESSOR_S


def _await_loaded(process: BotProcess) -> None:
    """Close the stdin of our host of a strategy library, and wait at most PATIENCE_S for its end.

    Without input the host loads the library and then ends.
    """
    close_pipe(process.stdin)
    deadline = time.monotonic() + PATIENCE_S
    while process.exit_status is None and (left_s := deadline - time.monotonic()) > 0:
        pump([process], min(left_s, POLL_S))
        process.received.clear()
