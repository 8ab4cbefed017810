"""One turn of one side: its reply within its clock, or what the lack of one means."""

import time
from collections.abc import Callable

from judge.games.positions import Position
from judge.language import recorded
from judge.play.scoresheet import GamePlan
from judge.play.seat import Forfeit, Seat
from judge.play.turn_clock import TurnClock, own_wait_s
from judge.processes.spawn import JudgeFailure
from judge.processes.traffic import pump
from protocol.records.record import Termination

STALL_AFTER_S = 1.0  # past the limit
POLL_S = 0.05  # the longest sleep: how soon an exit behind open pipes, or a stop, is noticed
START_POLL_S = 0.01  # until the mover has started: how exactly it is known when that was
MOST_ALLOWANCE_LIMITS = 10  # of a limit, for a side that does not reply: a machine that gives it less judges nobody
LATE_WAKE_S = 0.25  # a scheduler delay that makes a verdict by the strict clock unsafe
# Reasons, as records keep them.
TOOK_TOO_LONG = recorded("{side} took {elapsed} s, over the limit of {limit} s")
SAID_NOTHING = recorded("{side} said nothing for {elapsed} s, over the limit of {limit} s")
JUDGE_WAS_LATE = recorded("the judge woke up {late} s late while {side} was to move")
NOT_RUN = recorded("the machine did not run {side} for {kept} s of its turn")


class Turn:
    """The turn of `mover`, whose clock began at `started` (time.monotonic()); `clock` watches its threads.

    `waiter` is None where nobody waits, as in a check of a single player.
    """

    def __init__(self, plan: GamePlan, mover: Seat, waiter: Seat | None, clock: TurnClock, started: float) -> None:
        self.plan, self.mover, self.waiter, self.clock, self.started = plan, mover, waiter, clock, started

    def reply(
        self, position: Position, check_stop: Callable[[], None], check_memory: Callable[[float], None]
    ) -> tuple[object, float]:
        """The mover's reply and the moment it arrived. Raises Forfeit or JudgeFailure.

        check_stop() and check_memory(now) are called at every look; what they raise ends the turn.
        """
        mover, started, limit_s, strict_clock = self.mover, self.started, self.plan.limit_s, self.plan.strict_clock
        deadline = started + limit_s
        watched = [mover.bot] if self.waiter is None else [mover.bot, self.waiter.bot]
        now = started  # not the time: the judge may have been stopped since
        waited_before_s, has_asked = own_wait_s(), False
        asked = False  # a question, and more may have come with it: one at a time, to look at the clock between
        while True:
            nap_s = 0.0 if asked else START_POLL_S if mover.bot.start_up.is_watched else POLL_S
            moments = (deadline, deadline + STALL_AFTER_S)
            wake = min([now + nap_s, *(moment for moment in moments if moment > now)])
            before, now = now, pump(watched, wake - time.monotonic())
            check_stop()
            late_look_s = max(0.0, now - wake)
            if before <= deadline < now and late_look_s > (LATE_WAKE_S if strict_clock else limit_s):
                raise JudgeFailure(JUDGE_WAS_LATE.format(late=f"{late_look_s:.2f}", side=mover.side))
            if now > deadline and not strict_clock:
                judge_waited_s = own_wait_s() - waited_before_s if has_asked else 0.0
                allowance_s = self.clock.used().allowance_s(now - started, judge_waited_s)
                if allowance_s > MOST_ALLOWANCE_LIMITS * limit_s:
                    raise JudgeFailure(not_run(mover.side, allowance_s))
                deadline = max(deadline, started + limit_s + allowance_s)
            if now > deadline and (strict_clock or late_look_s < now - deadline):
                self._check_late(now - started, now >= deadline + STALL_AFTER_S)
                asked = False
                continue
            reply = mover.take_reply()
            asked = reply is not None and mover.answer(position, reply)
            has_asked |= asked
            if reply is not None and not asked:
                mover.check_memory(self.plan.memory_limit_bytes)
                return reply, now
            if mover.bot.closed and not asked:
                raise mover.crash()
            if self.waiter is not None:
                self.waiter.check_silent()
            check_memory(now)

    def _check_late(self, elapsed_s: float, stalled: bool) -> None:
        """Raise the Forfeit that a clock run out calls for, if it can be named already."""
        mover = self.mover
        try:
            complete = mover.take_reply() is not None or mover.bot.closed
        except Forfeit:
            complete = True
        times = {"elapsed": f"{elapsed_s:.3f}", "limit": f"{self.plan.limit_s:g}"}
        if complete:
            raise Forfeit(mover.side, Termination.TIME_FORFEIT, TOOK_TOO_LONG.format(side=mover.side, **times))
        if stalled:
            raise Forfeit(mover.side, Termination.STALL, SAID_NOTHING.format(side=mover.side, **times))


def not_run(side: str, kept_s: float) -> str:
    """Why a turn that the machine kept from a side for so long judges nobody."""
    return NOT_RUN.format(side=side, kept=f"{kept_s:.2f}")
