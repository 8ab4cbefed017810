"""A player that has come to a worker: unpacked, and seen to start here as it does where it came from."""

import contextlib
import io
import threading
from dataclasses import replace
from pathlib import Path

from judge.checks.trial import Conditions, Trial
from judge.cluster.parcels import OWN_BOT, Parcel, unpack
from judge.language import _, shown
from judge.play.scoresheet import GamePlan
from judge.play.seat import Forfeit
from judge.play.start_trial import require_start
from judge.players import own_bot
from judge.players.players import Contestant, PlayerError

FIRST_MOVE_S = 20.0  # of the own bot, which is told to make it at once
AT_ONCE = ("--iterations", "1")
NO_ENGINE = f"engine {own_bot.NO_BACKEND}"  # what the bot's log says where it plays without


def arrived(parcel: Parcel, room: Path, plan: GamePlan, stop: threading.Event) -> Contestant:
    """The player, its files below `room`, tried behind the walls of this game.

    Raises PlayerError where it cannot play here, or would play weaker; JudgeFailure where the machine fails.
    """
    with contextlib.redirect_stderr(io.StringIO()):  # notes on a project that is built were told where it came from
        player = unpack(parcel, room, plan.game)
    require_start([replace(player, is_tried=False)], plan.limit_s, sandbox=plan.sandbox)
    if parcel.kind == OWN_BOT and own_bot.backend_in(parcel.words) != own_bot.NO_BACKEND:
        _require_engine(player, plan, stop)
    return player


def _require_engine(player: Contestant, plan: GamePlan, stop: threading.Event) -> None:
    """Raise PlayerError where the bot, asked for one move, plays without its compiled engine."""
    assert player.prepared is not None
    quick = replace(player, prepared=replace(player.prepared, argv=(*player.prepared.argv, *AT_ONCE)))
    conditions = Conditions(FIRST_MOVE_S, plan.memory_limit_bytes, plan.seed, stop, plan.game, sandbox=plan.sandbox)
    try:
        with Trial(quick, conditions, plan.board) as trial:
            trial.send(trial.opening() + trial.turn())
            trial.await_first_moves()
            trial.process.read_stderr()
            said = trial.process.stderr_log.text()
    except Forfeit as fault:
        raise PlayerError(_("player {name!r}: {error}").format(name=player.command, error=shown(str(fault)))) from None
    if NO_ENGINE in said:
        line = next(line for line in said.splitlines() if NO_ENGINE in line)
        message = _("player {name!r} has no compiled engine here and would play weaker: {line}")
        raise PlayerError(message.format(name=player.command, line=line))
